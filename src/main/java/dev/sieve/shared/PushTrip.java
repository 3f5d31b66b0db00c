package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.OnFull;
import dev.sieve.SieveFullException;
import dev.sieve.shared.PushTrip.Part.Url;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A round trip that pushes the parts of several threads, with one call per slice. Threads join it until it begins; then
 * one of them makes it for all. When that thread is interrupted, the next one repeats the same calls. Safe for use by
 * many threads.
 */
final class PushTrip {
    private static final long REFUSED = -2;

    /** A name under which the engine stores the response to the last call. Used by one trip at a time. */
    static final class Lane {
        private final byte[] name;
        private long last;

        Lane(String name) {
            this.name = utf8(name);
        }
    }

    private final Worker worker;
    private final BlockingQueue<Lane> lanes;

    /** Held by the thread that makes the trip; the others wait for it, and then find the result. */
    private final ReentrantLock turn = new ReentrantLock();

    // Guarded by the monitor.
    private final List<Part> parts = new ArrayList<>();
    /** How many threads have not left. */
    private int threads;

    private boolean hasBegun;

    // Guarded by the turn.
    private @Nullable Map<Integer, Call> calls;
    /** Whether nothing new is accepted. */
    private boolean refuses;

    private byte[] number = {};
    private Session.@Nullable Run run;
    private @Nullable RuntimeException failure;

    /** Used by the thread whose turn it is, and by the last thread that leaves. */
    private @Nullable Lane lane;

    /** Creates a trip that threads can join; it takes one of the free lanes, and gives it back. */
    PushTrip(Worker worker, BlockingQueue<Lane> lanes) {
        this.worker = worker;
        this.lanes = lanes;
    }

    private static final class Call {
        /** The URLs of one batch; {@code sent} of them are not in the call already. */
        private record Page(Part part, Part.Urls urls, int sent) {}

        final List<Page> pages = new ArrayList<>();
        /** The URLs of all pages, and their texts. */
        final List<Url> sent = new ArrayList<>();

        final ByteArrayOutputStream texts = new ByteArrayOutputStream();
        private final Set<Long> places = new HashSet<>();

        @Nullable
        Object reply;

        void add(Part part, Part.Urls urls) {
            int before = sent.size();
            byte[] text = urls.texts.toByteArray();
            int from = 0;
            for (Url url : urls.all) {
                if (places.add(url.place())) {
                    sent.add(url);
                    texts.write(text, from, url.length());
                }
                from += url.length();
            }
            pages.add(new Page(part, urls, sent.size() - before));
        }

        /** Gives each batch the response to its URLs. */
        void end(@Nullable RuntimeException failure, long capacity) {
            pages.forEach(page -> page.urls.failure = failure);
            if (reply instanceof List<?> some) {
                long accepted = Replies.number(some.get(0));
                byte[] mask = (byte[]) some.get(1);
                if (accepted == REFUSED) {
                    refuse(mask, capacity);
                } else {
                    accept(mask, accepted);
                }
            }
        }

        private void accept(byte[] mask, long accepted) {
            int next = 0;
            for (Page page : pages) {
                page.urls.acceptedInSlice = accepted;
                for (int end = next + page.sent; next < end; next++) {
                    if (mask[next] == '1') {
                        page.urls.isNew.set(sent.get(next).index());
                    }
                }
            }
        }

        /** Refuses the batches with a new URL; the others are complete. */
        private void refuse(byte[] mask, long capacity) {
            Set<Long> refused = new HashSet<>();
            for (int i = 0; i < mask.length; i++) {
                if (mask[i] == '1') {
                    refused.add(sent.get(i).place());
                }
            }
            for (Page page : pages) {
                if (page.urls.all.stream().anyMatch(url -> refused.contains(url.place()))) {
                    page.urls.failure = new SieveFullException(capacity, capacity);
                }
            }
        }
    }

    /** Adds a part, which the caller then has to {@link #send}; false when the trip has begun or has no room. */
    synchronized boolean join(Part part) {
        boolean joins = !hasBegun && part.fitsWith(parts);
        if (joins) {
            parts.add(part);
            threads++;
        }
        return joins;
    }

    /** Removes a part whose trip has not begun; the last thread to leave a trip that has not ended frees its lane. */
    private synchronized void leave(Part part) {
        threads--;
        if (!hasBegun) {
            parts.remove(part);
        } else if (threads == 0) {
            freeLane();
        }
    }

    private synchronized List<Part> begin() {
        hasBegun = true;
        return parts;
    }

    private void freeLane() {
        if (lane != null) {
            lanes.add(lane);
            lane = null;
        }
    }

    /**
     * Sends a part that has joined, with all others, unless another thread does; waits for the response, leaves the
     * trip, and returns the run of the engine. When this throws, URLs of the part may be accepted, also later.
     */
    Session.Run send(Part part) {
        try {
            turn.lockInterruptibly();
            try {
                if (run == null && failure == null) {
                    make();
                }
                if (failure != null) {
                    throw failure;
                }
                return Objects.requireNonNull(run);
            } finally {
                turn.unlock();
            }
        } catch (InterruptedException e) {
            throw Engine.interrupted();
        } finally {
            leave(part);
        }
    }

    private void make() throws InterruptedException {
        Lane mine = lane == null ? lanes.take() : lane;
        lane = mine;
        Map<Integer, Call> all = calls == null ? prepare(mine) : calls;
        calls = all;
        try {
            run = call(mine, all);
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            failure = e;
        }
        freeLane();
    }

