package dev.sieve.polite;

import static dev.sieve.polite.HostTable.ASKED;
import static dev.sieve.polite.HostTable.BACKING_OFF;
import static dev.sieve.polite.HostTable.IN_LINE;
import static dev.sieve.polite.HostTable.NONE;
import static dev.sieve.polite.HostTable.OPEN;

import java.time.Duration;
import java.util.Objects;

/**
 * Whose turn it is: one first-in-first-out queue a host, and the rule when a host may be asked.
 *
 * <p>Between the starts of two requests to one host lies at least its delay, and no more than a set number of them are
 * under way at a time: one, while the host fails. Among the hosts that may be asked the one that has been free the
 * longest comes first, so that no host starves another, however much is queued for it.
 *
 * <p>A request begins when {@link #poll} hands out its item, and ends in exactly one of three ways: {@link #finished},
 * {@link #failed}, which makes the host back off, or {@link #skipped}, when it was not made at all.
 *
 * <p>Time is passed in: any clock that never runs backwards will do, {@link System#nanoTime()} for one; moments are
 * compared by their difference.
 *
 * <p>Not safe for use by many threads: call it under one lock. Adding, handing out and ending cost O(log n) of the number
 * of hosts that wait for their delay; hosts without work cost nothing, and of a host that was not heard of for longer
 * than its delay nothing is kept.
 *
 * @param <T> the items
 */
public final class HostSchedule<T> {
    private static final int FIRST_CAPACITY = 64;

    /** Longer durations count as this one, far below where the difference of two moments overflows. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    private final long delayNanos;
    private final int perHost;
    private final boolean probeFirst;
    private final BackOff backOff;

    private final HostTable hosts = new HostTable();
    private final HostQueues<T> queues = new HostQueues<>();

    /** The hosts that have work and room for a request, but are not free yet. */
    private final TimeHeap waiting = new TimeHeap();

    /** The hosts that have work, room and are free, the one that has been so the longest in front. */
    private final HostLine line = new HostLine(hosts);

    /** The latest moment that was passed in. */
    private long clock;

    private long queued;
    private int underWay;
    private int hostsWithWork;
    private int backingOff;
    private final WaitMeter meter = new WaitMeter(hosts);

    private HostSchedule(Builder<T> options, long startNanos) {
        delayNanos = nanos(options.delay);
        perHost = options.perHost;
        probeFirst = options.probeFirst;
        backOff = options.backOff;
        clock = startNanos;
    }

    /** The options of a schedule: unless told otherwise, a second of delay and one request to a host at a time. */
    public static <T> Builder<T> builder() {
        return new Builder<>();
    }

    /** Queues an item behind those that wait for its host. */
    public void add(String host, T item) {
        Objects.requireNonNull(item, "item");
        int number = intern(host);
        queues.addLast(number, item);
        count(number, 1);
        settle(number);
    }

    /** Queues an item in front of those that wait for its host. */
    public void putBack(String host, T item) {
        Objects.requireNonNull(item, "item");
        int number = intern(host);
        queues.addFirst(number, item);
        count(number, 1);
        settle(number);
    }

    /**
     * The next item whose host may be asked now; its request counts as started at this moment.
     *
     * @return null when there is none; {@link #waitNanos} says for how long
     */
    public T poll(long nowNanos) {
        advance(nowNanos);
        int host = next(nowNanos);
        if (host == NONE) {
            if (waiting.size() > 0) {
                meter.starved(nowNanos);
            }
            return null;
        }
        T item = queues.removeFirst(host);
        line.removeFirst();
        meter.served(nowNanos, host);
        count(host, -1);
        underWay++;
        hosts.underWay[host]++;
        hosts.set(host, ASKED, true);
        hosts.freeAt[host] = nowNanos + delayOf(host);
        settle(host);
        return item;
    }

    /**
     * How long until {@link #poll} has an item, if nothing else happens: 0 when it has one now, {@link Long#MAX_VALUE}
     * when nothing is queued, or only for hosts whose requests have to end first.
     */
    public long waitNanos(long nowNanos) {
        advance(nowNanos);
        if (next(nowNanos) != NONE) {
            return 0;
        }
        long wait = Long.MAX_VALUE;
        if (!line.isEmpty()) {
            wait = hosts.freeAt[line.first()] - nowNanos;
        }
        return waiting.size() == 0 ? wait : Math.min(wait, waiting.firstTime() - nowNanos);
    }

    /** Says that a request is over and that the host is well. */
    public void finished(String host, long nowNanos) {
        advance(nowNanos);
        int number = asked(host);
        hosts.failures[number] = 0;
        ended(number);
    }

