package dev.sieve.io;

import java.time.Duration;

/**
 * A daemon thread that does some work again and again, with a pause before each time. The work must not throw.
 *
 * <p>Pausing and ending allocate nothing, so that a program without memory can still end. An executor of the JDK may
 * never end then: if it finds no memory while it wakes a thread, its lock stays held.
 */
public final class RepeatingThread implements AutoCloseable {
    private final Thread thread;
    private final Runnable work;
    private final long pauseMillis;
    private boolean isEnded;

    /** Creates a thread that has not started. */
    public RepeatingThread(String name, Duration pause, Runnable work) {
        this.work = work;
        pauseMillis = Math.max(1, pause.toMillis());
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        while (pause()) {
            work.run();
        }
    }

    /** Pauses, and returns false at the end. */
    @SuppressWarnings("WaitNotInLoop") // woken for no reason, the work is done early, which does no harm
    private synchronized boolean pause() {
        try {
            if (!isEnded) {
                wait(pauseMillis);
            }
        } catch (InterruptedException e) {
            // Only interrupts what the work waits for.
        }
        return !isEnded;
    }

    /** Returns whether the caller is this thread. */
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Ends it when the work in progress is done, and does not wait for that. */
    public synchronized void end() {
        isEnded = true;
        notifyAll();
    }

    public void interrupt() {
        thread.interrupt();
    }

    /** Ends it and waits for that, also when interrupted; on this thread itself, it does not wait. */
    @Override
    public void close() {
        end();
        boolean interrupted = false;
        while (!isCurrent() && thread.isAlive()) {
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
