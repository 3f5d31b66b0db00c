package dev.sieve.bench;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Which URLs are pushed: one in ten is new, the others are drawn evenly from all that were pushed before, which is the
 * worst case for caches. Many threads may each have a mix of their own over the same count.
 */
final class Mix {
    private static final int NEW_ONE_IN = 10;

    private final AtomicLong pushed;
    private final boolean strings;
    private long state;

    /**
     * A mix.
     *
     * @param pushed how many URLs are known; those of the numbers below it
     * @param strings whether rounds are made of Strings, too
     * @param seed decides what is drawn
     */
    Mix(AtomicLong pushed, boolean strings, long seed) {
        this.pushed = pushed;
        this.strings = strings;
        state = seed;
    }

    /** Draws the URLs of a round. */
    void draw(Round round) {
        long known = pushed.get();
        int isNew = Round.URLS / NEW_ONE_IN;
        long next = pushed.getAndAdd(isNew);
        long end = next + isNew;
        for (int i = 0; i < Round.URLS; i++) {
            long dice = Urls.mix(state++);
            boolean takesNew = next < end && (Round.URLS - i == end - next || (dice >>> 1) % NEW_ONE_IN == 0);
            round.set(i, takesNew || known == 0 ? next++ : Math.floorMod(Urls.mix(dice), known));
        }
        finish(round);
    }

    /** Takes new URLs only. */
    void drawNew(Round round) {
        long next = pushed.getAndAdd(Round.URLS);
        for (int i = 0; i < Round.URLS; i++) {
            round.set(i, next + i);
        }
        finish(round);
    }

    private void finish(Round round) {
        if (strings) {
            round.makeStrings();
        }
    }
}
