package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import org.jspecify.annotations.Nullable;

/**
 * Encodes queries in the charset of their page, as the WHATWG URL standard requires ("percent-encode after encoding",
 * section 1.3). The tables are those of Java, which differ from the standard in a few rare characters.
 */
final class QueryEncoder {
    /** Bytes for a character that the charset lacks: up to seven digits between {@code %26%23} and {@code %3B}. */
    private static final int MAX_BYTES_OF_REFERENCE = 16;

    private final CharsetEncoder encoder;

    private QueryEncoder(Charset charset) {
        encoder = charset.newEncoder();
    }

    /** Returns the encoder for a charset; null for UTF-8, and for one that cannot encode, such as UTF-16, which the standard replaces by UTF-8. */
    static @Nullable QueryEncoder of(Charset charset) {
        boolean isUtf8 = charset.equals(UTF_8) || !charset.canEncode();
        return isUtf8 ? null : new QueryEncoder(charset);
    }

    /** Returns the bytes of a query, one per character; for a character that the charset lacks, an escaped reference. */
    String encode(String query) {
        CharBuffer in = CharBuffer.wrap(query);
        int most = Math.max(MAX_BYTES_OF_REFERENCE, (int) encoder.maxBytesPerChar()) + 1;
        ByteBuffer out = ByteBuffer.allocate(most * (query.length() + 1));
        CoderResult result;
        do {
            result = encoder.reset().encode(in, out, true);
            // Returns to ASCII in a charset with states.
            encoder.flush(out);
            if (result.isError()) {
                int codePoint = result.isMalformed() ? 0xFFFD : Character.codePointAt(in, 0);
                out.put(("%26%23" + codePoint + "%3B").getBytes(ISO_8859_1));
                in.position(in.position() + result.length());
            }
        } while (result.isError());
        return new String(out.array(), 0, out.position(), ISO_8859_1);
    }
}