    /**
     * Says that a request is over and that the host is not well: it answered 429 or 503, or did not answer. It is left
     * alone for as long as it wants, and at least for a pause that doubles with every failure in a row; then one request
     * at a time is made until one is {@link #finished}.
     *
     * @param retryAfter what the host asked for, see {@link RetryAfter}; zero when it said nothing
     * @return how many requests to the host have failed in a row, up to 127
     */
    public int failed(String host, Duration retryAfter, long nowNanos) {
        advance(nowNanos);
        int number = asked(host);
        int failures = Math.min(Byte.MAX_VALUE, hosts.failures[number] + 1);
        hosts.failures[number] = (byte) failures;
        leaveAlone(number, nowNanos + nanos(backOff.pause(failures, retryAfter)));
        ended(number);
        return failures;
    }

    /**
     * Says that the request for an item was not made, as when robots.txt forbids it: no delay is owed for it.
     *
     * @param polledNanos the moment at which {@link #poll} handed out the item
     */
    public void skipped(String host, long polledNanos, long nowNanos) {
        advance(nowNanos);
        int number = asked(host);
        if (hosts.freeAt[number] == polledNanos + delayOf(number)) {
            hosts.freeAt[number] = polledNanos;
        }
        ended(number);
    }

    /**
     * Says that the host's robots.txt is known: as many requests as set may be under way from now on. Where hosts do not
     * begin with a probe this changes nothing.
     */
    public void open(String host) {
        int number = intern(host);
        hosts.set(number, OPEN, true);
        settle(number);
    }

    /**
     * Sets the host's own delay, as robots.txt may ask for one; it holds where it is longer than the delay of all hosts,
     * from the last request on. Rounded up to milliseconds, at most 24 days.
     */
    public void delay(String host, Duration delay) {
        checkNotNegative("delay", delay);
        int number = intern(host);
        long before = delayOf(number);
        hosts.delayMillis[number] = millis(delay);
        long longer = delayOf(number) - before;
        if (longer > 0 && hosts.is(number, ASKED)) {
            hosts.freeAt[number] += longer;
            settle(number);
        }
    }

    /** Leaves a host alone until a moment, or longer if its delay or another reason wants so. */
    public void backOff(String host, long untilNanos) {
        int number = intern(host);
        leaveAlone(number, untilNanos);
        settle(number);
    }

    /** How many items wait. */
    public long size() {
        return queued;
    }

    /** The numbers of this moment. Hosts whose time has come count as waiting until a {@link #poll} comes upon them. */
    public ScheduleStats stats() {
        return new ScheduleStats(
                queued,
                underWay,
                hostsWithWork,
                waiting.size(),
                backingOff,
                hosts.names.size(),
                meter.waited(),
                meter.slowestHost(),
                meter.slowestWaited());
    }

    /**
     * The host whose turn it is, brought to the front of the line; {@link HostTable#NONE} when none may be asked. What has become
     * of a host since it joined the line shows when it gets to the front.
     */
    private int next(long nowNanos) {
        while (true) {
            if (waiting.size() > 0 && isDue(waiting.firstTime(), nowNanos) && !lineGoesFirst()) {
                int host = waiting.first();
                leaveHeap(host);
                line.addFirst(host);
            }
            if (line.isEmpty()) {
                return NONE;
            }
            int host = line.first();
            if (wantsTurn(host) && hosts.freeAt[host] - clock <= 0) {
                return isDue(hosts.freeAt[host], nowNanos) ? host : NONE;
            }
            line.removeFirst();
            settle(host);
        }
    }

    private boolean lineGoesFirst() {
        return !line.isEmpty() && hosts.freeAt[line.first()] - waiting.firstTime() <= 0;
    }

    private static boolean isDue(long moment, long nowNanos) {
        return moment - nowNanos <= 0;
    }

    private boolean wantsTurn(int host) {
        boolean oneAtATime = hosts.failures[host] > 0 || (probeFirst && !hosts.is(host, OPEN));
        return hosts.queued[host] > 0 && hosts.underWay[host] < (oneAtATime ? 1 : perHost);
    }

    /** Puts a host where it belongs after a change: into the heap, into the line, or nowhere. */
    private void settle(int host) {
        if (hosts.is(host, IN_LINE)) {
            return;
        }
        boolean wantsTurn = wantsTurn(host);
        if (wantsTurn && hosts.freeAt[host] - clock > 0) {
            joinHeap(host);
            return;
        }
        leaveHeap(host);
        if (wantsTurn) {
            joinLine(host);
        }
    }

