package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;
import static dev.sieve.shared.Replies.text;

import dev.sieve.durable.RepairReport;
import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Repairs a crawl on an engine. It owns each slice while it reads it, so that no worker takes from it. What it puts
 * aside is stored before it is removed, so an interrupted repair loses nothing, and the next one completes it.
 */
final class SharedRepair {
    /** How long an ownership lasts: far longer than a page takes. It is renewed before each page. */
    private static final byte[] OWNERSHIP_MILLIS = utf8(60_000);

    private static final byte[] WORKER = utf8(StoredCrawl.REPAIR);

    private final StoredCrawl crawl;
    private final CrawlKeys keys;
    private final List<String> findings = new ArrayList<>();
    private long accepted;
    private long forgotten;
    /** The first slice whose counters are missing, which gets those that no slice is known to have; or the first. */
    private int uncounted = -1;

    private long pending;
    private long lost;
    private long asideBytes;

    SharedRepair(StoredCrawl crawl) {
        this.crawl = crawl;
        keys = crawl.keys();
    }

    RepairReport run() throws IOException {
        List<StoredCrawl.WrongKey> wrong = crawl.wrongKeys();
        crawl.requireNoWorkers(wrong.stream().noneMatch(key -> key.key().equals(text(keys.workers()))));
        putAside(wrong);
        restoreSlices();
        for (int i = 0; i < keys.sliceCount(); i++) {
            new OfSlice(i).run();
        }
        countForgotten();
        return new RepairReport(pending, lost, asideBytes, List.copyOf(findings));
    }

    /** Begins the slices anew that a node of a cluster has lost. */
    private void restoreSlices() throws IOException {
        byte[] id = utf8(crawl.settings().id());
        for (Map.Entry<Integer, Server> lost : crawl.lostSlices().entrySet()) {
            crawl.one("HSET", keys.slice(lost.getKey()).crawl, utf8(CrawlSettings.ID), id);
            findings.add("slice " + lost.getKey() + ": the node " + lost.getValue()
                    + " has lost it, with all its URLs; it begins anew");
        }
    }

    /** Gives keys of a wrong type other names. */
    private void putAside(List<StoredCrawl.WrongKey> keys) throws IOException {
        for (StoredCrawl.WrongKey wrong : keys) {
            String aside = wrong.key();
            do {
                aside += ".aside";
            } while (count(crawl.one("RENAMENX", utf8(wrong.key()), utf8(aside))) == 0);
            findings.add(wrong + "; put aside as " + aside);
        }
    }

    /** Corrects the counters by the fingerprints, which the slices share. */
    private void countForgotten() throws IOException {
        long fingerprints = crawl.fingerprints((bucket, count) -> {});
        byte[] counters = keys.slice(Math.max(0, uncounted)).counters;
        if (fingerprints > accepted) {
            byte[] missing = utf8(fingerprints - accepted);
            crawl.one("HINCRBY", counters, utf8(CrawlKeys.ACCEPTED), missing);
            crawl.one("HINCRBY", counters, utf8("done"), missing);
            findings.add("the counters were missing; " + (fingerprints - accepted)
                    + " URLs that are not pending count as done");
        }
        long missing = Math.max(0, accepted - fingerprints);
        if (missing != forgotten) {
            crawl.one("HINCRBY", counters, utf8("forgotten"), utf8(missing - forgotten));
        }
        if (missing > forgotten) {
            findings.add(missing + " URLs are not in the set of seen ones; when a page links to them, they are"
                    + " accepted and fetched again");
        }
    }

    private final class OfSlice extends SlicePass.Count {
        private final int index;
        private final CrawlKeys.OfSlice slice;
        private byte[][] proof = {};

        OfSlice(int index) {
            this.index = index;
            slice = keys.slice(index);
        }

        private void finding(String text) {
            findings.add("slice " + index + ": " + text);
        }

        void run() throws IOException {
            claim();
            Map<String, String> counters = Replies.map(crawl.one("HGETALL", slice.counters));
            removeForeign();
            new SlicePass(crawl, slice, this).run();
            removeLeftovers();
            if (damaged > 0) {
                finding(damaged + " damaged frames; put aside in " + text(slice.aside));
            }
            correct(counters);
            owned(Script.RELEASE, new byte[][] {slice.owner});
            pending += urls;
        }

