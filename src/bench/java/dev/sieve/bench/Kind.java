package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import bloomfilter.CanGenerateHashFrom;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import dev.sieve.bloom.Murmur3;
import java.util.HashSet;
import java.util.Set;
import org.apache.commons.codec.digest.MurmurHash3;
import org.apache.commons.collections4.bloomfilter.EnhancedDoubleHasher;
import org.apache.commons.collections4.bloomfilter.Hasher;
import org.apache.commons.collections4.bloomfilter.Shape;
import org.apache.commons.collections4.bloomfilter.SimpleBloomFilter;
import org.fastfilter.bloom.BlockedBloom;

/**
 * The contenders, in the order of the table. A peer that does not say what was new is asked before a URL is added.
 */
public enum Kind {
    /** The whole sieve, given the links of a page at a time. */
    SIEVE_STRINGS,
    /** The whole sieve, given the links of a page at a time as bytes. */
    SIEVE_BYTES,
    /** The whole sieve, given a URL at a time. */
    SIEVE_SINGLE,
    /** The sieve's filter alone, by batch. */
    FILTER_BYTES,
    /** The sieve's hash alone. */
    HASH_BYTES,
    /** Guava's BloomFilter. */
    GUAVA,
    /** Guava's BloomFilter, fed with bytes. */
    GUAVA_BYTES,
    /** Commons Collections' SimpleBloomFilter. */
    COMMONS,
    /** fastfilter's BlockedBloom, fed with the sieve's hash. */
    FASTFILTER,
    /** The Scala bloom-filter by A. Nikitin. */
    SCALA,
    /** A set of the URLs themselves. */
    HASH_SET;

    /** More Strings do not fit into the memory that a run is given. */
    private static final long MOST_STRINGS = 20_000_000;

    /** Whole bits per key, the number nearest to what a rate of 1 % takes. */
    private static final int FASTFILTER_BITS = 10;

    boolean takesStrings() {
        return !name().endsWith("_BYTES");
    }

    /** Makes a contender for a number of URLs and a false-positive rate. */
    Contender make(long urls, double rate) {
        return switch (this) {
            case SIEVE_STRINGS, SIEVE_BYTES, SIEVE_SINGLE -> new SieveContender(this, urls, rate);
            case FILTER_BYTES, HASH_BYTES -> new FilterContender(this == FILTER_BYTES, urls, rate);
            case GUAVA -> guava(BloomFilter.create(Funnels.stringFunnel(UTF_8), urls, rate));
            case GUAVA_BYTES -> new GuavaBytes(urls, rate);
            case COMMONS -> commons(Shape.fromNP(Math.toIntExact(urls), rate));
            case FASTFILTER -> fastFilter(Math.toIntExact(urls), rate);
            case SCALA -> scala(urls, rate);
            case HASH_SET -> hashSet(urls);
        };
    }

    private static Contender guava(BloomFilter<CharSequence> filter) {
        return Contender.ofStrings(filter::put, filter::mightContain);
    }

    private static Contender commons(Shape shape) {
        SimpleBloomFilter filter = new SimpleBloomFilter(shape);
        return Contender.ofStrings(
                url -> {
                    Hasher hasher = hasher(url);
                    return !filter.contains(hasher.indices(shape)) && filter.merge(hasher);
                },
                url -> filter.contains(hasher(url).indices(shape)));
    }

    private static Hasher hasher(String url) {
        long[] hash = MurmurHash3.hash128x64(url.getBytes(UTF_8));
        return new EnhancedDoubleHasher(hash[0], hash[1]);
    }

    private static Contender fastFilter(int urls, double rate) {
        if (rate != PushBench.RATE) {
            throw new IllegalArgumentException("not the rate for " + FASTFILTER_BITS + " bits: " + rate);
        }
        BlockedBloom filter = BlockedBloom.construct(new long[urls], FASTFILTER_BITS);
        long[] hash = new long[2];
        return Contender.ofStrings(
                url -> {
                    long key = hash(url, hash);
                    boolean isNew = !filter.mayContain(key);
                    if (isNew) {
                        filter.add(key);
                    }
                    return isNew;
                },
                url -> filter.mayContain(hash(url, hash)));
    }

    private static long hash(String url, long[] hash) {
        byte[] utf8 = url.getBytes(UTF_8);
        Murmur3.hash(utf8, 0, utf8.length, 0, hash, 0);
        return hash[0];
    }

    private static Contender scala(long urls, double rate) {
        CanGenerateHashFrom<String> hash = CanGenerateHashFrom.CanGenerateHashFromStringByteArray$.MODULE$;
        bloomfilter.mutable.BloomFilter<String> filter = bloomfilter.mutable.BloomFilter.apply(urls, rate, hash);
        return Contender.ofStrings(
                url -> {
                    boolean isNew = !filter.mightContain(url);
                    if (isNew) {
                        filter.add(url);
                    }
                    return isNew;
                },
                filter::mightContain,
                filter::dispose);
    }

    private static Contender hashSet(long urls) {
        if (urls > MOST_STRINGS) {
            throw new IllegalArgumentException("so many Strings do not fit into the heap: " + urls);
        }
        Set<String> set = new HashSet<>();
        return Contender.ofStrings(set::add, set::contains);
    }
}
