package dev.sieve.stage;

/**
 * When a known page is visited again: seldom if it stays the same, often if it changes. A pure function of the history
 * of the page and of the time. All times are seconds, since 1970 where they are dates.
 *
 * <p>A page begins with an interval of {@link #minAge}. The interval grows by half after a visit that found no change,
 * and is halved after one that did, between {@link #minAge} and {@link #maxAge}. It settles where about 37 % of the
 * visits find a change: there, growing and halving are in balance, {@code p * log(2) = (1 - p) * log(1.5)}. This is the
 * adaptive rule of K. Sigurdsson, "Incremental crawling with Heritrix" (IWAW 2005).
 *
 * <p>Visits happen in rounds. A page takes part in the round that is nearest to its date: half the shortest interval
 * early is early enough, so that a round per day visits a page daily although no two rounds reach it at the same time
 * of the day.
 *
 * @param minAge the shortest interval, above 0
 * @param maxAge the longest interval, at least the shortest
 */
record RevisitRule(long minAge, long maxAge) {
    /**
     * Returns the interval after a visit.
     *
     * @param interval the interval before it; 0 if this was the first visit
     * @param freshFor how long the response stays fresh (Cache-Control: max-age), 0 if the server does not say: the
     *     least interval, up to {@link #maxAge}
     */
    long next(long interval, boolean isChanged, long freshFor) {
        long next = isChanged ? interval / 2 : interval + interval / 2;
        return Math.min(maxAge, Math.max(interval <= 0 ? 0 : next, Math.max(minAge, freshFor)));
    }

    /**
     * Returns whether a page takes part in a round at this time. A page whose last visit is in the future does: the
     * clock of the computer was wrong then or is now.
     */
    boolean isDue(long lastVisit, long interval, long now) {
        return now - lastVisit >= Math.min(interval, maxAge) - minAge / 2 || now < lastVisit;
    }
}
