package dev.sieve.crawl;

import dev.sieve.polite.Trust;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many workers may be in requests to hosts that have not {@linkplain Trust proven} that they respond soon,
 * so that hosts which never respond leave enough workers to the others.
 *
 * <p>What proven hosts can keep busy is reserved for them, up to half of the workers: for each host with something to
 * do, as many concurrent requests as its limit and its delay allow. Requests to unproven hosts whose response has begun
 * count as lost workers, and so do those that have lasted long, unless they {@linkplain #waiting wait} in a further
 * worker. Half of the remainder may be in requests to unproven hosts that have not lasted long yet. Each such request
 * that gets a response adds one more for hosts of the same trust, up to all of the remainder, so that new hosts that
 * respond get all of it; one that fails late takes all of these back.
 *
 * <p>Unknown hosts also leave out what those that have responded can keep busy, which share that half of the workers
 * with the proven ones. So a host that has responded, if only with its robots.txt, waits for no unknown hosts but those
 * of an eighth of the workers. Hosts that have responded leave that eighth to unknown ones, however many of them hold
 * their requests: one of the unknown may be the one that responds.
 *
 * <p>So hosts that hold their requests get at most half of the workers at once, then half of the remainder after every
 * {@code lateNanos}; one worker always stays free from unknown hosts that do. With no active request, any host may be
 * requested.
 *
 * <p>Guarded by the lock of {@link Dispatcher}. Each call costs O(1) on average.
 */
final class UnprovenLimit {
    /** The weight of a new duration in the average. */
    private static final double WEIGHT = 1.0 / 8;

    /** A request to an unproven host that lasts longer than this may never end; less with short timeouts. */
    private static final Duration LATE = Duration.ofMillis(500);

    private final int workers;
    private int further;
    private final int perHost;
    private final double delayNanos;
    private final long lateNanos;

    private record Start(Trust trust, long nanos) {}

    /** The requests to unproven hosts that have not lasted long, without a response, the oldest first. */
    private final Map<Long, Start> recent = new LinkedHashMap<>();

    /** How many of them are to hosts that have responded. */
    private int recentResponded;

    /** Those that have lasted long, without a response. */
    private final Map<Long, Start> late = new HashMap<>();

    /** Those whose response has begun. */
    private final Map<Long, Start> receiving = new HashMap<>();
    /** How many requests to unknown hosts are active, late or not. */
    private int unknown;
    /** How many requests more are allowed by responses, by the trust of the hosts. */
    private final Map<Trust, Integer> earned = new EnumMap<>(Trust.class);

    private double provenTookNanos;

    /**
     * Creates a limit without active requests.
     *
     * @param further how many workers there are in addition for requests that wait
     * @param lateNanos how long a request lasts until it counts as lost
     */
    UnprovenLimit(int workers, int further, int perHost, long delayNanos, long lateNanos) {
        this.workers = workers;
        this.further = further;
        this.perHost = perHost;
        this.delayNanos = delayNanos;
        this.lateNanos = lateNanos;
    }

    static UnprovenLimit of(CrawlOptions options) {
        int workers = options.concurrency;
        Duration late = LATE.compareTo(options.timeout.dividedBy(8)) < 0 ? LATE : options.timeout.dividedBy(8);
        return new UnprovenLimit(
                workers,
                Math.min(8 * workers, 256),
                options.perHost,
                TimeUnit.NANOSECONDS.convert(options.delay),
                late.toNanos());
    }

    /**
     * Returns the least trust of the hosts that may be requested now.
     *
     * @param active active requests to all hosts
     * @param proven proven hosts that have something to do
     * @param responded hosts that have something to do and have responded, but are not proven
     */
    Trust least(int active, int proven, int responded, long nowNanos) {
        age(nowNanos);
        int lost = receiving.size() + late.size() - furtherWorkers();
        int room = workers - reserved(proven, responded) - lost;
        if (active == 0 || recent.size() < allowed(Trust.UNKNOWN, room, room / 2)) {
            return Trust.UNKNOWN;
        }
        int recentUnknown = recent.size() - recentResponded;
        room = workers - reserved(proven, 0) - lost - recentUnknown;
        if (recentResponded >= allowed(Trust.RESPONDED, room, room - room / 2)) {
            return Trust.PROVEN;
        }
        return unknown - furtherWorkers() < Math.max(1, workers / 8) ? Trust.UNKNOWN : Trust.RESPONDED;
    }

    /** Returns how many requests are allowed: half of the room, and of the other half what was earned. */
    private int allowed(Trust trust, int room, int half) {
        return half + Math.min(earned.getOrDefault(trust, 0), room - half);
    }

    /** Returns what hosts can keep busy: each, on average, the duration of a request per delay. */
    private int reserved(int proven, int responded) {
        double each = delayNanos == 0 ? perHost : Math.min(perHost, provenTookNanos / delayNanos);
        int all = (int) Math.ceil(proven * each + responded * Math.min(1, each));
        return Math.min(workers / 2, proven + responded == 0 ? 0 : Math.max(1, all));
    }

    /** Notes that some requests have lasted long by now. */
    void age(long nowNanos) {
        Iterator<Map.Entry<Long, Start>> oldest = recent.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<Long, Start> each = oldest.next();
            if (nowNanos - each.getValue().nanos < lateNanos) {
                return;
            }
            late.put(each.getKey(), each.getValue());
            recentResponded -= each.getValue().trust == Trust.RESPONDED ? 1 : 0;
            oldest.remove();
        }
    }

    /** Returns how many requests have lasted long without a response, so that they only take a thread and a connection. */
    int waiting() {
        return late.size();
    }

    boolean isWaiting(long id) {
        return late.containsKey(id);
    }

    /** Returns how many workers there have to be in addition, because others wait. */
    int furtherWorkers() {
        return Math.min(late.size(), further);
    }

    /** Sets that there will not be more workers in addition than these. */
    void limitFurther(int most) {
        further = Math.min(further, most);
    }

    /** Returns how long until a request becomes late, so that more may be allowed; {@link Long#MAX_VALUE} without one. */
    long waitNanos(long nowNanos) {
        age(nowNanos);
        return recent.isEmpty() ? Long.MAX_VALUE : recent.values().iterator().next().nanos + lateNanos - nowNanos;
    }

    /** Notes the start of a request to a host of a trust; proven hosts are not limited. */
    void started(long id, Trust trust, long nowNanos) {
        if (trust != Trust.PROVEN) {
            recent.put(id, new Start(trust, nowNanos));
            recentResponded += trust == Trust.RESPONDED ? 1 : 0;
            unknown += trust == Trust.UNKNOWN ? 1 : 0;
        }
    }

    /** Notes that the response to a request has begun. */
    void receives(long id) {
        Start start = remove(id);
        if (start != null) {
            receiving.put(id, start);
        }
    }

    private @Nullable Start remove(long id) {
        Start soon = recent.remove(id);
        if (soon != null) {
            recentResponded -= soon.trust == Trust.RESPONDED ? 1 : 0;
            return soon;
        }
        Start start = late.remove(id);
        return start == null ? receiving.remove(id) : start;
    }

    /** Notes the end of a request. */
    void ended(long id, boolean hasResponse, long nowNanos) {
        age(nowNanos);
        boolean isSoon = recent.containsKey(id);
        Start start = remove(id);
        if (start == null) {
            return;
        }
        unknown -= start.trust == Trust.UNKNOWN ? 1 : 0;
        if (hasResponse) {
            earned.merge(start.trust, 1, (before, one) -> Math.min(workers, before + one));
        } else if (!isSoon) {
            earned.put(start.trust, 0);
        }
    }

    /** Notes how long a response of a proven host took. */
    void provenTook(long nanos) {
        provenTookNanos += (nanos - provenTookNanos) * WEIGHT;
    }
}
