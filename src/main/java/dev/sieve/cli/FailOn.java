package dev.sieve.cli;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.output.Change;
import dev.sieve.report.Numbers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** What the option --fail-on takes for a failure of a crawl. */
enum FailOn {
    /** A URL has no usable response, or one with a status of 400 or above that is not accepted, or a fragment is missing. */
    BROKEN,
    /** The filter was too small: a page or more was missed. */
    CAPACITY,
    /** A page has another body than in the round before. */
    CHANGED,
    /** A URL has no usable response. */
    ERROR,
    /** A page has disappeared since the round before: status 404 or 410. */
    GONE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Refuses a condition that can never be met: one about rounds of a crawl without rounds. */
    void check(CommandSpec spec, boolean isAgain) {
        if (!isAgain && (this == CHANGED || this == GONE)) {
            throw Checks.wrong(spec, "Option '--fail-on " + this + "' requires '--again'", "--fail-on");
        }
    }

    /** Returns what went wrong in a few words; null if nothing did. */
    @Nullable
    String problem(CrawlReport report) {
        return switch (this) {
            case BROKEN -> report.by(Counter.FAILURES).isEmpty() ? null : Summary.errors(report);
            case CAPACITY -> Numbers.missesPages(report.sieve()) ? Summary.missed(report) : null;
            case CHANGED -> change(report, Change.CHANGED);
            case GONE -> change(report, Change.GONE);
            case ERROR -> report.withoutResponse() == 0 ? null : Summary.errors(report);
        };
    }

    private static @Nullable String change(CrawlReport report, Change change) {
        long pages = report.count(Counter.CHANGES, change.text());
        return pages == 0 ? null : Numbers.count(pages, "page") + " " + change.text();
    }
}
