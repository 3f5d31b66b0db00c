package dev.sieve.output;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes each visit as one line of JSON, with these fields in this order: {@code url, key, depth, referrer, status,
 * type, bytes, ms, waited_ms, fetched_at, redirect_to, title, links, error}, then {@code "cut": true} when only the
 * beginning of the body was read, and {@code "check": true} when a URL that is out of scope was only checked, and {@code
 * "accepted": true} when the options accept its status, and {@code wall} when a {@link dev.sieve.fetch.BotWall} has responded
 * in place of the site, and {@code rendered}, an object, when a browser has rendered it. A page that is compared with others (see {@link Likeness}) also has those
 * of {@code digest, text_digest, description, canonical, duplicate_of, sketch} that apply. In a job with rounds, {@code change, same_text, last_visit,
 * last_status, last_change, visits} follow (see {@link History}), where {@code same_text} is true when only the markup has
 * changed. {@code signals} and, if it is kept, {@code meta} follow, which are objects. If the text of pages is kept, {@code text} is the last field, after {@code "text_cut": true} when only its beginning is
 * kept. What does not apply is null; {@code links} is the number of distinct links.
 */
public final class JsonlSink extends LineSink {
    /** Creates a sink that flushes and closes {@code out} with itself; see {@link OutputFile}. */
    public JsonlSink(Writer out) {
        super(out);
    }

    @Override
    public boolean comparesPages() {
        return true;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        String delimiter = "{";
        for (VisitField field : VisitField.values()) {
            Object value = field.of(visit);
            if (value != null || field.compareTo(VisitField.CUT) < 0) {
                raw(delimiter).raw("\"").raw(field.text()).raw("\": ");
                value(value);
                delimiter = ", ";
            }
        }
        raw("}").end();
    }

    static String json(Object value) throws IOException {
        StringWriter out = new StringWriter();
        JsonlSink sink = new JsonlSink(out);
        sink.value(value);
        sink.end();
        return out.toString().stripTrailing();
    }

    private void value(@Nullable Object value) throws IOException {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            raw(String.valueOf(value));
        } else if (value instanceof Map<?, ?> map) {
            String delimiter = "{";
            for (Map.Entry<?, ?> each : map.entrySet()) {
                raw(delimiter);
                value(each.getKey());
                raw(": ");
                value(each.getValue());
                delimiter = ", ";
            }
            raw("}");
        } else if (value instanceof List<?> list) {
            String delimiter = "[";
            for (Object each : list) {
                raw(delimiter);
                value(each);
                delimiter = ", ";
            }
            raw("]");
        } else {
            raw("\"");
            escapedParts(value instanceof Instant time ? text(time) : value.toString());
            raw("\"");
        }
    }

    /** Returns what {@link Instant#toString} returns, which takes much longer than a line without a time. */
    static String text(Instant time) {
        LocalDateTime utc = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
        return utc + (utc.getSecond() == 0 && utc.getNano() == 0 ? ":00Z" : "Z");
    }
}
