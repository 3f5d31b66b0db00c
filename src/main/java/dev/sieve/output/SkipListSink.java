package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;

/**
 * Writes each URL that was found and not asked for as one line: the URL, the reason, the page on which it was found,
 * with a tab between them.
 *
 * <p>The reason is the one by which such URLs are counted and, after a colon, the very rule. The page is empty for a seed.
 * Control characters, and what would turn the direction of writing, are written as JSON does, and so is a backslash.
 */
public final class SkipListSink implements PageSink {
    private final Writer out;
    private final boolean flushes;
    private final StringBuilder line = new StringBuilder(256);

    /**
     * A sink that writes to {@code out} and closes it in the end.
     *
     * @param flushes whether each line is handed on at once: needed where it must not be lost when the process dies
     */
    public SkipListSink(Writer out, boolean flushes) {
        this.out = out;
        this.flushes = flushes;
    }

    @Override
    public void accept(Visit visit) {
        // Was asked for.
    }

    @Override
    public void skipped(Skip skip) throws IOException {
        line.setLength(0);
        Escapes.append(line, skip.url());
        line.append('\t').append(skip.reason().rule());
        if (!skip.reason().detail().isEmpty()) {
            line.append(": ");
            Escapes.append(line, skip.reason().detail());
        }
        line.append('\t');
        if (skip.referrer() != null) {
            Escapes.append(line, skip.referrer());
        }
        line.append('\n');
        out.append(line);
        if (flushes) {
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
