package dev.sieve.bloom;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/** A row of numbered keys as long as URLs; key i is always the same one. Those below 0 differ from those above. */
final class Keys {
    private final ByteBuffer url =
            ByteBuffer.wrap("https://www.example.test/a/page/of/some/length/########".getBytes(UTF_8));
    private final long seed;
    private final long[] hash = new long[2];

    Keys(long seed) {
        this.seed = seed;
    }

    Keys of(long number) {
        url.putLong(url.capacity() - 8, number);
        Murmur3.hash(url.array(), 0, url.capacity(), seed, hash, 0);
        return this;
    }

    long h1() {
        return hash[0];
    }

    long h2() {
        return hash[1];
    }

    /** Adds the keys from one number up to, without, another one; how many were new. */
    static long add(Membership membership, long from, long to) {
        Keys keys = new Keys(membership.seed());
        long added = 0;
        for (long i = from; i < to; i++) {
            keys.of(i);
            added += membership.add(keys.h1(), keys.h2()) ? 1 : 0;
        }
        return added;
    }

    /** How many of the keys from one number up to, without, another one are said to be in. */
    static long count(Membership membership, long from, long to) {
        Keys keys = new Keys(membership.seed());
        long contained = 0;
        for (long i = from; i < to; i++) {
            keys.of(i);
            contained += membership.mightContain(keys.h1(), keys.h2()) ? 1 : 0;
        }
        return contained;
    }
}
