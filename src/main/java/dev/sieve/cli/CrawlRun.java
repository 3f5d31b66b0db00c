package dev.sieve.cli;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Ending;
import dev.sieve.job.CrawlPlace;
import dev.sieve.output.BrokenPipeException;
import dev.sieve.report.Numbers;
import dev.sieve.stage.Round;
import java.io.IOException;
import java.util.Set;

/** One crawl as the user sees it: progress, summary, exit code. */
record CrawlRun(
        Crawler crawler,
        Outputs outputs,
        CrawlPlace place,
        boolean isQuiet,
        boolean ignoresRobots,
        Set<FailOn> failOn,
        Recording.Run recording) {
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
        Progress progress = isQuiet ? null : new Progress(crawler, place.isShared());
        try (outputs;
                recording) {
            recording.run();
            crawler.run(outputs.sinks);
        } catch (IOException e) {
            failure = e;
            crawler.fail(e);
        } finally {
            if (progress != null) {
                progress.close();
            }
        }
        CrawlReport report = crawler.report();
        CrawlReport job = report.ofJob();
        if (failure != null || job.isFruitless()) {
            outputs.deleteFiles(job.isFruitless() && !place.isSaved());
        }
        if (failure instanceof BrokenPipeException) {
            // The user has ended the reader, such as 'head', and expects nothing more.
            return FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
        if (!isQuiet) {
            Round round = crawler.result(Round.class);
            Terminal.print(Summary.of(report, ignoresRobots, place.isShared())
                    + Summary.round(round, report)
                    + Summary.files(outputs.files())
                    + howToContinue(report, place, round != null));
        }
        if (failure != null) {
            Terminal.println("sieve: the crawl has failed: " + Checks.message(failure));
            return FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
        if (report.ending() == Ending.FULL) {
            return FailOn.ExitCode.INTERNAL_ERROR_OR_FULL;
        }
        boolean fails = failsOn(job);
        if (job.isFruitless() && !isHelped(report)) {
            if (isQuiet) {
                Terminal.println("sieve: " + Numbers.noPage(job));
            }
            return fails ? FailOn.ExitCode.FAIL_ON : FailOn.ExitCode.NO_PAGE;
        }
        return fails ? FailOn.ExitCode.FAIL_ON : 0;
    }

    /** Whether other processes have done work for this crawl; then it is not a failure that this one has no page. */
    private boolean isHelped(CrawlReport report) {
        long own = report.count(Counter.PAGES)
                + report.count(Counter.CHECKED)
                + report.count(Counter.REDIRECTS)
                + report.count(Counter.FAILED)
                + report.count(Counter.REFUSED);
        return place.isShared() && report.sieve().done() > own;
    }

    /** Returns the last line of the summary: what of the crawl is saved. Empty for a complete crawl that is not saved. */
    static String howToContinue(CrawlReport report, CrawlPlace place, boolean hasRounds) {
        StringBuilder lines = new StringBuilder();
        long left =
                place.isSaved() ? report.pending().notDone() : report.pending().left();
        if (left > 0) {
            String rest = place.isSaved() ? "%s left in %s; repeat the command to continue" : "%2$s: %1$s not saved";
            Summary.row(lines, place.kind(), rest, Numbers.count(left, "URL"), place);
        } else if (place.isSaved()) {
            boolean isComplete =
                    report.ending() == Ending.DRAINED || (report.ending() == Ending.MAX_PAGES && !hasRounds);
            String nothing = isComplete
                    ? "complete: no URL is left in %s"
                    : "no URL is left in %s; repeat the command for the work after the last one";
            Summary.row(lines, place.kind(), nothing, place);
        }
        return lines.toString();
    }

    private boolean failsOn(CrawlReport report) {
        boolean fails = false;
        for (FailOn each : failOn) {
            String problem = each.problem(report);
            if (problem != null) {
                Terminal.println("sieve: " + problem + " (--fail-on " + each + ")");
                fails = true;
            }
        }
        return fails;
    }
}
