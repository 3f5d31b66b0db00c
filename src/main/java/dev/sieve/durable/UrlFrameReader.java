package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import java.io.IOException;
import java.util.Arrays;

/**
 * Reads what {@link UrlFrameWriter} wrote, into a batch that is reused for the next frame.
 *
 * <p>A short frame can describe long URLs, so the result is limited to what the writer puts into one frame. Not safe
 * for use by many threads.
 */
final class UrlFrameReader {
    private static final long MAX_LENGTH = 4L * UrlBatch.MAX_TEXT;

    private byte[] texts = new byte[1 << 13]; // of the frame, one after the other, starting with the referrer
    private int end;
    private final UrlBatch batch = new UrlBatch();
    private long firstId;

    UrlBatch batch() {
        return batch;
    }

    long firstId() {
        return firstId;
    }

    long endId() {
        return firstId + batch.size();
    }

    Lease lease(long id, int attempt) {
        int i = (int) (id - firstId);
        return new Lease(id, batch.url(i), batch.depth(), batch.redirects(), batch.referrer(), batch.label(), attempt);
    }

    /**
     * Reads the present frame if it is a frame of URLs; returns false otherwise. When its content is not valid, the
     * batch is empty.
     */
    boolean read(FrameReader frame) throws IOException {
        if (!FrameKind.isUrls(frame.kind())) {
            return false;
        }
        try {
            readFrame(frame);
            return true;
        } catch (DamageException e) {
            batch.clear();
            throw e;
        }
    }

    private void readFrame(FrameReader frame) throws IOException {
        int label = frame.kind() == FrameKind.LABELLED ? (int) frame.number("label", UrlBatch.MAX_LABEL) : 0;
        long first = frame.number("first id", Long.MAX_VALUE - FrameWriter.MAX_PAYLOAD);
        int depth = frame.integer("depth");
        int redirects = frame.integer("redirects");
        int withReferrer = (int) frame.number("length of the referrer", UrlBatch.MAX_TEXT + 1L);
        end = 0;
        int referrerEnd = readText(frame, 0, 0, Math.max(0, withReferrer - 1));
        batch.clear(depth, redirects, withReferrer == 0 ? null : new String(texts, 0, referrerEnd, UTF_8), label);
        readUrls(frame);
        firstId = first;
    }

    private void readUrls(FrameReader frame) throws IOException {
        int pageLength = end;
        int previous = 0;
        int previousLength = 0;
        while (frame.hasMore()) {
            int same = (int) frame.number("common bytes", 2L * Math.max(pageLength, previousLength) + 1);
            boolean asPage = (same & 1) != 0;
            if (same >> 1 > (asPage ? pageLength : previousLength)) {
                throw frame.broken("too many common bytes: " + (same >> 1));
            }
            int lengthAndKey = (int) frame.number("length of a URL", 2L * UrlBatch.MAX_TEXT + 1);
            int url = end;
            int urlEnd = readText(frame, asPage ? 0 : previous, same >> 1, lengthAndKey >> 1);
            if ((lengthAndKey & 1) == 0) {
                batch.add(texts, url, urlEnd);
            } else {
                int sameKey = (int) frame.number("common bytes of a key", urlEnd - url);
                int more = (int) frame.number("length of a key", UrlBatch.MAX_TEXT);
                int keyEnd = readText(frame, url, sameKey, more);
                batch.add(texts, url, urlEnd, texts, urlEnd, keyEnd);
            }
            if (end > MAX_LENGTH || batch.size() > Membership.BATCH) {
                throw frame.broken("more URLs than fit into a frame");
            }
            previous = url;
            previousLength = urlEnd - url;
        }
        if (batch.isEmpty()) {
            throw frame.broken("a frame of URLs without a URL");
        }
    }

    /** Reads a text that begins with bytes of another one; returns its end. */
    private int readText(FrameReader frame, int other, int same, int more) throws IOException {
        int length = same + more;
        if (length > UrlBatch.MAX_TEXT) {
            throw frame.broken("a text of more than " + UrlBatch.MAX_TEXT + " bytes: " + length);
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
