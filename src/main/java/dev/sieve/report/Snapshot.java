package dev.sieve.report;

import io.micrometer.core.instrument.Clock;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was last read from a source, so that the meters of one scrape agree with each other and the source is read once.
 * Does not keep the source in memory. Safe for use by many threads.
 */
final class Snapshot<S, T> {
    private static final long MAX_AGE_NANOS = Duration.ofMillis(100).toNanos();

    private final Function<S, T> reader;
    private final Clock clock;
    private @Nullable T value;
    private long readNanos;

    Snapshot(Function<S, T> reader, Clock clock) {
        this.reader = reader;
        this.clock = clock;
    }

    synchronized T of(S source) {
        long now = clock.monotonicTime();
        if (value == null || now - readNanos > MAX_AGE_NANOS) {
            value = reader.apply(source);
            readNanos = now;
        }
        return value;
    }
}
