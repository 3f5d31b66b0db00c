package dev.sieve.durable;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.TreeMap;

/**
 * The ids that are done, at a bit each while their neighbours are not.
 *
 * <p>Ids lie in chunks of 65,536. A chunk that is done as a whole takes next to no memory, and none at all once all
 * chunks before it are. Not safe for use by many threads.
 */
final class DoneSet {
    private static final int CHUNK_SHIFT = 16;
    private static final int CHUNK_IDS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_WORDS = CHUNK_IDS / Long.SIZE;

    /** Some ids of a chunk; {@code bits} is null when it is all of them. */
    private static final class Chunk {
        private BitSet bits;
        private int size;

        Chunk(BitSet bits) {
            this.bits = bits;
            size = bits == null ? CHUNK_IDS : bits.cardinality();
        }

        boolean add(int index) {
            if (contains(index)) {
                return false;
            }
            bits.set(index);
            if (++size == CHUNK_IDS) {
                bits = null;
            }
            return true;
        }

        boolean contains(int index) {
            return bits == null || bits.get(index);
        }

        /** The first index from a given one on that is not in it; the size of a chunk when all are. */
        int firstAbsent(int from) {
            return bits == null ? CHUNK_IDS : bits.nextClearBit(from);
        }

        long[] words() {
            return bits == null ? new long[0] : Arrays.copyOf(bits.toLongArray(), CHUNK_WORDS);
        }
    }

    private final TreeMap<Long, Chunk> chunks = new TreeMap<>();
    /** All ids of all chunks before this one are done. */
    private long firstChunk;

    private long size;

    /** Adds an id; false when it was there. */
    boolean add(long id) {
        long number = id >> CHUNK_SHIFT;
        if (number < firstChunk) {
            return false;
        }
        Chunk chunk = chunks.computeIfAbsent(number, absent -> new Chunk(new BitSet(CHUNK_IDS)));
        if (!chunk.add((int) id & CHUNK_IDS - 1)) {
            return false;
        }
        size++;
        if (chunk.bits == null && number == firstChunk) {
            forgetWhole();
        }
        return true;
    }

    private void forgetWhole() {
        for (Chunk chunk = chunks.get(firstChunk); chunk != null && chunk.bits == null; ) {
            chunks.remove(firstChunk);
            firstChunk++;
            chunk = chunks.get(firstChunk);
        }
    }

    boolean contains(long id) {
        long number = id >> CHUNK_SHIFT;
        if (number < firstChunk) {
            return true;
        }
        Chunk chunk = chunks.get(number);
        return chunk != null && chunk.contains((int) id & CHUNK_IDS - 1);
    }

    /** The lowest id from a given one on that is not done. */
    long firstAbsent(long from) {
        long id = Math.max(from, firstChunk << CHUNK_SHIFT);
        for (Chunk chunk = chunks.get(id >> CHUNK_SHIFT); chunk != null; chunk = chunks.get(id >> CHUNK_SHIFT)) {
            long chunkStart = id & -CHUNK_IDS;
            int index = chunk.firstAbsent((int) (id - chunkStart));
            id = chunkStart + index;
            if (index < CHUNK_IDS) {
                return id;
            }
        }
        return id;
    }

    /** Whether all ids from one to before another are done. */
    boolean containsAll(long from, long to) {
        return firstAbsent(from) >= to;
    }

    /** How many ids are done. */
    long size() {
        return size;
    }

    /** Adds all ids from one to before another. */
    void addAll(long from, long to) {
        long id = from;
        while (id < to) {
            long number = id >> CHUNK_SHIFT;
            long next = Math.min(to, (number + 1) << CHUNK_SHIFT);
            if (next - id == CHUNK_IDS && number >= firstChunk) {
                Chunk before = chunks.put(number, new Chunk(null));
                size += CHUNK_IDS - (before == null ? 0 : before.size);
                forgetWhole();
                id = next;
            } else {
                add(id++);
            }
        }
    }

    /** Writes one frame that says how many follow, and one for each chunk. */
    void write(FrameWriter out) {
        out.begin(FrameKind.DONE_SET);
        out.putNumber(firstChunk);
        out.putNumber(chunks.size());
        out.end();
        chunks.forEach((number, chunk) -> {
            out.begin(FrameKind.DONE_CHUNK);
            out.putNumber(number);
            out.putLongs(chunk.words());
            out.end();
        });
    }

    /** Reads what was written, from the frame on that was read last. */
    static DoneSet read(FrameReader in) throws IOException {
        DoneSet set = new DoneSet();
        set.firstChunk = in.number("first chunk", Long.MAX_VALUE >> CHUNK_SHIFT);
        set.size = set.firstChunk << CHUNK_SHIFT;
        long count = in.number("chunks", Integer.MAX_VALUE);
        for (long i = 0; i < count; i++) {
            in.require(FrameKind.DONE_CHUNK);
            long number = in.number("chunk", Long.MAX_VALUE >> CHUNK_SHIFT);
            Chunk chunk = new Chunk(in.hasMore() ? bits(in.longs("ids", CHUNK_WORDS)) : null);
            if (number < set.firstChunk || set.chunks.put(number, chunk) != null) {
                throw in.broken("chunk " + number + " is there twice");
            }
            set.size += chunk.size;
        }
        return set;
    }

    /** A set of the capacity of a chunk, or null for all of it. */
    private static BitSet bits(long[] words) {
        BitSet bits = new BitSet(CHUNK_IDS);
        bits.or(BitSet.valueOf(words));
        return bits.nextClearBit(0) == CHUNK_IDS ? null : bits;
    }
}
