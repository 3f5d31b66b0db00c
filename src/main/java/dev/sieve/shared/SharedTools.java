package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;
import static dev.sieve.shared.Replies.text;

import dev.sieve.Lease;
import dev.sieve.SieveStats;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.RepairReport;
import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

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
     * fingerprints. As all methods here, throws {@link IOException} when the engine does not respond, or has no such
     * crawl.
     */
    public static State inspect(EngineAddress address) throws IOException {
        try (StoredCrawl crawl = StoredCrawl.open(address)) {
            return new Inspection(crawl).state();
        }
    }

    /**
     * Passes on the pending URLs of a crawl, which may be running: slice by slice, those of a slice in the order in
     * which they were accepted. URLs that are done are not kept. A few frames are in memory at a time.
     *
     * @param labels accepts the {@linkplain dev.sieve.UrlBatch#label labels} of the URLs to pass on
     * @return how many there were
     * @throws IOException when the engine does not respond, has no such crawl, or a frame is damaged; the URLs before
     *     it were passed on
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
     * Passes on what each worker of a crawl has {@linkplain SharedNotes#share stored}, also those that have ended or
     * died.
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
     * Repairs a crawl without live workers: keeps everything that is whole, puts damaged frames aside in keys of their
     * own, corrects the counters, and counts what is lost. The engine has to have memory for what is put aside.
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
            List<?> page = (List<?>) crawl.call((session, number) ->
                    session.askOf(node, "SCAN", from, utf8("MATCH"), pattern, COUNT, utf8(SCANNED)));
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

    /** Reads the state of a crawl on an engine. */
    static final class Inspection {
        /** One of this many buckets is measured. */
        private static final int SAMPLED = 61;

        private final StoredCrawl crawl;
        private final CrawlKeys keys;
        private final List<String> problems = new ArrayList<>();

        Inspection(StoredCrawl crawl) {
            this.crawl = crawl;
            keys = crawl.keys();
        }

        State state() throws IOException {
            Map<String, String> info = crawl.info();
            Set<String> wrong = new HashSet<>();
            for (StoredCrawl.WrongKey key : crawl.wrongKeys()) {
                wrong.add(key.key());
                problems.add(key + ": 'repair' puts it aside");
            }
            Map<String, Integer> owned = new LinkedHashMap<>();
            List<StoredCrawl.Owner> owners = crawl.owners();
            if (!wrong.contains(Replies.text(keys.workers()))) {
                crawl.workers(owners).forEach(worker -> owned.put(worker, 0));
            }
            long now = crawl.now();
            long accepted = 0;
            long done = 0;
            long seen = 0;
            long lost = 0;
            long queueBytes = 0;
            long forgotten = 0;
            Map<Integer, Server> lostSlices = crawl.lostSlices();
            for (int i = 0; i < keys.sliceCount(); i++) {
                CrawlKeys.OfSlice slice = keys.slice(i);
                if (Stream.of(slice.hashes(), slice.lists())
                        .flatMap(List::stream)
                        .anyMatch(key -> wrong.contains(Replies.text(key)))) {
                    continue;
                }
                if (lostSlices.containsKey(i)) {
                    problems.add("slice " + i + ": the node " + lostSlices.get(i) + " has lost it");
                    continue;
                }
                Map<String, String> counters = Replies.map(crawl.one("HGETALL", slice.counters));
                StoredCrawl.Owner owner = owners.get(i);
                if (owner.isLive(now) && owner.run().equals(crawl.run())) {
                    owned.merge(owner.worker(), 1, Integer::sum);
                }
                accepted += count(counters.get(CrawlKeys.ACCEPTED));
                done += count(counters.get("done"));
                seen += count(counters.get("seen"));
                lost += count(counters.get("lost"));
                forgotten += count(counters.get("forgotten"));
                check(i, slice, counters);
                queueBytes += memory(List.of(slice.queue, slice.taken));
            }
            // The counters were read before, and pushes that came in between only add to the fingerprints.
            List<byte[]> sample = new ArrayList<>();
            AtomicLong sampled = new AtomicLong();
            AtomicLong buckets = new AtomicLong();
            long fingerprints = crawl.fingerprints((bucket, count) -> {
                if (buckets.getAndIncrement() % SAMPLED == 0 && count > 0) {
                    sample.add(bucket);
                    sampled.addAndGet(count);
                }
            });
            long missing = accepted - forgotten - fingerprints;
            if (missing > 0) {
                problems.add(missing + " of " + accepted + " URLs are not in the set of seen ones");
            }
            long bytes = Math.round((double) memory(sample) / Math.max(1, sampled.get()) * fingerprints);
            SieveStats stats = crawl.settings().stats(accepted, seen, 0, done, bytes);
            return new State(
                    stats,
                    lost,
                    keys.sliceCount(),
                    owned.entrySet().stream()
                            .map(each -> new State.Worker(each.getKey(), each.getValue()))
                            .toList(),
                    crawl.optional(session -> session.send("LLEN", keys.lines("seeds"))),
                    engine(info),
                    queueBytes,
                    crawl.warnings(),
                    List.copyOf(problems));
        }

        /**
         * The counters were read before everything else, and what is done is read after it: pushes and results that
         * come in between hide a loss at most.
         */
        private void check(int index, CrawlKeys.OfSlice slice, Map<String, String> counters) throws IOException {
            SlicePass.Count frames = new SlicePass.Count();
            new SlicePass(crawl, slice, frames).run();
            if (counters.isEmpty() && (frames.urls > 0 || count(crawl.one("EXISTS", slice.owner)) > 0)) {
                problems.add("slice " + index + ": the counters are missing");
            }
            if (frames.damaged > 0) {
                problems.add("slice " + index + ": " + frames.damaged + " damaged frames of pending URLs");
            }
            long done = count(crawl.one("HGET", slice.counters, utf8("done")));
            long missing = count(counters.get(CrawlKeys.ACCEPTED)) - done - frames.urls;
            if (missing > 0) {
                problems.add("slice " + index + ": " + missing + " URLs are neither done nor pending");
            }
        }

        private static String engine(Map<String, String> info) {
            return info.containsKey("valkey_version")
                    ? "Valkey " + info.get("valkey_version")
                    : "Redis " + info.get("redis_version");
        }

        private long memory(List<byte[]> all) throws IOException {
            AtomicLong sum = new AtomicLong();
            crawl.all(
                    all.size(),
                    (session, i) -> {
                        byte[] key = all.get((int) i);
                        session.sendTo(session.topology().of(key), "MEMORY", utf8("USAGE"), key);
                    },
                    (response, i) -> sum.addAndGet(count(response)));
            return sum.get();
        }
    }

    /**
     * The state of a crawl on an engine, as {@link SharedTools#inspect} has read it.
     *
     * @param stats the counters of all workers; URLs in flight count as pending, and the memory is that of the
     *     fingerprints
     * @param lost URLs that a repair has found to be neither pending nor known to be done; they count as done
     * @param slices parts of the hosts, each of which one worker owns at a time
     * @param workers those that are live
     * @param seeds lines of the shared list of seeds
     * @param engine name and version of the engine
     * @param queueBytes memory of the pending URLs
     * @param warnings settings of the engine that are wrong for a crawl, each with the line that corrects it
     * @param problems one sentence each; empty when none were found
     */
    public record State(
            SieveStats stats,
            long lost,
            int slices,
            List<Worker> workers,
            long seeds,
            String engine,
            long queueBytes,
            List<String> warnings,
            List<String> problems) {

        /** A live worker: its random name, and how many slices it owns. */
        public record Worker(String name, int slices) {}
    }
}
