package dev.sieve.crawl;

import java.time.Duration;

/**
 * Measures for how long more workers would have made a crawl faster, and for how long they would not, since pages were
 * being processed on all processors. The dispatcher calls it with its lock held.
 */
final class LoadMeter {
    private final int workers;
    private final int processors;
    private boolean isBusy;
    private boolean isProcessing;
    private long sinceNanos;
    private long busyNanos;
    private long processingNanos;

    LoadMeter(int workers, int processors) {
        this.workers = workers;
        this.processors = processors;
    }

    /** Notes how many workers wait for a response, without those that are additional, and how many process one. */
    void changed(int requesting, int processing, long nowNanos) {
        busyNanos = busy(nowNanos).toNanos();
        processingNanos = processing(nowNanos).toNanos();
        sinceNanos = nowNanos;
        isProcessing = processing >= processors;
        isBusy = requesting + processing >= workers && !isProcessing;
    }

    /** Returns for how long all workers were busy, without the time of {@link #processing}. */
    Duration busy(long nowNanos) {
        return Duration.ofNanos(busyNanos + (isBusy ? nowNanos - sinceNanos : 0));
    }

    /** Returns for how long at least one page per processor was being processed. */
    Duration processing(long nowNanos) {
        return Duration.ofNanos(processingNanos + (isProcessing ? nowNanos - sinceNanos : 0));
    }
}
