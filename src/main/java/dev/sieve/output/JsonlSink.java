package dev.sieve.output;

import dev.sieve.fetch.FetchResult;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes each visit as one line of JSON, with these fields in this order: {@code url, key, depth, referrer, status,
 * type, bytes, ms, fetched_at, redirect_to, title, links, error}, and {@code "cut": true} at the end when only the
 * beginning of the body was read. What does not apply is null; {@code links} is the number of distinct links.
 */
public final class JsonlSink implements PageSink {
    private final Writer out;
    private final boolean flushes;
    private final StringBuilder line = new StringBuilder(512);

    /**
     * A sink that writes to {@code out} and closes it in the end.
     *
     * @param flushes whether each line is handed on at once: needed where the visit must not be lost when the process
     *     dies, since the URL is done, and not visited again, once its line is written
     */
    public JsonlSink(Writer out, boolean flushes) {
        this.out = out;
        this.flushes = flushes;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        FetchResult.Page page = visit.page();
        FetchResult result = visit.result();
        line.setLength(0);
        line.append('{');
        field("url", visit.url());
        field("key", visit.key());
        field("depth", visit.depth());
        field("referrer", visit.referrer());
        field("status", result.status() == 0 ? null : result.status());
        field("type", page == null || page.type().isEmpty() ? null : page.type());
        field("bytes", page == null ? null : page.length());
        field("ms", visit.took().toMillis());
        field("fetched_at", visit.fetchedAt().toString());
        field("redirect_to", result instanceof FetchResult.Redirect redirect ? redirect.target() : null);
        field("title", visit.title().isEmpty() ? null : visit.title());
        field("links", page == null || !page.isHtml() ? null : visit.links().size());
        field("error", result.error().isEmpty() ? null : error(result));
        if (page != null && page.isCut()) {
            field("cut", true);
        }
        line.append("}\n");
        out.append(line);
        if (flushes) {
            out.flush();
        }
    }

    private static String error(FetchResult result) {
        return result instanceof FetchResult.Failed failed ? failed.error() + ": " + failed.detail() : result.error();
    }

    private void field(String name, Object value) {
        if (line.length() > 1) {
            line.append(", ");
        }
        line.append('"').append(name).append("\": ");
        if (value instanceof String text) {
            quote(text);
        } else {
            line.append(value);
        }
    }

    /** A JSON string, RFC 8259 section 7. */
    private void quote(String text) {
        line.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else {
                Escapes.append(line, c);
            }
        }
        line.append('"');
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