    private Map<Integer, Call> prepare(Lane mine) {
        Map<Integer, Call> all = new LinkedHashMap<>();
        for (Part part : begin()) {
            part.ofSlice.forEach((slice, urls) ->
                    all.computeIfAbsent(slice, each -> new Call()).add(part, urls));
        }
        refuses = worker.settings().onFull() == OnFull.FAIL
                && worker.totals().accepted() >= worker.settings().capacity();
        number = utf8(Long.toString(++mine.last, Character.MAX_RADIX));
        return all;
    }

    /** Makes the round trip, and gives each batch the response to its URLs; returns the run of the engine. */
    private Session.Run call(Lane mine, Map<Integer, Call> all) {
        Session.Run present = worker.engine().call((session, callNumber) -> {
            all.forEach((slice, call) -> send(session, mine, worker.keys().slice(slice), call));
            all.values().forEach(call -> call.reply = receive(session));
            return session.run();
        });
        long capacity = worker.settings().capacity();
        all.values().forEach(call -> call.end(failure(call.reply), capacity));
        return present;
    }

    private void send(Session session, Lane mine, CrawlKeys.OfSlice slice, Call call) {
        ByteBuffer lengths = ByteBuffer.allocate(Integer.BYTES * call.sent.size());
        ByteBuffer counts = ByteBuffer.allocate(Short.BYTES * call.pages.size());
        List<byte[]> keys = new ArrayList<>(List.of(slice.queue, slice.counters, slice.crawl));
        List<byte[]> args = new ArrayList<>(List.of(
                utf8(worker.settings().id()),
                mine.name,
                number,
                utf8(refuses ? 1 : 0),
                call.texts.toByteArray(),
                lengths.array(),
                counts.array()));
        for (Call.Page page : call.pages) {
            args.add(page.part.head);
            counts.putShort((short) page.sent);
        }
        for (Url url : call.sent) {
            keys.add(worker.keys().bucket(url.bucket()));
            args.add(utf8(url.fingerprint()));
            lengths.putInt(url.length());
        }
        session.send(Script.PUSH, keys.toArray(byte[][]::new), args.toArray(byte[][]::new));
    }

    /** Returns the reply or the error: all replies have to be received. */
    private static Object receive(Session session) {
        try {
            return session.receive();
        } catch (EngineException e) {
            return e;
        }
    }

    private @Nullable RuntimeException failure(@Nullable Object reply) {
        if (reply instanceof EngineException.Full e) {
            return new SieveFullException(e.getMessage());
        } else if (reply instanceof EngineException e) {
            return e;
        } else if (reply instanceof Long refused && refused == Worker.OTHER_CRAWL) {
            return CrawlSettings.isGone(worker.keys().name());
        }
        return null;
    }

    /** The URLs of one batch that go to the engine in one round trip, and the response to them. Used by one thread at a time. */
    static final class Part {
        /** The maximum number of URLs per round trip; Lua limits the values that {@code unpack} returns. */
        static final int MAX_URLS = 2048;

        /** The bytes of a round trip of several parts, at most; a single part may exceed it by one URL. */
        private static final int ENOUGH_BYTES = 1 << 18;

        /** The common part of the frames of the batch. */
        final byte[] head;

        final Map<Integer, Urls> ofSlice = new LinkedHashMap<>();
        private int size;
        private int bytes;

        Part(byte[] head) {
            this.head = head;
        }

        /** A URL: its index in the batch, its hash, its bucket, and the length of its text. */
        record Url(int index, long h1, long h2, long bucket, int length) {
            int fingerprint() {
                return (int) h2;
            }

            /** Returns the bucket and the fingerprint. */
            long place() {
                return (bucket << 32) | (h2 & 0xffffffffL);
            }
        }

        /** The URLs of one slice, and the response to them. */
        static final class Urls {
            final List<Url> all = new ArrayList<>();
            final ByteArrayOutputStream texts = new ByteArrayOutputStream();

            /** The indexes in the batch of those that are new. */
            final BitSet isNew = new BitSet(0);
            /** How many URLs the slice has accepted, when one of these is new. */
            long acceptedInSlice;

            /** Why the engine has refused them. */
            @Nullable
            RuntimeException failure;
        }

        boolean isEmpty() {
            return size == 0;
        }

        /** Returns whether further URLs go into another round trip. */
        boolean isFull() {
            return size == MAX_URLS || bytes >= ENOUGH_BYTES;
        }

        /** Returns whether this fits into a round trip with other parts. */
        boolean fitsWith(List<Part> others) {
            int urls = others.stream().mapToInt(part -> part.size).sum();
            int sum = others.stream().mapToInt(part -> part.bytes).sum();
            return others.isEmpty() || (urls + size <= MAX_URLS && sum + bytes <= ENOUGH_BYTES);
        }

        Urls ofSlice(int slice) {
            Urls urls = ofSlice.get(slice);
            if (urls == null) {
                urls = new Urls();
                ofSlice.put(slice, urls);
                bytes += head.length;
            }
            return urls;
        }

        /** Adds a URL, whose text was appended to those of its slice. */
        void add(Urls urls, Url url) {
            urls.all.add(url);
            size++;
            bytes += url.length;
        }
    }
}
