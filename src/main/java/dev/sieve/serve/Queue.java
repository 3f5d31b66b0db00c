package dev.sieve.serve;

import dev.sieve.polite.HostSchedule;
import dev.sieve.serve.ServedFiles.Settings;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/**
 * A queue of a crawl: how many URLs it has, and when it may be served. Its URLs are in the log and in a {@link
 * HostSchedule}. Guarded by the lock of the crawl.
 */
final class Queue {
    /** By {@link #timerNanos}, for queues that are timed. */
    static final Comparator<Queue> BY_TIMER = (a, b) -> {
        int byTime = Long.signum(a.timerNanos - b.timerNanos);
        return byTime != 0 ? byTime : Long.compare(a.number, b.number);
    };

    /** About how much memory a queue takes here and in the schedule, without its name. */
    static final int BYTES = 520;

    /** By {@link #maxInProcess}, for queues that are full. */
    static final Comparator<Queue> BY_MAX =
            Comparator.<Queue>comparingLong(queue -> queue.maxInProcess).thenComparingLong(queue -> queue.number);

    final String name;
    private final long number;

    /** Distinct URLs of this generation. */
    long urls;
    /** URLs that are not completed; one in process is one of them. */
    long active;

    int inProcess;

    /** Distinguishes it from earlier queues of its name, which were deleted; see {@link QueueTable#generationOf}. */
    int generation;
    /** Whether it was restored from its settings, while the log may have forgotten its URLs. */
    boolean isRestored;
    /** Seconds between two times that URLs are retrieved; -1 for the default of all queues. */
    long delay = -1;
    /** The date until which it is blocked, unsigned; 0 when it is not. */
    long blockedUntil;
    /** How many URLs may be completed before it is not served any more; 0 for any number. */
    long limit;

    /** Whether it may be served; changed by {@link QueueTable}. */
    State state = State.OPEN;

    /** When to review it, if it is timed. */
    long timerNanos;

    /** The maximum number of URLs in process, by the last request; not changed while it is full. */
    long maxInProcess = Long.MAX_VALUE;

    /** When URLs were last retrieved, if they ever were. */
    private long servedNanos;

    private boolean wasServed;

    /** Whether a queue may be served. In all states but the first, the schedule considers a request to be under way. */
    enum State {
        /** The schedule selects it. */
        OPEN,
        /** It is being served, or its limit is reached. */
        PARKED,
        /** Its maximum of URLs is in process. */
        FULL,
        /** Its time has not come. */
        TIMED
    }

    Queue(String name, long number, int generation) {
        this.name = name;
        this.number = number;
        this.generation = generation;
    }

    /** Whether it has, or had, URLs since it was last deleted. */
    boolean exists() {
        return urls > 0 || active > 0;
    }

    long completed() {
        return Math.max(0, urls - active);
    }

    boolean hasSettings() {
        return generation > 0 || delay >= 0 || blockedUntil != 0 || limit != 0;
    }

    /** Returns what is stored of it. */
    Settings settings() {
        return new Settings(generation, delay, blockedUntil, limit, name);
    }

    /** Takes over what is stored of it. */
    void restore(Settings stored) {
        generation = stored.generation();
        isRestored = true;
        delay = stored.delay();
        blockedUntil = stored.blockedUntil();
        limit = stored.limit();
    }

    void served(Moment now) {
        wasServed = true;
        servedNanos = now.nanos();
    }

    boolean isFull() {
        return inProcess >= maxInProcess;
    }

    boolean isAtLimit() {
        return limit > 0 && completed() >= limit;
    }

    /** Returns when it may be served, by its block and its delay. */
    long readyNanos(Moment now, long defaultDelay) {
        long ready = now.at(blockedUntil);
        if (!wasServed) {
            return ready;
        }
        long seconds = delay < 0 ? defaultDelay : delay;
        long next = servedNanos + TimeUnit.SECONDS.toNanos(Math.min(seconds, Integer.MAX_VALUE));
        return next - ready > 0 ? next : ready;
    }

    boolean isBlocked(Moment now) {
        return now.isBefore(blockedUntil);
    }

    /** Removes all of its URLs, and all settings with them: another generation begins. */
    void delete(int nextGeneration) {
        generation = nextGeneration;
        urls = 0;
        active = 0;
        delay = -1;
        blockedUntil = 0;
        limit = 0;
        isRestored = false;
    }
}
