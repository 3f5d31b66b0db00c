package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;
import java.util.HexFormat;

/** Writes lines of text without characters that end a line or change the direction of writing. */
public abstract class LineSink implements PageSink {
    private final Writer out;
    private final StringBuilder line = new StringBuilder(512);
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

    /** Appends a text to the line, with the escapes of a JSON string, RFC 8259 section 7; quotation marks if {@code quotes}. */
    final LineSink escaped(String text, boolean quotes) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' || (quotes && c == '"')) {
                line.append('\\').append(c);
            } else if (isPlain(c)) {
                line.append(c);
            } else {
                line.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        return this;
    }

    /** Letters of any script stay readable; controls, surrogates and marks of direction are escaped. */
    private static boolean isPlain(char c) {
        return c < 0x7f ? c >= ' ' : Character.isLetterOrDigit(c);
    }

    /** Writes the line. */
    final void end() throws IOException {
        out.append(before).append(line.append('\n'));
        line.setLength(0);
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
