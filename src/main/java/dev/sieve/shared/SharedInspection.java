package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;

import dev.sieve.SieveStats;
import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Reads the state of a crawl on an engine. */
final class SharedInspection {
    /** One of this many buckets is measured. */
    private static final int SAMPLED = 61;

    private final StoredCrawl crawl;
    private final CrawlKeys keys;
    private final List<String> problems = new ArrayList<>();

    SharedInspection(StoredCrawl crawl) {
        this.crawl = crawl;
        keys = crawl.keys();
    }

    SharedState state() throws IOException {
        Map<String, String> info = crawl.info();
        Set<String> wrong = new HashSet<>();
        for (StoredCrawl.WrongKey key : crawl.wrongKeys()) {
            wrong.add(key.key());
            problems.add(key + ": 'repair' puts it aside");
        }
        Map<String, Integer> owned = new LinkedHashMap<>();
        if (!wrong.contains(Replies.text(keys.workers()))) {
            crawl.workers().forEach(worker -> owned.put(worker, 0));
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
            Map<String, String> owner = Replies.map(crawl.one("HGETALL", slice.owner));
            long left = count(owner.get("until")) - now;
            if (left > 0 && left <= count(owner.get("ttl")) && crawl.run().equals(owner.get("run"))) {
                owned.merge(owner.getOrDefault("worker", ""), 1, Integer::sum);
            }
            accepted += count(counters.get(CrawlKeys.ACCEPTED));
            done += count(counters.get("done"));
            seen += count(counters.get("seen"));
            lost += count(counters.get("lost"));
            forgotten += count(counters.get("forgotten"));
            check(i, slice, counters, owner);
            queueBytes += crawl.memory(slice.queue) + crawl.memory(slice.taken);
        }
        // The counters were read before, and pushes that came in between only add to the fingerprints.
        Fingerprints fingerprints = new Fingerprints();
        long missing = accepted - forgotten - fingerprints.count();
        if (missing > 0) {
            problems.add(missing + " of " + accepted + " URLs are not in the set of seen ones");
        }
        SieveStats stats = new SieveStats(
                null,
                accepted,
                seen,
                Math.max(0, accepted - done),
                0,
                done,
                accepted,
                crawl.settings().capacity(),
                crawl.settings().falsePositiveRate(accepted),
                crawl.settings().missed(accepted),
                fingerprints.bytes());
        return new SharedState(
                stats,
                lost,
                keys.sliceCount(),
                owned.entrySet().stream()
                        .map(each -> new SharedState.Worker(each.getKey(), each.getValue()))
                        .toList(),
                crawl.optional("LLEN", keys.lines("seeds")),
                engine(info),
                queueBytes,
                crawl.warnings(),
                List.copyOf(problems));
    }

    /**
     * The counters were read before everything else, and what is done is read after it: pushes and results that come in
     * between hide a loss at most.
     */
    private void check(int index, CrawlKeys.OfSlice slice, Map<String, String> counters, Map<String, String> owner)
            throws IOException {
        SliceExport frames = new SliceExport(crawl, slice, label -> true, null);
        long found = frames.run();
        if (counters.isEmpty() && (!owner.isEmpty() || found > 0)) {
            problems.add("slice " + index + ": the counters are missing");
        }
        if (frames.damaged() > 0) {
            problems.add("slice " + index + ": " + frames.damaged() + " damaged frames of pending URLs");
        }
        long done = count(crawl.one("HGET", slice.counters, utf8("done")));
        long missing = count(counters.get(CrawlKeys.ACCEPTED)) - done - found;
        if (missing > 0) {
            problems.add("slice " + index + ": " + missing + " URLs are neither done nor pending");
        }
    }

    private static String engine(Map<String, String> info) {
        return info.containsKey("valkey_version")
                ? "Valkey " + info.get("valkey_version")
                : "Redis " + info.get("redis_version");
    }

    /** Counts fingerprints, and measures the memory of some. */
    private final class Fingerprints {
        private final long buckets = crawl.settings().buckets();
        private long total;
        private long sampled;
        private long sampledBytes;

        /** Returns how many fingerprints there are. */
        long count() throws IOException {
            List<byte[]> sample = new ArrayList<>();
            long[] bucket = new long[1];
            crawl.all(buckets, (session, each) -> session.send("SCARD", keys.bucket(each)), response -> {
                long count = Replies.count(response);
                total += count;
                if (count > 0 && bucket[0] % SAMPLED == 0) {
                    sample.add(keys.bucket(bucket[0]));
                    sampled += count;
                }
                bucket[0]++;
            });
            crawl.all(
                    sample.size(),
                    (session, each) -> StoredCrawl.sendMemory(session, sample.get((int) each)),
                    response -> sampledBytes += Replies.count(response));
            return total;
        }

        long bytes() {
            return sampled == 0 ? 0 : Math.round((double) sampledBytes / sampled * total);
        }
    }
}
