package dev.sieve.cli;

import dev.sieve.CapacityEvent;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.report.CrawlRecord;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Timer;
import java.util.TimerTask;

/** Records a crawl once per second while it runs, and writes its report when it is closed. */
final class Recording implements AutoCloseable {
    private static final int MILLIS = 1000;

    private final CrawlRecord record = new CrawlRecord();
    private final Path file;
    private Crawler crawler;
    /** Null before the crawl runs. */
    private Timer timer;

    private boolean isClosed;

    /**
     * Creates a recording that has not started.
     *
     * @param file the file of the report
     */
    Recording(Path file) {
        this.file = file;
    }

    /** Returns the sink that has to receive what the crawl finds. */
    CrawlRecord record() {
        return record;
    }

    Path file() {
        return file;
    }

    /** Receives a capacity event of the frontier, also before the start. */
    void capacity(CapacityEvent event) {
        record.capacity(event, Instant.now());
    }

    /**
     * Starts a run of a crawl.
     *
     * @param forces whether a flush forces the journal to the disk
     */
    void start(Crawler crawl, CrawlDirectory directory, boolean forces) throws IOException {
        record.start(directory.journal(), forces, Instant.now());
        crawler = crawl;
    }

    /** Records the numbers of the crawl once per second from now on, until this is closed. */
    void run() {
        TimerTask task = new TimerTask() {
            @Override
            public void run() {
                sample();
            }
        };
        timer = new Timer("sieve-report", true);
        timer.schedule(task, MILLIS, MILLIS);
    }

    private synchronized void sample() {
        if (isClosed) {
            return;
        }
        try {
            record.sample(crawler.report(), Instant.now());
        } catch (Throwable e) {
            // Such as a full disk, which the crawl has to end at.
            crawler.fail(e);
        }
    }

    /** Writes the report of a crawl that is over. */
    @Override
    public synchronized void close() throws IOException {
        isClosed = true;
        timer.cancel();
        try {
            CrawlReport report = crawler.report();
            record.sample(report, Instant.now());
            record.flush();
            record.findReferrers();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        ReportPage.write(ReportPage.page(record, Instant.now()), file);
    }
}
