package dev.sieve;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads or processes bring about, and leaves the processor to them meanwhile. */
public final class Await {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Await() {}

    /** Returns when a condition is true; fails when the test is interrupted, as by its timeout. */
    public static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new AssertionError("interrupted");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
