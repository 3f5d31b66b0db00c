package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.url.UrlParts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Who may go next: joins the frontier, the schedule of hosts and the limits of a crawl under one lock, and is the one
 * place where a crawl waits.
 *
 * <p>URLs are taken from the frontier when none of the hosts that have any may be asked; those that have to wait lie in
 * the schedule, on its disk beyond a number that is kept in memory. The crawl is over when the frontier has nothing
 * pending and nothing in flight: a count, never a pause.
 */
final class Turns {
    /** URLs that are taken from the frontier at a time, so that nobody waits long for the lock. */
    private static final int TAKEN_AT_ONCE = 256;

    /**
     * When a request to a host that nobody knows yet has lasted so long, it may last for ever; less with short
     * timeouts.
     */
    private static final Duration LATE = Duration.ofSeconds(2);

    private final Frontier frontier;
    private final HostSchedule<Lease> schedule;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private final long maxNanos;
    private final long maxPages;
    private final int maxFailures;
    private final int workers;
    private final Reserve reserve;
    /** A host that answers later than this is not proven. */
    private final long soonNanos;

    /**
     * A URL whose turn it is.
     *
     * @param lease the URL
     * @param host its host
     * @param polledNanos since when
     * @param kind what is to be done with it
     * @param isProven whether its host has proven that it answers
     */
    record Turn(Lease lease, String host, long polledNanos, Kind kind, boolean isProven) {}

    /** What is to be done with a URL whose turn it is. */
    enum Kind {
        /** It is asked for. */
        ASK,
        /** Its host has had its share: it is refused, and no request counts as under way. */
        OVER_BUDGET,
        /** Its host was given up: it fails without a request, see {@link #leave}. */
        GIVEN_UP
    }

    private long pages;
    private int active;
    /** URLs that were handed out and will not be answered for, so that they are asked for another time. */
    private long left;

    private Ending ending;

    /** Since when all workers have something to do, while they have. */
    private long busySinceNanos;

    private long busyNanos;

    Turns(Frontier frontier, HostSchedule<Lease> schedule, LongSupplier nanoClock, CrawlOptions options) {
        this.frontier = frontier;
        this.schedule = schedule;
        this.nanoClock = nanoClock;
        maxPages = options.maxPages;
        maxFailures = options.maxFailures;
        soonNanos = nanos(options.timeout) / 2;
        long lateNanos = Math.min(nanos(options.timeout) / 8, LATE.toNanos());
        workers = options.concurrency;
        reserve = new Reserve(workers, options.perHost, nanos(options.delay), lateNanos);
        maxNanos = nanos(options.maxTime);
        startNanos = nanoClock.getAsLong();
    }

    private static long nanos(Duration time) {
        return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : time.toNanos();
    }

    /**
     * Waits for a URL whose host may be asked now. The request counts as under way until {@link #asked}, {@link #failed},
     * {@link #unanswered}, {@link #skipped}, {@link #leave} or {@link #putBack}; the URL counts as in work until {@link
     * #finished}.
     *
     * @return null when the crawl is over
     */
    synchronized Turn next() throws InterruptedException {
        while (true) {
            long now = nanoClock.getAsLong();
            if (isOver(now)) {
                return null;
            }
            // Each request under way may turn out to be a page, so that many may be started and no more.
            boolean mayStart = pages + active < maxPages;
            Turn turn = mayStart ? poll(now) : null;
            if (turn != null) {
                active++;
                busySinceNanos = active == workers ? now : busySinceNanos;
                return turn;
            }
            await(mayStart, now);
        }
    }

    private boolean isOver(long now) {
        if (pages >= maxPages) {
            end(Ending.MAX_PAGES);
        } else if (now - startNanos >= maxNanos) {
            end(Ending.MAX_TIME);
        } else if (active == 0 && frontier.inFlight() <= left && frontier.pending() == 0) {
            // In this order: once nothing is in flight, nobody is left who could make something pending.
            end(Ending.DRAINED);
        }
        return ending != null;
    }

    private Turn poll(long now) {
        Lease lease = pollSchedule(now);
        for (int i = 0; lease == null && i < TAKEN_AT_ONCE; i++) {
            Lease taken = frontier.take(now);
            if (taken == null) {
                return null;
            }
            String host = UrlParts.host(taken.url());
            if (taken.attempt() > 0) {
                schedule.addAgain(host, taken);
            } else if (!schedule.add(host, taken)) {
                return new Turn(taken, host, now, Kind.OVER_BUDGET, true);
            }
            lease = pollSchedule(now);
        }
        return lease == null ? null : turn(lease, now);
    }

    private Lease pollSchedule(long now) {
        return schedule.poll(now, allowsUnproven(now));
    }

    private boolean allowsUnproven(long now) {
        return reserve.allows(active, schedule.provenAtWork(), now);
    }

