package dev.sieve.bench;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fills a contender to its capacity, in a process of its own, and measures what a benchmark of speed does not: false
 * positives on absent URLs, the error of its own estimate, garbage, and the heap. URLs are made up on the way, and what
 * is queued is taken out, which counts.
 */
final class Fill {
    private static final int ABSENT_ROUNDS = 2442;
    private static final int MIXED_ROUNDS = 200;

    private Fill() {}

    /** Runs it with a heap that is hardly larger than a filter; a set of Strings, or a small filter, gets more. */
    static void fork(Kind kind, long urls) throws IOException, InterruptedException {
        long megabytes = urls > 50_000_000 ? 64 + ((urls * 13 / 10) >> 20) : 3072;
        List<String> jvm = List.of("-XX:+UseG1GC", "-Xmx" + megabytes + "m", "-Xmn32m");
        Bench.fork(jvm, Fill.class, kind.name(), String.valueOf(urls));
    }

    /** Arguments: the contender, and how many URLs. */
    public static void main(String[] args) {
        Kind kind = Kind.valueOf(args[0]);
        long urls = Long.parseLong(args[1]);
        Contender contender = kind.make(urls, PushBench.RATE);
        AtomicLong pushed = new AtomicLong();
        Mix mix = new Mix(pushed, kind.takesStrings(), 1);
        Round round = new Round();
        long start = System.nanoTime();
        long making = 0;
        while (pushed.get() + Round.URLS <= urls - (long) MIXED_ROUNDS * Round.URLS / 10) {
            long before = System.nanoTime();
            mix.drawNew(round);
            making += System.nanoTime() - before;
            contender.push(round);
            contender.drain();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        double garbage = garbage(contender, mix, round);
        double estimate = contender.estimatedSize() / pushed.get();
        long heap = Pending.usedBytes();
        Bench.print(
                "%-14s %,13d URLs: %.1f s, %.1f of them to make URLs; heap %,d MB; false positives %.3f %%; error of its"
                        + " estimate %+.4f %%; garbage %.1f bytes per URL",
                kind,
                pushed.get(),
                seconds,
                making / 1e9,
                heap / 1_000_000,
                100 * falsePositives(contender, mix, round),
                100 * (estimate - 1),
                garbage);
        contender.free();
    }

    /** Bytes that are allocated per URL of the usual mix. */
    private static double garbage(Contender contender, Mix mix, Round round) {
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

    /** The share of absent URLs that is taken for seen ones. */
    private static double falsePositives(Contender contender, Mix mix, Round round) {
        long wrong = 0;
        for (int i = 0; i < ABSENT_ROUNDS; i++) {
            mix.drawNew(round);
            for (int url = 0; url < Round.URLS; url++) {
                wrong += contender.mightContain(round, url) ? 1 : 0;
            }
        }
        return (double) wrong / ABSENT_ROUNDS / Round.URLS;
    }
}
