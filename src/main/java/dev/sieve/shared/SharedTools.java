package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;
import static dev.sieve.shared.Replies.text;

import dev.sieve.Lease;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.RepairReport;
import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/** Tools for a crawl on an engine, which read its keys and do not become a worker of it. Safe for use by many threads. */
public final class SharedTools {
    /** Frames per round trip. */
    private static final int PAGE = 64;
    /** Keys that the engine looks at per step. */
    private static final int SCANNED = 1000;

    private static final byte[] COUNT = utf8("COUNT");

    private SharedTools() {}

    /** Returns whether an engine has a crawl of this name, in any state; waits for one that is loading its data. */
    public static boolean exists(EngineAddress address, Duration patience) throws IOException {
        return StoredCrawl.exists(address, patience);
    }

    /**
     * Reads the state of a crawl, which may be running, and changes nothing. Reads all that is pending, and counts the
     * fingerprints. As all methods here, throws {@link IOException} when the engine does not respond, or has no such crawl.
     */
    public static SharedState inspect(EngineAddress address) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            return new SharedInspection(crawl).state();
        }
    }

    /**
     * Passes on the pending URLs of a crawl, which may be running: slice by slice, those of a slice in the order in which
     * they were accepted. URLs that are done are not kept. A few frames are in memory at a time.
     *
     * @param labels accepts the {@linkplain dev.sieve.UrlBatch#label labels} of the URLs to pass on
     * @return how many there were
     * @throws IOException when the engine does not respond, has no such crawl, or a frame is damaged; the URLs before it
     *     were passed on
     */
    public static long export(EngineAddress address, IntPredicate labels, Consumer<String> urls) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            AtomicLong count = new AtomicLong();
            Consumer<String> counted = url -> {
                urls.accept(url);
                count.incrementAndGet();
            };
            for (int i = 0; i < crawl.keys().sliceCount(); i++) {
                CrawlKeys.OfSlice slice = crawl.keys().slice(i);
                String queue = address + ": frame %d of " + text(slice.queue) + ": ";
                new SlicePass(crawl, slice, new Export(queue, labels, counted)).run();
            }
            return count.get();
        }
    }

    private record Export(String queue, IntPredicate labels, Consumer<String> urls) implements SlicePass.Receiver {
        @Override
        public void frame(Frame frame, BitSet done) {
            for (int i = 0; i < frame.count(); i++) {
                Lease lease = done.get(i) ? null : frame.lease(0, i, 1);
                if (lease != null && labels.test(lease.label())) {
                    urls.accept(lease.url());
                }
            }
        }

        @Override
        public boolean damaged(long number, boolean isTaken, byte[] bytes, IllegalArgumentException cause)
                throws IOException {
            throw new IOException(String.format(Locale.ROOT, queue, number) + cause.getMessage(), cause);
        }
    }

    /** Returns whether a crawl, which may be running, has accepted the URL with a key, up to its false-positive rate. */
    public static boolean mightContain(EngineAddress address, String key) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            CrawlSettings settings = crawl.settings();
            long[] hash = Murmur3.hash(key, settings.seed());
            int low = (int) hash[1];
            byte[] fingerprint = utf8(low);
            long[] found = new long[1];
            // The slice of a key is not known, since it is decided by the host of the URL.
            crawl.all(
                    settings.isSpread() ? settings.slices() : 1,
                    (session, slice) -> session.send(
                            "SISMEMBER", crawl.keys().bucket(settings.bucket((int) slice, hash[0])), fingerprint),
                    (reply, i) -> found[0] += count(reply));
            return found[0] > 0;
        }
    }

    /** Passes on the lines of a list that the workers share, such as the seeds. */
    public static void lines(EngineAddress address, String list, Consumer<String> lines) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            byte[] key = crawl.keys().lines(list);
            long from = 0;
            List<?> page;
            do {
                page = (List<?>) crawl.one("LRANGE", key, utf8(from), utf8(from + PAGE - 1));
                page.forEach(line -> lines.accept(text(line)));
                from += page.size();
            } while (page.size() == PAGE);
        }
    }

    /**
     * Passes on what each worker of a crawl has {@linkplain SharedNotes#share stored}, also those that have ended or died.
     */
    public static void shares(EngineAddress address, Consumer<byte[]> shares) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            byte[] key = crawl.keys().shares();
            List<?> workers = (List<?>) crawl.one("HKEYS", key);
            crawl.all(
                    workers.size(),
                    (session, i) -> session.send("HGET", key, (byte[]) workers.get((int) i)),
                    (reply, i) -> {
                        if (reply instanceof byte[] share) {
                            shares.accept(share);
                        }
                    });
        }
    }

    /**
     * Repairs a crawl without live workers: keeps everything that is whole, puts damaged frames aside in keys of their own,
     * corrects the counters, and counts what is lost. The engine has to have memory for what is put aside.
     */
    public static RepairReport repair(EngineAddress address) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            return new SharedRepair(crawl).run();
        }
    }

    /**
     * Deletes a crawl without live workers, with everything that it has stored, and returns how many keys there were. A
     * deletion that was interrupted is completed by the next one.
     */
    public static long delete(EngineAddress address) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.openAny(address)) {
            crawl.requireNoWorkers(true);
            CrawlKeys keys = crawl.keys();
            long deleted = 0;
            byte[] pattern = utf8("{" + keys.name() + "[:}]?*");
            for (Server node : crawl.nodes()) {
                deleted += delete(crawl, node, pattern);
            }
            // The settings last: without them, an interrupted deletion would look like a complete one.
            deleted += count(crawl.one("UNLINK", keys.settings()));
            if (deleted == 0) {
                throw crawl.absent();
            }
            return deleted;
        }
    }

    private static long delete(StoredCrawl crawl, Server node, byte[] pattern) throws IOException {
        long[] deleted = new long[1];
        String cursor = "0";
        do {
            byte[] from = utf8(cursor);
            List<?> page = (List<?>) crawl.call((session, number) -> {
                session.sendTo(node, "SCAN", from, utf8("MATCH"), pattern, COUNT, utf8(SCANNED));
                return session.receive();
            });
            cursor = text(page.get(0));
            // Keys of other programs may begin in the same way.
            List<?> found = ((List<?>) page.get(1))
                    .stream()
                            .filter(key -> text(key).matches("\\{[^:]*(:[0-9]+)?}.*"))
                            .toList();
            crawl.all(
                    found.size(),
                    (session, i) -> session.send("UNLINK", (byte[]) found.get((int) i)),
                    (reply, i) -> deleted[0] += count(reply));
        } while (!cursor.equals("0"));
        return deleted[0];
    }
}
