package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of a slice that are pending at one moment, while its owner may take frames from its queue. A frame
 * is numbered when it is taken, so the place of each in the queue follows from the number of the last one that was
 * taken.
 */
record SlicePass(StoredCrawl crawl, CrawlKeys.OfSlice slice, Receiver receiver) {
    /** Frames per round trip. */
    private static final int PAGE = 64;

    interface Receiver {
        /** Called before each round trip. */
        default void begin() throws IOException {}

        /** Receives a frame, and which of its URLs are done. */
        void frame(Frame frame, BitSet done);

        /** Receives a damaged frame, with its number once it is taken; returns whether it was removed. */
        boolean damaged(long number, boolean isTaken, byte[] bytes, IllegalArgumentException cause) throws IOException;
    }

    /** Counts the URLs that are not done, and the damaged frames. */
    static class Count implements Receiver {
        long urls;
        long damaged;

        @Override
        public void frame(Frame frame, BitSet done) {
            urls += frame.count() - done.get(0, frame.count()).cardinality();
        }

        @Override
        public boolean damaged(long number, boolean isTaken, byte[] bytes, IllegalArgumentException cause)
                throws IOException {
            damaged++;
            return false;
        }
    }

    /** A part of the queue, and the number of the last frame that was taken from it, at one moment. */
    private record Page(long taken, long queued, List<?> frames) {}

    void run() throws IOException {
        Page page = page(0);
        long last = page.taken + page.queued;
        List<?> fields = (List<?>) crawl.one("HKEYS", slice.taken);
        long[] numbers = fields.stream().mapToLong(Replies::count).sorted().toArray();
        passTaken(numbers);
        long next = Math.max(page.taken, numbers.length == 0 ? 0 : numbers[numbers.length - 1]) + 1;
        while (next <= last) {
            long taken = page.taken;
            page = page(Math.max(0, next - taken - 1));
            if (page.taken >= next) {
                long to = Math.min(page.taken, last);
                passTaken(LongStream.rangeClosed(next, to).toArray());
                next = to + 1;
            } else if (page.taken == taken) {
                for (Object frame : page.frames) {
                    boolean isRemoved = pass(next, false, (byte[]) frame, null);
                    next += isRemoved ? 0 : 1;
                    last -= isRemoved ? 1 : 0;
                }
                if (page.frames.isEmpty()) {
                    // The end of the queue was lost in a crash of the engine.
                    return;
                }
            }
        }
    }

    private Page page(long index) throws IOException {
        receiver.begin();
        byte[][] keys = {slice.counters, slice.queue};
        List<?> responses = (List<?>) crawl.one(Script.PAGE, keys, utf8(index), utf8(index + PAGE - 1));
        return new Page(count(responses.get(0)), count(responses.get(1)), (List<?>) responses.get(2));
    }

    /** Passes on frames that were taken. */
    private void passTaken(long[] numbers) throws IOException {
        for (int from = 0; from < numbers.length; from += PAGE) {
            receiver.begin();
            long[] page = Arrays.copyOfRange(numbers, from, Math.min(numbers.length, from + PAGE));
            List<byte[]> fields = Arrays.stream(page).mapToObj(CrawlKeys::utf8).toList();
            byte[][] frames = crawl.fields(slice.taken, fields);
            byte[][] done = crawl.fields(slice.done, fields);
            for (int i = 0; i < page.length; i++) {
                if (frames[i] != null) {
                    pass(page[i], true, frames[i], done[i]);
                }
            }
        }
    }

    private boolean pass(long number, boolean isTaken, byte[] bytes, byte @Nullable [] done) throws IOException {
        Frame frame;
        try {
            frame = new Frame(bytes);
        } catch (IllegalArgumentException e) {
            return receiver.damaged(number, isTaken, bytes, e);
        }
        receiver.frame(frame, done == null ? new BitSet() : BitSet.valueOf(done));
        return false;
    }
}
