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
 * Writes each visit as one line of JSON, with the fields of {@link VisitField} in their order, which {@code
 * docs/outputs.md} describes. A field that does not apply is null if it is in front of {@code cut}, and otherwise left
 * out.
 */
public final class JsonlSink extends LineSink {
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
