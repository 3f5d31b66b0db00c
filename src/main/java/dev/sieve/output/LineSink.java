package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;
import java.util.HexFormat;

/** Writes lines of text without characters that end a line or change the direction of writing. */
public abstract class LineSink implements PageSink {
    /** A longer line is written in parts, so that memory does not grow with it. */
    private static final int MAX_PART = 1 << 16;

    private final Writer out;
    private final StringBuilder line = new StringBuilder(512);
    private boolean hasBegun;
    private String before = "";
    private long lines;

    LineSink(Writer out) {
        this.out = out;
    }

    /** Writes a text before each line. */
    final LineSink before(String text) {
        before = text;
        return this;
    }

    /** Appends a text to the line as it is. */
    final LineSink raw(String text) {
        line.append(text);
        return this;
    }

    /**
     * Appends a text to the line, with the escapes of a JSON string, RFC 8259 section 7; those of quotation marks, and
     * the short form of line feeds, which no reader of tables expects, only if it quotes.
     */
    final LineSink escaped(String text, boolean quotes) {
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isMark = c == '\\' || (quotes && c == '"');
            if (isMark || !isPlain(c)) {
                line.append(text, from, i).append('\\');
                if (isMark) {
                    line.append(c);
                } else if (quotes && c == '\n') {
                    line.append('n');
                } else {
                    line.append('u').append(HexFormat.of().toHexDigits(c));
                }
                from = i + 1;
            }
        }
        line.append(text, from, text.length());
        return this;
    }

    /** Letters of any script stay readable; controls, surrogates and marks of direction are escaped. */
    private static boolean isPlain(char c) {
        return c < 0x7f ? c >= ' ' : Character.isLetterOrDigit(c);
    }

    /** Does as {@link #escaped} with quotation marks, for a text of any length. */
    final void escapedParts(String text) throws IOException {
        for (int from = 0; from < text.length(); from += MAX_PART) {
            escaped(text.substring(from, Math.min(text.length(), from + MAX_PART)), true);
            if (line.length() >= MAX_PART) {
                writePart();
            }
        }
    }

    private void writePart() throws IOException {
        out.append(hasBegun ? "" : before).append(line);
        line.setLength(0);
        hasBegun = true;
    }

    final void end() throws IOException {
        line.append('\n');
        writePart();
        hasBegun = false;
        lines++;
    }

    /** Returns the number of lines that were written. */
    public final long lines() {
        return lines;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
