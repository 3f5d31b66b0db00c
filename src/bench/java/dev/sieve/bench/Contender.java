package dev.sieve.bench;

import java.util.List;
import java.util.function.Predicate;

/** Something that URLs are pushed into and that detects those it has seen. */
interface Contender {

    /** Pushes the URLs of a round; returns how many were new, or anything that depends on all of them. */
    long push(Round round);

    /** Whether a URL of a round was pushed before, as far as the contender can say. */
    boolean mightContain(Round round, int index);

    /** The number of URLs in it by its own estimate; NaN when it has none. */
    default double estimatedSize() {
        return Double.NaN;
    }

    /** Takes out what was queued. */
    default void drain() {}

    /** Gives back memory that is not on the heap. */
    default void free() {}

    /**
     * A contender that takes one String after the other.
     *
     * @param add returns whether it was new
     */
    static Contender ofStrings(Predicate<String> add, Predicate<String> mightContain, Runnable free) {
        return new Contender() {
            @Override
            public long push(Round round) {
                long isNew = 0;
                for (List<String> page : round.pages) {
                    for (String url : page) {
                        isNew += add.test(url) ? 1 : 0;
                    }
                }
                return isNew;
            }

            @Override
            public boolean mightContain(Round round, int index) {
                return mightContain.test(round.url(index));
            }

            @Override
            public void free() {
                free.run();
            }
        };
    }

    /** As above, on the heap. */
    static Contender ofStrings(Predicate<String> add, Predicate<String> mightContain) {
        return ofStrings(add, mightContain, () -> {});
    }
}
