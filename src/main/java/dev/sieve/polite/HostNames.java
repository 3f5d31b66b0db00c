package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * Gives each host a small number, and remembers its name in little more than the bytes of the name.
 *
 * <p>Names lie one behind the other in chunks, each after its length; an index with open addressing finds them. The
 * numbers are those of rows in tables that the caller keeps; the number of a host that was removed is given out again.
 *
 * <p>The hash is a polynomial over a prime field at a secret random point (Carter and Wegman, "Universal classes of hash
 * functions", JCSS 18, 1979): two names of n bytes meet with a chance of n in 2^61 whoever chose them, so that nobody
 * can make the index slow.
 */
final class HostNames {
    static final int NONE = -1;

    private static final int MAX_BYTES = 1024;
    private static final int CHUNK_BITS = 16;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int FREE = -1;
    private static final long PRIME = (1L << 61) - 1;

    private final long point = new SecureRandom().nextLong() >>> 4;
    private byte[][] chunks = new byte[1][CHUNK];
    private int end;
    private int[] index = emptyIndex(16);

    /** The place of each host's name; {@link #FREE} for a number that is not in use. */
    private int[] places = new int[0];

    private int[] freeNumbers = new int[0];
    private int free;
    private int size;

    int size() {
        return size;
    }

    /** How many hosts can be added before it has to grow. */
    int room() {
        return free;
    }

    /** Makes room for more hosts; numbers that were given out stay as they are. */
    void grow(int capacity) {
        int old = places.length;
        places = Arrays.copyOf(places, capacity);
        Arrays.fill(places, old, capacity, FREE);
        freeNumbers = Arrays.copyOf(freeNumbers, capacity);
        for (int host = capacity - 1; host >= old; host--) {
            freeNumbers[free++] = host;
        }
        rebuildIndex();
    }

    static byte[] bytes(String name) {
        byte[] bytes = name.getBytes(UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("name of a host is longer than " + MAX_BYTES + " bytes: " + name);
        }
        return bytes;
    }

    /** The number of a host; {@link #NONE} when it is not known. */
    int find(byte[] name) {
        return index[slot(name)];
    }

    /** Takes in a host that is not known yet; there must be room. */
    int add(byte[] name) {
        int host = freeNumbers[--free];
        places[host] = store(name, 0, name.length);
        index[slot(name)] = host;
        size++;
        return host;
    }

    String name(int host) {
        byte[] chunk = chunks[places[host] >>> CHUNK_BITS];
        int at = places[host] & (CHUNK - 1);
        return new String(chunk, at + 2, length(chunk, at), UTF_8);
    }

    /** How many hosts are of some kind. */
    int count(IntPredicate kind) {
        int count = 0;
        for (int host = 0; host < places.length; host++) {
            count += places[host] != FREE && kind.test(host) ? 1 : 0;
        }
        return count;
    }

    /** Removes hosts, each of which is told before, and gives back the memory of their names. */
    void removeIf(IntPredicate leaves, IntConsumer onLeaving) {
        for (int host = 0; host < places.length; host++) {
            if (places[host] != FREE && leaves.test(host)) {
                onLeaving.accept(host);
                places[host] = FREE;
                freeNumbers[free++] = host;
                size--;
            }
        }
        storeAgain();
        rebuildIndex();
    }

    private void storeAgain() {
        byte[][] old = chunks;
        chunks = new byte[1][CHUNK];
        end = 0;
        for (int host = 0; host < places.length; host++) {
            if (places[host] != FREE) {
                byte[] chunk = old[places[host] >>> CHUNK_BITS];
                int at = places[host] & (CHUNK - 1);
                places[host] = store(chunk, at + 2, length(chunk, at));
            }
        }
    }

    private int store(byte[] source, int from, int length) {
        if ((end & (CHUNK - 1)) + 2 + length > CHUNK || end >>> CHUNK_BITS == chunks.length) {
            end = (end + CHUNK - 1) & -CHUNK;
            if (end >>> CHUNK_BITS == chunks.length) {
                chunks = Arrays.copyOf(chunks, chunks.length + 1);
                chunks[chunks.length - 1] = new byte[CHUNK];
            }
        }
        byte[] chunk = chunks[end >>> CHUNK_BITS];
        int at = end & (CHUNK - 1);
        chunk[at] = (byte) (length >>> 8);
        chunk[at + 1] = (byte) length;
        System.arraycopy(source, from, chunk, at + 2, length);
        int place = end;
        end += 2 + length;
        return place;
    }

    private static int length(byte[] chunk, int at) {
        return ((chunk[at] & 0xff) << 8) | (chunk[at + 1] & 0xff);
    }

    private void rebuildIndex() {
        int fewest = Math.max(8, places.length + (places.length >> 1));
        index = emptyIndex(Integer.highestOneBit(fewest) * 2);
        for (int host = 0; host < places.length; host++) {
            if (places[host] != FREE) {
                byte[] chunk = chunks[places[host] >>> CHUNK_BITS];
                int at = places[host] & (CHUNK - 1);
                int slot = first(chunk, at + 2, at + 2 + length(chunk, at));
                while (index[slot] != NONE) {
                    slot = (slot + 1) & (index.length - 1);
                }
                index[slot] = host;
            }
        }
    }

    private static int[] emptyIndex(int slots) {
        int[] index = new int[slots];
        Arrays.fill(index, NONE);
        return index;
    }

    /** Where in the index a name stands, or where it would have to be put. */
    private int slot(byte[] name) {
        int slot = first(name, 0, name.length);
        while (index[slot] != NONE && !isNamed(index[slot], name)) {
            slot = (slot + 1) & (index.length - 1);
        }
        return slot;
    }

    private boolean isNamed(int host, byte[] name) {
        byte[] chunk = chunks[places[host] >>> CHUNK_BITS];
        int at = places[host] & (CHUNK - 1);
        return length(chunk, at) == name.length
                && Arrays.equals(chunk, at + 2, at + 2 + name.length, name, 0, name.length);
    }

    private int first(byte[] source, int from, int to) {
        long hash = (long) to - from;
        for (int i = from; i < to; i++) {
            hash = timesPoint(hash + (source[i] & 0xff) + 1);
        }
        return (int) (hash ^ (hash >>> 29)) & (index.length - 1);
    }

    /** Multiplies modulo 2^61 - 1; factors and result are below 2^62. */
    private long timesPoint(long factor) {
        long low = factor * point;
        long high = Math.multiplyHigh(factor, point);
        long sum = (low & PRIME) + ((low >>> 61) | (high << 3));
        return (sum & PRIME) + (sum >>> 61);
    }
}
