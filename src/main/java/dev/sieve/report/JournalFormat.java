package dev.sieve.report;

import dev.sieve.CapacityEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a journal. Those of a URL have the fields of {@link dev.sieve.output.JsonlSink}, without those that are null or a
 * key that is the URL; and before them {@code to}: the 8-byte hashes of the keys to which the page links or the URL redirects, in
 * Base64. Each other line is a {@link Note}:
 *
 * <pre>
 *   {"run":{"at":1767225600000,"command":"sieve ..."}}              the start of a run
 *   {"sample":{"at":...,"counts":{"sums":{"pages":12,...}...}...}}  a {@link Sample}
 *   {"capacity":{"at":...,"event":{"threshold":0.8,...}}}           a {@link CapacityEvent}
 *   {"skip":{"rule":"nofollow","url":"https://example.org/x",...}}  a URL that was skipped
 * </pre>
 *
 * A new component of one of these records is stored without further code, and is null or 0 in earlier lines. Lines of any
 * other kind are written by a later version, and ignored.
 */
final class JournalFormat {
    private static final String TO = "{\"to\":\"";
    private static final String URL = "{\"url\":\"";

    private JournalFormat() {}

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
    static byte[] page(Entry entry, List<String> links) {
        Map<String, Object> fields = new LinkedHashMap<>();
        String redirectTo = entry.redirectTo();
        List<String> targets = redirectTo == null ? links : List.of(redirectTo);
        if (!targets.isEmpty()) {
            fields.put("to", Base64.getEncoder().encodeToString(hashes(targets)));
        }
        entry.forEach(fields::put);
        return line(fields);
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

    private static byte[] line(Object record) {
        try {
            return JsonLine.RECORDS.asBytes(record);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
    }

    /** Adds the URL of a line to the links to which it leads. */
    static void search(String json, BrokenLinks.Search search) throws IOException {
        Set<BrokenLinks.Link> found = search.find(hashes(json));
        String page = found.isEmpty() ? null : JsonLine.parse(json).text("url");
        if (page != null) {
            search.add(page, found);
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
    private static LongBuffer hashes(String line) throws IOException {
        // Not parsed, since that would take most of the time.
        int end = line.startsWith(TO) ? line.indexOf('"', TO.length()) : -1;
        try {
            byte[] hashes = end < 0 ? new byte[0] : Base64.getDecoder().decode(line.substring(TO.length(), end));
            return ByteBuffer.wrap(hashes).asLongBuffer();
        } catch (IllegalArgumentException e) {
            throw new IOException("field 'to' is not Base64", e);
        }
    }

    /** Returns the entry in a line; null when it is not that of a URL. Refuses a line that is not of a journal. */
    static @Nullable Entry entry(String json) throws IOException {
        return json.startsWith(TO) || json.startsWith(URL) ? Entry.of(JsonLine.parse(json)) : null;
    }

    /** Adds what a line contains. Refuses a line that is not of a journal. */
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
            aggregate.skipExamples.add(note.skip.rule, note.skip.url, note.skip.detail, note.skip.referrer);
        }
    }
}
