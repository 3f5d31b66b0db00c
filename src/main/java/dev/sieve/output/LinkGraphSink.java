package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;

/**
 * Writes each link as one line: source, target and {@linkplain Link#fate fate}, separated by tabs, without a header.
 * Control characters, marks of direction and backslashes are escaped as in JSON.
 */
public final class LinkGraphSink extends LineSink {
    public LinkGraphSink(Writer out) {
        super(out);
    }

    @Override
    public void accept(Visit visit) {
        // Only links are written.
    }

    @Override
    public boolean takesLinks() {
        return true;
    }

    @Override
    public void linked(Link link) throws IOException {
        escaped(link.source(), false).raw("\t").escaped(link.target(), false);
        raw("\t").raw(link.fate()).end();
    }
}
