package dev.sieve.serve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import dev.sieve.Lease;
import dev.sieve.OptionalLibrary;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.HashMap;
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
        OptionalLibrary.require("com.fasterxml.jackson.core.JsonFactory", "com.fasterxml.jackson.core:jackson-core");
    }

    /** Label of records of URLs that were never seen before and are to be fetched. */
    static final int DISCOVERED = 0;

    /** Label of records of URLs that were never seen before and are known to the client. */
    static final int KNOWN = 1;

    /** Label of records that replace an earlier one of their URL. */
    static final int AGAIN = 2;

    static final JsonFactory JSON = new JsonFactory();

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

    /** Returns the name of the queue of a URL. */
    String queueOf(String url) {
        return queue == null ? UrlKeys.host(url) : queue;
    }

    /** Returns the JSON; null when everything is the default. */
    @Nullable
    String text() {
        if (equals(NONE)) {
            return null;
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            if (queue != null) {
                json.writeStringField("queue", queue);
            }
            if (generation > 0) {
                json.writeNumberField("generation", generation);
            }
            if (refetch != 0) {
                json.writeNumberField("refetch", refetch);
            }
            if (!metadata.isEmpty()) {
                writeMetadata(json);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not from a writer in memory
        }
        return text.toString();
    }

    private void writeMetadata(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("metadata");
        for (Map.Entry<String, StringList> entry : metadata.entrySet()) {
            json.writeArrayFieldStart(entry.getKey());
            for (String value : entry.getValue().getValuesList()) {
                json.writeString(value);
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    /** Returns what a text describes; null is the default. Throws unless it was written by {@link #text}. */
    static RecordInfo parse(@Nullable String text) throws IOException {
        if (text == null) {
            return NONE;
        }
        String queue = null;
        long generation = 0;
        long refetch = 0;
        Map<String, StringList> metadata = Map.of();
        try (JsonParser json = JSON.createParser(text)) {
            require(json.nextToken() == JsonToken.START_OBJECT, text);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "queue" -> queue = json.getText();
                    case "generation" -> generation = json.getLongValue();
                    case "refetch" -> refetch = json.getLongValue();
                    case "metadata" -> metadata = metadata(json, text);
                    default -> json.skipChildren();
                }
            }
            require(generation >= 0 && generation <= Integer.MAX_VALUE, text);
        }
        return new RecordInfo(queue, (int) generation, refetch, metadata);
    }

    private static Map<String, StringList> metadata(JsonParser json, String text) throws IOException {
        require(json.currentToken() == JsonToken.START_OBJECT, text);
        Map<String, StringList> metadata = new HashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            require(json.nextToken() == JsonToken.START_ARRAY, text);
            StringList.Builder values = StringList.newBuilder();
            while (json.nextToken() == JsonToken.VALUE_STRING) {
                values.addValues(json.getText());
            }
            metadata.put(key, values.build());
        }
        return metadata;
    }

    private static void require(boolean condition, String text) throws IOException {
        if (!condition) {
            throw new IOException("not the description of a URL: " + text.substring(0, Math.min(200, text.length())));
        }
    }
}
