package dev.sieve.bench;

import dev.sieve.Sieve;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/** The memory that pending URLs take: the growth of the heap, after collections, by a million URLs of 68 bytes each. */
final class Pending {
    private static final int URLS = 1_000_000;
    private static final int LENGTH = 68;

    private Pending() {}

    static void print() {
        Sieve sieve = new Sieve(URLS);
        Queue<String> strings = new ArrayDeque<>();
        Bench.print("a pending URL of %d bytes: %.1f bytes of heap", LENGTH, bytesPerUrl(sieve::push));
        Bench.print("the same in an ArrayDeque<String>: %.1f bytes of heap", bytesPerUrl(strings::add));
        if (sieve.pending() < URLS * 0.999 || strings.size() != URLS) {
            throw new IllegalStateException("pending: " + sieve.pending() + ", " + strings.size());
        }
    }

    private static double bytesPerUrl(Consumer<String> queue) {
        long before = usedBytes();
        for (int i = 0; i < URLS; i++) {
            String url = Urls.url(i);
            queue.accept((url + "-".repeat(LENGTH)).substring(0, LENGTH - 8) + String.format("/%07d", i));
        }
        return (double) (usedBytes() - before) / URLS;
    }

    /** The heap in use; collections go on until it shrinks no further. */
    static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        while (true) {
            System.gc();
            long now = runtime.totalMemory() - runtime.freeMemory();
            if (now >= used) {
                return used;
            }
            used = now;
        }
    }
}
