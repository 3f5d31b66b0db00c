package dev.sieve.crawl;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * The clocks of a crawl: one that never runs backwards, for delays and durations, and the time of day, for what is
 * stored.
 */
public record CrawlClock(LongSupplier nanos, InstantSource dates) {
    /** The clocks of the system. */
    public static final CrawlClock SYSTEM = new CrawlClock(System::nanoTime, InstantSource.system());

    long nanoTime() {
        return nanos.getAsLong();
    }

    /** Returns the time of day. */
    public Instant now() {
        return dates.instant();
    }
}
