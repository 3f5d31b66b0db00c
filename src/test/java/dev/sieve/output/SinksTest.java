package dev.sieve.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.fetch.FetchResult;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.shadow.de.siegmar.fastcsv.reader.CsvReader;
import org.junit.jupiter.params.shadow.de.siegmar.fastcsv.reader.NamedCsvRecord;

/** Whatever a page says of itself, its record is one line. */
@Tag("hostile")
class SinksTest {
    private static final String URL = "http://h/=cmd()%22,%0A";

    private static Visit visit(String text, FetchResult result) {
        return visit(text, result, Duration.ofMillis(7), false, null);
    }

    private static Visit visit(
            String text, FetchResult result, Duration waited, boolean isAcceptedCheck, Likeness likeness) {
        return new Visit(
                URL,
                URL,
                1,
                "http://h/",
                result,
                new Visit.Timing(Instant.EPOCH, Duration.ofMillis(5), waited),
                new Visit.Content(text, List.of(URL), List.of(), false),
                new Visit.Marks(isAcceptedCheck, isAcceptedCheck),
                likeness,
                null,
                -1);
    }

    private static FetchResult page(String type, int status) {
        return new FetchResult.Page(status, Map.of(), type, new byte[3], 3, true);
    }

    private static JsonNode record(Visit visit) throws IOException {
        StringWriter out = new StringWriter();
        try (JsonlSink sink = new JsonlSink(out)) {
            sink.accept(visit);
        }
        assertThat(out.toString()).matches("[^\\p{Cntrl}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]*\n");
        return new ObjectMapper().readTree(out.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"",
                "\\",
                "\\\"}\n{\"url\": \"http://evil/\"}",
                "a\nb\rc\u2028d\u2029e\u0085f",
                "=cmd()",
                "\u001B[31mred\u001B]0;title\u0007",
                "\u202Egnp.exe\u200B\uFEFF",
                "\0",
                "\u007F\u009B31m",
                "\uD83D\uDE00 \uD800 \uDC00",
                "\u4F8B\u3048 \u00FC </script>",
            })
    void anyTitleAndReasonComesBackFromItsLine(String text) throws IOException {
        JsonNode page = record(visit(text, page(text, 200)));

        assertThat(page.get("title").textValue()).isEqualTo(text);
        assertThat(page.get("type").textValue()).isEqualTo(text);
        assertThat(page.get("url").textValue()).isEqualTo(URL);
        assertThat(page.get("cut").booleanValue()).isTrue();
        JsonNode failed = record(visit("", new FetchResult.Failed(0, FetchResult.Reason.PROTOCOL, text)));
        assertThat(failed.get("error").textValue()).isEqualTo("invalid response: " + text);
        JsonNode moved = record(visit("", new FetchResult.Redirect(302, text)));
        assertThat(moved.get("redirect_to").textValue()).isEqualTo(text);
    }

    @Test
    void aRecordSaysItsWaitAndIfItWasACheck() throws IOException {
        FetchResult page = new FetchResult.Page(200, Map.of(), "", new byte[0], 0, false);
        Visit check = visit("", page, Duration.ofMillis(1500), true, null);

        assertThat(record(check).get("waited_ms").longValue()).isEqualTo(1500);
        assertThat(record(check).get("check").booleanValue()).isTrue();
        assertThat(record(check).get("accepted").booleanValue()).isTrue();
        assertThat(record(check).has("cut")).isFalse();
        assertThat(record(visit("", page)).has("check")).isFalse();
        assertThat(record(visit("", page)).has("accepted")).isFalse();
        assertThat(record(visit("", page)).has("change")).isFalse();
        assertThat(record(visit("", page)).has("duplicate_of")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-26T20:41:00Z",
                "2026-11-26T00:00:00Z",
                "2026-11-26T20:41:07Z",
                "2026-11-26T20:41:00.001Z",
                "2026-11-26T20:41:07.120Z",
                "2026-11-26T20:41:07.000120Z",
                "1969-12-31T23:59:59.000000001Z",
                "+10000-01-01T00:00:00Z"
            })
    void aTimeIsWrittenAsItsInstantSays(String time) {
        assertThat(JsonlSink.text(Instant.parse(time))).isEqualTo(time);
    }

    @Test
    void aRecordSaysWithWhatAPageWasCompared() throws IOException {
        FetchResult page = new FetchResult.Page(200, Map.of(), "", new byte[0], 0, false);
        Likeness likeness = new Likeness(0xab, 0xcd, "d", "http://c/", "http://first/", "0f");
        Visit visit = visit("", page, Duration.ZERO, false, likeness);

        assertThat(record(visit).get("digest").textValue()).isEqualTo("00000000000000ab");
        assertThat(record(visit).get("text_digest").textValue()).isEqualTo("00000000000000cd");
        assertThat(record(visit).get("description").textValue()).isEqualTo("d");
        assertThat(record(visit).get("canonical").textValue()).isEqualTo("http://c/");
        assertThat(record(visit).get("duplicate_of").textValue()).isEqualTo("http://first/");
        assertThat(record(visit).get("sketch").textValue()).isEqualTo("0f");
    }