    private void joinLine(int host) {
        hosts.set(host, BACKING_OFF, false);
        hosts.freeAt[host] = clock;
        line.addLast(host);
    }

    private void joinHeap(int host) {
        if (!waiting.contains(host) && hosts.is(host, BACKING_OFF)) {
            backingOff++;
        }
        waiting.put(host, hosts.freeAt[host]);
    }

    private void leaveHeap(int host) {
        if (waiting.contains(host) && hosts.is(host, BACKING_OFF)) {
            backingOff--;
        }
        waiting.remove(host);
    }

    private void leaveAlone(int host, long untilNanos) {
        if (untilNanos - hosts.freeAt[host] > 0) {
            leaveHeap(host);
            hosts.set(host, BACKING_OFF, true);
            hosts.freeAt[host] = untilNanos;
        }
    }

    private void ended(int host) {
        underWay--;
        hosts.underWay[host]--;
        settle(host);
    }

    private void count(int host, int items) {
        hosts.queued[host] += items;
        queued += items;
        boolean firstOrLast = hosts.queued[host] == (items > 0 ? 1 : 0);
        hostsWithWork += firstOrLast ? items : 0;
    }

    private void advance(long nowNanos) {
        if (nowNanos - clock > 0) {
            clock = nowNanos;
        }
    }

    private long delayOf(int host) {
        return Math.max(delayNanos, hosts.delayMillis[host] * 1_000_000L);
    }

    private int asked(String host) {
        int number = hosts.names.find(HostNames.bytes(host));
        if (number == NONE || hosts.underWay[number] == 0) {
            throw new IllegalStateException("no request is under way to host: " + host);
        }
        return number;
    }

    private int intern(String host) {
        byte[] name = HostNames.bytes(host);
        int known = hosts.names.find(name);
        if (known != NONE) {
            return known;
        }
        if (hosts.names.isFull()) {
            makeRoom();
        }
        int number = hosts.add(name);
        hosts.freeAt[number] = clock;
        return number;
    }

    private void makeRoom() {
        if (hosts.forget(this::isNeedless)) {
            return;
        }
        int capacity = Math.max(FIRST_CAPACITY, hosts.capacity() + (hosts.capacity() >> 1));
        hosts.grow(capacity);
        queues.grow(capacity);
        waiting.grow(capacity);
    }

    /** A delay that was set stays, unless the host will be opened, and given its delay, once more. */
    private boolean isNeedless(int host) {
        return hosts.queued[host] == 0
                && hosts.underWay[host] == 0
                && hosts.freeAt[host] - clock <= 0
                && !hosts.is(host, IN_LINE)
                && (probeFirst || hosts.delayMillis[host] == 0);
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : duration.toNanos();
    }

    private static int millis(Duration delay) {
        return (int) Math.min(Integer.MAX_VALUE, nanos(delay.plusNanos(999_999)) / 1_000_000);
    }

    private static void checkNotNegative(String name, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
    }

    /**
     * The options of a schedule.
     *
     * @param <T> the items
     */
    public static final class Builder<T> {
        private Duration delay = Duration.ofSeconds(1);
        private int perHost = 1;
        private boolean probeFirst;
        private BackOff backOff = new BackOff(Duration.ofSeconds(10), Duration.ofMinutes(30));

        private Builder() {}

        /** The least time between the starts of two requests to one host; a second unless set, at least zero. */
        public Builder<T> delay(Duration delay) {
            checkNotNegative("delay", delay);
            this.delay = delay;
            return this;
        }

        /** How many requests to one host may be under way at a time; one unless set, at most 32,767. */
        public Builder<T> perHost(int requests) {
            if (requests < 1 || requests > Short.MAX_VALUE) {
                throw new IllegalArgumentException("requests at a time must be 1 to 32767: " + requests);
            }
            this.perHost = requests;
            return this;
        }

        /**
         * Whether only one request to a host may be under way until {@link HostSchedule#open} is called, so that its
         * robots.txt can be fetched first; false unless set. A host that was forgotten begins anew.
         */
        public Builder<T> probeFirst(boolean probeFirst) {
            this.probeFirst = probeFirst;
            return this;
        }

        /** The pause after failures in a row; from ten seconds to half an hour unless set. */
        public Builder<T> backOff(BackOff backOff) {
            this.backOff = Objects.requireNonNull(backOff, "backOff");
            return this;
        }

        /**
         * An empty schedule.
         *
         * @param startNanos the moment before which no host is asked: the present, or for a crawl that goes on after a
         *     restart the present and a delay, since hosts may have been asked just before
         */
        public HostSchedule<T> build(long startNanos) {
            return new HostSchedule<>(this, startNanos);
        }
    }
}
