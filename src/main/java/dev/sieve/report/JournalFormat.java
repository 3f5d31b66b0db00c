package dev.sieve.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sieve.CapacityEvent;
import dev.sieve.OnFull;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * The lines of a journal. Those of a URL are the lines of {@link dev.sieve.output.JsonlSink} with one more field: {@code
 * to}, the 8-byte hashes of the keys of the links of the page, in Base64. The others have a field {@code kind}:
 *
 * <pre>
 *   {"kind": "run", "at": 1767225600000}                                the start of a run
 *   {"kind": "sample", "at": ..., "ms": 1000, "pages": 12, ...}         the fields of a {@link Sample}
 *   {"kind": "capacity", "at": ..., "threshold": 0.8, ...}              the fields of a {@link CapacityEvent}
 *   {"kind": "skip", "rule": "nofollow", "detail": null, "url": "https://example.org/x", "referrer": ...}
 * </pre>
 *
 * Lines of any other kind are written by a later version, and ignored.
 */
final class JournalFormat {
    /** How the field with the hashes begins. */
    static final String TO = ", \"to\": \"";

    private static final JsonFactory FACTORY = new JsonFactory();

    private JournalFormat() {}

    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private static String line(String kind, Fields fields) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("kind", kind);
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
        return text.toString();
    }

    static String run(long at) {
        return line("run", json -> json.writeNumberField("at", at));
    }

    static String sample(Sample sample) {
        return line("sample", json -> {
            json.writeNumberField("at", sample.at());
            json.writeNumberField("ms", sample.millis());
            json.writeStringField("ending", sample.ending());
            json.writeNumberField("before", sample.before());
            json.writeNumberField("new", sample.isNew());
            json.writeNumberField("seen", sample.seen());
            json.writeNumberField("found", sample.found());
            json.writeNumberField("pages", sample.pages());
            json.writeNumberField("checked", sample.checked());
            json.writeNumberField("redirects", sample.redirects());
            json.writeNumberField("failed", sample.failed());
            json.writeNumberField("sitemaps", sample.sitemaps());
            json.writeNumberField("left", sample.left());
            json.writeNumberField("unfinished", sample.unfinished());
            json.writeNumberField("retried", sample.retried());
            json.writeNumberField("bytes", sample.bytes());
            counts(json, "refusals", sample.refusals());
            counts(json, "skipped", sample.skipped());
            json.writeNumberField("size", sample.size());
            json.writeNumberField("capacity", sample.capacity());
            json.writeNumberField("rate", sample.rate());
            json.writeNumberField("missed", sample.missed());
            json.writeNumberField("memory", sample.memory());
        });
    }

    private static void counts(JsonGenerator json, String name, Map<String, Long> counts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, Long> each : counts.entrySet()) {
            json.writeNumberField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    static String capacity(CapacityEvent event, long at) {
        return line("capacity", json -> {
            json.writeNumberField("at", at);
            json.writeNumberField("threshold", event.threshold());
            json.writeNumberField("size", event.estimatedSize());
            json.writeNumberField("capacity", event.capacity());
            json.writeNumberField("rate", event.falsePositiveRate());
            json.writeNumberField("missed", event.estimatedMissed());
            json.writeNumberField("memory", event.memoryBytes());
            json.writeStringField("on_full", event.onFull().name());
        });
    }

    static String skip(String rule, String url, String detail, String referrer) {
        return line("skip", json -> {
            json.writeStringField("rule", rule);
            json.writeStringField("detail", detail);
            json.writeStringField("url", url);
            json.writeStringField("referrer", referrer);
        });
    }

    /** Returns the hashes of the keys of links as one text. */
    static String hashes(List<String> links) {
        int number = Math.min(Bounds.LINKS, links.size());
        ByteBuffer bytes = ByteBuffer.allocate(number * Long.BYTES);
        for (int i = 0; i < number; i++) {
            bytes.putLong(Entry.hash(Entry.key(links.get(i))));
        }
        return Base64.getEncoder().encodeToString(bytes.array());
    }

    /** Returns the hashes of the keys of the links of a page, given as a line. */
    static long[] hashes(String json) throws IOException {
        // Not parsed, since that would take most of the time. A quotation mark in a text is escaped, so this is the
        // field.
        int start = json.lastIndexOf(TO) + TO.length();
        int end = json.indexOf('"', start);
        if (start < TO.length() || end < 0) {
            return new long[0];
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(json.substring(start, end));
            long[] hashes = new long[bytes.length / Long.BYTES];
            ByteBuffer.wrap(bytes).asLongBuffer().get(hashes);
            return hashes;
        } catch (IllegalArgumentException e) {
            throw new IOException("field 'to' is not Base64", e);
        }
    }

    /**
     * Adds what a line contains.
     *
     * @throws IOException when it is not a line of a journal, nor one of a JSONL file
     */
    static void read(JsonLine line, Aggregate aggregate) throws IOException {
        String kind = line.text("kind");
        long at = line.number("at");
        if (kind == null) {
            aggregate.add(Entry.of(line));
        } else if (kind.equals("run")) {
            aggregate.run(at);
        } else if (kind.equals("sample")) {
            aggregate.sample(Sample.of(line));
        } else if (kind.equals("capacity")) {
            aggregate.capacity(event(line), at);
        } else if (kind.equals("skip") && line.text("rule") != null && line.text("url") != null) {
            aggregate
                    .skipExamples()
                    .add(line.text("rule"), line.text("url"), line.text("detail"), line.text("referrer"));
        }
    }

    private static CapacityEvent event(JsonLine line) throws IOException {
        try {
            return new CapacityEvent(
                    line.decimal("threshold"),
                    line.number("size"),
                    line.number("capacity"),
                    line.decimal("rate"),
                    line.decimal("missed"),
                    line.number("memory"),
                    OnFull.valueOf(String.valueOf(line.text("on_full"))));
        } catch (IllegalArgumentException e) {
            throw new IOException("field 'on_full' is not valid", e);
        }
    }
}
