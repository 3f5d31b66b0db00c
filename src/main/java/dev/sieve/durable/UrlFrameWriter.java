package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.UrlBatch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes new URLs as frames of {@link FrameKind#URLS}, or {@link FrameKind#LABELLED} where they have a label. A URL is
 * written as the difference from the previous one or from the referrer, whichever is shorter; a key as the difference
 * from its URL.
 *
 * <p>Every frame can be read alone. Not safe for use by many threads.
 */
final class UrlFrameWriter {
    /** The total length of the URLs in a frame from which on the next one goes into another frame. */
    private static final int ENOUGH = 1 << 19;

    private static final byte[] NOTHING = {};

    private final FrameWriter out;
    private byte[] referrer = NOTHING;
    private byte[] previous = NOTHING;
    private int previousFrom;
    private int previousTo;
    private int length;

    UrlFrameWriter(FrameWriter out) {
        this.out = out;
    }

    /** Writes the URLs of a batch whose bits are set in the mask; the lowest bit is for the one at {@code from}. */
    void write(long firstId, UrlBatch batch, int from, long mask) {
        referrer = utf8(batch.referrer());
        long id = firstId;
        begin(id, batch);
        for (long bits = mask; bits != 0; bits &= bits - 1) {
            if (length > ENOUGH) {
                out.end();
                begin(id, batch);
            }
            add(batch, from + Long.numberOfTrailingZeros(bits));
            id++;
        }
        out.end();
    }

    private static byte[] utf8(@Nullable String referrer) {
        return referrer == null ? NOTHING : referrer.getBytes(UTF_8);
    }

    private void begin(long firstId, UrlBatch batch) {
        if (batch.label() == 0) {
            out.begin(FrameKind.URLS);
        } else {
            out.begin(FrameKind.LABELLED);
            out.putNumber(batch.label());
        }
        long withReferrer = batch.referrer() == null ? 0 : referrer.length + 1L;
        out.putNumbers(firstId, batch.depth(), batch.redirects(), withReferrer);
        out.put(referrer, 0, referrer.length);
        previous = NOTHING;
        previousFrom = 0;
        previousTo = 0;
        length = 0;
    }

    private void add(UrlBatch batch, int i) {
        byte[] url = batch.urlBytes(i);
        int from = batch.urlFrom(i);
        int to = batch.urlTo(i);
        byte[] key = batch.keyBytes(i);
        int keyFrom = batch.keyFrom(i);
        int keyTo = batch.keyTo(i);
        boolean hasKey = key != url || keyFrom != from || keyTo != to;
        int asPrevious = same(previous, previousFrom, previousTo, url, from, to);
        int asReferrer = same(referrer, 0, referrer.length, url, from, to);
        int common = Math.max(asPrevious, asReferrer);
        out.putNumber(2L * common + (asReferrer > asPrevious ? 1 : 0));
        out.putNumber(2L * (to - from - common) + (hasKey ? 1 : 0));
        out.put(url, from + common, to);
        previous = url;
        previousFrom = from;
        previousTo = to;
        length += to - from;
        if (hasKey) {
            int same = same(url, from, to, key, keyFrom, keyTo);
            out.putNumber(same);
            out.putNumber(keyTo - keyFrom - same);
            out.put(key, keyFrom + same, keyTo);
            length += keyTo - keyFrom;
        }
    }

    /** Returns how many bytes two texts have in common from their start on. */
    private static int same(byte[] a, int aFrom, int aTo, byte[] b, int bFrom, int bTo) {
        int same = Arrays.mismatch(a, aFrom, aTo, b, bFrom, bTo);
        return same < 0 ? bTo - bFrom : same;
    }
}
