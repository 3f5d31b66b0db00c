package dev.sieve.robots;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of bounded size that drops the least recently used entry. Not safe for use by many threads.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class LruMap<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int maxSize;

    public LruMap(int maxSize) {
        super(16, 0.75f, true);
        this.maxSize = maxSize;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > maxSize;
    }
}
