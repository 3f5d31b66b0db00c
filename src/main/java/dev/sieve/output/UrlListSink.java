package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;

/** Writes the URL of each page that was fetched with a status from 200 to 299, one a line. */
public final class UrlListSink implements PageSink {
    private final Writer out;

    /** A sink that writes to {@code out} and closes it in the end. */
    public UrlListSink(Writer out) {
        this.out = out;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        if (visit.isSuccess()) {
            out.append(visit.url()).append('\n');
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
