package dev.sieve.durable;

import dev.sieve.Lease;
import dev.sieve.io.DiskView;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.NavigableMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * One reading of all URLs of a log, as it was at one moment.
 *
 * @param segments the files of the log at that moment
 * @param done the URLs that were done at that moment
 * @param end where the log ended
 * @param repairedFrom from where on damage is skipped, since the next start repairs it; {@link LogPosition#LAST} for
 *     nowhere
 * @param mayBeMissing whether a segment may have been deleted since then, because all of its URLs are done
 */
record LogPass(
        DiskView disk,
        NavigableMap<Integer, Segment> segments,
        DoneSet done,
        LogPosition end,
        LogPosition repairedFrom,
        Predicate<Segment> mayBeMissing) {
    private static final int BUFFER_BYTES = 1 << 18;

    /**
     * Passes on the URLs in their order, each as a lease that is not held and whether it is done, while the receiver
     * returns true. Those before damage were passed on.
     */
    void run(BiPredicate<Lease, Boolean> receiver) throws IOException {
        UrlFrameReader urls = new UrlFrameReader();
        for (Segment segment : segments.values()) {
            try (FrameReader reader = Segment.open(disk, segment.start(), BUFFER_BYTES)) {
                while (isBeforeEnd(segment, reader) && isNext(reader, segment)) {
                    int count = urls.read(reader) ? urls.batch().size() : 0;
                    for (int i = 0; i < count; i++) {
                        Lease url = urls.lease(urls.firstId() + i, 0);
                        if (!receiver.test(url, done.contains(url.id()))) {
                            return;
                        }
                    }
                }
            } catch (NoSuchFileException e) {
                if (!mayBeMissing.test(segment)) {
                    throw e;
                }
            }
        }
    }

    private boolean isBeforeEnd(Segment segment, FrameReader reader) {
        return new LogPosition(segment.number(), reader.nextPosition()).compareTo(end) < 0;
    }

    /** Reads the next frame; skips damage that the next start repairs. */
    private boolean isNext(FrameReader reader, Segment segment) throws IOException {
        while (!reader.next()) {
            if (reader.damage() == null) {
                return false;
            }
            if (new LogPosition(segment.number(), reader.position()).compareTo(repairedFrom) < 0) {
                throw reader.damage();
            }
            if (!reader.skipDamage()) {
                return false;
            }
        }
        return true;
    }
}
