package dev.sieve.polite;

import java.time.Duration;

/**
 * A delay that follows the response times of a host: it grows when responses slow down or fail, and shrinks while they are as
 * fast as before. Not safe for use by several threads.
 *
 * <p>The first response sets the delay to five times its response time, as Heritrix does. From then on it is controlled like a
 * congestion window by delay (L. Brakmo, L. Peterson, "TCP Vegas", 1995): the recent response time, a moving average, is
 * compared with the fastest one. At half more, each response makes the delay longer by a quarter; below a quarter more, it
 * makes it shorter, by a tenth, and by a fiftieth near the delay at which the host slowed down last. A failure doubles it.
 *
 * <p>The delay is never shorter than {@link #SHORTEST} or than the recent response time, nor longer than {@link #LONGEST}, unless
 * the host requires that.
 */
public final class AdaptiveDelay {
    /** The delay of a host that has not responded yet: 1 s. */
    public static final Duration FIRST = Duration.ofSeconds(1);

    /** The shortest delay: 200 ms. */
    public static final Duration SHORTEST = Duration.ofMillis(200);

    /** The longest delay: 30 s. */
    public static final Duration LONGEST = Duration.ofSeconds(30);

    /** The heap that a delay takes. */
    public static final int BYTES = 64;

    private static final double FIRST_MULTIPLE = 5;
    private static final double SLOWER = 1.5;
    private static final double AS_FAST = 1.25;

    /** A response counts as at most this many times the average: one long download does not mean load. */
    private static final double OUTLIER = 4;

    /** By how much the fastest average is forgotten per response, so that a host that became slower for good is accepted. */
    private static final double FORGET = 1.002;

    private double recent; // the moving average of response times, in milliseconds; 0 before the first
    private double fastest;
    private boolean isSlow; // since the host slowed down or failed last
    private double slowedAt; // the delay, in milliseconds, at which the host slowed down last; 0 for none
    private double delay = (double) FIRST.toMillis(); // in milliseconds
    private Duration least = Duration.ZERO;

    /** Sets a lower limit, such as the Crawl-delay of a robots.txt; it may be longer than {@link #LONGEST}. */
    public void atLeast(Duration delay) {
        least = delay;
    }

    /** Records a complete response, and how long it took from the request to its last byte. */
    public void responded(Duration took) {
        double millis = Math.max(1, took.toNanos() / 1e6);
        if (recent == 0) {
            recent = millis;
            fastest = millis;
            delay = FIRST_MULTIPLE * millis;
        } else {
            recent += (Math.min(millis, OUTLIER * recent) - recent) / 4;
            fastest = Math.min(fastest * FORGET, recent);
            if (recent >= SLOWER * fastest) {
                longer(1.25);
            } else if (recent <= AS_FAST * fastest) {
                isSlow = false;
                delay *= delay > 1.3 * slowedAt ? 0.9 : 0.98;
            }
        }
        limit();
    }

    /** Records that the host did not respond, or that it is overloaded. */
    public void failed() {
        longer(2);
        limit();
    }

    private void longer(double factor) {
        slowedAt = isSlow ? slowedAt : delay;
        isSlow = true;
        delay *= factor;
    }

    private void limit() {
        delay = Math.min((double) LONGEST.toMillis(), Math.max(delay, Math.max(recent, (double) SHORTEST.toMillis())));
    }

    /** Returns the present delay. */
    public Duration delay() {
        Duration adapted = Duration.ofMillis(Math.round(delay));
        return least.compareTo(adapted) > 0 ? least : adapted;
    }
}
