package dev.sieve.browser;

/** Decides when a page is ready: loaded, with all requests answered and no new one for a while, or after a longest time. */
final class Readiness {
    private final long quietNanos;
    long endNanos;
    long latestNanos;
    boolean isLoaded;
    private int open;

    Readiness(RenderWait wait, long nowNanos) {
        quietNanos = wait.quiet().toNanos();
        endNanos = nowNanos + wait.most().toNanos();
    }

    void loaded(long nowNanos) {
        isLoaded = true;
        latestNanos = nowNanos;
    }

    void began() {
        open++;
    }

    void answered(long nowNanos) {
        open--;
        latestNanos = nowNanos;
    }

    /** Returns how long until the page is ready if nothing else happens; 0 or less when it is. */
    long waitNanos(long nowNanos) {
        long most = endNanos - nowNanos;
        return isStill() ? Math.min(most, latestNanos + quietNanos - nowNanos) : most;
    }

    /** Returns whether it has loaded, and everything that it has requested was answered. */
    boolean isStill() {
        return isLoaded && open == 0;
    }

    boolean isReady(long nowNanos) {
        return isStill() && nowNanos - latestNanos >= quietNanos;
    }
}
