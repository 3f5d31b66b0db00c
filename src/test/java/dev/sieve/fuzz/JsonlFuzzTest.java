package dev.sieve.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.JsonlSink;
import dev.sieve.output.Visit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any text comes back from its line of JSON as it was, unpaired surrogates included; a visit is one line. */
@Tag("hostile")
public class JsonlFuzzTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String[] WORDS =
            Fuzzer.words("""
            "  \\  /  \b  \f  \0  \u007f  \u0080  \u00ad  \ufeff  \uffff
            \ud83d  \ude00  \ud83d\ude00  é  例  <  &  \\u0041  u  {  }  ,  :  a  \u0301  \ufdd0  \u0660
            """, "\u001f", "\u200e", "\u2028", "\u2029", "\u202e", "\n", "\r", "\t", "\u0085", " ");

    @Test
    void everyTextComesBack() {
        Fuzzer.run(
                JsonlFuzzTest::fuzzerTestOneInput, 4_000, "0\"}\n{\"url\": \"http://evil/\"}", "0\\u0041\u2028\u202e");
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String text = Fuzzer.text(input, WORDS);
        FetchResult page = new FetchResult.Page(200, Map.of(), text, new byte[0], 0, false);
        Visit visit = new Visit(
                text,
                text,
                1,
                text,
                page,
                new Visit.Timing(Instant.EPOCH, Duration.ZERO, Duration.ZERO),
                new Visit.Content(text, List.of(), List.of(), false),
                Visit.Marks.NONE,
                null,
                null,
                -1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonlSink sink = new JsonlSink(new OutputStreamWriter(out, StandardCharsets.UTF_8))) {
            sink.accept(visit);
        }
        String line = out.toString(StandardCharsets.UTF_8);
        JsonNode json = JSON.readTree(line);
        check(line.matches("[^\\p{Cntrl}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]*\n"), "characters", line);
        for (String field : List.of("url", "key", "referrer", "title", "type")) {
            check(text.equals(json.get(field).asText("")) || text.isEmpty(), field, line);
        }
    }

    private static void check(boolean holds, String what, String line) {
        if (!holds) {
            throw new AssertionError(what + ": " + line);
        }
    }
}
