package dev.sieve.crawl;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.OnFull;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the frontier of a crawl. One that is null stays as it is in a crawl that exists, and is the default in a new
 * one, which only requires a capacity.
 *
 * @param capacity URLs that the filter is made for
 * @param filter the kind of filter; an engine has its own
 * @param falsePositiveRate the rate that the filter is made for; an engine has its own
 * @param onFull what happens when the filter is full
 * @param listener receives each capacity event
 */
public record FrontierSettings(
        @Nullable Long capacity,
        @Nullable FilterKind filter,
        @Nullable Double falsePositiveRate,
        @Nullable OnFull onFull,
        Consumer<CapacityEvent> listener) {

    /** Passes on a value unless it is null. */
    static <T> void set(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }
}
