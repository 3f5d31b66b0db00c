package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sieve.CapacityEvent;
import dev.sieve.output.Change;
import dev.sieve.output.Likeness;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a journal, and the buffer in which they are made. Those of a URL have the fields of {@link
 * dev.sieve.output.JsonlSink} that a report needs, without those that are null, 0 or false, or a key that is the URL; with
 * {@code at}, the time in epoch milliseconds, instead of {@code fetched_at}; and before all others, {@code to}: the 8-byte
 * hashes of the keys to which the page links or the URL redirects, in Base64. Each other line is a {@link Note}:
 *
 * <pre>
 *   {"run":{"at":1767225600000,"command":"sieve ..."}}              the start of a run
 *   {"sample":{"at":...,"counts":{"sums":{"pages":12,...}...}...}}  a {@link Sample}
 *   {"capacity":{"at":...,"event":{"threshold":0.8,...}}}           a {@link CapacityEvent}
 *   {"skip":{"rule":"nofollow","url":"https://example.org/x",...}}  a URL that was skipped
 * </pre>
 *
 * A new component of one of these records is stored without further code, and is null or 0 in earlier lines. Lines of any
 * other kind are written by a later version, and ignored. Not safe for use by many threads.
 */
final class JournalFormat {
    private static final String TO = "{\"to\":\"";
    private static final String URL = "{\"url\":\"";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final JsonGenerator json;

    JournalFormat() {
        try {
            json = JsonLine.FACTORY.createGenerator(bytes);
            json.setRootValueSeparator(null);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
    }

    /** A line that is not that of a URL; all but one are null. */
    private record Note(
            @Nullable Run run,
            @Nullable Sample sample,
            @Nullable Capacity capacity,
            @Nullable Skip skip) {}

    private record Run(long at, @Nullable String command) {}

    private record Capacity(long at, CapacityEvent event) {
        Capacity {
            Objects.requireNonNull(event);
        }
    }

    private record Skip(
            String rule,
            String url,
            @Nullable String detail,
            @Nullable String referrer) {
        Skip {
            Objects.requireNonNull(rule);
            Objects.requireNonNull(url);
        }
    }

    /** Returns the line of a URL that was requested. */
    byte[] page(Entry entry, List<String> links) {
        try {
            json.writeStartObject();
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
            Change change = entry.change();
            text("change", change == null ? null : change.text());
            text("text", entry.hasSameText() ? "same" : null);
            Likeness likeness = entry.likeness();
            if (likeness != null) {
                text("description", likeness.description().isEmpty() ? null : likeness.description());
                text("canonical", likeness.canonical());
                text("duplicate_of", likeness.duplicateOf());
                text("sketch", likeness.sketch());
            }
            number("last_status", Math.max(0, entry.lastStatus()));
            json.writeEndObject();
            json.flush();
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
        byte[] line = bytes.toByteArray();
        bytes.reset();
        return line;
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

    static byte[] run(long at, @Nullable String command) {
        return line(new Note(new Run(at, command), null, null, null));
    }

    static byte[] sample(Sample sample) {
        return line(new Note(null, sample, null, null));
    }

    static byte[] capacity(CapacityEvent event, long at) {
        return line(new Note(null, null, new Capacity(at, event), null));
    }

    static byte[] skip(String rule, String url, @Nullable String detail, @Nullable String referrer) {
        return line(new Note(null, null, null, new Skip(rule, url, detail, referrer)));
    }

    private static byte[] line(Note note) {
        try {
            return JsonLine.RECORDS.asBytes(note);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
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
     * Returns the entry in a line; null when it is not that of a URL.
     *
     * @throws IOException when it is not a line of a journal
     */
    static @Nullable Entry entry(String json) throws IOException {
        return json.startsWith(TO) || json.startsWith(URL) ? Entry.of(JsonLine.parse(json)) : null;
    }

    /**
     * Adds what a line contains.
     *
     * @throws IOException when it is not a line of a journal
     */
    static void read(String json, Aggregate aggregate) throws IOException {
        Entry entry = entry(json);
        if (entry != null) {
            aggregate.add(entry);
            return;
        }
        Note note = JsonLine.RECORDS.beanFrom(Note.class, json);
        if (note.run != null) {
            aggregate.run(note.run.at, note.run.command);
        } else if (note.sample != null) {
            aggregate.sample(note.sample);
        } else if (note.capacity != null) {
            aggregate.capacity(note.capacity.event, note.capacity.at);
        } else if (note.skip != null) {
            aggregate.skipExamples().add(note.skip.rule, note.skip.url, note.skip.detail, note.skip.referrer);
        }
    }
}