        private void claim() throws IOException {
            byte[][] claimed = {slice.owner, slice.counters, slice.taken, slice.done, slice.pauses, slice.counts};
            proof = crawl.call((session, number) -> {
                byte[] run = utf8(session.run().id);
                List<?> reply = Replies.list(session.ask(Script.CLAIM, claimed, run, WORKER, OWNERSHIP_MILLIS));
                long token = count(reply.get(0));
                return token == 0 ? new byte[0][] : new byte[][] {run, utf8(token), WORKER};
            });
            if (proof.length == 0) {
                throw new IOException(crawl.address() + ": a worker has just begun; stop it first");
            }
        }

        /** Renews the ownership. */
        @Override
        public void begin() throws IOException {
            owned(
                    Script.RENEW,
                    new byte[][] {slice.owner, slice.queue, slice.taken, slice.counters},
                    OWNERSHIP_MILLIS,
                    utf8(0),
                    utf8(0));
        }

        private void owned(Script script, byte[][] scriptKeys, byte[]... more) throws IOException {
            byte[][] arguments =
                    Stream.concat(Stream.of(proof), Stream.of(more)).toArray(byte[][]::new);
            if (Replies.isRefused(crawl.one(script, scriptKeys, arguments))) {
                throw new IOException(crawl.address() + ": the engine was restarted; repeat the repair");
            }
        }

        /** Puts aside what has no number among the taken frames. */
        private void removeForeign() throws IOException {
            for (byte[] field : fields(slice.taken)) {
                if (count(field) <= 0 || !Arrays.equals(field, utf8(count(field)))) {
                    begin();
                    putAside((byte[]) crawl.one("HGET", slice.taken, field));
                    crawl.one("HDEL", slice.done, field);
                    crawl.one("HDEL", slice.taken, field);
                }
            }
        }

        @Override
        public boolean damaged(long number, boolean isTaken, byte[] bytes, IllegalArgumentException cause)
                throws IOException {
            putAside(bytes);
            if (isTaken) {
                crawl.one("HDEL", slice.done, utf8(number));
                return count(crawl.one("HDEL", slice.taken, utf8(number))) > 0;
            }
            // The first one that is equal; those before it would have been removed already.
            return count(crawl.one("LREM", slice.queue, utf8(1), bytes)) > 0;
        }

        private List<byte[]> fields(byte[] hash) throws IOException {
            return Replies.list(crawl.one("HKEYS", hash)).stream()
                    .map(byte[].class::cast)
                    .toList();
        }

        private void putAside(byte[] bytes) throws IOException {
            crawl.one("RPUSH", slice.aside, bytes);
            asideBytes += bytes.length;
            damaged++;
        }

        /** Removes what is known to be done of frames that are gone: a crash of the engine may have left it. */
        private void removeLeftovers() throws IOException {
            long removed = 0;
            for (byte[] field : fields(slice.done)) {
                if (count(crawl.one("HEXISTS", slice.taken, field)) == 0) {
                    removed += count(crawl.one("HDEL", slice.done, field));
                }
            }
            if (removed > 0) {
                finding(removed + " leftovers of finished frames; removed");
            }
        }

        /** Corrects the counters by what is stored. */
        private void correct(Map<String, String> counters) throws IOException {
            long accepted = count(counters.get(CrawlKeys.ACCEPTED));
            long done = count(counters.get("done"));
            if (done + urls > accepted && urls <= accepted) {
                long again = done + urls - accepted;
                finding(again + " URLs that were done are pending again, and are fetched again");
                crawl.one("HINCRBY", slice.counters, utf8("done"), utf8(-again));
                done -= again;
            }
            long present = Math.max(accepted, done + urls);
            if (present > accepted) {
                finding("the counter of accepted URLs was " + accepted + "; now " + present);
                crawl.one("HINCRBY", slice.counters, utf8(CrawlKeys.ACCEPTED), utf8(present - accepted));
            }
            long missing = present - done - urls;
            if (missing > 0) {
                crawl.one("HINCRBY", slice.counters, utf8("done"), utf8(missing));
                finding(missing + " URLs are neither pending nor known to be done; lost");
                lost += missing;
                crawl.one("HINCRBY", slice.counters, utf8("lost"), utf8(missing));
            }
            if (counters.isEmpty() && uncounted < 0) {
                uncounted = index;
            }
            SharedRepair.this.accepted += present;
            forgotten += count(counters.get("forgotten"));
        }
    }
}
