package dev.sieve.fetch;

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

/**
 * Undoes the content codings of a body (RFC 9110, section 8.4) as browsers do, since many servers label bodies wrongly.
 *
 * <p>The codings of all header fields are one list, which is undone from the last. What is not the name of a coding is
 * ignored, as by the Fetch standard. A body that is not in its coding is read as it is. The members of a gzip file
 * follow each other (RFC 1952, section 2.2); other bytes after them are ignored. A body in deflate may lack the header
 * of zlib.
 */
final class ContentCoding {
    /** The message of the client when a body is shorter than announced. */
    static final String END = "unexpected end of stream";

    /** The further codings in the registry of IANA. A body in one of them cannot be read, and no request accepts it. */
    private static final Set<String> OTHERS =
            Set.of("aes128gcm", "br", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd", "x-zstd");

    private static final Set<String> GZIP = Set.of("gzip", "x-gzip");
    private static final String DEFLATE = "deflate";
    private static final int MAX_CODINGS = 5;
    /** How much of a body is read without getting a byte of its content, such as the names in a header of gzip. */
    private static final int MAX_EMPTY = Wire.MAX_BYTES;

    /** How much of a packed body is read at a time. */
    private static final int PART = 4 << 10;

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

    private static WrongCodingException wrong(IOException e) {
        return new WrongCodingException("the body is not what its Content-Encoding says: " + e.getMessage());
    }

    /** Returns the codings of a body in the order in which they were applied. */
    static List<String> of(Response response) {
        return response.values("content-encoding").stream()
                .flatMap(each -> List.of(each.split(",")).stream())
                .map(each -> each.strip().toLowerCase(Locale.ROOT))
                .filter(each -> GZIP.contains(each) || each.equals(DEFLATE) || OTHERS.contains(each))
                .collect(Collectors.toList());
    }

    /** Returns the body of a response without its codings, or throws a {@link WrongCodingException}. */
    static InputStream decoded(Response response) throws IOException {
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
        if (codings.size() > MAX_CODINGS || !Collections.disjoint(codings, OTHERS)) {
            throw new WrongCodingException("encoded as " + Printable.of(String.join(", ", of(response))));
        }
        for (String coding : codings) {
            body = decoded(coding, source);
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
