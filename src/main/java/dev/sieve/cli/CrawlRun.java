package dev.sieve.cli;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One crawl as the user sees it: progress, summary, a clean stop by a signal, exit code. */
record CrawlRun(Crawler crawler, Outputs outputs, boolean isQuiet, boolean ignoresRobots, Set<FailOn> failOn) {
    /** Longer than a stopped crawl waits for its requests in flight. */
    private static final int STOP_SECONDS = 30;

    /** Crawls from the seeds of the crawler. Returns the exit code. */
    int run() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        Thread onSignal = new Thread(() -> stopAndWait(over), "sieve-stop");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            return crawl();
        } finally {
            over.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(onSignal);
            } catch (IllegalStateException e) {
                // The signal that the hook is for is ending the process.
            }
        }
    }

    /** Runs in the shutdown hook: the process ends when this returns. */
    private void stopAndWait(CountDownLatch over) {
        crawler.stop();
        try {
            over.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int crawl() throws IOException {
        IOException failure = null;
        Progress progress = isQuiet ? null : new Progress(crawler::report);
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
            System.err.print(Summary.of(report, ignoresRobots));
        }
        if (failure != null) {
            System.err.println("sieve: output failed: " + Main.message(failure));
            return ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
        if (report.ending() == Ending.FULL) {
            return ExitCode.INTERNAL_ERROR_OR_FULL;
        }
        if (report.isFruitless()) {
            if (isQuiet) {
                System.err.println("sieve: no page could be fetched: " + Summary.reasonsForNoPage(report));
            }
            return ExitCode.NO_PAGE;
        }
        return failsOn(report) ? ExitCode.FAIL_ON : 0;
    }

    private boolean failsOn(CrawlReport report) {
        boolean fails = false;
        for (FailOn each : failOn) {
            String problem = each.problem(report);
            if (problem != null) {
                System.err.println("sieve: " + problem + " (--fail-on " + Converters.name(each) + ")");
                fails = true;
            }
        }
        return fails;
    }
}
