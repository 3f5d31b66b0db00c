package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.SieveFullException;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pushes batches: what was not seen lately goes to the engine, one call per slice, all in one round trip. Safe for use
 * by many threads, without a lock.
 */
final class Pusher {
    /** URLs of one round trip; a script takes a few thousand arguments. */
    private static final int MAX_URLS = 1024;

    /** Bytes of the URLs of one round trip, from which on the next one goes into another. */
    private static final int ENOUGH_BYTES = 1 << 18;

    private static final long REFUSED = -2;
    private static final long OTHER_CRAWL = -3;

    private final Worker worker;
    private final HostSlices hosts;
    private final RecentKeys recent;

    Pusher(Worker worker, HostSlices hosts, RecentKeys recent) {
        this.worker = worker;
        this.hosts = hosts;
        this.recent = recent;
    }

    /**
     * Checks the lengths of the URLs of a batch, its keys and its referrer.
     *
     * @throws IllegalArgumentException when one of them is too long
     */
    static void check(UrlBatch batch) {
        // A char has at most three bytes, so nearly every referrer is measured without being encoded.
        if (batch.referrer() != null && batch.referrer().length() > Frame.MAX_TEXT / 3) {
            checkLength("referrer", Frame.referrer(batch).length);
        }
        checkLength("URL or key", batch.maxBytes());
    }

    private static void checkLength(String what, int bytes) {
        if (bytes > Frame.MAX_TEXT) {
            throw new IllegalArgumentException(what + " longer than " + Frame.MAX_TEXT + " bytes: " + bytes);
        }
    }

    /**
     * A URL in a round trip.
     *
     * @param index in the batch
     * @param length of its text
     */
    private record Url(int index, long h1, long h2, long bucket, int length) {}

    /** The URLs of one slice in a round trip. */
    private static final class Call {
        final List<Url> urls = new ArrayList<>();
        final Set<Long> present = new HashSet<>();
        final ByteArrayOutputStream texts = new ByteArrayOutputStream();

        @Nullable
        Object reply;

        byte[] packedLengths() {
            ByteBuffer packed = ByteBuffer.allocate(Integer.BYTES * urls.size());
            urls.forEach(url -> packed.putInt(url.length));
            return packed.array();
        }

        /** Returns how many URLs the slice has accepted, when one of these is new. */
        long acceptedInSlice() {
            return Replies.number(Replies.list(Objects.requireNonNull(reply)).get(0));
        }

        boolean isNew(int i) {
            return reply instanceof List<?> list && ((byte[]) list.get(1))[i] == '1';
        }
    }

    /** A push of one batch. */
    final class Push {
        private final UrlBatch batch;
        private final boolean refuses;
        private final byte[] referrer;
        private final byte[] head;
        private final HostSlices.OfPage page = hosts.new OfPage();
        private final long[] isNew;
        private final Set<Integer> slicesWithNew = new HashSet<>();
        private int accepted;

        private Push(UrlBatch batch, boolean refuses) {
            this.batch = batch;
            this.refuses = refuses;
            referrer = Frame.referrer(batch);
            head = Frame.head(batch, referrer);
            isNew = new long[(batch.size() + 63) >> 6];
        }

        /** Returns how many URLs were new. */
        int accepted() {
            return accepted;
        }

