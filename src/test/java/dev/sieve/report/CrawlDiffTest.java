package dev.sieve.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CrawlDiffTest {
    private static final String URL = "http://h.test/";
    private static final String ONE =
            "\"status\": 200, \"digest\": \"1111111111111111\", \"text_digest\": \"aaaaaaaaaaaaaaaa\"";
    private static final String MARKUP =
            "\"status\": 200, \"digest\": \"2222222222222222\", \"text_digest\": \"aaaaaaaaaaaaaaaa\"";
    private static final String OTHER =
            "\"status\": 200, \"digest\": \"3333333333333333\", \"text_digest\": \"bbbbbbbbbbbbbbbb\"";
    /** What a record says, by a name for it. */
    private static final Map<String, String> RECORDS = Map.ofEntries(
            Map.entry("one", ONE),
            Map.entry("markup", MARKUP),
            Map.entry("other", OTHER),
            Map.entry("unread", "\"status\": 200"),
            Map.entry("not modified", ONE.replace("200", "304") + ", \"change\": \"unchanged\", \"last_status\": 200"),
            Map.entry(
                    "not modified after 500",
                    ONE.replace("200", "304") + ", \"change\": \"unchanged\", \"last_status\": 500"),
            Map.entry("bad redirect", "\"status\": 302, \"error\": \"bad redirect\""),
            Map.entry("to a", "\"status\": 301, \"redirect_to\": \"http://h.test/a\""),
            Map.entry("to b", "\"status\": 302, \"redirect_to\": \"http://h.test/b\""),
            Map.entry("404", "\"status\": 404"),
            Map.entry("410", "\"status\": 410"),
            Map.entry("500", "\"status\": 500"),
            Map.entry("403 accepted", "\"status\": 403, \"accepted\": true"),
            Map.entry("unknown host", "\"error\": \"unknown host\""));

    @TempDir
    private Path folder;

    private final List<String> problems = new ArrayList<>();
    private Document report = new Document("");

    private Path file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
    }

    private static String record(String path, String fields) {
        return "{\"url\": \"" + URL + path + "\", \"referrer\": \"" + URL + "\", " + fields + "}";
    }

    private List<String> diff(Path before, Path now) throws IOException {
        List<String> lines = new ArrayList<>();
        CrawlRecord record = new CrawlDiff(before, now, problems::add).run(each -> lines.add(each.tsv()));
        report = Jsoup.parse(ReportPage.page(record, Instant.EPOCH));
        return lines;
    }

    @ParameterizedTest
    @CsvSource({
        "one, one, ",
        "one, other, 'changed\t200\t200\t%s\t'",
        "one, markup, 'changed\t200\t200\t%s\tsame'",
        "one, not modified, ",
        "other, not modified, 'changed\t200\t304\t%s\t'",
        "not modified, one, ",
        "not modified, other, 'changed\t200\t200\t%s\t'",
        "one, unread, ",
        "one, to a, 'moved\t200\t301\t%s\t'",
        "to a, to a, ",
        "to a, to b, 'moved\t301\t302\t%s\t'",
        "to a, one, 'back\t301\t200\t%s\t'",
        "one, 404, 'gone\t200\t404\t%s\t'",
        "404, 410, ",
        "404, 500, 'failed\t404\t500\t%s\t'",
        "404, one, 'back\t404\t200\t%s\t'",
        "500, 404, 'gone\t500\t404\t%s\t'",
        "500, 500, ",
        "not modified after 500, not modified, ",
        "not modified after 500, 500, 'failed\t200\t500\t%s\t'",
        "bad redirect, bad redirect, ",
        "bad redirect, to a, 'moved\tno response\t301\t%s\t'",
        "500, unknown host, 'failed\t500\tunknown host\t%s\t'",
        "unknown host, unknown host, ",
        "unknown host, one, 'back\tno response\t200\t%s\t'",
        "403 accepted, 403 accepted, ",
        "one, 403 accepted, ",
        ", one, 'new\t\t200\t%s\t'",
        ", 404, 'new\t\t404\t%s\t'",
        "one, , 'missing\t200\t\t%s\t'",
    })
    void aPageIsComparedByWhatTheVisitsHaveFound(String before, String now, String expected) throws IOException {
        String same = record("", ONE);
        Path first = before == null ? file("old", same) : file("old", same, record("x", RECORDS.get(before)));
        Path second = now == null ? file("new", same) : file("new", same, record("x", RECORDS.get(now)));

        List<String> differences = diff(first, second);

        assertThat(differences)
                .isEqualTo(expected == null ? List.of() : List.of(String.format(expected, URL + "x\t" + URL)));
        assertThat(problems).isEmpty();
    }

    @Test
    void theReportBeginsWithTheChanges() throws IOException {
        Path before = file("old", record("", ONE), record("a", ONE), record("b", RECORDS.get("500")), record("c", ONE));
        Path now = file("new", record("", MARKUP), record("a", RECORDS.get("404")), record("b", ONE), record("d", ONE));

        diff(before, now);

        assertThat(text("#changed"))
                .isEqualTo("Since the crawl before: 1 new, 1 changed (1 only in the markup), 1 gone, 1 back,"
                        + " 1 missing; newly broken 1, repaired 1.");
        assertThat(text("#broke tbody")).isEqualTo(URL + "a 200 404 " + URL);
        assertThat(text("#repaired tbody")).isEqualTo(URL + "b 500 200 " + URL);
        assertThat(text("#missing tbody")).isEqualTo(URL + "c 200 " + URL);
    }

    private String text(String css) {
        return report.select(css).text();
    }

    @Test
    void theLastRecordOfAUrlCounts() throws IOException {
        Path before = file("old", record("", OTHER), record("x", ONE), record("x", ONE), record("", ONE));
        Path now = file("new", record("", RECORDS.get("500")), record("", MARKUP));

        assertThat(diff(before, now))
                .containsExactly(
                        "changed\t200\t200\t" + URL + "\t" + URL + "\tsame",
                        "missing\t200\t\t" + URL + "x\t" + URL + "\t");
    }

    @Test
    void recordsOfARoundSayThemselvesWhatHasChanged() throws IOException {
        Path now = file(
                "new",
                record("", ONE + ", \"change\": \"new\""),
                record("a", RECORDS.get("404") + ", \"change\": \"gone\", \"last_status\": 200"),
                record("", RECORDS.get("not modified")));

        assertThat(diff(null, now)).containsExactly("gone\t200\t404\t" + URL + "a\t" + URL + "\t");
    }

    @Test
    void recordsWithoutRoundsTakeASecondFile() throws IOException {
        Path now = file("new", record("", ONE));

        assertThatThrownBy(() -> diff(null, now))
                .isInstanceOf(IOException.class)
                .hasMessage(now + " has no record of a round, so it takes two files to compare");
    }

    @Test
    void whatIsNoRecordIsNamedAndWhatIsNoFileRefused() throws IOException {
        Path before = file("old", record("", ONE), "half a li");
        Path empty = file("empty");
        Path table = file("table", "a\tb\tc");

        assertThat(diff(before, before)).isEmpty();
        assertThat(problems).containsExactly(before + ", line 2: not JSON", before + ", line 2: not JSON");
        assertThatThrownBy(() -> diff(before, empty)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> diff(before, table)).hasMessageContaining(table + ", line 1: not JSON");
        assertThatThrownBy(() -> diff(before, folder.resolve("none")))
                .hasMessageEndingWith("none: no such file or directory");
        assertThatThrownBy(() -> diff(before, folder)).hasMessageContaining("no run of this job");
    }

    @Test
    void aDifferenceIsOneLineWhateverItContains() throws IOException {
        Path before = file("old", record("", ONE));
        Path now = file(
                "new",
                "{\"url\": \"http://h.test/\\t\\n\\u202e\\\\\\\"\", \"error\": \"\\u001b[31m\\tx\"}",
                record("", ONE));
        List<String> json = new ArrayList<>();
        new CrawlDiff(before, now, problems::add).run(each -> json.add(each.json()));

        assertThat(diff(before, now)).containsExactly("new\t\t\\u001B[31m\\tx\thttp://h.test/\\t\\n\\u202E\\\\\"\t\t");
        assertThat(json)
                .singleElement()
                .satisfies(line -> assertThat(new TreeMap<>(JsonLine.RECORDS.mapFrom(line)))
                        .containsOnlyKeys("change", "now", "url")
                        .containsEntry("url", "http://h.test/\t\n\u202e\\\""));
    }
}
