package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import bloomfilter.CanGenerateHashFrom;
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import com.google.common.hash.PrimitiveSink;
import dev.sieve.bloom.Murmur3;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.codec.digest.MurmurHash3;
import org.apache.commons.collections4.bloomfilter.EnhancedDoubleHasher;
import org.apache.commons.collections4.bloomfilter.Hasher;
import org.apache.commons.collections4.bloomfilter.Shape;
import org.apache.commons.collections4.bloomfilter.SimpleBloomFilter;
import org.fastfilter.bloom.BlockedBloom;

/** What others offer for the same job. One that does not say what was new is asked before it is told. */
final class Peers {
    private Peers() {}

    /** A peer that is told one String after the other. */
    private abstract static class OneByOne implements Contender {
        @Override
        public final long push(Round round) {
            long isNew = 0;
            for (List<String> page : round.pages) {
                for (String url : page) {
                    isNew += add(url) ? 1 : 0;
                }
            }
            return isNew;
        }

        @Override
        public final boolean mightContain(Round round, int index) {
            return mightContain(round.url(index));
        }

        abstract boolean add(String url);

        abstract boolean mightContain(String url);
    }

    static final class Guava extends OneByOne {
        private final BloomFilter<CharSequence> filter;

        Guava(long urls, double rate) {
            filter = BloomFilter.create(Funnels.stringFunnel(UTF_8), urls, rate);
        }

        @Override
        boolean add(String url) {
            return filter.put(url);
        }

        @Override
        boolean mightContain(String url) {
            return filter.mightContain(url);
        }
    }

    static final class GuavaBytes implements Contender {
        private final BloomFilter<Slice> filter;
        private final Slice slice = new Slice();

        /** The URL that is looked at. */
        private static final class Slice {
            private byte[] bytes;
            private int from;
            private int length;

            Slice set(Round round, int index) {
                bytes = round.bytes;
                from = round.offsets[index];
                length = round.offsets[index + 1] - from;
                return this;
            }
        }

        GuavaBytes(long urls, double rate) {
            filter = BloomFilter.create(
                    (Slice url, PrimitiveSink into) -> into.putBytes(url.bytes, url.from, url.length), urls, rate);
        }

        @Override
        public long push(Round round) {
            long isNew = 0;
            for (int i = 0; i < Round.URLS; i++) {
                isNew += filter.put(slice.set(round, i)) ? 1 : 0;
            }
            return isNew;
        }

        @Override
        public boolean mightContain(Round round, int index) {
            return filter.mightContain(slice.set(round, index));
        }

        @Override
        public double estimatedSize() {
            return filter.approximateElementCount();
        }
    }

    static final class Commons extends OneByOne {
        private final Shape shape;
        private final SimpleBloomFilter filter;

        Commons(long urls, double rate) {
            shape = Shape.fromNP(Math.toIntExact(urls), rate);
            filter = new SimpleBloomFilter(shape);
        }

        @Override
        boolean add(String url) {
            Hasher hasher = hasher(url);
            return !filter.contains(hasher.indices(shape)) && filter.merge(hasher);
        }

        @Override
        boolean mightContain(String url) {
            return filter.contains(hasher(url).indices(shape));
        }

        private static Hasher hasher(String url) {
            long[] hash = MurmurHash3.hash128x64(url.getBytes(UTF_8));
            return new EnhancedDoubleHasher(hash[0], hash[1]);
        }
    }

    /** Takes 10 bits a key, the number nearest to what a rate of 1 % needs; it takes whole ones only. */
    static final class FastFilter extends OneByOne {
        private static final int BITS = 10;
        private final BlockedBloom filter;
        private final long[] hash = new long[2];

        FastFilter(long urls, double rate) {
            if (rate != PushBench.RATE) {
                throw new IllegalArgumentException("not the rate for " + BITS + " bits: " + rate);
            }
            filter = BlockedBloom.construct(new long[Math.toIntExact(urls)], BITS);
        }

        @Override
        boolean add(String url) {
            long key = key(url);
            boolean isNew = !filter.mayContain(key);
            if (isNew) {
                filter.add(key);
            }
            return isNew;
        }

        @Override
        boolean mightContain(String url) {
            return filter.mayContain(key(url));
        }

        private long key(String url) {
            byte[] utf8 = url.getBytes(UTF_8);
            Murmur3.hash(utf8, 0, utf8.length, 0, hash, 0);
            return hash[0];
        }
    }

    static final class Scala extends OneByOne {
        private final bloomfilter.mutable.BloomFilter<String> filter;

        Scala(long urls, double rate) {
            CanGenerateHashFrom<String> hash = CanGenerateHashFrom.CanGenerateHashFromStringByteArray$.MODULE$;
            filter = bloomfilter.mutable.BloomFilter.apply(urls, rate, hash);
        }

        @Override
        boolean add(String url) {
            boolean isNew = !filter.mightContain(url);
            if (isNew) {
                filter.add(url);
            }
            return isNew;
        }

        @Override
        boolean mightContain(String url) {
            return filter.mightContain(url);
        }

        @Override
        public void free() {
            filter.dispose();
        }
    }

    static final class Exact extends OneByOne {
        private final Set<String> urls = new HashSet<>();

        @SuppressWarnings("unused") // makes no mistakes
        Exact(long urls, double rate) {}

        @Override
        boolean add(String url) {
            return urls.add(url);
        }

        @Override
        boolean mightContain(String url) {
            return urls.contains(url);
        }
    }
}
