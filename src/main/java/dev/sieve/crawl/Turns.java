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
 * the schedule, on its disk beyond a number that is kept in memory. The crawl is over when the frontier has nothing pending and nothing in flight: a count, never a pause.
 */
final class Turns {
    /** URLs that are taken from the frontier at a time, so that nobody waits long for the lock. */
    private static final int TAKEN_AT_ONCE = 256;

    private final Frontier frontier;
    private final HostSchedule<Lease> schedule;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private final long maxNanos;
    private final long maxPages;

    /**
     * A URL whose turn it is.
     *
     * @param lease the URL
     * @param host its host
     * @param polledNanos since when
     */
    record Turn(Lease lease, String host, long polledNanos) {}

    private long pages;
    private int active;
    private Ending ending;

    Turns(Frontier frontier, HostSchedule<Lease> schedule, LongSupplier nanoClock, Duration maxTime, long maxPages) {
        this.frontier = frontier;
        this.schedule = schedule;
        this.nanoClock = nanoClock;
        this.maxPages = maxPages;
        maxNanos = maxTime.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : maxTime.toNanos();
        startNanos = nanoClock.getAsLong();
    }

    /**
     * Waits for a URL whose host may be asked now. The request counts as under way until {@link #asked}, {@link #failed},
     * {@link #skipped} or {@link #putBack}; the URL counts as in work until {@link #finished}.
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
            Lease lease = mayStart ? poll(now) : null;
            if (lease != null) {
                active++;
                return new Turn(lease, UrlParts.host(lease.url()), now);
            }
            await(mayStart, now);
        }
    }

    private boolean isOver(long now) {
        if (pages >= maxPages) {
            end(Ending.MAX_PAGES);
        } else if (now - startNanos >= maxNanos) {
            end(Ending.MAX_TIME);
        } else if (active == 0 && frontier.inFlight() == 0 && frontier.pending() == 0) {
            // In this order: once nothing is in flight, nobody is left who could make something pending.
            end(Ending.DRAINED);
        }
        return ending != null;
    }

    private Lease poll(long now) {
        Lease lease = schedule.poll(now);
        for (int i = 0; lease == null && i < TAKEN_AT_ONCE; i++) {
            Lease taken = frontier.take(now);
            if (taken == null) {
                return null;
            }
            schedule.add(UrlParts.host(taken.url()), taken);
            lease = schedule.poll(now);
        }
        return lease;
    }

    private void await(boolean mayStart, long now) throws InterruptedException {
        long nanos = maxNanos - (now - startNanos);
        if (mayStart) {
            nanos = Math.min(nanos, Math.min(schedule.waitNanos(now), frontier.waitNanos(now)));
        }
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, TimeUnit.MICROSECONDS.toNanos(1)));
    }

    /** What a host's robots.txt allows is known; the URL that asked for it has the host's next turn. */
    synchronized void open(Turn turn, Duration crawlDelay) {
        schedule.finished(turn.host, nanoClock.getAsLong());
        schedule.delay(turn.host, crawlDelay);
        schedule.open(turn.host);
        schedule.putBack(turn.host, turn.lease);
        notifyAll();
    }

    /** The host is left alone for a while; the URL has its next turn. */
    synchronized void putBack(Turn turn, Duration pause) {
        long now = nanoClock.getAsLong();
        schedule.finished(turn.host, now);
        schedule.backOff(turn.host, now + pause.toNanos());
        schedule.putBack(turn.host, turn.lease);
        notifyAll();
    }

    /** A request is over: its host may be asked again once its delay has passed. */
    synchronized void asked(Turn turn) {
        schedule.finished(turn.host, nanoClock.getAsLong());
        notifyAll();
    }

    /** A request is over, and the host is not well: it is left alone for as long as it asks for, and longer each time. */
    synchronized void failed(Turn turn, Duration retryAfter) {
        schedule.failed(turn.host, retryAfter, nanoClock.getAsLong());
        notifyAll();
    }

    /** No request was made after all, so the host is owed no delay. */
    synchronized void skipped(Turn turn) {
        schedule.skipped(turn.host, turn.polledNanos, nanoClock.getAsLong());
        notifyAll();
    }

    /** The work on a URL is over, and its links are in the frontier. */
    synchronized void finished(boolean isPage) {
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

    /** What the schedule of hosts says of itself. */
    synchronized ScheduleStats schedule() {
        return schedule.stats();
    }

    /** Why the crawl is over; null while it goes on. */
    synchronized Ending ending() {
        return ending;
    }
}
