package dev.sieve.polite;

import java.time.Duration;

/**
 * A delay that follows the response times of a host: it grows when they become longer than before, or when requests
 * fail, and shrinks otherwise. Not safe for use by several threads.
 *
 * <p><b>Is the host slower than before?</b> Pages take different times, by their kind or because some are cached, so
 * only the order of response times is used. The rank of a response is the share of earlier ones that were faster by a
 * fifth or more. While the times do not change in distribution, whatever that is, the mean rank is below one half,
 * since either of two responses is as likely to be the slower one. So the sum of (rank - 1/2), which restarts at zero
 * when it is negative, stays low; a host that takes twice as long adds almost 1/2 per response (E. S. Page, "Continuous
 * Inspection Schemes", 1954; with ranks: D. McDonald, "A CUSUM Procedure Based on Sequential Ranks", 1990). At {@link
 * #EVIDENCE} the host is slower. Half of the earlier times are forgotten after every {@link #MEMORY} / 2 responses, so
 * that a host that became slower for good is accepted. One that was overloaded from the first request on is taken for a
 * slow one.
 *
 * <p><b>What follows?</b> The delay is controlled like a congestion window (L. Brakmo, L. Peterson, "TCP Vegas", 1995).
 * The first sign makes it longer by half, which is enough if the requests themselves are the cause; another one, before
 * the host has recovered, as long as {@link #SHARE} response times. A failure doubles it. While the host is as fast as
 * before, each response makes it shorter by a twentieth, so slowly that the earlier times are those of a host under
 * little load; by a fifth above {@link #FIRST}; and by very little from half more than the delay at which the host
 * slowed down last. A response that cannot be compared with others counts half as much as a fast one.
 *
 * <p>The delay is never shorter than {@link #SHORTEST} or than the recent response time, nor longer than {@link
 * #LONGEST}, unless the host requires that.
 */
public final class AdaptiveDelay {
    /** The delay of a host that has not responded yet: 1 s. */
    public static final Duration FIRST = Duration.ofSeconds(1);

    /** The shortest delay: 200 ms. */
    public static final Duration SHORTEST = Duration.ofMillis(200);

    /** The longest delay: 60 s. */
    public static final Duration LONGEST = Duration.ofSeconds(60);

    /** The heap that a delay takes. */
    public static final int BYTES = 224;

    private static final double EVIDENCE = 4; // nine responses that are slower than all others
    private static final double RECOVERY = 1;
    private static final double LONGER = 1.5;
    private static final double SHARE = 12;
    private static final double OUTLIER = 4; // the most that a response counts for, in averages
    private static final int MEMORY = 256; // how many earlier responses count at most
    private static final int WEIGHT = 64; // of a response, so that it can be halved several times
    private static final int STEPS =
            56; // of response times, each 2^(1/4) times the one before; the last begins at 46 s
    private static final double FASTEST = 4; // where the first ends, in milliseconds; less depends on this machine

    private final short[] seen = new short[STEPS]; // the weight of the earlier times in each step
    private int weight; // of all steps
    private double recent; // the moving average of response times, in milliseconds; 0 before the first
    private double slower; // the sum of (rank - 1/2)
    private double faster; // the sum of (1/2 - rank)
    private boolean isSlow; // since the host slowed down or failed last
    private double slowedAt; // the delay, in milliseconds, at which it did; 0 once it has been shorter again
    private double delay = (double) FIRST.toMillis(); // in milliseconds
    private Duration least = Duration.ZERO;

    /** Sets a lower limit, such as the Crawl-delay of a robots.txt; it may be longer than {@link #LONGEST}. */
    public void atLeast(Duration delay) {
        least = delay;
    }

    /** Records a response, which began after a time; zero if that cannot be compared with pages, as of an error. */
    public void responded(Duration took) {
        double sign = -0.25;
        if (!took.isZero()) {
            double millis = took.toNanos() / 1e6;
            recent += recent == 0 ? millis : (Math.min(millis, OUTLIER * recent) - recent) / 4;
            double step = 1 + 4 / Math.log(2) * Math.log(millis / FASTEST);
            sign = rank((int) Math.min(STEPS - 1, Math.max(0, step))) - 0.5;
        }
        slower = Math.max(0, slower + sign);
        faster = Math.max(0, faster - sign);
        if (slower >= EVIDENCE) {
            slowed(isSlow ? Math.max(millis(), Math.max(SHARE * recent, 4 * slowedAt)) : LONGER * millis());
        } else if (faster >= RECOVERY) {
            isSlow = false;
        }
        if (!isSlow) {
            slowedAt = delay < slowedAt ? 0 : slowedAt;
            delay *= delay > FIRST.toMillis() ? 0.8 : delay > LONGER * slowedAt ? 0.95 : 0.995;
        }
    }

    /** Records that the host did not respond, or that it is overloaded. */
    public void failed() {
        slowed(2 * millis());
    }

    private void slowed(double longer) {
        slowedAt = isSlow ? slowedAt : millis();
        isSlow = true;
        slower = 0;
        faster = 0;
        delay = longer;
    }

    /** Returns the rank of a response among the earlier ones, to which it is added. */
    private double rank(int step) {
        double below = step == 0 ? 0 : seen[step - 1] / 2.0;
        for (int i = 0; i < step - 1; i++) {
            below += seen[i];
        }
        double rank = weight == 0 ? 0 : below / weight;
        seen[step] = (short) (seen[step] + WEIGHT);
        weight += WEIGHT;
        if (weight >= MEMORY * WEIGHT) {
            weight = 0;
            for (int i = 0; i < STEPS; i++) {
                seen[i] = (short) (seen[i] / 2);
                weight += seen[i];
            }
        }
        return rank;
    }

    private double millis() {
        double shortest = Math.max(recent, (double) SHORTEST.toMillis());
        return Math.min((double) LONGEST.toMillis(), Math.max(delay, shortest));
    }

    /** Returns the present delay. */
    public Duration delay() {
        Duration adapted = Duration.ofMillis(Math.round(millis()));
        return least.compareTo(adapted) > 0 ? least : adapted;
    }
}
