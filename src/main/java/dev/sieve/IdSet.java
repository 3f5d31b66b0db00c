package dev.sieve;

import java.util.HashMap;
import java.util.Map;

/**
 * A set of sequence numbers that come and go roughly in order, at about a bit each.
 *
 * <p>The numbers lie in chunks of 65,536 bits; a chunk goes when its last number does. Not safe for use by many threads.
 */
final class IdSet {
    private static final int CHUNK_SHIFT = 16;
    private static final int CHUNK_WORDS = 1 << (CHUNK_SHIFT - 6);

    private static final class Chunk {
        final long[] words = new long[CHUNK_WORDS];
        int size;
    }

    private final Map<Long, Chunk> chunks = new HashMap<>();
    private long size;

    /** Adds a number; false when it was there. */
    boolean add(long id) {
        Chunk chunk = chunks.computeIfAbsent(id >> CHUNK_SHIFT, number -> new Chunk());
        int word = word(id);
        if ((chunk.words[word] >>> id & 1) != 0) {
            return false;
        }
        chunk.words[word] |= 1L << id;
        chunk.size++;
        size++;
        return true;
    }

    /** Takes a number out; false when it was not there. */
    boolean remove(long id) {
        Chunk chunk = chunks.get(id >> CHUNK_SHIFT);
        int word = word(id);
        if (chunk == null || (chunk.words[word] >>> id & 1) == 0) {
            return false;
        }
        chunk.words[word] &= ~(1L << id);
        size--;
        if (--chunk.size == 0) {
            chunks.remove(id >> CHUNK_SHIFT);
        }
        return true;
    }

    boolean contains(long id) {
        Chunk chunk = chunks.get(id >> CHUNK_SHIFT);
        return chunk != null && (chunk.words[word(id)] >>> id & 1) != 0;
    }

    long size() {
        return size;
    }

    private static int word(long id) {
        return (int) (id >> 6) & CHUNK_WORDS - 1;
    }
}
