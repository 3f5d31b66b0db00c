package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sieve.CapacityEvent;
import dev.sieve.OnFull;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a journal, and the buffer in which they are made. Those of a URL have the fields of {@link
 * dev.sieve.output.JsonlSink} that a report needs, without those that are null, 0 or false, or a key that is the URL; with
 * {@code at}, the time in epoch milliseconds, instead of {@code fetched_at}; and before all others, {@code to}: the 8-byte
 * hashes of the keys to which the page links or the URL redirects, in Base64. The others have a field {@code kind}:
 *
 * <pre>
 *   {"kind":"run","at":1767225600000}                               the start of a run
 *   {"kind":"sample","at":...,"ms":1000,"pages":12,...}             the fields of a {@link Sample}
 *   {"kind":"capacity","at":...,"threshold":0.8,...}                the fields of a {@link CapacityEvent}
 *   {"kind":"skip","rule":"nofollow","detail":null,"url":"https://example.org/x","referrer":...}
 * </pre>
 *
 * Lines of any other kind are written by a later version, and ignored. Not safe for use by many threads.
 */
final class JournalFormat {
    private static final String TO = "{\"to\":\"";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final JsonGenerator json;

    JournalFormat() {
        try {
            json = JsonLine.FACTORY.createGenerator(bytes);
            json.setHighestNonEscapedChar(0x7e).setRootValueSeparator(null);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
    }

    private interface Fields {
        void write() throws IOException;
    }

    private byte[] line(String kind, Fields fields) {
        return line(() -> {
            json.writeStringField("kind", kind);
            fields.write();
        });
    }

    private byte[] line(Fields fields) {
        try {
            json.writeStartObject();
            fields.write();
            json.writeEndObject();
            json.flush();
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
        byte[] line = bytes.toByteArray();
        bytes.reset();
        return line;
    }

    /** Returns the line of a URL that was requested. */
    byte[] page(Entry entry, List<String> links) {
        return line(() -> {
            if (!targets(entry, links).isEmpty()) {
                json.writeBinaryField("to", hashes(targets(entry, links)));
            }
            json.writeStringField("url", entry.url());
            text("key", entry.key().equals(entry.url()) ? null : entry.key());
            number("depth", entry.depth());
            text("referrer", entry.referrer());
            number("status", entry.status());
            text("type", entry.type());
            number("bytes", entry.bytes());
            number("ms", entry.millis());
            number("waited_ms", entry.waitedMillis());
            number("at", entry.at());
            text("redirect_to", entry.redirectTo());
            text("title", entry.title());
            text("error", entry.error());
            flag("cut", entry.isCut());
            flag("check", entry.isCheck());
            flag("accepted", entry.isAccepted());
        });
    }

    /**
     * Returns a line that only has the URL and the hashes, which the search for the pages that link to broken URLs
     * requires; null when there are no links.
     */
    static byte @Nullable [] links(Entry entry, List<String> links) {
        List<String> targets = targets(entry, links);
        if (targets.isEmpty()) {
            return null;
        }
        // Without the generator, which takes longer than all the rest of a record.
        byte[] to = Base64.getEncoder().encode(hashes(targets));
        byte[] url = JsonStringEncoder.getInstance().quoteAsUTF8(entry.url());
        ByteArrayOutputStream line = new ByteArrayOutputStream(TO.length() + to.length + url.length + 20);
        line.writeBytes(TO.getBytes(UTF_8));
        line.writeBytes(to);
        line.writeBytes("\",\"url\":\"".getBytes(UTF_8));
        line.writeBytes(url);
        line.writeBytes("\"}".getBytes(UTF_8));
        return line.toByteArray();
    }

    private static List<String> targets(Entry entry, List<String> links) {
        return entry.redirectTo() == null ? links : List.of(entry.redirectTo());
    }

    private void text(String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }

    private void number(String name, long value) throws IOException {
        if (value != 0) {
            json.writeNumberField(name, value);
        }
    }

    private void flag(String name, boolean value) throws IOException {
        if (value) {
            json.writeBooleanField(name, true);
        }
    }

    byte[] run(long at) {
        return line("run", () -> json.writeNumberField("at", at));
    }

    byte[] sample(Sample sample) {
        return line("sample", () -> {
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
            counts("refusals", sample.refusals());
            counts("skipped", sample.skipped());
            text("filter", sample.filter() == null ? null : sample.filter().name());
            json.writeNumberField("size", sample.size());
            json.writeNumberField("capacity", sample.capacity());
            json.writeNumberField("rate", sample.rate());
            json.writeNumberField("missed", sample.missed());
            json.writeNumberField("memory", sample.memory());
        });
    }

    private void counts(String name, Map<String, Long> counts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, Long> each : counts.entrySet()) {
            json.writeNumberField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    byte[] capacity(CapacityEvent event, long at) {
        return line("capacity", () -> {
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

    byte[] skip(String rule, String url, @Nullable String detail, @Nullable String referrer) {
        return line("skip", () -> {
            json.writeStringField("rule", rule);
            json.writeStringField("detail", detail);
            json.writeStringField("url", url);
            json.writeStringField("referrer", referrer);
        });
    }

    private static byte[] hashes(List<String> urls) {
        int number = Math.min(Bounds.LINKS, urls.size());
        ByteBuffer hashes = ByteBuffer.allocate(number * Long.BYTES);
        for (int i = 0; i < number; i++) {
            hashes.putLong(Entry.hash(Entry.key(urls.get(i))));
        }
        return hashes.array();
    }

    /** Returns the hashes of the keys to which the URL of a line leads; none if it is the line of anything else. */
    static LongBuffer hashes(String line) throws IOException {
        // Not parsed, since that would take most of the time.
        int end = line.startsWith(TO) ? line.indexOf('"', TO.length()) : -1;
        try {
            byte[] hashes = end < 0 ? new byte[0] : Base64.getDecoder().decode(line.substring(TO.length(), end));
            return ByteBuffer.wrap(hashes).asLongBuffer();
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
