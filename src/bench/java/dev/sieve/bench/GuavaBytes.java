package dev.sieve.bench;

import com.google.common.hash.BloomFilter;

/** Guava's BloomFilter, fed with the bytes of a round where they lie: its element is this object, with an index. */
final class GuavaBytes implements Contender {
    private final BloomFilter<GuavaBytes> filter;
    private Round round;
    private int index;

    GuavaBytes(long urls, double rate) {
        filter = BloomFilter.create(
                (each, into) -> into.putBytes(
                        each.round.bytes,
                        each.round.offsets[each.index],
                        each.round.offsets[each.index + 1] - each.round.offsets[each.index]),
                urls,
                rate);
    }

    @Override
    public long push(Round urls) {
        round = urls;
        long isNew = 0;
        for (index = 0; index < Round.URLS; index++) {
            isNew += filter.put(this) ? 1 : 0;
        }
        return isNew;
    }

    @Override
    public boolean mightContain(Round urls, int which) {
        round = urls;
        index = which;
        return filter.mightContain(this);
    }

    @Override
    public double estimatedSize() {
        return filter.approximateElementCount();
    }
}
