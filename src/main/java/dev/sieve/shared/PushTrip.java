package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.OnFull;
import dev.sieve.SieveFullException;
import dev.sieve.shared.PushPart.Url;
import dev.sieve.shared.PushPart.Urls;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A round trip that pushes the parts of one batch or several, with one call per slice. It may be repeated until the engine has
 * responded. Used by one thread at a time.
 */
final class PushTrip {
    private static final long REFUSED = -2;

    private final Worker worker;
    /** Whether nothing new is accepted. */
    private final boolean refuses;

    private final byte[] lane;
    private final byte[] number;
    private final Map<Integer, Call> calls = new LinkedHashMap<>();

    /**
     * Prepares the calls.
     *
     * @param lane the name under which the engine stores the response
     * @param number a number that is higher than those of earlier trips of the lane
     */
    PushTrip(Worker worker, List<PushPart> parts, String lane, long number) {
        this.worker = worker;
        refuses = worker.settings().onFull() == OnFull.FAIL
                && worker.totals().accepted() >= worker.settings().capacity();
        this.lane = utf8(lane);
        this.number = utf8(Long.toString(number, Character.MAX_RADIX));
        for (PushPart part : parts) {
            part.ofSlice()
                    .forEach((slice, urls) ->
                            calls.computeIfAbsent(slice, each -> new Call()).add(part, urls));
        }
    }

    /** The call of one slice. */
    private static final class Call {
        /** The URLs of one batch, without those that the call has already. */
        private record Page(PushPart part, Urls urls, BitSet leftOut) {}

        final List<Page> pages = new ArrayList<>();
        final Set<Long> places = new HashSet<>();

        @Nullable
        Object reply;

        void add(PushPart part, Urls urls) {
            BitSet leftOut = new BitSet(0);
            for (int i = 0; i < urls.all.size(); i++) {
                if (!places.add(urls.all.get(i).place())) {
                    leftOut.set(i);
                }
            }
            pages.add(new Page(part, urls, leftOut));
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
                for (int i = 0; i < page.urls.all.size(); i++) {
                    if (!page.leftOut.get(i) && mask[next++] == '1') {
                        page.urls.isNew.set(i);
                    }
                }
            }
        }

        /** Refuses the batches with a new URL; the others are complete. */
        private void refuse(byte[] mask, long capacity) {
            Set<Long> refused = new HashSet<>();
            int next = 0;
            for (Page page : pages) {
                for (int i = 0; i < page.urls.all.size(); i++) {
                    long place = page.urls.all.get(i).place();
                    if (!page.leftOut.get(i) && mask[next++] == '1') {
                        refused.add(place);
                    }
                    if (refused.contains(place)) {
                        page.urls.failure = new SieveFullException(capacity, capacity);
                    }
                }
            }
        }
    }

    /** Makes the round trip, and gives each batch the response to its URLs; returns the run of the engine. */
    Run run() {
        Run run = worker.engine().call((session, callNumber) -> {
            calls.forEach((slice, call) -> send(session, slice, call));
            calls.values().forEach(call -> call.reply = receive(session));
            return session.run();
        });
        long capacity = worker.settings().capacity();
        calls.values().forEach(call -> call.end(failure(call.reply), capacity));
        return run;
    }

    private void send(Session session, int slice, Call call) {
        CrawlKeys.OfSlice names = worker.keys().slice(slice);
        int count = call.places.size();
        int pages = call.pages.size();
        ByteArrayOutputStream texts = new ByteArrayOutputStream();
        ByteBuffer lengths = ByteBuffer.allocate(Integer.BYTES * count);
        ByteBuffer counts = ByteBuffer.allocate(Short.BYTES * pages);
        byte[][] keys = new byte[3 + count][];
        keys[0] = names.queue;
        keys[1] = names.counters;
        keys[2] = names.crawl;
        byte[][] args = new byte[7 + pages + count][];
        int head = 7;
        int next = 0;
        for (Call.Page page : call.pages) {
            args[head++] = page.part.head;
            counts.putShort((short) (page.urls.all.size() - page.leftOut.cardinality()));
            byte[] text = page.urls.texts.toByteArray();
            int from = 0;
            for (int i = 0; i < page.urls.all.size(); i++) {
                Url url = page.urls.all.get(i);
                if (!page.leftOut.get(i)) {
                    keys[3 + next] = worker.keys().bucket(url.bucket());
                    args[7 + pages + next] = utf8(url.fingerprint());
                    texts.write(text, from, url.length());
                    lengths.putInt(url.length());
                    next++;
                }
                from += url.length();
            }
        }
        args[0] = utf8(worker.settings().id());
        args[1] = lane;
        args[2] = number;
        args[3] = utf8(refuses ? 1 : 0);
        args[4] = texts.toByteArray();
        args[5] = lengths.array();
        args[6] = counts.array();
        session.send(Script.PUSH, keys, args);
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
        if (reply instanceof EngineFullException e) {
            return new SieveFullException(e.getMessage());
        } else if (reply instanceof EngineException e) {
            return e;
        } else if (reply instanceof Long refused && refused == Worker.OTHER_CRAWL) {
            return CrawlSettings.isGone(worker.keys().name());
        }
        return null;
    }
}
