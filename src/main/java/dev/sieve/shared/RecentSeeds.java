package dev.sieve.shared;

import dev.sieve.UrlBatch;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The seeds and shared lines that were stored in the last seconds. When the engine loses the end of its log, the links of
 * a page come again with the page, but seeds have to be stored again. Safe for use by many threads.
 */
final class RecentSeeds {
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_BYTES = 8 << 20;
    private static final int BYTES_PER_URL = 100;

    private record Entry(Runnable again, long nanos, long bytes) {}

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private long bytes;

    /** Adds the new URLs of a batch that was pushed. */
    void add(UrlBatch pushed, Consumer<UrlBatch> push, long now) {
        UrlBatch copy = new UrlBatch(pushed.depth(), pushed.redirects(), null, pushed.label());
        long size = 0;
        for (int i = 0; i < pushed.size(); i++) {
            if (pushed.isNew(i)) {
                byte[] url = Arrays.copyOfRange(pushed.urlBytes(i), pushed.urlFrom(i), pushed.urlTo(i));
                byte[] key = Arrays.copyOfRange(pushed.keyBytes(i), pushed.keyFrom(i), pushed.keyTo(i));
                copy.add(url, 0, url.length, key, 0, key.length);
                size += url.length + key.length + BYTES_PER_URL;
            }
        }
        add(() -> push.accept(copy), size, now);
    }

    /**
     * Adds something that was stored.
     *
     * @param again stores it again
     * @param size the memory that it takes
     */
    synchronized void add(Runnable again, long size, long now) {
        entries.add(new Entry(again, now, size));
        bytes += size;
        while (bytes > MAX_BYTES || !entries.isEmpty() && now - entries.peek().nanos > KEPT_NANOS) {
            bytes -= entries.remove().bytes;
        }
    }

    /** Returns what stores again what the engine may have lost. */
    synchronized List<Runnable> all(long now) {
        entries.removeIf(entry -> now - entry.nanos > KEPT_NANOS);
        bytes = entries.stream().mapToLong(Entry::bytes).sum();
        return entries.stream().map(Entry::again).toList();
    }
}
