package dev.sieve.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.sieve.OptionalLibrary;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The fields of an object of JSON. A field that is absent or has another type than requested is null or 0. */
final class JsonLine {
    static {
        OptionalLibrary.require("com.fasterxml.jackson.core.JsonFactory", "com.fasterxml.jackson.core:jackson-core");
    }

    static final JsonFactory FACTORY = new JsonFactory();

    private final Map<String, @Nullable Object> fields = new HashMap<>();
    private final Map<String, Map<String, Long>> counts = new HashMap<>();

    private JsonLine() {}

    /**
     * Parses a line.
     *
     * @throws IOException when it is not one object of JSON; the message says why
     */
    static JsonLine parse(byte[] utf8, int length) throws IOException {
        try (JsonParser parser = FACTORY.createParser(utf8, 0, length)) {
            return parse(parser);
        } catch (JsonEOFException e) {
            throw new IOException("the JSON is incomplete", e);
        } catch (JsonParseException e) {
            throw new IOException("not JSON", e);
        }
    }

    /** Parses a line that is given as text. */
    static JsonLine parse(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            return parse(parser);
        }
    }

    private static JsonLine parse(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("not a JSON object");
        }
        JsonLine line = new JsonLine();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            if (token == JsonToken.START_OBJECT) {
                line.counts.put(name, counts(parser));
            } else if (token == JsonToken.START_ARRAY) {
                parser.skipChildren();
            } else {
                line.fields.put(name, value(parser, token));
            }
        }
        if (parser.nextToken() != null) {
            throw new IOException("more than one JSON object");
        }
        return line;
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            default -> null;
        };
    }

    private static Map<String, Long> counts(JsonParser parser) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            if (parser.nextToken().isNumeric()) {
                counts.put(name, (long) parser.getDoubleValue());
            } else {
                parser.skipChildren();
            }
        }
        return counts;
    }

    @Nullable
    String text(String name) {
        return fields.get(name) instanceof String text ? text : null;
    }

    /** Returns an integer of at most 2^53, beyond which doubles are not exact. */
    long number(String name) {
        return (long) decimal(name);
    }

    double decimal(String name) {
        return fields.get(name) instanceof Double number ? number : 0;
    }

    boolean isTrue(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    /** Returns the numbers in an object; none if it is absent. */
    Map<String, Long> counts(String name) {
        return counts.getOrDefault(name, Map.of());
    }
}
