package dev.sieve.serve;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that may be used on behalf of clients: for filters, queues, URLs with a date, URLs in process and messages
 * that were not processed yet. The numbers of bytes are estimates. Safe for use by many threads.
 */
final class MemoryBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    MemoryBudget(long limit) {
        this.limit = limit;
    }

    /** What memory is used for: the longer it is used, the less of the limit it may take. */
    enum Use {
        /** Filters, queues and URLs with a date: up to three quarters of the limit. */
        STORED(12),
        /** URLs in process: up to seven eighths. */
        IN_PROCESS(14),
        /** Messages: all of it. */
        MESSAGES(16);

        private final int sixteenths;

        Use(int sixteenths) {
            this.sixteenths = sixteenths;
        }
    }

    /** Reserves bytes; false when there are not as many left for this use. */
    boolean reserve(long bytes, Use use) {
        if (used.addAndGet(bytes) <= limit / 16 * use.sixteenths) {
            return true;
        }
        release(bytes);
        return false;
    }

    /** Reserves bytes that are in use already, even beyond the limit. */
    void add(long bytes) {
        used.addAndGet(bytes);
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    /** Returns how much memory the queued URLs of one crawl may take: from one to 64 MiB. */
    int queuedBytes() {
        return (int) Math.max(1 << 20, Math.min(64 << 20, limit / 16));
    }

    long limit() {
        return limit;
    }

    long used() {
        return used.get();
    }
}
