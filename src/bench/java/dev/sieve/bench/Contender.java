package dev.sieve.bench;

/** Something that is told URLs and says which of them are new. Made for a number of URLs and a false-positive rate. */
interface Contender {

    /** Pushes the URLs of a round; answers how many were new, or anything that depends on all of them. */
    long push(Round round);

    /** Whether a URL of a round was pushed before, as far as is known. */
    boolean mightContain(Round round, int index);

    /** How many URLs it holds by its own estimate; NaN when it has none. */
    default double estimatedSize() {
        return Double.NaN;
    }

    /** Takes out what was queued. */
    default void drain() {}

    /** Gives memory back that the collector knows nothing of. */
    default void free() {}
}
