package dev.sieve.bloom;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The 128-bit hash of a key: MurmurHash3_x64_128 by Austin Appleby, with a seed of 64 bits.
 *
 * <p>Source: <a href="https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp">MurmurHash3.cpp</a>. A seed
 * below 2^32 gives what that code gives; a larger one starts both halves in the same way, {@code h1 = h2 = seed}.
 *
 * <p>It is even and fast, but not cryptographic: an attacker can make pairs of keys that collide, with carefully chosen
 * bytes even under every seed. A secret seed hides which bits a key sets.
 */
public final class Murmur3 {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;

    private Murmur3() {}

    /** Returns the two halves of the hash of a key in UTF-8; half a surrogate pair counts as a question mark. */
    public static long[] hash(String key, long seed) {
        byte[] utf8 = key.getBytes(UTF_8);
        long[] hash = new long[2];
        hash(utf8, 0, utf8.length, seed, hash, 0);
        return hash;
    }

    /**
     * Hashes the bytes in a range and allocates nothing.
     *
     * @param out receives the two halves of the hash, at indices {@code at} and {@code at + 1}
     * @throws IndexOutOfBoundsException when the range is not within the bytes, or {@code at} not within {@code out}
     */
    public static void hash(byte[] bytes, int from, int to, long seed, long[] out, int at) {
        Objects.checkFromToIndex(from, to, bytes.length);
        Objects.checkFromIndexSize(at, 2, out.length);
        int length = to - from;
        int tail = from + (length & -16);
        long h1 = seed;
        long h2 = seed;
        // With "<" the compiler unrolls this loop, which runs only a few times, and branches are mispredicted.
        for (int i = from; i != tail; i += 16) {
            h1 ^= mix1((long) LONG.get(bytes, i));
            h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
            h2 ^= mix2((long) LONG.get(bytes, i + 8));
            h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
        }
        // The mix of 0 is 0, so an empty tail needs no branch.
        h1 ^= mix1(length < 8 ? shortTail(bytes, tail, to) : tailLow(bytes, tail, to)) ^ length;
        h2 ^= mix2(length < 8 ? 0 : tailHigh(bytes, tail, to)) ^ length;
        h1 += h2;
        h2 += h1;
        h1 = finish(h1);
        h2 = finish(h2);
        h1 += h2;
        out[at] = h1;
        out[at + 1] = h1 + h2;
    }

    private static long mix1(long k) {
        return Long.rotateLeft(k * C1, 31) * C2;
    }

    private static long mix2(long k) {
        return Long.rotateLeft(k * C2, 33) * C1;
    }

    private static long finish(long h) {
        long mixed = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /** Returns the first eight bytes of a tail of 0 to 15 bytes, without a branch: it would be mispredicted. */
    private static long tailLow(byte[] bytes, int tail, int to) {
        int at = Math.min(tail, to - 8);
        long notEmpty = (long) (tail - to) >> 63;
        return ((long) LONG.get(bytes, at) >>> (8 * (tail - at))) & notEmpty;
    }

    /** Returns the bytes after the eighth of a tail of 0 to 15 bytes. */
    private static long tailHigh(byte[] bytes, int tail, int to) {
        long overEight = (long) (tail + 8 - to) >> 63;
        return ((long) LONG.get(bytes, to - 8) >>> (8 * (tail - to))) & overEight;
    }

    /** Returns the bytes of a key that is too short for a read of eight. */
    private static long shortTail(byte[] bytes, int from, int to) {
        long k = 0;
        for (int i = to - 1; i >= from; i--) {
            k = (k << 8) | (bytes[i] & 0xff);
        }
        return k;
    }
}
