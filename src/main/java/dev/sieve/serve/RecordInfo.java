package dev.sieve.serve;

import com.fasterxml.jackson.jr.ob.JSON;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import dev.sieve.Lease;
import dev.sieve.OptionalLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The data of a URL in a crawl but its text, stored as the referrer of its record: an object of JSON with only the fields
 * that differ from their defaults, and no text at all when none does.
 *
 * <pre>
 *   {"queue":"example.com","generation":1,"refetch":1800000000,"metadata":{"depth":["1"]}}
 * </pre>
 *
 * @param queue null for the host of the URL
 * @param generation of the queue, above that of each deleted queue with its name
 * @param refetch the date from which the URL may be fetched, in seconds since 1970; 0 for any time
 * @param metadata from the client
 */
record RecordInfo(@Nullable String queue, int generation, long refetch, Map<String, StringList> metadata) {
    static {
        OptionalLibrary.require("com.fasterxml.jackson.jr.ob.JSON", "com.fasterxml.jackson.jr:jackson-jr-objects");
    }

    /** Label of records of URLs that were never seen before and are to be fetched. */
    static final int DISCOVERED = 0;

    /** Label of records of URLs that were never seen before and are known to the client. */
    static final int KNOWN = 1;

    /** Label of records that replace an earlier one of their URL. */
    static final int AGAIN = 2;

    /** Metadata by which a client has a URL handed out before others of its queue: a number above 0. */
    static final String PRIORITY = "sieve.priority";

    static final RecordInfo NONE = new RecordInfo(null, 0, 0, Map.of());

    /** Parses the texts of records. Those of one frame have the same text, so it is parsed once. */
    static final class Reader {
        private @Nullable String text;
        private RecordInfo info = NONE;

        /** Returns the content of a record without its URL; throws unless its text was written by {@link RecordInfo#text}. */
        RecordInfo of(Lease record) {
            if (record.referrer() == null) {
                return NONE;
            }
            if (!record.referrer().equals(text)) {
                try {
                    info = parse(record.referrer());
                    text = record.referrer();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return info;
        }
    }

    /** Whether the URL comes before the others of its queue. */
    boolean isFirst() {
        StringList priority = metadata.get(PRIORITY);
        return priority != null
                && priority.getValuesCount() == 1
                && priority.getValues(0).matches("0*[1-9]\\d{0,17}");
    }

    String queueOf(String url) {
        return queue == null ? UrlKeys.host(url) : queue;
    }

    /** Returns the JSON; null when everything is the default. */
    @Nullable
    String text() {
        if (equals(NONE)) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        if (queue != null) {
            fields.put("queue", queue);
        }
        if (generation > 0) {
            fields.put("generation", generation);
        }
        if (refetch != 0) {
            fields.put("refetch", refetch);
        }
        if (!metadata.isEmpty()) {
            Map<String, List<String>> values = new LinkedHashMap<>();
            metadata.forEach((key, list) -> values.put(key, list.getValuesList()));
            fields.put("metadata", values);
        }
        try {
            return JSON.std.asString(fields);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not from a string
        }
    }

    /** Returns what a text describes; null is the default. Throws unless it was written by {@link #text}. */
    static RecordInfo parse(@Nullable String text) throws IOException {
        if (text == null) {
            return NONE;
        }
        try {
            Map<String, Object> fields = JSON.std.mapFrom(text);
            int generation = Math.toIntExact(number(fields, "generation"));
            if (generation < 0) {
                throw new IllegalArgumentException("negative generation");
            }
            return new RecordInfo(
                    (String) fields.get("queue"), generation, number(fields, "refetch"), metadata(fields));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "not the description of a URL: " + text.substring(0, Math.min(200, text.length())), e);
        }
    }

    private static long number(Map<String, Object> fields, String name) {
        return ((Number) fields.getOrDefault(name, 0)).longValue();
    }

    private static Map<String, StringList> metadata(Map<String, Object> fields) {
        Map<String, StringList> metadata = new HashMap<>();
        ((Map<?, ?>) fields.getOrDefault("metadata", Map.of())).forEach((key, values) -> {
            StringList.Builder list = StringList.newBuilder();
            ((List<?>) values).forEach(value -> list.addValues((String) value));
            metadata.put((String) key, list.build());
        });
        return metadata;
    }
}
