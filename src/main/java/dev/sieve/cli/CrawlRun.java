package dev.sieve.cli;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One crawl as people see it: its progress, its summary, its end by a signal, its exit code. */
final class CrawlRun {
    /** Longer than the crawl gives to the requests that are under way when it is stopped. */
    private static final int STOP_SECONDS = 30;

    private final Crawler crawler;
    private final Outputs outputs;
    private final PrintStream err;
    private final boolean isQuiet;
    private final boolean ignoresRobots;

    CrawlRun(Crawler crawler, Outputs outputs, PrintStream err, boolean isQuiet, boolean ignoresRobots) {
        this.crawler = crawler;
        this.outputs = outputs;
        this.err = err;
        this.isQuiet = isQuiet;
        this.ignoresRobots = ignoresRobots;
    }

    /** Crawls from the seeds that the crawler was given; answers the exit code. */
    int run() {
        CountDownLatch over = new CountDownLatch(1);
        Thread onSignal = new Thread(() -> stopAndWait(over), "sieve-stop");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            return crawlAndTell();
        } finally {
            over.countDown();
            forget(onSignal);
        }
    }

    /** The process lives on as long as this takes. */
    private void stopAndWait(CountDownLatch over) {
        crawler.stop();
        try {
            over.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void forget(Thread onSignal) {
        try {
            Runtime.getRuntime().removeShutdownHook(onSignal);
        } catch (IllegalStateException e) {
            // The process is ending, by the very signal that the hook is for.
        }
    }

    private int crawlAndTell() {
        IOException failure = null;
        Progress progress = isQuiet ? null : new Progress(crawler, err, Terminal.isStderr());
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
        if (!isQuiet) {
            err.print(Summary.of(report, ignoresRobots));
        }
        if (failure != null) {
            err.println("sieve: output failed: " + failure.getMessage());
            return ExitCode.OUTPUT_FAILED;
        }
        return exitCode(report);
    }

    private static int exitCode(CrawlReport report) {
        if (report.ending() == Ending.FULL) {
            return ExitCode.INTERNAL_ERROR;
        }
        return report.isFruitless() ? ExitCode.NO_PAGE : 0;
    }
}
