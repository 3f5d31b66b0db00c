package dev.sieve.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a contender is worth besides its speed.
 *
 * @param falsePositiveRate measured on absent URLs when it holds just as many as it was made for
 * @param bytesAllocated garbage made for each URL that is pushed
 */
record Accuracy(double falsePositiveRate, double bytesAllocated) {
    private static final int ABSENT_ROUNDS = 250;
    private static final int MIXED_ROUNDS = 200;

    /** Measures a contender. */
    static Accuracy of(Kind kind, long urls) {
        Contender contender = kind.make(urls, PushBench.RATE);
        AtomicLong pushed = new AtomicLong();
        Mix mix = new Mix(pushed, kind.strings, 2);
        Round round = new Round();
        while (pushed.get() + Round.URLS <= urls - (long) MIXED_ROUNDS * Round.URLS / 10) {
            mix.drawNew(round);
            contender.push(round);
            contender.drain();
        }
        double allocated = allocated(contender, mix, round);
        while (pushed.get() + Round.URLS <= urls) {
            mix.drawNew(round);
            contender.push(round);
            contender.drain();
        }
        double rate = rate(contender, mix, round, ABSENT_ROUNDS);
        contender.free();
        return new Accuracy(rate, allocated);
    }

    private static double allocated(Contender contender, Mix mix, Round round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = 0;
        for (int i = 0; i < MIXED_ROUNDS; i++) {
            mix.draw(round);
            long before = threads.getCurrentThreadAllocatedBytes();
            contender.push(round);
            bytes += threads.getCurrentThreadAllocatedBytes() - before;
            contender.drain();
        }
        return (double) bytes / MIXED_ROUNDS / Round.URLS;
    }

    /** The share of so many rounds of absent URLs that a contender takes for seen ones. */
    static double rate(Contender contender, Mix mix, Round round, int rounds) {
        long wrong = 0;
        for (int i = 0; i < rounds; i++) {
            mix.drawNew(round);
            for (int url = 0; url < Round.URLS; url++) {
                wrong += contender.mightContain(round, url) ? 1 : 0;
            }
        }
        return (double) wrong / rounds / Round.URLS;
    }
}
