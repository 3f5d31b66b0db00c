package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;

/** Writes the URL of each page that was fetched with a status from 200 to 299, one a line. */
public final class UrlListSink implements PageSink {
    private final Writer out;
    private final boolean flushes;

    /**
     * A sink that writes to {@code out} and closes it in the end.
     *
     * @param flushes whether each line is handed on at once: needed where the visit must not be lost when the process
     *     dies, since the URL is done, and not visited again, once its line is written
     */
    public UrlListSink(Writer out, boolean flushes) {
        this.out = out;
        this.flushes = flushes;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        if (visit.isSuccess()) {
            out.append(visit.url()).append('\n');
            if (flushes) {
                out.flush();
            }
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
