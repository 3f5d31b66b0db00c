package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Writes new URLs as frames of {@link FrameKind#URLS}: each URL as its difference from the one before it, the first as
 * its difference from the page that they were found on; a key as its difference from its URL, where it has one.
 *
 * <p>Every frame can be read by itself. Not safe for use by many threads.
 */
final class UrlFrameWriter {
    /** The most bytes of a URL, of a key and of a referrer. */
    static final int MAX_TEXT = 1 << 20;

    /** A frame takes no further URL once those in it are so long altogether. */
    private static final int ENOUGH = 1 << 19;

    private final FrameWriter out;
    private byte[] previous;
    private int previousFrom;
    private int previousTo;
    private int length;

    UrlFrameWriter(FrameWriter out) {
        this.out = out;
    }

    /** Checks that the URLs of a batch, its keys and its referrer are not too long to be written. */
    static void check(UrlBatch batch, byte[] referrer) {
        checkLength("referrer", referrer.length);
        for (int i = 0; i < batch.size(); i++) {
            checkLength("URL", batch.urlEnd(i) - batch.urlStart(i));
            checkLength("key", batch.keyEnd(i) - batch.keyStart(i));
        }
    }

    static void checkLength(String what, int bytes) {
        if (bytes > MAX_TEXT) {
            throw new IllegalArgumentException("a " + what + " has at most " + MAX_TEXT + " bytes: " + bytes);
        }
    }

    /** Writes the URLs of a batch from {@code from} on whose bits are set, the lowest bit for the first. */
    void write(long firstId, UrlBatch batch, byte[] referrer, int from, long mask) {
        long id = firstId;
        begin(id, batch.depth(), batch.redirects(), batch.referrer() == null ? null : referrer);
        for (long bits = mask; bits != 0; bits &= bits - 1) {
            if (length > ENOUGH) {
                out.end();
                begin(id, batch.depth(), batch.redirects(), batch.referrer() == null ? null : referrer);
            }
            int i = from + Long.numberOfTrailingZeros(bits);
            add(batch.bytes(), batch.urlStart(i), batch.urlEnd(i), batch.keyStart(i), batch.keyEnd(i));
            id++;
        }
        out.end();
    }

    /** Writes a seed that is its own key. */
    void write(long id, byte[] url) {
        begin(id, 0, 0, null);
        add(url, 0, url.length, 0, url.length);
        out.end();
    }

    static byte[] utf8(String referrer) {
        return referrer == null ? new byte[0] : referrer.getBytes(UTF_8);
    }

    private void begin(long firstId, int depth, int redirects, byte[] referrer) {
        out.begin(FrameKind.URLS);
        out.putNumber(firstId);
        out.putNumber(depth);
        out.putNumber(redirects);
        if (referrer == null) {
            out.putNumber(0);
        } else {
            out.putNumber(referrer.length + 1L);
            out.put(referrer, 0, referrer.length);
        }
        previous = referrer == null ? new byte[0] : referrer;
        previousFrom = 0;
        previousTo = previous.length;
        length = 0;
    }

    private void add(byte[] bytes, int from, int to, int keyFrom, int keyTo) {
        boolean hasKey = keyFrom != from;
        int same = same(previous, previousFrom, previousTo, bytes, from, to);
        out.putNumber(same);
        out.putNumber(2L * (to - from - same) + (hasKey ? 1 : 0));
        out.put(bytes, from + same, to);
        if (hasKey) {
            int sameKey = same(bytes, from, to, bytes, keyFrom, keyTo);
            out.putNumber(sameKey);
            out.putNumber(keyTo - keyFrom - sameKey);
            out.put(bytes, keyFrom + sameKey, keyTo);
        }
        previous = bytes;
        previousFrom = from;
        previousTo = to;
        length += to - from + (hasKey ? keyTo - keyFrom : 0);
    }

    /** How many bytes two texts have in common from their first byte on. */
    private static int same(byte[] a, int aFrom, int aTo, byte[] b, int bFrom, int bTo) {
        int same = Arrays.mismatch(a, aFrom, aTo, b, bFrom, bTo);
        return same < 0 ? bTo - bFrom : same;
    }
}