        /** Returns the slices of the URLs that were new. */
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
                    Map<Integer, Call> calls = new LinkedHashMap<>();
                    from = collect(from, calls);
                    if (!calls.isEmpty()) {
                        send(calls);
                    }
                }
            } finally {
                for (int word = 0; word < isNew.length; word++) {
                    batch.setNew(word << 6, isNew[word]);
                }
            }
        }

        /** Collects the URLs of one round trip; returns the index after them. */
        private int collect(int from, Map<Integer, Call> calls) {
            RecentKeys.Table known = recent.of(worker.engine().run());
            int urls = 0;
            int bytes = 0;
            for (int next = from; next < batch.size(); ) {
                int count = Math.min(Membership.BATCH, batch.size() - next);
                long[] hashes = batch.hash(next, count, worker.settings().seed());
                for (int i = 0; i < count; i++, next++) {
                    if (known.contains(hashes[2 * i], hashes[2 * i + 1])) {
                        continue;
                    }
                    if (urls == MAX_URLS || bytes >= ENOUGH_BYTES) {
                        return next;
                    }
                    urls++;
                    bytes += batch.urlTo(next) - batch.urlFrom(next);
                    add(next, hashes[2 * i], hashes[2 * i + 1], calls);
                }
            }
            return batch.size();
        }

        private void add(int index, long h1, long h2, Map<Integer, Call> calls) {
            byte[] url = batch.urlBytes(index);
            int from = batch.urlFrom(index);
            int to = batch.urlTo(index);
            int slice = page.slice(url, from, to);
            Call call = calls.computeIfAbsent(slice, number -> new Call());
            long bucket = worker.settings().bucket(slice, h1);
            if (!call.present.add((bucket << 32) | (h2 & 0xffffffffL))) {
                return;
            }
            int before = call.texts.size();
            Frame.url(call.texts, referrer, url, from, to);
            call.urls.add(new Url(index, h1, h2, bucket, call.texts.size() - before));
        }

        private void send(Map<Integer, Call> calls) {
            Run run = worker.engine().call((session, number) -> {
                calls.forEach((slice, call) -> send(session, number, slice, call));
                calls.values().forEach(call -> call.reply = receive(session));
                return session.run();
            });
            RecentKeys.Table known = recent.of(run);
            RuntimeException failure = null;
            for (Map.Entry<Integer, Call> entry : calls.entrySet()) {
                Call call = entry.getValue();
                if (call.reply instanceof EngineFullException e) {
                    failure = new SieveFullException(e.getMessage());
                } else if (call.reply instanceof EngineException e) {
                    failure = e;
                } else if (call.reply instanceof Long refused && refused == REFUSED) {
                    failure = new SieveFullException(
                            worker.settings().capacity(), worker.settings().capacity());
                } else if (call.reply instanceof Long refused && refused == OTHER_CRAWL) {
                    failure = CrawlSettings.isGone(worker.keys().name());
                } else {
                    note(run, entry.getKey(), call, known);
                }
            }
            if (failure != null) {
                throw failure;
            }
        }

        private void send(Session session, long number, int slice, Call call) {
            CrawlKeys.OfSlice names = worker.keys().slice(slice);
            int count = call.urls.size();
            byte[][] all = new byte[3 + count][];
            all[0] = names.queue;
            all[1] = names.counters;
            all[2] = names.crawl;
            byte[][] args = new byte[7 + count][];
            args[0] = utf8(worker.settings().id());
            args[1] = utf8(session.lane());
            args[2] = utf8(Long.toString(number, Character.MAX_RADIX));
            args[3] = utf8(refuses ? 1 : 0);
            args[4] = head;
            args[5] = call.texts.toByteArray();
            args[6] = call.packedLengths();
            for (int i = 0; i < count; i++) {
                Url url = call.urls.get(i);
                all[3 + i] = worker.keys().bucket(url.bucket);
                int fingerprint = (int) url.h2;
                args[7 + i] = utf8(fingerprint);
            }
            session.send(Script.PUSH, all, args);
        }

        /** Returns the reply or the error: all replies have to be received. */
        private Object receive(Session session) {
            try {
                return session.receive();
            } catch (EngineException e) {
                return e;
            }
        }

        private void note(Run run, int slice, Call call, RecentKeys.Table known) {
            int before = accepted;
            for (int i = 0; i < call.urls.size(); i++) {
                Url url = call.urls.get(i);
                if (call.isNew(i)) {
                    isNew[url.index >> 6] |= 1L << url.index;
                    accepted++;
                }
                known.add(url.h1, url.h2);
            }
            if (accepted > before) {
                slicesWithNew.add(slice);
                worker.totals().pushed(run, slice, call.acceptedInSlice(), accepted - before);
            }
        }
    }

    /** Returns the new URLs of a batch that was pushed, without a referrer. */
    static UrlBatch copyOfNew(UrlBatch pushed) {
        UrlBatch copy = new UrlBatch(pushed.depth(), pushed.redirects(), null, pushed.label());
        for (int i = 0; i < pushed.size(); i++) {
            if (pushed.isNew(i)) {
                byte[] url = Arrays.copyOfRange(pushed.urlBytes(i), pushed.urlFrom(i), pushed.urlTo(i));
                byte[] key = Arrays.copyOfRange(pushed.keyBytes(i), pushed.keyFrom(i), pushed.keyTo(i));
                copy.add(url, 0, url.length, key, 0, key.length);
            }
        }
        return copy;
    }

    /** Starts a push of a batch. */
    Push push(UrlBatch batch, boolean refuses) {
        check(batch);
        return new Push(batch, refuses);
    }
}
