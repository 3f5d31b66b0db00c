package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * New URLs of one page and one slice, as they are queued on the engine:
 *
 * <pre>
 *   count                                   2 bytes, the highest first; written by the script, which detects what is new
 *   depth  redirects  label                 the context of all URLs
 *   0  or  length + 1, code                 the referrer
 *   common  length  code                    per URL: how many bytes it shares with the referrer, and the rest
 * </pre>
 *
 * All other numbers are in base 128, lowest digits first; lengths are those of codes of {@link UrlCode}. Each URL can be
 * left out without a change of the others.
 */
final class Frame {
    private static final byte[] NOTHING = {};
    private static final int COUNT_BYTES = 2;

    private final byte[] bytes;
    private final int depth;
    private final int redirects;
    private final int label;
    private final byte[] referrer;
    private final @Nullable String referrerText;
    private final int[] starts;

    private int at;

    /** Reads a frame and checks all of it; an {@link IllegalArgumentException} says that it is damaged. */
    Frame(byte[] bytes) {
        this.bytes = bytes;
        if (bytes.length < COUNT_BYTES) {
            throw damaged();
        }
        starts = new int[((bytes[0] & 0xff) << 8) | (bytes[1] & 0xff)];
        at = COUNT_BYTES;
        depth = number();
        redirects = number();
        label = number();
        int length = number();
        referrer = length == 0 ? NOTHING : text(NOTHING, 0, length - 1);
        referrerText = length == 0 ? null : new String(referrer, UTF_8);
        for (int i = 0; i < starts.length; i++) {
            starts[i] = at;
            if (number() > referrer.length) {
                throw damaged();
            }
            skip(number());
        }
        if (at != bytes.length || label > UrlBatch.MAX_LABEL || starts.length == 0) {
            throw damaged();
        }
    }

    private int number() {
        int number = 0;
        for (int shift = 0; shift < 32; shift += 7) {
            if (at == bytes.length) {
                throw damaged();
            }
            byte digits = bytes[at++];
            number |= (digits & 0x7f) << shift;
            if (digits >= 0) {
                if (number < 0) {
                    throw damaged();
                }
                return number;
            }
        }
        throw damaged();
    }

    private void skip(int codeLength) {
        read(checked(codeLength), null, 0);
    }

    /** Reads a code whose text follows the first bytes of another. */
    private byte[] text(byte[] before, int common, int codeLength) {
        // Its length is known after it was read, and it is read once.
        byte[] text = Arrays.copyOf(before, common + UrlCode.MAX_CHARACTERS * checked(codeLength));
        return Arrays.copyOf(text, common + read(codeLength, text, common));
    }

    private int checked(int codeLength) {
        if (codeLength > bytes.length - at || codeLength > UrlCode.MAX_GROWTH * UrlBatch.MAX_TEXT) {
            throw damaged();
        }
        return codeLength;
    }

    private int read(int codeLength, byte @Nullable [] out, int outFrom) {
        int length = UrlCode.decode(bytes, at, at + codeLength, out, outFrom);
        if (length < 0) {
            throw damaged();
        }
        at += codeLength;
        return length;
    }

    private IllegalArgumentException damaged() {
        return new IllegalArgumentException("damaged at byte " + at + " of " + bytes.length);
    }

    int count() {
        return starts.length;
    }

    Lease lease(long id, int index, int attempt) {
        at = starts[index];
        int common = number();
        byte[] url = text(referrer, common, number());
        return new Lease(id, new String(url, UTF_8), depth, redirects, referrerText, label, attempt);
    }

    /** Returns the bytes of a batch's referrer; empty when it has none. */
    static byte[] referrer(UrlBatch batch) {
        return batch.referrer() == null ? NOTHING : batch.referrer().getBytes(UTF_8);
    }

    /** Returns what stands between the count and the URLs in the frames of a batch. */
    static byte[] head(UrlBatch batch, byte[] referrer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(referrer.length + 16);
        number(out, batch.depth());
        number(out, batch.redirects());
        number(out, batch.label());
        byte[] code = UrlCode.room(referrer.length);
        int length = UrlCode.encode(referrer, 0, referrer.length, code);
        number(out, batch.referrer() == null ? 0 : length + 1);
        out.write(code, 0, length);
        return out.toByteArray();
    }

    static void url(ByteArrayOutputStream out, byte[] referrer, byte[] url, int from, int to) {
        int mismatch = Arrays.mismatch(referrer, 0, referrer.length, url, from, to);
        int common = mismatch < 0 ? to - from : mismatch;
        number(out, common);
        byte[] code = UrlCode.room(to - from - common);
        int length = UrlCode.encode(url, from + common, to, code);
        number(out, length);
        out.write(code, 0, length);
    }

    private static void number(ByteArrayOutputStream out, int number) {
        int rest = number;
        while (rest > 0x7f) {
            out.write(rest | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
