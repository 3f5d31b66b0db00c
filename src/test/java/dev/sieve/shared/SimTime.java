package dev.sieve.shared;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: many threads, of which one runs at a time, in the order of the moments for which they wait. The thread that
 * waits hands over to the next one. No thread waits for real time, so a run is repeatable.
 */
final class SimTime {
    private static final Comparator<Event> ORDER = (a, b) -> {
        int byTime = Long.compare(a.nanos, b.nanos);
        return byTime != 0 ? byTime : Long.compare(a.number, b.number);
    };

    /** Ends a thread at the moment at which its process dies. */
    static final class Killed extends Error {
        Killed() {
            super("killed", null, false, false);
        }
    }

    private record Event(
            long nanos,
            long number,
            @Nullable Runnable action,
            @Nullable Fiber fiber,
            long turn) {}

    /** A thread of the simulation. */
    final class Fiber {
        private final Thread thread;
        /** Wakes it where it waits with a monitor of the program, which others may need in the meantime. */
        private @Nullable Object monitor;

        private volatile boolean isNext;
        private long turn;
        private boolean isKilled;
        private boolean isEnded;
        /** Until when it does not run, since its process is suspended. */
        private long suspendedNanos;

        private Fiber(@Nullable Runnable body) {
            thread = body == null ? Thread.currentThread() : new Thread(null, () -> run(body), "sim", 256 << 10);
            if (body != null) {
                thread.setDaemon(true);
            }
        }

        private void run(Runnable body) {
            try {
                awaitTurn();
                body.run();
            } catch (Killed e) {
                // As intended.
            } catch (Throwable e) {
                failure = failure == null ? e : failure;
            }
            isEnded = true;
            handOver(this);
        }

        private void awaitTurn() {
            while (!isNext) {
                LockSupport.park(this);
            }
            isNext = false;
        }

        private void start() {
            isNext = true;
            Object held = monitor;
            if (held == null) {
                LockSupport.unpark(thread);
            } else {
                synchronized (held) {
                    held.notifyAll();
                }
            }
        }

        /** Ends it now, unless it is the one that runs. */
        void kill() {
            if (!isEnded) {
                isKilled = true;
                suspendedNanos = 0;
                wake(now);
            }
        }

        void suspend(long untilNanos) {
            suspendedNanos = untilNanos;
        }

        /** Ends its wait at a moment, if that is earlier than what it waits for. */
        void wake(long nanos) {
            events.add(new Event(Math.max(now, nanos), number++, null, this, turn));
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>(ORDER);
    private final List<Fiber> fibers = new ArrayList<>();
    private final Fiber main = new Fiber(null);
    private Fiber current = main;
    private long now = 1_000_000_000_000L;
    private long number;
    private long handOvers;
    private volatile @Nullable Throwable failure;

    long now() {
        return now;
    }

    Fiber current() {
        return current;
    }

    /** Returns how often one thread gave way to another. */
    long handOvers() {
        return handOvers;
    }

    /** Does something at a moment. */
    void at(long nanos, Runnable action) {
        events.add(new Event(Math.max(now, nanos), number++, action, null, 0));
    }

    /** Starts a thread. */
    Fiber start(Runnable body) {
        Fiber fiber = new Fiber(body);
        fibers.add(fiber);
        fiber.thread.start();
        fiber.wake(now);
        return fiber;
    }

    /** Lets the thread that runs wait until a moment, or until it is woken. */
    void sleepUntil(long nanos) {
        Fiber me = current;
        me.wake(nanos);
        sleep(me);
    }

    /** Lets the thread that runs wait until it is woken. */
    void sleep() {
        sleep(current);
    }

    private void sleep(Fiber me) {
        if (handOver(me)) {
            me.awaitTurn();
        }
        resume(me);
    }

    /** Waits as {@link #sleepUntil} does, while others may use a monitor that the thread holds. */
    void await(Object monitor, long nanos) throws InterruptedException {
        Fiber me = current;
        me.monitor = monitor;
        me.wake(now + nanos);
        if (handOver(me)) {
            while (!me.isNext) {
                monitor.wait();
            }
            me.isNext = false;
        }
        me.monitor = null;
        resume(me);
    }

    private void resume(Fiber me) {
        if (me.isKilled) {
            throw new Killed();
        }
    }

    /** Runs what comes next, until it is the turn of a thread; returns false when it is the one that hands over. */
    private boolean handOver(Fiber from) {
        while (true) {
            Event event = failure != null ? null : events.poll();
            Fiber next = event == null ? main : event.fiber;
            if (event != null) {
                now = Math.max(now, event.nanos);
            }
            if (event != null && event.action != null) {
                try {
                    event.action.run();
                } catch (Throwable e) {
                    failure = e;
                }
                continue;
            }
            // A wake counts for one wait only.
            if (event != null && (next.isEnded || event.turn != next.turn)) {
                continue;
            }
            if (event != null && next.suspendedNanos > now) {
                events.add(new Event(next.suspendedNanos, number++, null, next, event.turn));
                continue;
            }
            next.turn++;
            current = next;
            if (next == from) {
                return false;
            }
            handOvers++;
            next.start();
            return true;
        }
    }

    /** Runs everything to the end; throws what one of the threads has thrown. */
    void run() {
        if (handOver(main)) {
            main.awaitTurn();
        }
        Throwable thrown = failure;
        failure = null;
        for (Fiber each : fibers) {
            each.kill();
        }
        events.removeIf(event -> event.action != null);
        if (handOver(main)) {
            main.awaitTurn();
        }
        if (thrown != null) {
            throw new AssertionError(thrown.toString(), thrown);
        }
    }
}
