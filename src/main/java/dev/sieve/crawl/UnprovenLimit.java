package dev.sieve.crawl;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Limits how many workers may be in requests to hosts that have not proven that they respond soon, so that hosts which
 * never respond leave enough workers to the others.
 *
 * <p>What proven hosts can keep busy is reserved for them, up to half of the workers: for each host with something to
 * do, as many requests at a time as its limit and its delay allow. Requests to unproven hosts that have lasted long
 * count as lost workers. Half of the remainder may be in requests to unproven hosts that have not lasted long yet. Each
 * such request that is answered adds one more, up to all of the remainder, so that new hosts which are well get all of
 * it; one that fails late takes all of these back.
 *
 * <p>So hosts that hold their requests take at most half of the workers at once, then half of the remainder after every
 * {@code lateNanos}; one worker always stays free. With no request under way, any host may be requested.
 *
 * <p>Time is passed in. Guarded by the lock of {@link Dispatcher}. Each call costs O(1) on average.
 */
final class UnprovenLimit {
    /** The share by which a new duration changes the average. */
    private static final double WEIGHT = 1.0 / 8;

    private final int workers;
    private final int perHost;
    private final double delayNanos;
    private final long lateNanos;

    /** Requests to unproven hosts, by when they were started; the first ones first. */
    private final Map<Long, Long> recent = new LinkedHashMap<>();

    private final Set<Long> late = new HashSet<>();
    private int trust;
    private double provenTookNanos;

    /**
     * A limit with no request under way.
     *
     * @param lateNanos how long a request lasts until it counts as lost
     */
    UnprovenLimit(int workers, int perHost, long delayNanos, long lateNanos) {
        this.workers = workers;
        this.perHost = perHost;
        this.delayNanos = delayNanos;
        this.lateNanos = lateNanos;
    }

    /**
     * Whether an unproven host may be requested now.
     *
     * @param underWay requests that are under way, to all hosts
     * @param provenAtWork proven hosts that have something to do
     */
    boolean allows(int underWay, int provenAtWork, long nowNanos) {
        age(nowNanos);
        int room = workers - wanted(provenAtWork) - late.size();
        return underWay == 0 || recent.size() < room / 2 + Math.min(trust, room - room / 2);
    }

    /** What proven hosts can keep busy: on average, for each of them, a request's duration in every delay. */
    private int wanted(int provenAtWork) {
        double each = delayNanos == 0 ? perHost : Math.min(perHost, provenTookNanos / delayNanos);
        int all = (int) Math.ceil(provenAtWork * each);
        int atLeastOne = provenAtWork == 0 ? 0 : Math.max(1, all);
        return Math.min(workers / 2, atLeastOne);
    }

    private void age(long nowNanos) {
        Iterator<Map.Entry<Long, Long>> eldest = recent.entrySet().iterator();
        while (eldest.hasNext()) {
            Map.Entry<Long, Long> each = eldest.next();
            if (nowNanos - each.getValue() < lateNanos) {
                return;
            }
            late.add(each.getKey());
            eldest.remove();
        }
    }

    /** How long until a request becomes late, so that more may be allowed; {@link Long#MAX_VALUE} when none will. */
    long waitNanos(long nowNanos) {
        age(nowNanos);
        return recent.isEmpty() ? Long.MAX_VALUE : recent.values().iterator().next() + lateNanos - nowNanos;
    }

    /** A request to an unproven host was started. */
    void started(long id, long nowNanos) {
        recent.put(id, nowNanos);
    }

    /** A request to an unproven host is over. */
    void ended(long id, boolean isAnswered, long nowNanos) {
        age(nowNanos);
        boolean isLate = late.remove(id);
        recent.remove(id);
        if (isAnswered) {
            trust = Math.min(workers, trust + 1);
        } else if (isLate) {
            trust = 0;
        }
    }

    /** A request to a proven host was answered. */
    void provenTook(long nanos) {
        provenTookNanos += (nanos - provenTookNanos) * WEIGHT;
    }
}
