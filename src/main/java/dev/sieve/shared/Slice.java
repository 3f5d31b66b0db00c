package dev.sieve.shared;

/**
 * A slice that this worker owns, by a token that the engine granted in one of its runs. When the token is refused, the
 * engine is in another run, or the ownership was not renewed in time, the slice is dropped with all that was taken from
 * it. What changes of it is in {@link Holdings}.
 */
final class Slice {
    /** The time for which this worker owns a slice, on its clock: until another may own it, and when to renew it. */
    record Term(long endNanos, long renewNanos) {
        /** Returns the term of an ownership that was requested at a time. */
        static Term of(long sentNanos, long ttlNanos) {
            return new Term(sentNanos + ttlNanos / 10 * 9, sentNanos + ttlNanos / 3);
        }
    }

    final int index;
    final CrawlKeys.OfSlice keys;
    final Run run;
    private final byte[][] proof;
    private final long restNanos;

    /** Creates a claimed slice with run, token and worker as the scripts expect them; its URLs rest until a time. */
    Slice(CrawlKeys.OfSlice keys, Run run, byte[][] proof, long restNanos) {
        index = keys.index;
        this.keys = keys;
        this.run = run;
        this.proof = proof;
        this.restNanos = restNanos;
    }

    /** Returns the arguments that prove the ownership, followed by others. */
    byte[][] prove(byte[]... others) {
        byte[][] args = new byte[proof.length + others.length][];
        System.arraycopy(proof, 0, args, 0, proof.length);
        System.arraycopy(others, 0, args, proof.length, others.length);
        return args;
    }

    /** Returns how long the slice still rests; 0 or less when URLs may be handed out. */
    long restNanos(long now) {
        return restNanos - now;
    }
}
