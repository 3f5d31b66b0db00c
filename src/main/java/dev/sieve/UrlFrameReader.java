package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.util.Arrays;

/**
 * Reads what {@link UrlFrameWriter} wrote.
 *
 * <p>Differences can blow up: what comes out is bounded by what the writer puts into a frame, not by the length of the
 * frame. Not safe for use by many threads.
 */
final class UrlFrameReader {
    private static final long MAX_LENGTH = 3L * UrlFrameWriter.MAX_TEXT;

    /** A text that differs from the one before it in its last bytes. */
    private static final class Text {
        private byte[] bytes = new byte[1 << 10];
        private int length;

        void copy(Text other, int count) {
            ensure(count);
            System.arraycopy(other.bytes, 0, bytes, 0, count);
        }

        /** Keeps its first bytes and takes the others from a frame. */
        void read(FrameReader frame, int same, int more) throws IOException {
            int start = frame.skip("text", more);
            length = same + more;
            if (length > UrlFrameWriter.MAX_TEXT) {
                throw frame.broken("a text has at most " + UrlFrameWriter.MAX_TEXT + " bytes: " + length);
            }
            ensure(length);
            System.arraycopy(frame.buffer(), start, bytes, same, more);
        }

        private void ensure(int size) {
            if (size > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(size, 2 * bytes.length));
            }
        }
    }

    private final Text url = new Text();
    private final Text key = new Text();

    /**
     * Reads the URLs of the present frame into a batch.
     *
     * @return the id of the first of them; the others follow one by one
     */
    long read(FrameReader frame, UrlBatch into) throws IOException {
        long firstId = frame.number("first id", Long.MAX_VALUE - FrameWriter.MAX_PAYLOAD);
        int depth = (int) frame.number("depth", Integer.MAX_VALUE);
        int redirects = (int) frame.number("redirects", Integer.MAX_VALUE);
        int withReferrer = (int) frame.number("length of the referrer", UrlFrameWriter.MAX_TEXT + 1L);
        url.read(frame, 0, Math.max(0, withReferrer - 1));
        into.clear(depth, redirects, withReferrer == 0 ? null : new String(url.bytes, 0, url.length, UTF_8));
        readUrls(frame, into);
        return firstId;
    }

    private void readUrls(FrameReader frame, UrlBatch into) throws IOException {
        long total = 0;
        while (frame.hasMore()) {
            int same = (int) frame.number("common bytes", url.length);
            int lengthAndKey = (int) frame.number("length of a URL", 2L * UrlFrameWriter.MAX_TEXT + 1);
            url.read(frame, same, lengthAndKey >> 1);
            if ((lengthAndKey & 1) == 0) {
                into.add(url.bytes, 0, url.length);
            } else {
                int sameKey = (int) frame.number("common bytes of a key", url.length);
                key.copy(url, sameKey);
                key.read(frame, sameKey, (int) frame.number("length of a key", UrlFrameWriter.MAX_TEXT));
                into.add(url.bytes, 0, url.length, key.bytes, 0, key.length);
                total += key.length;
            }
            total += url.length;
            if (total > MAX_LENGTH || into.size() > Membership.BATCH) {
                throw frame.broken("it holds more than was ever written into one");
            }
        }
        if (into.isEmpty()) {
            throw frame.broken("it holds no URL");
        }
    }
}
