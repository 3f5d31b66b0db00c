package dev.sieve.bloom;

/** Every kind of membership, for tests that hold for all of them. */
enum Kind {
    CLASSIC {
        @Override
        Membership create(long keys, double rate, long seed) {
            return BloomFilter.create(keys, rate, seed);
        }
    },
    SPLIT_BLOCK {
        @Override
        Membership create(long keys, double rate, long seed) {
            return SplitBlockFilter.create(keys, rate, seed);
        }
    },
    COUNTING {
        @Override
        Membership create(long keys, double rate, long seed) {
            return CountingBloomFilter.create(keys, rate, seed);
        }
    },
    GROWING {
        @Override
        Membership create(long keys, double rate, long seed) {
            return GrowingBloomFilter.create(keys, rate, seed);
        }
    },
    EXACT {
        @Override
        Membership create(long keys, double rate, long seed) {
            return ExactSet.create(seed);
        }
    };

    abstract Membership create(long keys, double rate, long seed);
}
