package dev.sieve.cli;

import static dev.sieve.cli.Units.text;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import java.util.Timer;
import java.util.TimerTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the progress of a crawl on stderr: on a terminal in one line that is rewritten, elsewhere in the log. */
final class Progress implements AutoCloseable {
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
