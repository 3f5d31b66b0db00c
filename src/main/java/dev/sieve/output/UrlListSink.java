package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;

/** Writes the URL of each page with a status from 200 to 299, one per line; not those that were only checked. */
public final class UrlListSink extends LineSink {
    public UrlListSink(Writer out) {
        super(out);
    }

    @Override
    public void accept(Visit visit) throws IOException {
        if (visit.isSuccess() && !visit.isCheck()) {
            raw(visit.url()).end();
        }
    }
}
