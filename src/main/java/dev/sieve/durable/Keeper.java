package dev.sieve.durable;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread of its own that does a piece of work again and again, with a pause before each time, until it is closed or
 * the work says that it was the last time. The one class of a durable sieve that sleeps.
 */
final class Keeper implements AutoCloseable {

    /** The work. */
    interface Work {
        /** Answers false when it was the last time. */
        boolean run();
    }

    private final long pauseNanos;
    private final Work work;
    private final Thread thread;
    private volatile boolean closed;

    Keeper(String name, long pauseNanos, Work work) {
        this.pauseNanos = pauseNanos;
        this.work = work;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        do {
            LockSupport.parkNanos(this, pauseNanos);
        } while (!closed && work.run());
    }

    /** Ends the thread and waits for the work that is under way. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
