package dev.sieve.durable;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * The ids that are done, at about one bit each.
 *
 * <p>Ids are kept in chunks of 65,536. A chunk whose ids are all done takes next to no memory, and none once all chunks
 * before it are done as well. Not safe for use by many threads.
 */
final class DoneSet {
    private static final int CHUNK_SHIFT = 16;
    private static final int CHUNK_IDS = 1 << CHUNK_SHIFT;
    private static final int CHUNK_WORDS = CHUNK_IDS / Long.SIZE;

    /** Stands for every chunk whose ids are all done; never changed. */
    private static final BitSet WHOLE = new BitSet(CHUNK_IDS);

    static {
        WHOLE.set(0, CHUNK_IDS);
    }

    private final TreeMap<Long, BitSet> chunks = new TreeMap<>();
    private long firstChunk; // all ids of the chunks before it are done
    private long size;

    void add(long id) {
        if (contains(id)) {
            return;
        }
        long number = id >> CHUNK_SHIFT;
        BitSet chunk = chunks.computeIfAbsent(number, absent -> new BitSet(CHUNK_IDS));
        int index = (int) id & CHUNK_IDS - 1;
        chunk.set(index);
        size++;
        // Asked from the index on first: the chunk is rarely searched from its start.
        if (chunk.nextClearBit(index) == CHUNK_IDS && chunk.nextClearBit(0) == CHUNK_IDS) {
            chunks.put(number, WHOLE);
            forgetWhole();
        }
    }

    private void forgetWhole() {
        while (WHOLE.equals(chunks.get(firstChunk))) {
            chunks.remove(firstChunk++);
        }
    }

    boolean contains(long id) {
        BitSet chunk = chunks.get(id >> CHUNK_SHIFT);
        return chunk == null ? id >> CHUNK_SHIFT < firstChunk : chunk.get((int) id & CHUNK_IDS - 1);
    }

    /** Returns the lowest id from a given one on that is not done. */
    long firstAbsent(long from) {
        long id = Math.max(from, firstChunk << CHUNK_SHIFT);
        for (BitSet chunk = chunks.get(id >> CHUNK_SHIFT); chunk != null; chunk = chunks.get(id >> CHUNK_SHIFT)) {
            long chunkStart = id & -CHUNK_IDS;
            int index = chunk.nextClearBit((int) (id - chunkStart));
            id = chunkStart + index;
            if (index < CHUNK_IDS) {
                return id;
            }
        }
        return id;
    }

    long size() {
        return size;
    }

    @SuppressWarnings("ReferenceEquality") // WHOLE is one object
    DoneSet copy() {
        DoneSet copy = new DoneSet();
        chunks.forEach((number, chunk) -> copy.chunks.put(number, chunk == WHOLE ? WHOLE : (BitSet) chunk.clone()));
        copy.firstChunk = firstChunk;
        copy.size = size;
        return copy;
    }

    /** Returns the id after the highest one that is done. */
    long end() {
        return chunks.isEmpty()
                ? firstChunk << CHUNK_SHIFT
                : (chunks.lastKey() << CHUNK_SHIFT)
                        + chunks.lastEntry().getValue().length();
    }

    /** Adds all ids from one on, up to but not including another. */
    void addAll(long from, long to) {
        long id = Math.max(from, firstChunk << CHUNK_SHIFT);
        if (id == firstChunk << CHUNK_SHIFT && id < to) {
            // Without a loop over the chunks: before the first segment of a log may be any number of ids.
            Map<Long, BitSet> replaced = chunks.headMap(to >> CHUNK_SHIFT);
            size += (to >> CHUNK_SHIFT << CHUNK_SHIFT) - id;
            replaced.values().forEach(chunk -> size -= chunk.cardinality());
            replaced.clear();
            firstChunk = to >> CHUNK_SHIFT;
            forgetWhole();
            id = firstChunk << CHUNK_SHIFT;
        }
        while (id < to) {
            long number = id >> CHUNK_SHIFT;
            long next = Math.min(to, (number + 1) << CHUNK_SHIFT);
            if (next - id == CHUNK_IDS && number >= firstChunk) {
                BitSet before = chunks.put(number, WHOLE);
                size += CHUNK_IDS - (before == null ? 0 : before.cardinality());
                forgetWhole();
                id = next;
            } else {
                add(id++);
            }
        }
    }

    /** Writes a frame with the number of chunks, and one frame per chunk. */
    void write(FrameWriter out) {
        out.putFrame(FrameKind.DONE_SET, firstChunk, chunks.size());
        chunks.forEach((number, chunk) -> {
            out.begin(FrameKind.DONE_CHUNK);
            out.putNumber(number);
            out.putLongs(chunk.equals(WHOLE) ? new long[0] : Arrays.copyOf(chunk.toLongArray(), CHUNK_WORDS));
            out.end();
        });
    }

    /** Reads what {@link #write} wrote. */
    static DoneSet read(FrameReader in) throws IOException {
        in.require(FrameKind.DONE_SET);
        DoneSet set = new DoneSet();
        set.firstChunk = in.number("first chunk", Long.MAX_VALUE >> CHUNK_SHIFT);
        set.size = set.firstChunk << CHUNK_SHIFT;
        int count = in.integer("chunks");
        for (int i = 0; i < count; i++) {
            in.require(FrameKind.DONE_CHUNK);
            long number = in.number("chunk", Long.MAX_VALUE >> CHUNK_SHIFT);
            BitSet chunk = in.hasMore() ? bits(in.longs("ids", CHUNK_WORDS)) : WHOLE;
            if (number < set.firstChunk || set.chunks.put(number, chunk) != null) {
                throw in.broken("chunk " + number + " occurs twice");
            }
            set.size += chunk.cardinality();
        }
        return set;
    }

    /** A set with the capacity of a chunk, which {@link BitSet#valueOf} does not have. */
    private static BitSet bits(long[] words) {
        BitSet bits = new BitSet(CHUNK_IDS);
        bits.or(BitSet.valueOf(words));
        return bits.cardinality() == CHUNK_IDS ? WHOLE : bits;
    }
}
