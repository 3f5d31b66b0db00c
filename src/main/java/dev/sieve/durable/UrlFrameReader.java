package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.util.Arrays;

/**
 * Reads what {@link UrlFrameWriter} wrote, into a batch that is used again for the next frame.
 *
 * <p>Differences can blow up: what comes out is bounded by what the writer puts into a frame, not by the length of the
 * frame. Not safe for use by many threads.
 */
final class UrlFrameReader {
    private static final long MAX_LENGTH = 4L * UrlFrameWriter.MAX_TEXT;

    /** The texts of a frame, one behind the other: first the page that the URLs were found on. */
    private byte[] texts = new byte[1 << 13];

    private int end;
    private final UrlBatch batch = new UrlBatch();
    private long firstId;

    /** The URLs that were read last. */
    UrlBatch batch() {
        return batch;
    }

    /** The id of the first of these URLs; the others follow one by one. */
    long firstId() {
        return firstId;
    }

    /** The id after the last of these URLs. */
    long endId() {
        return firstId + batch.size();
    }

    /**
     * Reads the rest of the present frame if it is a frame of URLs.
     *
     * @param kind the kind of the frame, which was read before
     * @return whether it is a frame of URLs
     */
    boolean read(FrameReader frame, int kind) throws IOException {
        if (!FrameKind.isUrls(kind)) {
            return false;
        }
        int label = kind == FrameKind.LABELLED ? (int) frame.number("label", UrlBatch.MAX_LABEL) : 0;
        long first = frame.number("first id", Long.MAX_VALUE - FrameWriter.MAX_PAYLOAD);
        int depth = (int) frame.number("depth", Integer.MAX_VALUE);
        int redirects = (int) frame.number("redirects", Integer.MAX_VALUE);
        int withReferrer = (int) frame.number("length of the referrer", UrlFrameWriter.MAX_TEXT + 1L);
        end = 0;
        int referrerEnd = readText(frame, 0, 0, Math.max(0, withReferrer - 1));
        batch.clear(depth, redirects, withReferrer == 0 ? null : new String(texts, 0, referrerEnd, UTF_8), label);
        readUrls(frame);
        firstId = first;
        return true;
    }

    private void readUrls(FrameReader frame) throws IOException {
        int pageLength = end;
        int previous = 0;
        int previousLength = 0;
        while (frame.hasMore()) {
            int same = (int) frame.number("common bytes", 2L * Math.max(pageLength, previousLength) + 1);
            boolean asPage = (same & 1) != 0;
            if (same >> 1 > (asPage ? pageLength : previousLength)) {
                throw frame.broken("there are not so many common bytes: " + (same >> 1));
            }
            int lengthAndKey = (int) frame.number("length of a URL", 2L * UrlFrameWriter.MAX_TEXT + 1);
            int url = end;
            int urlEnd = readText(frame, asPage ? 0 : previous, same >> 1, lengthAndKey >> 1);
            if ((lengthAndKey & 1) == 0) {
                batch.add(texts, url, urlEnd);
            } else {
                int sameKey = (int) frame.number("common bytes of a key", urlEnd - url);
                int more = (int) frame.number("length of a key", UrlFrameWriter.MAX_TEXT);
                int keyEnd = readText(frame, url, sameKey, more);
                batch.add(texts, url, urlEnd, texts, urlEnd, keyEnd);
            }
            if (end > MAX_LENGTH || batch.size() > Membership.BATCH) {
                throw frame.broken("it holds more than was ever written into one");
            }
            previous = url;
            previousLength = urlEnd - url;
        }
        if (batch.isEmpty()) {
            throw frame.broken("it holds no URL");
        }
    }

    /** Reads a text whose first bytes are those of another one; answers where it ends. */
    private int readText(FrameReader frame, int other, int same, int more) throws IOException {
        int length = same + more;
        if (length > UrlFrameWriter.MAX_TEXT) {
            throw frame.broken("a text has at most " + UrlFrameWriter.MAX_TEXT + " bytes: " + length);
        }
        int start = frame.skip("text", more);
        if (length > texts.length - end) {
            texts = Arrays.copyOf(texts, Math.max(end + length, 2 * texts.length));
        }
        System.arraycopy(texts, other, texts, end, same);
        System.arraycopy(frame.buffer(), start, texts, end + same, more);
        end += length;
        return end;
    }
}
