package dev.sieve.cli;

import static dev.sieve.cli.Units.text;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Timer;
import java.util.TimerTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One crawl as the user sees it: progress, summary, exit code.
 *
 * @param job the folder in which it is saved; null when it is not
 */
record CrawlRun(Crawler crawler, Outputs outputs, Path job, boolean isQuiet, boolean ignoresRobots) {
    /** Crawls from the seeds of the crawler. Returns the exit code. */
    int run() throws IOException {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        // A thread that is not of the crawl, such as one of the HTTP client, may be needed by it.
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> crawler.fail(e));
        try {
            return crawl();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    private int crawl() throws IOException {
        IOException failure = null;
        Progress progress = isQuiet ? null : new Progress(crawler);
        try (outputs) {
            crawler.run(outputs);
        } catch (IOException e) {
            failure = e;
        } finally {
            if (progress != null) {
                progress.close();
            }
        }
        CrawlReport report = crawler.report();
        if (failure != null || report.isFruitless()) {
            outputs.deleteEmptyFiles();
        }
        if (!isQuiet) {
            System.err.print(Summary.of(report, ignoresRobots) + howToContinue(report));
        }
        if (failure != null) {
            System.err.println("sieve: output failed: " + Checks.message(failure));
            return ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
        if (report.ending() == Ending.FULL) {
            return ExitCode.INTERNAL_ERROR_OR_FULL;
        }
        return report.isFruitless() ? ExitCode.NO_PAGE : 0;
    }

    /** Returns the last line of the summary: what of the crawl is saved. Empty for a complete crawl that is not saved. */
    private String howToContinue(CrawlReport report) {
        if (job == null) {
            return report.left() == 0 ? "" : text("  job      none: the %,d URLs left are not saved%n", report.left());
        }
        long left = report.left() + report.unfinished();
        return left == 0
                ? text("  job      complete: no URL is left in %s%n", job)
                : text("  job      %,d URLs are left in %s; repeat the command to continue%n", left, job);
    }

    /** Shows the progress of a crawl on stderr: on a terminal in one line that is rewritten, elsewhere in the log. */
    private static final class Progress implements AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.progress");
        private static final int TERMINAL_MILLIS = 500;
        private static final int LOG_MILLIS = 30_000;

        private final Crawler crawler;
        private final boolean rewrites = Terminal.isStderr();
        private final Timer timer = new Timer("sieve-progress", true);
        private boolean isClosed;

        Progress(Crawler crawler) {
            this.crawler = crawler;
            TimerTask task = new TimerTask() {
                @Override
                public void run() {
                    show();
                }
            };
            int millis = rewrites ? TERMINAL_MILLIS : LOG_MILLIS;
            timer.schedule(task, millis, millis);
        }

        private synchronized void show() {
            if (isClosed) {
                return;
            }
            String line = line(crawler.report());
            if (rewrites) {
                System.err.print(Terminal.WIPE + line);
                System.err.flush();
            } else {
                LOG.info("{}", line);
            }
        }

        private static String line(CrawlReport report) {
            return text(
                    "%,d pages  %.1f/s  %,d queued  hosts waiting %,d, backing off %,d  %,d failed  filter %,d of %,d URLs  %s",
                    report.pageCount(),
                    Summary.pagesPerSecond(report),
                    report.left(),
                    report.schedule().waiting(),
                    report.schedule().backingOff(),
                    report.failed(),
                    report.sieve().estimatedSize(),
                    report.sieve().capacity(),
                    Summary.clock(report.elapsed()));
        }

        @Override
        public synchronized void close() {
            isClosed = true;
            timer.cancel();
            if (rewrites) {
                System.err.print(Terminal.WIPE);
                System.err.flush();
            }
        }
    }
}
