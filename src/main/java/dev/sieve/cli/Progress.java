package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.OpenRequest;
import dev.sieve.io.RepeatingThread;
import dev.sieve.report.Numbers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the progress of a crawl on stderr, until it is closed: on a terminal in one line that is rewritten and never
 * longer than the terminal is wide, elsewhere in the log.
 */
final class Progress implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.progress");
    private static final int TERMINAL_MILLIS = 500;
    private static final int LOG_MILLIS = 30_000;
    private static final String SPACE = "  ";

    /** Leaves room for the fields before it in a line of 80 characters. */
    private static final int URL_LENGTH = 32;

    private final Crawler crawler;
    private final boolean isShared;
    private final boolean rewrites = Terminal.isStderr();
    private final int columns = rewrites ? Terminal.columns() : Integer.MAX_VALUE;
    private final RepeatingThread shower;
    private final RecentRate rate = new RecentRate();
    private boolean isClosed;

    /** Starts to show a crawl; if it is shared, other processes work on the same queue. */
    Progress(Crawler crawler, boolean isShared) {
        this.crawler = crawler;
        this.isShared = isShared;
        Duration pause = Duration.ofMillis(rewrites ? TERMINAL_MILLIS : LOG_MILLIS);
        shower = new RepeatingThread("sieve-progress", pause, this::show);
        shower.start();
    }

    private synchronized void show() {
        if (isClosed) {
            return;
        }
        CrawlReport report = crawler.report();
        // A cursor in the last column may already have wrapped, so that column stays free.
        String line = line(
                report,
                crawler.oldestRequest(),
                isShared,
                rate.add(report.elapsed(), report.count(Counter.PAGES)),
                columns - 1);
        if (rewrites) {
            Terminal.rewrite(line);
        } else {
            LOG.info("{}", line);
        }
    }

    /** Returns the fields that fit into a width, the most important ones first; the first one is always there. */
    static String line(
            CrawlReport report, @Nullable OpenRequest oldest, boolean isShared, double pagesPerSecond, int width) {
        List<String> fields = new ArrayList<>(List.of(
                Numbers.count(report.count(Counter.PAGES), "page"),
                text("%.1f/s", pagesPerSecond),
                text(
                        isShared ? "%,d queued for all" : "%,d queued",
                        report.pending().left())));
        if (oldest != null && oldest.isLong()) {
            fields.add("waiting " + Summary.clock(oldest.age()) + " for " + shortened(oldest.url()));
        }
        // The others work on the queue as well, at rates of their own.
        if (!isShared && report.ending() == null && report.pending().left() > 0 && pagesPerSecond > 0) {
            fields.add(Summary.clock(Summary.remaining(report.pending().left(), pagesPerSecond)) + " left");
        }
        fields.addAll(List.of(
                text("%,d broken", report.count(Counter.FAILURES)),
                "filter " + Summary.fill(report.sieve()),
                Summary.clock(report.elapsed()) + " elapsed",
                "false-positive rate " + Units.percent(report.sieve().falsePositiveRate()),
                text(
                        "hosts waiting %,d, backing off %,d",
                        report.load().schedule().waiting(),
                        report.load().schedule().backingOff())));
        StringBuilder line = new StringBuilder(fields.get(0));
        for (String field : fields.subList(1, fields.size())) {
            if (line.length() + SPACE.length() + field.length() > width) {
                break;
            }
            line.append(SPACE).append(field);
        }
        return line.toString();
    }

    private static String shortened(String url) {
        return url.length() <= URL_LENGTH ? url : url.substring(0, URL_LENGTH - 3) + "...";
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        shower.end();
        if (rewrites) {
            Terminal.wipe();
        }
    }

    /** The pages per second of about the last minute. */
    static final class RecentRate {
        private static final Duration RECENT = Duration.ofMinutes(1);

        private record Sample(Duration elapsed, long pages) {}

        /** The samples of the last minute; at most one is older. */
        private final Deque<Sample> samples = new ArrayDeque<>(List.of(new Sample(Duration.ZERO, 0)));

        /** Returns the rate up to this moment. */
        double add(Duration elapsed, long pages) {
            samples.add(new Sample(elapsed, pages));
            while (samples.size() > 2 && elapsed.minus(samples.peek().elapsed).compareTo(RECENT) > 0) {
                samples.remove();
            }
            Sample since = samples.peek();
            return (pages - since.pages)
                    * 1000.0
                    / Math.max(1, elapsed.minus(since.elapsed).toMillis());
        }
    }
}
