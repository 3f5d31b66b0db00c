package dev.sieve.fetch;

import dev.sieve.OptionalLibrary;
import dev.sieve.io.GzipMembers;
import dev.sieve.url.Printable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import okio.BufferedSource;
import okio.Okio;
import org.brotli.dec.BrotliInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Undoes the content codings of a body (RFC 9110, section 8.4) as browsers do, since many servers label bodies wrongly.
 *
 * <p>The codings of all header fields are one list, which is undone from the last. What is not the name of a coding is
 * ignored, as by the Fetch standard. A body that is not in its coding is read as it is. The members of a gzip file
 * follow each other (RFC 1952, section 2.2); other bytes after them are ignored. A body in deflate may lack the header
 * of zlib. A body in br begins with nothing special, but not with text. Its decoder takes as much memory as the body
 * asks for, up to 28 MiB, which counts as a part of the body.
 */
final class ContentCoding {
    /** The message of the client when a body is shorter than announced. */
    static final String END = "unexpected end of stream";

    /** The further codings in the registry of IANA. A body in one of them cannot be read, and no request accepts it. */
    private static final Set<String> OTHERS =
            Set.of("aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd", "x-zstd");

    private static final Set<String> GZIP = Set.of("gzip", "x-gzip");
    private static final String DEFLATE = "deflate";
    private static final String BROTLI = "br";
    private static final int MAX_CODINGS = 5;
    /** How much of a body is read without getting a byte of its content, such as the names in a header of gzip. */
    private static final int MAX_EMPTY = Wire.MAX_BYTES;

    /** How much of a packed body is read at a time. */
    private static final int PART = 4 << 10;

    /** What begins with so many characters of ASCII is text. */
    private static final int TEXT = 16;

    /** The memory for the tables of a decoder of br: three times 256 codes, and those that they replace. */
    private static final int BROTLI_TABLES = 4 << 20;

    private ContentCoding() {}

    /** A body is not what its Content-Encoding says, or in a coding that is not supported. */
    static final class WrongCodingException extends ProtocolException {
        private static final long serialVersionUID = 1;

        WrongCodingException(String message) {
            super(message);
        }
    }

    /** One form of a body. Closing it releases the memory of its decoders, and leaves the body of the response open. */
    private static final class Form extends FilterInputStream {
        private final boolean isDecoded;

        Form(InputStream in, boolean isDecoded) {
            super(in);
            this.isDecoded = isDecoded;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            try {
                return in.read(target, from, length);
            } catch (EOFException | ZipException e) {
                throw isDecoded && !END.equals(e.getMessage()) ? wrong(e) : new ProtocolException(END);
            }
        }

        @Override
        public void close() throws IOException {
            if (isDecoded) {
                super.close();
            }
        }
    }

    private static WrongCodingException wrong(Throwable e) {
        return new WrongCodingException("the body is not what its Content-Encoding says: " + e.getMessage());
    }

    /** Returns the codings of a body in the order in which they were applied. */
    static List<String> of(Response response) {
        return response.values("content-encoding").stream()
                .flatMap(each -> List.of(each.split(",")).stream())
                .map(each -> each.strip().toLowerCase(Locale.ROOT))
                .filter(each ->
                        GZIP.contains(each) || each.equals(DEFLATE) || each.equals(BROTLI) || OTHERS.contains(each))
                .collect(Collectors.toList());
    }

    /** Returns the body of a response without its codings, or throws a {@link WrongCodingException}; the room is its memory. */
    static InputStream decoded(Response response, BodyMemory.Body room) throws IOException {
        List<String> codings = of(response);
        Collections.reverse(codings);
        InputStream body = new Form(response.body(), false);
        if (codings.isEmpty()) {
            return body;
        }
        Packed packed = new Packed(body);
        BufferedSource source = Okio.buffer(Okio.source(packed));
        if (source.exhausted()) {
            return body;
        }
        boolean hasOther = !Collections.disjoint(codings, OTHERS) || Collections.frequency(codings, BROTLI) > 1;
        if (codings.size() > MAX_CODINGS || hasOther) {
            throw new WrongCodingException("encoded as " + Printable.of(String.join(", ", of(response))));
        }
        for (String coding : codings) {
            body = coding.equals(BROTLI) ? brotli(source, room) : decoded(coding, source);
            source = Okio.buffer(Okio.source(body));
        }
        return packed.unpacked(body);
    }

