package dev.sieve.bench;

import dev.sieve.Sieve;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import java.util.List;

/** The sieve, whole and in parts. */
final class Ours {
    private static final long SEED = 0x5eed;

    private Ours() {}

    /** A sieve, and the filter in it, so that one can look without pushing. */
    private abstract static class Whole implements Contender {
        private final Membership filter;
        final Sieve sieve;

        Whole(long urls, double rate) {
            filter = Memberships.create(urls, rate, SEED);
            sieve = Sieve.builder(urls).membership(filter).build();
        }

        @Override
        public boolean mightContain(Round round, int index) {
            return isIn(filter, round, index);
        }

        @Override
        public double estimatedSize() {
            return sieve.estimatedSize();
        }

        @Override
        public void drain() {
            for (long left = sieve.pending(); left > 0; left--) {
                sieve.pop();
            }
        }
    }

    static final class SieveStrings extends Whole {
        SieveStrings(long urls, double rate) {
            super(urls, rate);
        }

        @Override
        public long push(Round round) {
            long isNew = 0;
            for (List<String> page : round.pages) {
                isNew += sieve.pushAll(page);
            }
            return isNew;
        }
    }

    static final class SieveBytes extends Whole {
        SieveBytes(long urls, double rate) {
            super(urls, rate);
        }

        @Override
        public long push(Round round) {
            UrlBatch batch = round.batch;
            long isNew = 0;
            for (int from = 0; from < Round.URLS; from += Round.PAGE) {
                batch.clear();
                for (int i = from; i < from + Round.PAGE; i++) {
                    batch.add(round.bytes, round.offsets[i], round.offsets[i + 1]);
                }
                isNew += sieve.pushAll(batch);
            }
            return isNew;
        }
    }

    static final class SieveSingle extends Whole {
        SieveSingle(long urls, double rate) {
            super(urls, rate);
        }

        @Override
        public long push(Round round) {
            long isNew = 0;
            for (List<String> page : round.pages) {
                for (String url : page) {
                    isNew += sieve.push(url) ? 1 : 0;
                }
            }
            return isNew;
        }
    }

    static final class FilterBytes implements Contender {
        private final Membership filter;
        private final long[] hashes = new long[2 * Membership.BATCH];

        FilterBytes(long urls, double rate) {
            filter = Memberships.create(urls, rate, SEED);
        }

        @Override
        public long push(Round round) {
            long any = 0;
            for (int from = 0; from < Round.URLS; from += Membership.BATCH) {
                hash(round, from, hashes);
                any ^= filter.addAbsent(hashes, filter.absent(hashes, Membership.BATCH));
            }
            return any;
        }

        @Override
        public boolean mightContain(Round round, int index) {
            return isIn(filter, round, index);
        }
    }

    static final class HashBytes implements Contender {
        private final long[] hashes = new long[2 * Membership.BATCH];

        @SuppressWarnings("unused") // nothing is kept
        HashBytes(long urls, double rate) {}

        @Override
        public long push(Round round) {
            long any = 0;
            for (int from = 0; from < Round.URLS; from += Membership.BATCH) {
                hash(round, from, hashes);
                any ^= hashes[0];
            }
            return any;
        }

        @Override
        public boolean mightContain(Round round, int index) {
            return false;
        }
    }

    private static void hash(Round round, int from, long[] hashes) {
        for (int i = 0; i < Membership.BATCH; i++) {
            int at = from + i;
            Murmur3.hash(round.bytes, round.offsets[at], round.offsets[at + 1], SEED, hashes, 2 * i);
        }
    }

    private static boolean isIn(Membership filter, Round round, int index) {
        long[] hash = new long[2];
        Murmur3.hash(round.bytes, round.offsets[index], round.offsets[index + 1], filter.seed(), hash, 0);
        return filter.mightContain(hash[0], hash[1]);
    }
}
