package dev.sieve;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * A set of sequence numbers that come and go roughly in order, at about one bit per number.
 *
 * <p>The numbers are in chunks of 65,536; a chunk is dropped when it is empty. Not safe for use by many threads.
 */
final class IdSet {
    private static final int CHUNK_SHIFT = 16;
    private static final int CHUNK_IDS = 1 << CHUNK_SHIFT;

    private final Map<Long, BitSet> chunks = new HashMap<>();
    private long size;

    /** Adds a number. */
    void add(long id) {
        if (!contains(id)) {
            chunks.computeIfAbsent(id >> CHUNK_SHIFT, number -> new BitSet(CHUNK_IDS))
                    .set(index(id));
            size++;
        }
    }

    /** Removes a number. */
    void remove(long id) {
        if (contains(id)) {
            BitSet chunk = chunks.get(id >> CHUNK_SHIFT);
            chunk.clear(index(id));
            size--;
            if (chunk.isEmpty()) {
                chunks.remove(id >> CHUNK_SHIFT);
            }
        }
    }

    boolean contains(long id) {
        BitSet chunk = chunks.get(id >> CHUNK_SHIFT);
        return chunk != null && chunk.get(index(id));
    }

    long size() {
        return size;
    }

    private static int index(long id) {
        return (int) id & CHUNK_IDS - 1;
    }
}