    private Turn turn(Lease lease, long now) {
        String host = UrlParts.host(lease.url());
        boolean isProven = schedule.isProven(host);
        if (!isProven) {
            reserve.started(lease.id(), now);
        }
        return new Turn(lease, host, now, schedule.isGivenUp(host) ? Kind.GIVEN_UP : Kind.ASK, isProven);
    }

    private void await(boolean mayStart, long now) throws InterruptedException {
        long nanos = maxNanos - (now - startNanos);
        if (mayStart) {
            nanos = Math.min(nanos, Math.min(schedule.waitNanos(now, allowsUnproven(now)), frontier.waitNanos(now)));
        }
        if (mayStart && schedule.holdsUnproven()) {
            nanos = Math.min(nanos, reserve.waitNanos(now));
        }
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, TimeUnit.MICROSECONDS.toNanos(1)));
    }

    /** What a host's robots.txt allows is known; the URL that asked for it has the host's next turn. */
    synchronized void open(Turn turn, Duration crawlDelay) {
        end(turn, true);
        schedule.finished(turn.host, nanoClock.getAsLong());
        schedule.delay(turn.host, crawlDelay);
        schedule.open(turn.host);
        schedule.putBack(turn.host, turn.lease);
        notifyAll();
    }

    /**
     * A URL is about to be asked for under the rules of its origin. The host is told its delay each time: it may have been
     * forgotten in between, or another origin of the same host may ask for another delay.
     */
    synchronized void allowed(Turn turn, Duration crawlDelay) {
        schedule.delay(turn.host, crawlDelay);
        schedule.open(turn.host);
    }

    /** A request goes out to a host. */
    synchronized void sent(String host) {
        schedule.sent(host, nanoClock.getAsLong());
    }

    /** The host is left alone for a while; the URL has its next turn. */
    synchronized void putBack(Turn turn, Duration pause) {
        long now = nanoClock.getAsLong();
        end(turn, false);
        schedule.finished(turn.host, now);
        schedule.backOff(turn.host, now + pause.toNanos());
        schedule.putBack(turn.host, turn.lease);
        notifyAll();
    }

    /** A request is over: its host may be asked again once its delay has passed. */
    synchronized void asked(Turn turn) {
        end(turn, true);
        long now = nanoClock.getAsLong();
        long took = now - turn.polledNanos;
        if (turn.isProven) {
            reserve.provenTook(took);
        }
        schedule.prove(turn.host, took < soonNanos);
        schedule.finished(turn.host, now);
        notifyAll();
    }

    /** A request is over, and the host is not well: it is left alone for as long as it asks for, and longer each time. */
    synchronized void failed(Turn turn, Duration retryAfter) {
        end(turn, true);
        schedule.failed(turn.host, retryAfter, nanoClock.getAsLong());
        notifyAll();
    }

    /**
     * A request is over, and nobody has answered it: the host is left alone, longer each time, and given up when it was
     * asked often enough.
     *
     * @return whether it was given up by this
     */
    synchronized boolean unanswered(Turn turn) {
        end(turn, false);
        int failures = schedule.failed(turn.host, Duration.ZERO, nanoClock.getAsLong());
        boolean givesUp = failures >= maxFailures && !schedule.isGivenUp(turn.host);
        if (givesUp) {
            schedule.giveUp(turn.host);
        }
        notifyAll();
        return givesUp;
    }

    /** No request was made, since the host was given up; whoever goes on with the frontier later gets the URL again. */
    synchronized void leave(Turn turn) {
        skipped(turn);
        left++;
    }

    /** No request was made after all, so the host is owed no delay. */
    synchronized void skipped(Turn turn) {
        end(turn, false);
        schedule.skipped(turn.host, turn.polledNanos, nanoClock.getAsLong());
        notifyAll();
    }

    private void end(Turn turn, boolean isAnswered) {
        if (!turn.isProven) {
            reserve.ended(turn.lease.id(), isAnswered, nanoClock.getAsLong());
        }
    }

    /** The work on a URL is over, and its links are in the frontier. */
    synchronized void finished(boolean isPage) {
        busyNanos += busyNow();
        active--;
        if (isPage) {
            pages++;
        }
        notifyAll();
    }

    /** Ends the crawl as soon as what is in work is finished; false when there was a reason before. */
    synchronized boolean end(Ending reason) {
        if (ending != null) {
            return false;
        }
        ending = reason;
        notifyAll();
        return true;
    }

    /** Waits until the crawl is over, but for what is in work. */
    synchronized void awaitEnding() throws InterruptedException {
        while (ending == null) {
            wait();
        }
    }

    private long busyNow() {
        return active == workers ? nanoClock.getAsLong() - busySinceNanos : 0;
    }

    /** For how long all workers had something to do. */
    synchronized Duration busy() {
        return Duration.ofNanos(busyNanos + busyNow());
    }

    /** What the schedule of hosts says of itself. */
    synchronized ScheduleStats schedule() {
        return schedule.stats();
    }

    /** Why the crawl is over; null while it goes on. */
    synchronized Ending ending() {
        return ending;
    }
}
