package dev.sieve.shared;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The slices of a crawl as this worker has read them: some of them now, the others earlier. Slices
 * are read one after the other while others work, so the sums are those of no single moment.
 */
final class Survey {
    /** The field of the events that holds how many URLs were accepted when the crawl was found to be over. */
    static final String ENDED = "ended";

    /** The stored state of one slice: also whether its owner has nothing to do in it, and whether it has no owner. */
    record OfSlice(
            long accepted,
            long taken,
            long done,
            long seen,
            long queuedFrames,
            long takenFrames,
            boolean isIdle,
            String worker,
            String crawl,
            boolean isFree) {
        static OfSlice of(Object reply) {
            Object[] fields = Replies.list(reply).toArray();
            return new OfSlice(
                    Replies.number(fields[0]),
                    Replies.number(fields[1]),
                    Replies.number(fields[2]),
                    Replies.number(fields[3]),
                    Replies.number(fields[4]),
                    Replies.number(fields[5]),
                    Replies.number(fields[6]) == 1,
                    Replies.text(fields[7]),
                    Replies.text(fields[8]),
                    Replies.number(fields[9]) == 1);
        }

        boolean mayBeClaimedBy(String name) {
            return isFree || worker.equals(name);
        }

        boolean isDrained() {
            return queuedFrames == 0 && (takenFrames == 0 || isIdle);
        }
    }

    final Session.Run run;
    /** The identity of the crawl; null when the engine does not store the crawl. */
    private final @Nullable String id;

    private final long ended;
    private final OfSlice[] slices;
    /** The slices that this look has read. */
    private final BitSet read;

    Survey(Session.Run run, @Nullable String id, long ended, OfSlice[] slices, BitSet read) {
        this.run = run;
        this.id = id;
        this.ended = ended;
        this.slices = slices;
        this.read = read;
    }

    /**
     * Looks at some slices in one round trip; at all of them when nothing is known of the others in this run (null), or
     * when the crawl may be over.
     */
    static Survey take(Session session, CrawlKeys keys, @Nullable Survey before, BitSet some) {
        boolean isKnown = before != null && before.run == session.run();
        BitSet read = new BitSet();
        if (isKnown) {
            read.or(some);
        } else {
            read.set(0, keys.sliceCount());
        }
        OfSlice[] slices = before != null && isKnown ? before.slices.clone() : new OfSlice[keys.sliceCount()];
        session.send("HGET", keys.settings(), CrawlKeys.utf8(CrawlSettings.ID));
        session.send("HGET", keys.events(), CrawlKeys.utf8(ENDED));
        byte[][] run = {CrawlKeys.utf8(session.run().id)};
        read.stream().forEach(i -> {
            CrawlKeys.OfSlice slice = keys.slice(i);
            session.send(
                    Script.LOOK,
                    new byte[][] {slice.counters, slice.owner, slice.queue, slice.taken, slice.crawl},
                    run);
        });
        String id = Replies.textOrNull(session.receive());
        String mark = Replies.textOrNull(session.receive());
        long ended = mark == null ? -1 : Long.parseLong(mark);
        read.stream().forEach(i -> slices[i] = OfSlice.of(session.receive()));
        Survey survey = new Survey(session.run(), id, ended, slices, read);
        // A later push makes the mark invalid, and a part of the slices may not show it.
        return ended < survey.accepted() || survey.isFull() ? survey : take(session, keys, null, some);
    }

    private boolean isFull() {
        return read.cardinality() == slices.length;
    }

    OfSlice slice(int index) {
        return slices[index];
    }

    /** Returns the slices that were read, in their order from one on. */
    int[] read(int from) {
        return IntStream.concat(
                        read.stream().filter(i -> i >= from), read.stream().filter(i -> i < from))
                .toArray();
    }

    private Stream<OfSlice> read() {
        return read.stream().mapToObj(i -> slices[i]);
    }

    boolean hasSettings(String crawl) {
        return crawl.equals(id);
    }

    /** Returns whether the engine stores a crawl, and the slices that were read. */
    boolean isOf(String crawl) {
        return hasSettings(crawl) && read().allMatch(slice -> slice.crawl.equals(crawl));
    }

    private long sum(ToLongFunction<OfSlice> counter) {
        return Arrays.stream(slices).mapToLong(counter).sum();
    }

    long accepted() {
        return sum(OfSlice::accepted);
    }

    long done() {
        return sum(OfSlice::done);
    }

    /** Returns how many URLs of slices without frames are not done. */
    long lost() {
        return sum(slice ->
                slice.queuedFrames == 0 && slice.takenFrames == 0 ? Math.max(0, slice.accepted - slice.done) : 0);
    }

    long seen() {
        return sum(OfSlice::seen);
    }

    /** Returns whether another worker has found the crawl to be over, and nothing was accepted since. */
    boolean hasEnded() {
        return isFull() && ended == accepted();
    }

    /** Returns some of the slices that are not known to be drained. */
    BitSet undrained(int most) {
        BitSet found = new BitSet();
        for (int i = 0; i < slices.length && found.cardinality() < most; i++) {
            found.set(i, !slices[i].isDrained());
        }
        return found;
    }

    /** Returns whether all slices that were read were drained. */
    boolean isDrained() {
        return read().allMatch(OfSlice::isDrained);
    }

    /**
     * Returns whether nothing is left to do, given a later survey. Nothing moved between the two, so what the first
     * found empty was not filled from what it had not read yet.
     */
    boolean isDrained(Survey later) {
        return isFull()
                && later.isFull()
                && isDrained()
                && later.isDrained()
                && run == later.run
                && accepted() == later.accepted()
                && sum(OfSlice::taken) == later.sum(OfSlice::taken)
                && done() == later.done();
    }
}
