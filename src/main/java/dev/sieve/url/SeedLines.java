package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;

/** The lines of a text of any length and content, in UTF-8 or marked UTF-16, read in bounded memory. */
final class SeedLines {
    /** The longest line that is returned complete: more than a URL may have, and some blanks. */
    static final int MAX_CHARS = 2 * UrlBuffer.MAX_LENGTH;

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final BufferedReader reader;
    private boolean afterReturn;

    SeedLines(InputStream in) throws IOException {
        PushbackInputStream start = new PushbackInputStream(in, 2);
        byte[] mark = start.readNBytes(2);
        start.unread(mark);
        boolean isUtf16 = new String(mark, ISO_8859_1).matches("\u00FE\u00FF|\u00FF\u00FE");
        reader = new BufferedReader(new InputStreamReader(start, isUtf16 ? UTF_16 : UTF_8));
        reader.mark(1);
        if (reader.read() != BYTE_ORDER_MARK) {
            reader.reset();
        }
    }

    /** Returns the next line, of a longer one the first {@link #MAX_CHARS} + 1 characters; null after the last line. */
    String next() throws IOException {
        int c = reader.read();
        if (c == '\n' && afterReturn) {
            c = reader.read();
        }
        if (c < 0) {
            return null;
        }
        StringBuilder line = new StringBuilder();
        for (; c >= 0 && c != '\n' && c != '\r'; c = reader.read()) {
            if (line.length() <= MAX_CHARS) {
                line.append((char) c);
            }
        }
        afterReturn = c == '\r';
        return line.toString();
    }
}
