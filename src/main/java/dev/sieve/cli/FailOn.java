package dev.sieve.cli;

import dev.sieve.crawl.CrawlReport;

/** What the option --fail-on takes for a failure of a crawl. */
enum FailOn {
    /** The filter was too small: a page or more was missed. */
    CAPACITY,
    /** A URL failed, or its response has a status from 400 on: a broken link. */
    ERRORS;

    /** Returns what went wrong in a few words; null if nothing did. */
    String problem(CrawlReport report) {
        return switch (this) {
            case CAPACITY -> Summary.missesPages(report) ? Summary.missed(report) : null;
            case ERRORS -> report.failureCounts().isEmpty() ? null : Summary.errors(report);
        };
    }
}
