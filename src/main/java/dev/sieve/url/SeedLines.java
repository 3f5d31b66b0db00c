package dev.sieve.url;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.Reader;
import java.nio.charset.Charset;

/** The lines of a text of any length and any content, in memory that does not grow with either. */
final class SeedLines {
    /** The most characters of a line that are kept: more than a URL may have, and some blanks. */
    static final int MAX_CHARS = 2 * UrlBuffer.MAX_LENGTH;

    private final InputStream in;
    private final StringBuilder line = new StringBuilder();
    private final char[] chars = new char[8192];
    private int position;
    private int limit;
    private Reader reader;
    private long number;
    private boolean cut;
    private boolean afterReturn;

    SeedLines(InputStream in) {
        this.in = in;
    }

    /** The next line, less its end and less what is beyond {@link #MAX_CHARS}; null after the last one. */
    String next() throws IOException {
        if (reader == null) {
            reader = open(in);
        }
        line.setLength(0);
        cut = false;
        int c = read();
        if (c == '\n' && afterReturn) {
            c = read();
        }
        afterReturn = false;
        if (c < 0) {
            return null;
        }
        for (; c >= 0 && c != '\n' && c != '\r'; c = read()) {
            cut = line.length() == MAX_CHARS;
            if (!cut) {
                line.append((char) c);
            }
        }
        afterReturn = c == '\r';
        number++;
        return line.toString();
    }

    /** The number of the line that was read last, from 1; 0 before the first. */
    long number() {
        return number;
    }

    /** Whether the line that was read last was longer than what is kept of it. */
    boolean isCut() {
        return cut;
    }

    private int read() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(0, reader.read(chars));
        }
        return position < limit ? chars[position++] : -1;
    }

    private static Reader open(InputStream in) throws IOException {
        PushbackInputStream start = new PushbackInputStream(in, 3);
        byte[] mark = new byte[3];
        int length = start.readNBytes(mark, 0, 3);
        Charset charset = UTF_8;
        int markLength = 0;
        if (length == 3 && mark[0] == (byte) 0xEF && mark[1] == (byte) 0xBB && mark[2] == (byte) 0xBF) {
            markLength = 3;
        } else if (length >= 2 && mark[0] == (byte) 0xFE && mark[1] == (byte) 0xFF) {
            charset = UTF_16BE;
            markLength = 2;
        } else if (length >= 2 && mark[0] == (byte) 0xFF && mark[1] == (byte) 0xFE) {
            charset = UTF_16LE;
            markLength = 2;
        }
        start.unread(mark, markLength, length - markLength);
        return new InputStreamReader(start, charset);
    }
}
