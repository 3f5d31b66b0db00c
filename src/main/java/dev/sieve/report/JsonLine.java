package dev.sieve.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.OptionalLibrary;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of an object of JSON.  */
final class JsonLine {
    static {
        OptionalLibrary.require("com.fasterxml.jackson.jr.ob.JSON", "com.fasterxml.jackson.jr:jackson-jr-objects");
    }

    /** Writes ASCII. */
    static final JsonFactory FACTORY =
            new JsonFactoryBuilder().highestNonEscapedChar(0x7e).build();

    /** Reads and writes records: their components, without those that are null. */
    static final JSON RECORDS =
            JSON.builder(FACTORY).disable(JSON.Feature.USE_IS_GETTERS).build();

    private final Map<String, @Nullable Object> fields;

    private JsonLine(Map<String, @Nullable Object> fields) {
        this.fields = fields;
    }

    /** Parses a line, which has to be one object of JSON; the message of the exception says why it is not. */
    static JsonLine parse(byte[] utf8, int length) throws IOException {
        try (JsonParser parser = FACTORY.createParser(utf8, 0, length)) {
            return parse(parser);
        } catch (JsonEOFException e) {
            throw new IOException("the JSON is incomplete", e);
        } catch (JsonParseException e) {
            throw new IOException("not JSON", e);
        }
    }

    static JsonLine parse(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            return parse(parser);
        }
    }

    private static JsonLine parse(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("not a JSON object");
        }
        JsonLine line = new JsonLine(RECORDS.mapFrom(parser));
        if (parser.nextToken() != null) {
            throw new IOException("more than one JSON object");
        }
        return line;
    }

    @Nullable
    Object value(String name) {
        return fields.get(name);
    }

    @Nullable
    String text(String name) {
        return fields.get(name) instanceof String text ? text : null;
    }
}