    @Test
    void everyFieldIsDocumentedWithItsType() throws IOException {
        History history = new History(Change.CHANGED, true, Instant.EPOCH, 200, Instant.EPOCH, 2);
        Likeness likeness = new Likeness(1, 2, "d", "http://c/", "http://first/", "0f");
        List<JsonNode> records = List.of(
                record(new Visit(
                        URL,
                        URL,
                        0,
                        null,
                        page("text/html", 200),
                        new Visit.Timing(Instant.EPOCH, Duration.ZERO, Duration.ZERO),
                        new Visit.Content(
                                "t",
                                List.of(),
                                List.of(),
                                false,
                                Map.of(
                                        "text",
                                        "text",
                                        "text_cut",
                                        true,
                                        "meta",
                                        Map.of("a", List.of("b")),
                                        "signals",
                                        Map.of("robots", Map.of("content-signal", "search=yes")),
                                        "rendered",
                                        Map.of("ms", 5L),
                                        "moved",
                                        true)),
                        new Visit.Marks(false, true),
                        likeness,
                        history,
                        -1)),
                record(visit("t", page("text/html", 404), Duration.ZERO, true, null)
                        .with(VisitField.NEWLY_BROKEN.text(), true)
                        .with(VisitField.EARLIER.text(), "2026-11-01T00:00:07Z")),
                record(visit("", new FetchResult.Redirect(302, "http://h/"))),
                record(visit("", FetchResult.Page.ofLogin(page("text/html", 401), FetchResult.Login.STATUS))),
                record(visit(
                        "",
                        new FetchResult.Page(403, Map.of("x-dd-b", List.of("1")), "text/html", new byte[0], 0, false))),
                record(visit("", new FetchResult.Failed(0, FetchResult.Reason.DNS, ""))));
        Map<String, String> types = new TreeMap<>();
        for (VisitField field : VisitField.values()) {
            Set<String> found = records.stream()
                    .map(each -> each.get(field.text()))
                    .filter(Objects::nonNull)
                    .map(each -> each.isTextual()
                            ? "text"
                            : each.isNumber() ? "number" : each.isObject() ? "object" : "`" + each + "`")
                    .collect(Collectors.toCollection(TreeSet::new));
            boolean isNullable = found.remove("`null`");
            types.put(field.text(), String.join(" or ", found) + (isNullable ? " or null" : ""));
        }

        Map<String, String> documented = new TreeMap<>();
        for (String page : List.of("outputs", "again")) {
            Pattern.compile("(?m)^\\| (`\\w+`(?:, `\\w+`)*) \\| ((?:text|number|object|`true`)(?: or null)?) \\| ")
                    .matcher(Files.readString(Path.of("docs/" + page + ".md")))
                    .results()
                    .forEach(row -> Stream.of(row.group(1).replace("`", "").split(", "))
                            .forEach(name -> documented.put(name, row.group(2))));
        }
        assertThat(documented).isEqualTo(types);
    }

    private static Map<String, String> csv(Visit visit) throws IOException {
        StringWriter out = new StringWriter();
        try (CsvSink sink = new CsvSink(out, false)) {
            sink.accept(visit);
        }
        assertThat(out.toString())
                .matches("[^\\p{Cntrl}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]*\n[^\\p{Cntrl}\\p{Cf}\\p{Zl}\\p{Zp}]*\n");
        try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(out.toString())) {
            NamedCsvRecord record = reader.iterator().next();
            return record.getFieldsAsMap();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a,b",
                "\"",
                "a \"quoted\" word",
                "\",\"",
                "'",
                " a ",
                "caf\u00e9 \u2013 \u4f8b \uD83D\uDE00",
                "a;b",
                "1 - 2"
            })
    void anotherReaderFindsTheTextsOfARecordInCsv(String text) throws IOException {
        Visit visit = visit(text, page(text, 200));

        Map<String, String> record = csv(visit);

        assertThat(record)
                .containsEntry("title", text)
                .containsEntry("type", text)
                .containsEntry("url", URL);
        JsonNode json = record(visit);
        assertThat(record.keySet())
                .containsAll(json.properties().stream().map(Map.Entry::getKey).toList())
                .endsWith("""
                        accepted moved earlier newly_broken wall login rendered digest text_digest description
                        canonical duplicate_of sketch change same_text last_visit last_status last_change visits
                        signals meta text_cut text""".split("\\s+", -1));
        json.properties()
                .forEach(each -> assertThat(record.get(each.getKey()))
                        .as(each.getKey())
                        .isEqualTo(
                                each.getValue().isNull() ? "" : each.getValue().asText()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "=cmd() | '=cmd()",
                "+1 | '+1",
                "-1+1 | '-1+1",
                "@SUM(1) | '@SUM(1)",
                "\uFF1Dcmd() | '\uFF1Dcmd()",
                "x;=cmd() | x;'=cmd()",
                "x; =cmd() | x;' =cmd()",
                "a=b | a=b",
            })
    void aTitleIsNotAFormula(String title, String field) throws IOException {
        assertThat(csv(visit(title, page("", 200)))).containsEntry("title", field);
    }

    @Test
    void aTitleStaysOnItsLine() throws IOException {
        assertThat(csv(visit("a\tb\nc\0\u202E", page("", 200)))).containsEntry("title", "a b c\uFFFD\uFFFD");
    }

    @Test
    void aListOfUrlsHoldsTheGoodOnes() throws IOException {
        StringWriter out = new StringWriter();
        try (UrlListSink sink = new UrlListSink(out)) {
            sink.accept(visit("\n", page("text/html", 200)));
            sink.accept(visit("\n", page("text/html", 404)));
            sink.accept(visit("\n", page("text/html", 200), Duration.ZERO, true, null));
            sink.accept(visit("\n", new FetchResult.Failed(0, FetchResult.Reason.TIMEOUT, "\n")));
        }

        assertThat(out).hasToString(URL + "\n");
    }
}
