package dev.sieve.parse;

import static dev.sieve.parse.CharsetLabels.UTF_8;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.io.GzipMembers;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** The bytes of a sitemap up to a limit, decompressed, without a UTF-8 byte order mark and leading white space. */
final class SitemapInput extends InputStream {
    /** The longest token of markup, which a parser may keep in memory: longer than any in a sitemap. */
    private static final int MAX_TOKEN = 128 << 10;

    /** How much of a compressed sitemap is read at a time. */
    private static final int PACKED_BYTES = 4 << 10;

    private static final String GZIP = "\u001f\u008b";
    private static final String UTF_8_MARK = "\u00ef\u00bb\u00bf";
    private static final String UTF_16_LE_MARK = "\u00ff\u00fe";
    private static final String UTF_16_BE_MARK = "\u00fe\u00ff";

    private final Source packed;
    private final Source unpacked;
    private final BufferedInputStream in;
    private final Charset charset;
    private final boolean isMarkup;
    private long left;
    private long leftOfToken = Long.MAX_VALUE;
    private boolean hasEnded;
    private boolean isCut;

    /**
     * The bytes up to a failure to read, which it stores. Readers of blocks would drop what they have read before, and
     * a parser may wrap the failure or mistake it for an error in the file.
     */
    static final class Source extends FilterInputStream {
        private @Nullable IOException failure;

        Source(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (failure == null) {
                try {
                    return in.read(bytes, from, length);
                } catch (IOException e) {
                    failure = e;
                }
            }
            return -1;
        }

        @Override
        public int available() throws IOException {
            return failure == null ? in.available() : 0;
        }

        /** Throws the failure to read, if there was one. */
        void check() throws IOException {
            if (failure != null) {
                throw failure;
            }
        }
    }

    /**
     * Reads the beginning.
     *
     * @param limit the largest number of bytes, decompressed
     * @throws IOException when it cannot be read or decompressed
     */
    SitemapInput(Source source, long limit) throws IOException {
        packed = source;
        BufferedInputStream start = new BufferedInputStream(source);
        unpacked = new Source(startsWith(start, GZIP) ? new GzipMembers(start, true, PACKED_BYTES) : start);
        in = new BufferedInputStream(unpacked);
        left = limit;
        if (startsWith(in, UTF_16_LE_MARK) || startsWith(in, UTF_16_BE_MARK)) {
            charset = startsWith(in, UTF_16_LE_MARK) ? CharsetLabels.UTF_16LE : CharsetLabels.UTF_16BE;
            isMarkup = startsWith(in, UTF_16_LE_MARK + "<\0") || startsWith(in, UTF_16_BE_MARK + "\0<");
            in.skipNBytes(isMarkup ? 2 : 0);
        } else {
            boolean isUtf8 = startsWith(in, UTF_8_MARK);
            in.skipNBytes(isUtf8 ? UTF_8_MARK.length() : 0);
            isMarkup = skipWhiteSpace() == '<';
            in.mark(CharsetLabels.LONGEST_DECLARATION);
            Charset declared = CharsetLabels.inXmlDeclaration(in.readNBytes(CharsetLabels.LONGEST_DECLARATION));
            in.reset();
            charset = isUtf8 || declared == null ? UTF_8 : declared;
        }
    }

    private static boolean startsWith(BufferedInputStream in, String bytes) throws IOException {
        in.mark(bytes.length());
        String start = new String(in.readNBytes(bytes.length()), ISO_8859_1);
        in.reset();
        return start.equals(bytes);
    }

    /** Returns the first byte that is not white space, without reading it; -1 when there is none. */
    private int skipWhiteSpace() throws IOException {
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

    /** Whether this is XML or similar, rather than lines of text. */
    boolean isMarkup() {
        return isMarkup;
    }

    /** Returns UTF-16 if there is its byte order mark, what an XML declaration says, or UTF-8, which the protocol requires. */
    Charset charset() {
        return charset;
    }

    /** Throws the failure to unpack, if there was one. */
    void check() throws IOException {
        unpacked.check();
    }

    /** Whether there was more than the limit. */
    boolean isCut() {
        return isCut;
    }

    /** Begins another token of markup; reading one that is too long fails. */
    void startToken() {
        leftOfToken = MAX_TOKEN;
    }

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
        if (count < 0 && !isMarkup && (packed.failure != null || unpacked.failure != null)) {
            // No text, so that the beginning of a URL is not taken for a URL.
            hasEnded = true;
            bytes[from] = 0;
            return 1;
        }
        left -= Math.max(0, count);
        leftOfToken -= Math.max(0, count);
        if (leftOfToken < 0) {
            throw new IOException("markup of more than " + MAX_TOKEN + " bytes");
        }
        return count;
    }
}
