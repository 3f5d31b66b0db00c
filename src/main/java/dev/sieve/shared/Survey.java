package dev.sieve.shared;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One look at all slices of a crawl. The slices are read one after the other while others work, so the sums are those of no
 * single moment.
 */
final class Survey {
    /** The field of the events that holds how many URLs were accepted when the crawl was found to be over. */
    static final String ENDED = "ended";

    /** What is stored of one slice. */
    record OfSlice(
            long accepted,
            long taken,
            long done,
            long seen,
            long queuedFrames,
            long takenFrames,
            boolean isIdle,
            String worker,
            String crawl) {
        static OfSlice of(List<?> reply) {
            return new OfSlice(
                    Replies.number(reply.get(0)),
                    Replies.number(reply.get(1)),
                    Replies.number(reply.get(2)),
                    Replies.number(reply.get(3)),
                    Replies.number(reply.get(4)),
                    Replies.number(reply.get(5)),
                    Replies.number(reply.get(6)) == 1,
                    Replies.text(reply.get(7)),
                    Replies.text(reply.get(8)));
        }

        boolean isDrained() {
            return queuedFrames == 0 && (takenFrames == 0 || isIdle);
        }
    }

    final Run run;
    /** The identity of the crawl; null when the engine does not store the crawl. */
    private final @Nullable String id;

    final List<OfSlice> slices;
    private final long ended;

    Survey(Run run, @Nullable String id, long ended, List<OfSlice> slices) {
        this.run = run;
        this.id = id;
        this.ended = ended;
        this.slices = slices;
    }

    /** Looks at all slices, in one round trip. */
    static Survey take(Session session, CrawlKeys keys) {
        session.send("HGET", keys.settings(), CrawlKeys.utf8(CrawlSettings.ID));
        session.send("HGET", keys.events(), CrawlKeys.utf8(ENDED));
        byte[][] run = {CrawlKeys.utf8(session.run().id)};
        for (int i = 0; i < keys.sliceCount(); i++) {
            CrawlKeys.OfSlice slice = keys.slice(i);
            session.send(
                    Script.LOOK,
                    new byte[][] {slice.counters, slice.owner, slice.queue, slice.taken, slice.crawl},
                    run);
        }
        String id = Replies.textOrNull(session.receive());
        String ended = Replies.textOrNull(session.receive());
        List<OfSlice> slices = new ArrayList<>(keys.sliceCount());
        for (int i = 0; i < keys.sliceCount(); i++) {
            slices.add(OfSlice.of(Replies.list(session.receive())));
        }
        return new Survey(session.run(), id, ended == null ? -1 : Long.parseLong(ended), slices);
    }

    /** Returns whether the engine stores the settings of a crawl. */
    boolean hasSettings(String crawl) {
        return crawl.equals(id);
    }

    /** Returns whether the engine stores a crawl, and all its slices. */
    boolean isOf(String crawl) {
        return hasSettings(crawl) && slices.stream().allMatch(slice -> slice.crawl.equals(crawl));
    }

    long accepted() {
        return slices.stream().mapToLong(OfSlice::accepted).sum();
    }

    long done() {
        return slices.stream().mapToLong(OfSlice::done).sum();
    }

    /** Returns how many URLs of slices without frames are not done. */
    long lost() {
        return slices.stream()
                .filter(slice -> slice.queuedFrames == 0 && slice.takenFrames == 0)
                .mapToLong(slice -> Math.max(0, slice.accepted - slice.done))
                .sum();
    }

    long seen() {
        return slices.stream().mapToLong(OfSlice::seen).sum();
    }

    private long taken() {
        return slices.stream().mapToLong(OfSlice::taken).sum();
    }

    /** Returns whether another worker has found the crawl to be over, and nothing was accepted since. */
    boolean hasEnded() {
        return ended == accepted();
    }

    /**
     * Returns whether nothing is left to do, given a later survey. Nothing moved between the two, so what the first found
     * empty was not filled from what it had not read yet.
     */
    boolean isDrained(Survey later) {
        return slices.stream().allMatch(OfSlice::isDrained)
                && later.slices.stream().allMatch(OfSlice::isDrained)
                && run == later.run
                && accepted() == later.accepted()
                && taken() == later.taken()
                && done() == later.done();
    }
}
