package dev.sieve.shared;

import dev.sieve.SieveFullException;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Pushes batches: URLs that were not seen lately go to the engine, those of all slices in one round trip. Batches that
 * are pushed at the same time may share a round trip. Safe for use by many threads.
 */
final class Pusher {
    private static final byte[] SAME = {};

    /** Round trips at a time: the engine works on one while a thread prepares the other. */
    private static final int LANES = 2;

    private final Worker worker;
    private final HostSlices hosts;
    private final RecentKeys recent;
    private final BlockingQueue<PushTrip.Lane> freeLanes = new ArrayBlockingQueue<>(LANES, true);
    /** The round trip that threads join: it begins when a lane is free, so pushes of that time share its cost. */
    private PushTrip next;

    Pusher(Worker worker, HostSlices hosts, RecentKeys recent) {
        this.worker = worker;
        this.hosts = hosts;
        this.recent = recent;
        for (int i = 0; i < LANES; i++) {
            freeLanes.add(new PushTrip.Lane(worker.name() + "." + i));
        }
        next = new PushTrip(worker, freeLanes);
    }

    private synchronized PushTrip join(PushTrip.Part part) {
        if (!next.join(part)) {
            next = new PushTrip(worker, freeLanes);
            next.join(part);
        }
        return next;
    }

    final class Push {
        private final UrlBatch batch;
        private final byte[] referrer;
        private final byte[] head;
        private final HostSlices.OfPage page = hosts.new OfPage();
        private final BitSet isNew = new BitSet();
        private final Set<Integer> slicesWithNew = new HashSet<>();

        private Push(UrlBatch batch) {
            this.batch = batch;
            referrer = Frame.referrer(batch);
            head = Frame.head(batch, referrer);
        }

        /** Returns how many URLs were new. */
        int accepted() {
            return isNew.cardinality();
        }

        Set<Integer> slicesWithNew() {
            return slicesWithNew;
        }

        /**
         * Pushes all URLs, and marks the new ones in the batch, also when this throws.
         *
         * @throws SieveFullException when the engine or the crawl is full; URLs that are marked were accepted
         */
        void run() {
            batch.clearNew();
            try {
                for (int from = 0; from < batch.size(); ) {
                    PushTrip.Part part = new PushTrip.Part(head);
                    from = collect(from, part);
                    if (!part.isEmpty()) {
                        note(join(part).send(part), part);
                    }
                }
            } finally {
                long[] words = isNew.toLongArray();
                for (int word = 0; word < words.length; word++) {
                    batch.setNew(word << 6, words[word]);
                }
            }
        }

        /** Collects the URLs of one round trip; returns the index after them. */
        private int collect(int from, PushTrip.Part part) {
            RecentKeys.Table known = recent.of(worker.engine().run());
            for (int next = from; next < batch.size(); ) {
                int count = Math.min(Membership.BATCH, batch.size() - next);
                long[] hashes = batch.hash(next, count, worker.settings().seed());
                for (int i = 0; i < count; i++, next++) {
                    if (known.contains(hashes[2 * i], hashes[2 * i + 1])) {
                        continue;
                    }
                    if (part.isFull()) {
                        return next;
                    }
                    add(next, hashes[2 * i], hashes[2 * i + 1], part);
                }
            }
            return batch.size();
        }

        private void add(int index, long h1, long h2, PushTrip.Part part) {
            byte[] url = batch.urlBytes(index);
            int from = batch.urlFrom(index);
            int to = batch.urlTo(index);
            int slice = page.slice(url, from, to);
            PushTrip.Part.Urls urls = part.ofSlice(slice);
            int before = urls.texts.size();
            Frame.url(urls.texts, referrer, url, from, to);
            long bucket = worker.settings().bucket(slice, h1);
            part.add(urls, new PushTrip.Part.Url(index, h1, h2, bucket, urls.texts.size() - before));
        }

        /** Marks what is new; throws when a slice has refused its URLs. */
        private void note(Session.Run run, PushTrip.Part part) {
            RuntimeException failure = null;
            for (Map.Entry<Integer, PushTrip.Part.Urls> entry : part.ofSlice.entrySet()) {
                PushTrip.Part.Urls urls = entry.getValue();
                if (urls.failure == null) {
                    note(run, entry.getKey(), urls);
                } else {
                    failure = urls.failure;
                }
            }
            if (failure != null) {
                throw failure;
            }
        }

        private void note(Session.Run run, int slice, PushTrip.Part.Urls urls) {
            if (run == worker.engine().run()) {
                RecentKeys.Table known = recent.of(run);
                urls.all.forEach(url -> known.add(url.h1(), url.h2()));
            }
            if (!urls.isNew.isEmpty()) {
                isNew.or(urls.isNew);
                slicesWithNew.add(slice);
                worker.totals().pushed(run, slice, urls.acceptedInSlice, urls.isNew.cardinality());
            }
        }
    }

    /** Returns the new URLs of a batch that was pushed, each followed by its key, which is {@link #SAME} when it is equal. */
    static List<byte[]> copyOfNew(UrlBatch pushed) {
        List<byte[]> copy = new ArrayList<>();
        for (int i = 0; i < pushed.size(); i++) {
            if (pushed.isNew(i)) {
                byte[] url = Arrays.copyOfRange(pushed.urlBytes(i), pushed.urlFrom(i), pushed.urlTo(i));
                byte[] key = Arrays.copyOfRange(pushed.keyBytes(i), pushed.keyFrom(i), pushed.keyTo(i));
                copy.add(url);
                copy.add(Arrays.equals(url, key) ? SAME : key);
            }
        }
        return copy;
    }

    /** Returns a batch of such a copy. */
    static UrlBatch batch(List<byte[]> copy, int depth, int redirects, int label) {
        UrlBatch batch = new UrlBatch(depth, redirects, null, label);
        for (int i = 0; i < copy.size(); i += 2) {
            byte[] url = copy.get(i);
            byte[] key = copy.get(i + 1) == SAME ? url : copy.get(i + 1);
            batch.add(url, 0, url.length, key, 0, key.length);
        }
        return batch;
    }

    Push push(UrlBatch batch) {
        batch.requireLengths();
        return new Push(batch);
    }
}
