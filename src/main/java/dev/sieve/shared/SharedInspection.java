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
import java.util.concurrent.atomic.AtomicLong;
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
        return new SharedState(
                stats,
                lost,
                keys.sliceCount(),
                owned.entrySet().stream()
                        .map(each -> new SharedState.Worker(each.getKey(), each.getValue()))
                        .toList(),
                crawl.optional(session -> session.send("LLEN", keys.lines("seeds"))),
                engine(info),
                queueBytes,
                crawl.warnings(),
                List.copyOf(problems));
    }

    /**
     * The counters were read before everything else, and what is done is read after it: pushes and results that come in
     * between hide a loss at most.
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
