package dev.sieve.serve;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that may be used on behalf of clients: for filters, queues, URLs in process and messages that were not
 * processed yet. The numbers of bytes are estimates. Safe for use by many threads.
 */
final class MemoryBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    MemoryBudget(long limit) {
        this.limit = limit;
    }

    /** Reserves bytes; false when there are not as many left. */
    boolean reserve(long bytes) {
        if (used.addAndGet(bytes) <= limit) {
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

    long limit() {
        return limit;
    }

    long used() {
        return used.get();
    }
}
