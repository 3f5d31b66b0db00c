package dev.sieve.bench;

import dev.sieve.FilterKind;
import dev.sieve.Sieve;
import dev.sieve.bloom.Membership;
import java.util.List;

/** The whole sieve, by batches of Strings or bytes, or by single Strings. */
final class SieveContender implements Contender {
    private final Kind kind;
    private final Membership filter;
    private final Sieve sieve;

    SieveContender(Kind kind, long urls, double rate) {
        this.kind = kind;
        filter = FilterKind.SPLIT_BLOCKS.create(urls, rate, FilterContender.SEED);
        sieve = Sieve.builder().capacity(urls).membership(filter).build();
    }

    @Override
    public long push(Round round) {
        return switch (kind) {
            case SIEVE_BYTES -> pushBytes(round);
            case SIEVE_STRINGS -> pushPages(round);
            default -> pushSingle(round);
        };
    }

    private long pushBytes(Round round) {
        long isNew = 0;
        for (int from = 0; from < Round.URLS; from += Round.PAGE) {
            round.batch.clear();
            for (int i = from; i < from + Round.PAGE; i++) {
                round.batch.add(round.bytes, round.offsets[i], round.offsets[i + 1]);
            }
            isNew += sieve.pushAll(round.batch);
        }
        return isNew;
    }

    private long pushPages(Round round) {
        long isNew = 0;
        for (List<String> page : round.pages) {
            isNew += sieve.pushAll(page);
        }
        return isNew;
    }

    private long pushSingle(Round round) {
        long isNew = 0;
        for (List<String> page : round.pages) {
            for (String url : page) {
                isNew += sieve.push(url) ? 1 : 0;
            }
        }
        return isNew;
    }

    @Override
    public boolean mightContain(Round round, int index) {
        return FilterContender.isIn(filter, round, index);
    }

    @Override
    public double estimatedSize() {
        return sieve.stats().estimatedSize();
    }

    @Override
    public void drain() {
        for (long left = sieve.pending(); left > 0; left--) {
            sieve.pop();
        }
    }
}
