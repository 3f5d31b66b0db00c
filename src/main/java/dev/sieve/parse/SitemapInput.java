package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.zip.GZIPInputStream;

/**
 * The text of a sitemap as it comes: unpacked where the file is packed, without what stands before its beginning, and no
 * more of it than a limit.
 */
final class SitemapInput extends InputStream {
    /** The longest piece of markup, which a parser may have to hold: more than any element of a sitemap has. */
    private static final int MAX_PIECE = 128 << 10;

    private static final int[] GZIP = {0x1f, 0x8b};
    private static final int[] UTF_8_MARK = {0xef, 0xbb, 0xbf};
    private static final int[] UTF_16_LE_MARK = {0xff, 0xfe};
    private static final int[] UTF_16_BE_MARK = {0xfe, 0xff};

    private final BufferedInputStream in;
    private final Charset charset;
    private final boolean isMarkup;
    private long left;
    private long leftOfPiece = Long.MAX_VALUE;
    private boolean hasEnded;
    private boolean isCut;

    /**
     * What is read from. It remembers how that failed: a parser may wrap that, or take it for a fault of the file, which
     * is another thing.
     */
    static final class Source extends FilterInputStream {
        private IOException failure;

        Source(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            try {
                return in.read();
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            try {
                return in.read(bytes, from, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }

        /** Fails as reading has failed, if it has. */
        void check() throws IOException {
            if (failure != null) {
                throw failure;
            }
        }
    }

    /**
     * Reads the beginning.
     *
     * @param limit bytes that there are at most, unpacked
     * @throws IOException when it cannot be read, or is packed wrongly
     */
    SitemapInput(Source source, long limit) throws IOException {
        BufferedInputStream start = new BufferedInputStream(source);
        in = startsWith(start, GZIP) ? new BufferedInputStream(new GZIPInputStream(start)) : start;
        left = limit;
        if (startsWith(in, UTF_16_LE_MARK) || startsWith(in, UTF_16_BE_MARK)) {
            charset = UTF_16;
            isMarkup = startsWith(in, 0xff, 0xfe, '<', 0) || startsWith(in, 0xfe, 0xff, 0, '<');
        } else {
            charset = UTF_8;
            in.skipNBytes(startsWith(in, UTF_8_MARK) ? UTF_8_MARK.length : 0);
            isMarkup = skipBlanks() == '<';
        }
    }

    private static boolean startsWith(BufferedInputStream in, int... bytes) throws IOException {
        in.mark(bytes.length);
        boolean matches = true;
        for (int i = 0; i < bytes.length && matches; i++) {
            matches = in.read() == bytes[i];
        }
        in.reset();
        return matches;
    }

    /** The first byte that is no blank, which is not read yet; -1 where there is none. */
    private int skipBlanks() throws IOException {
        while (true) {
            in.mark(1);
            int next = in.read();
            if (next < 0 || next > ' ' || left == 0) {
                in.reset();
                return next;
            }
            left--;
        }
    }

    /** Whether this is XML, or something like it, rather than lines of text. */
    boolean isMarkup() {
        return isMarkup;
    }

    /** How to read it: as UTF-8, which the protocol demands, unless its mark says that it is UTF-16. */
    Charset charset() {
        return charset;
    }

    /** Whether there was more than the limit. */
    boolean isCut() {
        return isCut;
    }

    /** Begins a further piece of markup; reading one that is too long will fail. */
    void startPiece() {
        leftOfPiece = MAX_PIECE;
    }

    /** Nothing further is read: what was read is all there is. */
    void end() {
        hasEnded = true;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (!hasEnded && left == 0) {
            isCut = in.read() >= 0;
            hasEnded = true;
        }
        if (hasEnded) {
            return -1;
        }
        int count = in.read(bytes, from, (int) Math.min(length, left));
        left -= Math.max(0, count);
        leftOfPiece -= Math.max(0, count);
        if (leftOfPiece < 0) {
            throw new IOException("markup of more than " + MAX_PIECE + " bytes");
        }
        return count;
    }
}
