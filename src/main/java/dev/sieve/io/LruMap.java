package dev.sieve.io;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A map of bounded memory that drops the least recently used entries. Its keys are ASCII. Safe for use by many threads.
 *
 * @param <V> the values
 */
public final class LruMap<V> {
    /** An entry, its place in the table, and the objects of its key. */
    private static final int ENTRY_BYTES = 128;

    private final long maxBytes;
    private final ToLongFunction<V> valueBytes;
    private final Predicate<V> isLast;
    private final BiConsumer<String, V> dropped;
    private final Map<String, V> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** Creates an empty map; its entries take at most {@code maxBytes} of heap, a value always the same. */
    public LruMap(long maxBytes, ToLongFunction<V> valueBytes) {
        this(maxBytes, valueBytes, value -> false, (key, value) -> {});
    }

    /**
     * Creates an empty map in the same way.
     *
     * @param isLast whether a value is dropped only when all others are
     * @param dropped receives what is dropped, with the lock of the map held
     */
    public LruMap(long maxBytes, ToLongFunction<V> valueBytes, Predicate<V> isLast, BiConsumer<String, V> dropped) {
        this.maxBytes = maxBytes;
        this.valueBytes = valueBytes;
        this.isLast = isLast;
        this.dropped = dropped;
    }

    /** Returns the value of a key and marks the key as used; null without one. */
    public synchronized @Nullable V get(String key) {
        return entries.get(key);
    }

    /** Sets the value of a key and returns the one before; null without one. */
    public synchronized @Nullable V put(String key, V value) {
        V before = entries.put(key, value);
        bytes += bytes(key, value) - (before == null ? 0 : bytes(key, before));
        dropEldest(false);
        dropEldest(true);
        return before;
    }

    private void dropEldest(boolean dropsLast) {
        Iterator<Map.Entry<String, V>> eldest = entries.entrySet().iterator();
        while (bytes > maxBytes && eldest.hasNext()) {
            Map.Entry<String, V> entry = eldest.next();
            if (dropsLast || !isLast.test(entry.getValue())) {
                bytes -= bytes(entry.getKey(), entry.getValue());
                eldest.remove();
                dropped.accept(entry.getKey(), entry.getValue());
            }
        }
    }

    /** Combines a value with the one of a key, if it has one; sets and returns the result. */
    public synchronized V merge(String key, V value, BinaryOperator<V> combine) {
        V before = entries.get(key);
        V merged = before == null ? value : combine.apply(before, value);
        put(key, merged);
        return merged;
    }

    /** Returns all values, the least recently used first. */
    public synchronized List<V> values() {
        return List.copyOf(entries.values());
    }

    public synchronized void remove(String key) {
        V before = entries.remove(key);
        bytes -= before == null ? 0 : bytes(key, before);
    }

    private long bytes(String key, V value) {
        return ENTRY_BYTES + key.length() + valueBytes.applyAsLong(value);
    }

    /** Returns the heap that all entries take. */
    public synchronized long bytes() {
        return bytes;
    }
}
