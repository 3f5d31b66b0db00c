package dev.sieve.output;

import dev.sieve.fetch.FetchResult;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes each visit as one line of JSON, with these fields in this order: {@code url, key, depth, referrer, status,
 * type, bytes, ms, waited_ms, fetched_at, redirect_to, title, links, error}, then {@code "cut": true} when only the
 * beginning of the body was read, and {@code "check": true} when a URL that is out of scope was only checked. What does not
 * apply is null; {@code links} is the number of distinct links.
 */
public final class JsonlSink extends LineSink {
    /** Creates a sink that flushes and closes {@code out} with itself; see {@link OutputFile}. */
    public JsonlSink(Writer out) {
        super(out);
    }

    @Override
    public void accept(Visit visit) throws IOException {
        FetchResult.Page page = visit.page();
        FetchResult result = visit.result();
        raw("{");
        value("url", visit.url());
        field("key", visit.key());
        field("depth", visit.depth());
        field("referrer", visit.referrer());
        field("status", result.status() == 0 ? null : result.status());
        field("type", page == null ? null : orNull(page.type()));
        field("bytes", page == null ? null : page.length());
        field("ms", visit.took().toMillis());
        field("waited_ms", visit.waited().toMillis());
        field("fetched_at", visit.fetchedAt().toString());
        field("redirect_to", result instanceof FetchResult.Redirect redirect ? redirect.target() : null);
        field("title", orNull(visit.title()));
        field("links", page == null || !page.isHtml() ? null : visit.links().size());
        String detail = result instanceof FetchResult.Failed failed ? ": " + failed.detail() : "";
        field("error", orNull(result.error() + detail));
        if (page != null && page.isCut()) {
            field("cut", true);
        }
        if (visit.isCheck()) {
            field("check", true);
        }
        raw("}").end();
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private void field(String name, Object value) {
        raw(", ");
        value(name, value);
    }

    private void value(String name, Object value) {
        raw("\"").raw(name).raw("\": ");
        if (value instanceof String text) {
            raw("\"").escaped(text, true).raw("\"");
        } else {
            raw(String.valueOf(value));
        }
    }
}
