package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;

import dev.sieve.Lease;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the URLs of a slice that are pending at one moment, while its owner may take frames from its queue. A frame is
 * numbered when it is taken, so the place of each in the queue follows from the number of the last one that was taken.
 */
final class SliceExport {
    /** Frames per round trip. */
    private static final int PAGE = 64;

    private final StoredCrawl crawl;
    private final CrawlKeys.OfSlice slice;
    private final IntPredicate labels;
    private final @Nullable Consumer<String> urls;
    private long count;
    private long damaged;

    /**
     * Creates an export.
     *
     * @param labels accepts the labels of the URLs
     * @param urls receives the URLs; null: they are counted, and damaged frames too
     */
    SliceExport(StoredCrawl crawl, CrawlKeys.OfSlice slice, IntPredicate labels, @Nullable Consumer<String> urls) {
        this.labels = labels;
        this.crawl = crawl;
        this.slice = slice;
        this.urls = urls;
    }

    /** A part of the queue, and the number of the last frame that was taken from it, at one moment. */
    private record Page(long taken, long queued, List<?> frames) {}

    /** Returns how many URLs there were. */
    long run() throws IOException {
        Page page = page(0);
        long last = page.taken + page.queued;
        long[] numbers = taken();
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
                    pass(next, (byte[]) frame, null);
                    next++;
                }
                if (page.frames.isEmpty()) {
                    // The end of the queue was lost in a crash of the engine.
                    return count;
                }
            }
        }
        return count;
    }

    /** Returns how many frames are damaged. */
    long damaged() {
        return damaged;
    }

    private Page page(long index) throws IOException {
        List<?> responses = (List<?>) crawl.call((session, call) -> {
            session.send(Script.PAGE, new byte[][] {slice.counters, slice.queue}, new byte[][] {
                utf8(index), utf8(index + PAGE - 1)
            });
            return session.receive();
        });
        return new Page(count(responses.get(0)), count(responses.get(1)), (List<?>) responses.get(2));
    }

    private long[] taken() throws IOException {
        List<?> fields = (List<?>) crawl.one("HKEYS", slice.taken);
        return fields.stream().mapToLong(Replies::count).sorted().toArray();
    }

    /** Passes on the URLs of taken frames that are not done. */
    private void passTaken(long[] numbers) throws IOException {
        for (int from = 0; from < numbers.length; from += PAGE) {
            long[] page = Arrays.copyOfRange(numbers, from, Math.min(numbers.length, from + PAGE));
            List<byte[]> fields = Arrays.stream(page).mapToObj(CrawlKeys::utf8).toList();
            byte[][] frames = crawl.fields(slice.taken, fields);
            byte[][] done = crawl.fields(slice.done, fields);
            for (int i = 0; i < page.length; i++) {
                if (frames[i] != null) {
                    pass(page[i], frames[i], done[i]);
                }
            }
        }
    }

    private void pass(long number, byte[] bytes, byte @Nullable [] done) throws IOException {
        Frame frame;
        try {
            frame = new Frame(bytes);
        } catch (IllegalArgumentException e) {
            if (urls == null) {
                damaged++;
                return;
            }
            throw new IOException(
                    crawl.address() + ": frame " + number + " of " + Replies.text(slice.queue) + ": " + e.getMessage(),
                    e);
        }
        BitSet isDone = done == null ? new BitSet() : BitSet.valueOf(done);
        if (urls == null) {
            count += frame.count() - isDone.get(0, frame.count()).cardinality();
            return;
        }
        for (int i = 0; i < frame.count(); i++) {
            Lease lease = isDone.get(i) ? null : frame.lease(0, i, 1);
            if (lease != null && labels.test(lease.label())) {
                urls.accept(lease.url());
                count++;
            }
        }
    }
}
