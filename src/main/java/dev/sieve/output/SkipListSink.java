package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;

/**
 * Writes each URL that was found but not requested as one line: the URL, the reason, and the page on which it was
 * found, empty for a seed, separated by tabs.
 *
 * <p>The reason is the rule by which skipped URLs are counted and, after a colon, its detail. Control characters, marks
 * of direction and backslashes are escaped as in JSON.
 */
public final class SkipListSink extends LineSink {
    public SkipListSink(Writer out) {
        super(out);
    }

    @Override
    public void accept(Visit visit) {
        // Only skipped URLs are written.
    }

    @Override
    public void skipped(Skip skip) throws IOException {
        String referrer = skip.referrer() == null ? "" : skip.referrer();
        escaped(skip.url(), false).raw("\t").escaped(skip.reason().text(), false);
        raw("\t").escaped(referrer, false).end();
    }
}
