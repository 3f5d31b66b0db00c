package dev.sieve.shared;

import dev.sieve.UrlBatch;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The seeds that were pushed in the last seconds. When the engine loses the end of its log, the links of a page come
 * again with the page, but seeds have to be pushed again. Safe for use by many threads.
 */
final class RecentSeeds {
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_BYTES = 8 << 20;
    private static final int BYTES_PER_URL = 100;

    private record Entry(UrlBatch batch, long nanos, long bytes) {}

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private long bytes;

    /** Adds the new URLs of a batch that was pushed. */
    synchronized void add(UrlBatch pushed, long now) {
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
        entries.add(new Entry(copy, now, size));
        bytes += size;
        while (bytes > MAX_BYTES || !entries.isEmpty() && now - entries.peek().nanos > KEPT_NANOS) {
            bytes -= entries.remove().bytes;
        }
    }

    /** Returns the seeds that the engine may have lost. */
    synchronized List<UrlBatch> all(long now) {
        entries.removeIf(entry -> now - entry.nanos > KEPT_NANOS);
        bytes = entries.stream().mapToLong(Entry::bytes).sum();
        return entries.stream().map(Entry::batch).toList();
    }
}
