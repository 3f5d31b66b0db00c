package dev.sieve.bench;

import dev.sieve.FilterKind;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;

/** The sieve's filter without its queue, or its hash without the filter. */
final class FilterContender implements Contender {
    static final long SEED = 0x5eed;

    private final boolean adds;
    private final Membership filter;
    private final long[] hashes = new long[2 * Membership.BATCH];

    FilterContender(boolean adds, long urls, double rate) {
        this.adds = adds;
        filter = FilterKind.SPLIT_BLOCKS.create(adds ? urls : 1, rate, SEED);
    }

    @Override
    public long push(Round round) {
        long any = 0;
        for (int from = 0; from < Round.URLS; from += Membership.BATCH) {
            for (int i = 0; i < Membership.BATCH; i++) {
                Murmur3.hash(round.bytes, round.offsets[from + i], round.offsets[from + i + 1], SEED, hashes, 2 * i);
            }
            any ^= adds ? filter.addAbsent(hashes, filter.absent(hashes, Membership.BATCH)) : hashes[0];
        }
        return any;
    }

    @Override
    public boolean mightContain(Round round, int index) {
        return isIn(filter, round, index);
    }

    static boolean isIn(Membership filter, Round round, int index) {
        long[] hash = new long[2];
        Murmur3.hash(round.bytes, round.offsets[index], round.offsets[index + 1], filter.seed(), hash, 0);
        return filter.mightContain(hash[0], hash[1]);
    }
}