    /** A body in its codings, of which only so much is read without getting a part of its content. */
    private static final class Packed extends FilterInputStream {
        private int count;

        Packed(InputStream body) {
            super(body);
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (count >= MAX_EMPTY) {
                throw new ProtocolException("more than " + MAX_EMPTY + " bytes that are not part of the body");
            }
            int read = super.read(target, from, length);
            count += Math.max(0, read);
            return read;
        }

        InputStream unpacked(InputStream content) {
            return new FilterInputStream(content) {
                @Override
                public int read() throws IOException {
                    int read = super.read();
                    count = 0;
                    return read;
                }

                @Override
                public int read(byte[] target, int from, int length) throws IOException {
                    int read = super.read(target, from, length);
                    count = 0;
                    return read;
                }
            };
        }
    }

    private static InputStream decoded(String coding, BufferedSource body) throws IOException {
        InputStream encoded = new Form(body.inputStream(), true);
        if (!body.request(2)) {
            return encoded;
        }
        int first = body.getBuffer().getByte(0) & 0xff;
        int both = (first << 8) | (body.getBuffer().getByte(1) & 0xff);
        if (both == 0x1f8b) {
            return new Form(new GzipMembers(ending(encoded), true, PART), true);
        }
        boolean isZlib = (first & 15) == 8 && both % 31 == 0;
        boolean isDeflate =
                coding.equals(DEFLATE) && (isZlib || isDeflate(body.peek().inputStream()));
        return isDeflate ? new Form(inflater(encoded, isZlib), true) : encoded;
    }

    private static InputStream brotli(BufferedSource body, BodyMemory.Body room) throws IOException {
        InputStream encoded = new Form(body.inputStream(), true);
        if (!body.request(1) || isText(body)) {
            return encoded;
        }
        try {
            OptionalLibrary.require("org.brotli.dec.BrotliInputStream", "org.brotli:dec");
        } catch (NoClassDefFoundError e) {
            throw new WrongCodingException("encoded as br; " + e.getMessage());
        }
        // When the window grows, the one before is there until it is copied.
        room.decode(BROTLI_TABLES + (3L << (brotliWindow(body.getBuffer().getByte(0)) - 1)));
        return new Form(
                new FilterInputStream(encoded) {
                    private @Nullable InputStream decoder;

                    @Override
                    public int read(byte[] target, int from, int length) throws IOException {
                        try {
                            decoder = decoder == null ? new BrotliInputStream(in) : decoder;
                            return decoder.read(target, from, length);
                        } catch (IOException | RuntimeException e) {
                            throw failure(e);
                        }
                    }
                },
                true);
    }

    /** Returns the failure of a body that has made its decoder fail; otherwise that of the decoder. */
    private static IOException failure(Exception ofDecoder) {
        Throwable cause = ofDecoder.getCause();
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof IOException own) {
                return own;
            }
        }
        return wrong(cause == null ? ofDecoder : cause);
    }

    private static boolean isText(BufferedSource body) throws IOException {
        // In br, this sets a bit that has to be 0.
        boolean isMarkup = body.getBuffer().getByte(0) == '<';
        for (int i = 0; i < TEXT && !isMarkup; i++) {
            int next = body.request(i + 1) ? body.getBuffer().getByte(i) : -1;
            if (next != '\t' && next != '\r' && next != '\n' && (next < ' ' || next > '~')) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many bits of window the first byte of a body in br names: RFC 7932, section 9.1. */
    private static int brotliWindow(int first) {
        int large = first >> 1 & 7;
        int small = first >> 4 & 7;
        return (first & 1) == 0 ? 16 : large > 0 ? 17 + large : small > 0 ? 8 + small : 17;
    }

    /** Returns a body whose early end is that of a file, which does not matter after the last member of gzip. */
    private static InputStream ending(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                try {
                    return in.read(target, from, length);
                } catch (ProtocolException e) {
                    throw END.equals(e.getMessage()) ? new EOFException(END) : e;
                }
            }
        };
    }

    private static boolean isDeflate(InputStream body) throws IOException {
        try (InputStream start = inflater(body, false)) {
            start.read();
            return true;
        } catch (EOFException | ZipException e) {
            return false;
        }
    }

    private static InputStream inflater(InputStream body, boolean isZlib) {
        return new InflaterInputStream(body, new Inflater(!isZlib)) {
            @Override
            public void close() throws IOException {
                inf.end();
                super.close();
            }
        };
    }
}
