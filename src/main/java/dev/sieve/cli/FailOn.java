package dev.sieve.cli;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.output.Change;
import dev.sieve.output.Verdict;
import dev.sieve.report.Numbers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** An event that the option --fail-on makes a failure of the crawl. */
enum FailOn {
    /** A URL has no usable response, or one with a status of 400 or above that is not accepted, a fragment is missing, or the session has ended. */
    BROKEN,
    /** The filter was too small: a page or more was missed. */
    CAPACITY,
    /** A page has another body than in the round before. */
    CHANGED,
    /** A URL has no usable response, or the session has ended. */
    ERROR,
    /** A page has disappeared since the round before: status 404 or 410. */
    GONE,
    /** A URL or fragment is broken that was not in the run or round before, or the session has ended. */
    NEWLY_BROKEN,
    /** A link leads to a URL that redirects for good: status 301 or 308. */
    REDIRECTED;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Refuses a condition that can never be met: one about rounds, or about runs, of a crawl without them. */
    void check(CommandSpec spec, boolean isAgain, boolean comparesRuns) {
        if (!comparesRuns && this == NEWLY_BROKEN) {
            String needs = "' requires '--again', or '--job' and a folder as SEED";
            throw Checks.wrong(spec, "Option '--fail-on " + this + needs, "--fail-on");
        }
        if (!isAgain && (this == CHANGED || this == GONE)) {
            throw Checks.wrong(spec, "Option '--fail-on " + this + "' requires '--again'", "--fail-on");
        }
    }

    /** Returns what went wrong in a few words; null if nothing did. */
    @Nullable
    String problem(CrawlReport report) {
        return switch (this) {
            case BROKEN -> report.by(Counter.FAILURES).isEmpty() ? login(report) : Summary.errors(report);
            case CAPACITY -> Numbers.missesPages(report.sieve()) ? Summary.missed(report) : null;
            case CHANGED -> change(report, Change.CHANGED);
            case GONE -> change(report, Change.GONE);
            case NEWLY_BROKEN -> {
                long urls = report.count(Counter.NEWLY_BROKEN);
                yield urls == 0 ? login(report) : Numbers.count(urls, "URL") + " newly broken";
            }
            case REDIRECTED -> moved(report);
            case ERROR -> report.withoutResponse() == 0 ? login(report) : Summary.errors(report);
        };
    }

    /** Says that URLs ask to log in: they are not broken, but what they have was not checked. */
    private static @Nullable String login(CrawlReport report) {
        long urls = report.count(Counter.LOGINS);
        return urls == 0 ? null : Numbers.count(urls, "URL") + " " + Verdict.LOGIN.place();
    }

    private static @Nullable String moved(CrawlReport report) {
        long urls = report.count(Counter.MOVED);
        return urls == 0
                ? null
                : Numbers.count(urls, "link") + " to update: " + (urls == 1 ? "its URL has" : "their URLs have")
                        + " moved for good";
    }

    private static @Nullable String change(CrawlReport report, Change change) {
        long pages = report.count(Counter.CHANGES, change.text());
        return pages == 0 ? null : Numbers.count(pages, "page") + " " + change.text();
    }

    /** The exit codes of the program. 0 is success; a signal ends it with 128 plus the number of the signal. */
    static final class ExitCode {
        static final int INTERNAL_ERROR_OR_FULL = 1;
        static final int WRONG_USAGE = 2;
        static final int NO_PAGE = 3;
        static final int INPUT_OR_OUTPUT_FAILED = 4;
        /** The exit code of 'why' for a URL that is not crawled. */
        static final int NOT_CRAWLED = 5;
        /** An event that the option --fail-on names has happened. */
        static final int FAIL_ON = 6;

        private ExitCode() {}
    }
}
