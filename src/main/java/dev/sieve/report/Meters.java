package dev.sieve.report;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers meters that read one part T of a source S. The registry does not keep the source in memory: once it is
 * garbage, its counters keep their last value and its gauges have none.
 */
record Meters<S, T>(MeterRegistry registry, S source, Function<S, T> part, Tags common) {
    /**
     * What was last read from a source, so that the meters of one scrape agree with each other and the source is read
     * once. Does not keep the source in memory. Safe for use by many threads.
     */
    static final class Snapshot<S, T> {
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

    /** Returns meters whose values are at most a tenth of a second old. */
    static <S, T> Meters<S, T> of(MeterRegistry registry, S source, Function<S, T> reader) {
        Snapshot<S, T> snapshot = new Snapshot<>(reader, registry.config().clock());
        return new Meters<>(registry, source, snapshot::of, Tags.empty());
    }

    /** Returns meters of a part of this part. */
    <U> Meters<S, U> part(Function<T, U> further) {
        return new Meters<>(registry, source, part.andThen(further), common);
    }

    /** Returns meters of this part with a tag more. */
    Meters<S, T> tagged(String name, String tag) {
        return new Meters<>(registry, source, part, common.and(name, tag));
    }

    /** Registers a counter with tags: name, value, name and so on. Prometheus appends the unit, if any, to the name. */
    void counter(String name, @Nullable String unit, String description, ToDoubleFunction<T> value, String... tags) {
        Function<S, T> from = part;
        FunctionCounter.builder(name, source, each -> value.applyAsDouble(from.apply(each)))
                .baseUnit(unit)
                .description(description)
                .tags(common.and(tags))
                .register(registry);
    }

    /** Registers a gauge; parameters as for a counter. */
    void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<T> value, String... tags) {
        Function<S, T> from = part;
        Gauge.builder(name, source, each -> value.applyAsDouble(from.apply(each)))
                .baseUnit(unit)
                .description(description)
                .tags(common.and(tags))
                .register(registry);
    }

    static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
