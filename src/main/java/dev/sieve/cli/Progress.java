package dev.sieve.cli;

import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Timer;
import java.util.TimerTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says how a crawl is going: in one line that is rewritten on a terminal, in a log line now and then elsewhere. */
final class Progress implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.progress");
    private static final Duration ON_TERMINAL = Duration.ofMillis(500);
    private static final Duration IN_LOG = Duration.ofSeconds(30);

    private final Crawler crawler;
    private final PrintStream err;
    private final boolean rewrites;
    private final Timer timer = new Timer("sieve-progress", true);
    private boolean isOver;

    Progress(Crawler crawler, PrintStream err, boolean rewrites) {
        this.crawler = crawler;
        this.err = err;
        this.rewrites = rewrites;
        long millis = (rewrites ? ON_TERMINAL : IN_LOG).toMillis();
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        tell();
                    }
                },
                millis,
                millis);
    }

    private synchronized void tell() {
        if (isOver) {
            return;
        }
        String line = line(crawler.report());
        if (rewrites) {
            err.print(Terminal.WIPE + line);
            err.flush();
        } else {
            LOG.info("{}", line);
        }
    }

    static String line(CrawlReport report) {
        double seconds = Math.max(1e-3, report.elapsed().toMillis() / 1e3);
        long size = report.sieve().estimatedSize();
        return String.format(
                Locale.ROOT,
                "%,d pages  %.1f/s  %,d queued  hosts waiting %,d, backing off %,d  %,d failed  filter %,d of %,d URLs  %s",
                report.pageCount(),
                report.pageCount() / seconds,
                report.left(),
                report.schedule().waiting(),
                report.schedule().backingOff(),
                report.failed(),
                size,
                report.sieve().capacity(),
                Summary.clock(report.elapsed()));
    }

    @Override
    public synchronized void close() {
        isOver = true;
        timer.cancel();
        if (rewrites) {
            err.print(Terminal.WIPE);
            err.flush();
        }
    }
}
