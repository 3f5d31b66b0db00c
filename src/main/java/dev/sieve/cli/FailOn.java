package dev.sieve.cli;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import org.jspecify.annotations.Nullable;

/** What the option --fail-on takes for a failure of a crawl. */
enum FailOn {
    /** A URL has no usable response, or one with a status of 400 or above that is not accepted, or a fragment is missing. */
    BROKEN,
    /** The filter was too small: a page or more was missed. */
    CAPACITY,
    /** A URL has no usable response. */
    ERROR;

    /** Returns what went wrong in a few words; null if nothing did. */
    @Nullable
    String problem(CrawlReport report) {
        return switch (this) {
            case BROKEN -> report.by(Counter.FAILURES).isEmpty() ? null : Summary.errors(report);
            case CAPACITY -> Summary.missesPages(report) ? Summary.missed(report) : null;
            case ERROR -> report.withoutResponse() == 0 ? null : Summary.errors(report);
        };
    }
}
