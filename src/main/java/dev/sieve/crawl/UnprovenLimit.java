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
 * do, as many concurrent requests as its limit and its delay allow. Requests to unproven hosts that have lasted long
 * count as lost workers. Half of the remainder may be in requests to unproven hosts that have not lasted long yet. Each
 * such request that gets a response adds one more, up to all of the remainder, so that new hosts that respond get all of
 * it; one that fails late takes all of these back.
 *
 * <p>So hosts that hold their requests get at most half of the workers at once, then half of the remainder after every
 * {@code lateNanos}; one worker always stays free. With no active request, any host may be requested.
 *
 * <p>Guarded by the lock of {@link Dispatcher}. Each call costs O(1) on average.
 */
final class UnprovenLimit {
    /** The weight of a new duration in the average. */
    private static final double WEIGHT = 1.0 / 8;

    private final int workers;
    private final int perHost;
    private final double delayNanos;
    private final long lateNanos;

    /** The start times of requests to unproven hosts, the oldest first. */
    private final Map<Long, Long> recent = new LinkedHashMap<>();

    private final Set<Long> late = new HashSet<>();
    private int trust;
    private double provenTookNanos;

    /**
     * Creates a limit without active requests.
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
     * Returns whether an unproven host may be requested now.
     *
     * @param active active requests to all hosts
     * @param provenAtWork proven hosts that have something to do
     */
    boolean allows(int active, int provenAtWork, long nowNanos) {
        age(nowNanos);
        int room = workers - reserved(provenAtWork) - late.size();
        return active == 0 || recent.size() < room / 2 + Math.min(trust, room - room / 2);
    }

    /** Returns what proven hosts can keep busy: each, on average, the duration of a request per delay. */
    private int reserved(int provenAtWork) {
        double each = delayNanos == 0 ? perHost : Math.min(perHost, provenTookNanos / delayNanos);
        int all = (int) Math.ceil(provenAtWork * each);
        return Math.min(workers / 2, provenAtWork == 0 ? 0 : Math.max(1, all));
    }

    private void age(long nowNanos) {
        Iterator<Map.Entry<Long, Long>> oldest = recent.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<Long, Long> each = oldest.next();
            if (nowNanos - each.getValue() < lateNanos) {
                return;
            }
            late.add(each.getKey());
            oldest.remove();
        }
    }

    /** Returns how long until a request becomes late, so that more may be allowed; {@link Long#MAX_VALUE} without one. */
    long waitNanos(long nowNanos) {
        age(nowNanos);
        return recent.isEmpty() ? Long.MAX_VALUE : recent.values().iterator().next() + lateNanos - nowNanos;
    }

    /** Notes the start of a request to an unproven host. */
    void started(long id, long nowNanos) {
        recent.put(id, nowNanos);
    }

    /** Notes the end of a request to an unproven host. */
    void ended(long id, boolean hasResponse, long nowNanos) {
        age(nowNanos);
        boolean isLate = late.remove(id);
        recent.remove(id);
        if (hasResponse) {
            trust = Math.min(workers, trust + 1);
        } else if (isLate) {
            trust = 0;
        }
    }

    /** Notes how long a response of a proven host took. */
    void provenTook(long nanos) {
        provenTookNanos += (nanos - provenTookNanos) * WEIGHT;
    }
}
