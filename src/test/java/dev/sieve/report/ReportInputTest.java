package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Counter;
import dev.sieve.output.JsonlSink;
import dev.sieve.output.Visit;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of what earlier crawls have written. */
class ReportInputTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private final List<String> problems = new ArrayList<>();

    private Path write(String name, List<Visit> visits) throws IOException {
        Path file = folder.resolve(name);
        try (JsonlSink sink = new JsonlSink(Files.newBufferedWriter(file, UTF_8))) {
            for (Visit visit : visits) {
                sink.accept(visit);
            }
        }
        return file;
    }

    private static List<Visit> visits(long seed, int number) {
        Random random = new Random(seed);
        List<Visit> visits = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String url =
                    "http://h" + random.nextInt(30) + ".test/" + seed + "/" + i + (i % 7 == 0 ? "?q=\u00e9\u202e" : "");
            visits.add(
                    switch (random.nextInt(8)) {
                        case 0 -> Visits.failed(url, "http://a.test/");
                        case 1 -> Visits.redirect(url, url + "/", null);
                        case 2 ->
                            Visits.page(
                                    url, 404, "http://a.test/", "text/plain", "title \"\u2028", random.nextInt(500));
                        default -> Visits.page(url, 200, "http://a.test/", "text/html", "", random.nextInt(500));
                    });
        }
        return visits;
    }

    @Test
    void theTotalsEqualAnIndependentCount() throws IOException {
        List<Path> files = List.of(write("1.jsonl", visits(1, 3000)), write("2.json", visits(2, 2000)));
        Map<Integer, Long> statuses = new TreeMap<>();
        Map<String, Long> hosts = new TreeMap<>();
        long[] others = new long[2];
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                JsonNode json = JSON.readTree(line);
                if (!json.get("error").isNull()) {
                    others[0]++;
                } else if (!json.get("redirect_to").isNull()) {
                    others[1]++;
                } else {
                    statuses.merge(json.get("status").asInt(), 1L, Long::sum);
                    hosts.merge(json.get("url").asText().split("/", -1)[2], 1L, Long::sum);
                }
            }
        }

        ReportInput.read(files, problems::add).read(crawl -> {
            assertThat(crawl.totals.count(Counter.PAGES)).isEqualTo(statuses.get(200) + statuses.get(404));
            assertThat(crawl.totals.statuses[200]).isEqualTo(statuses.get(200));
            assertThat(crawl.totals.statuses[404]).isEqualTo(statuses.get(404));
            assertThat(crawl.totals.count(Counter.FAILED)).isEqualTo(others[0]);
            assertThat(crawl.totals.count(Counter.REDIRECTS)).isEqualTo(others[1]);
            assertThat(crawl.broken.count()).isEqualTo(others[0] + statuses.get(404));
            assertThat(crawl.totals.hosts.rows())
                    .allSatisfy(row -> assertThat(row.pages).isEqualTo(hosts.getOrDefault(row.host, 0L)));
            return crawl;
        });
        assertThat(problems).isEmpty();
    }

    @Test
    void aLineIsReadAsItWasRecorded() throws IOException {
        for (Visit visit : visits(3, 200)) {
            Path file = write("one.jsonl", List.of(visit));
            assertThat(Entry.of(JsonLine.parse(Files.readString(file))).reason())
                    .isEqualTo(Entry.of(visit).reason());
            Entry read = Entry.of(JsonLine.parse(Files.readString(file)));
            Entry given = Entry.of(visit);
            assertThat(read).usingRecursiveComparison().ignoringFields("error").isEqualTo(given);
            assertThat(read.verdict()).isEqualTo(given.verdict());
        }
    }

    @Test
    void acceptedStatusIsNotBroken() throws IOException {
        Visit wall = Visits.accepted("http://a.test/wall", 403, "http://a.test/");
        Path file = write("pages.jsonl", List.of(Visits.page("http://a.test/x", 403, "http://a.test/"), wall));

        ReportInput.read(List.of(file), problems::add).read(crawl -> {
            assertThat(crawl.totals.statuses[403]).isEqualTo(2);
            assertThat(crawl.broken.list()).extracting(link -> link.url).containsExactly("http://a.test/x");
            return crawl;
        });
        String inJournal = new String(JournalFormat.page(Entry.of(wall), List.of()), UTF_8);
        assertThat(Entry.of(JsonLine.parse(inJournal)).verdict().isBroken()).isFalse();
    }

    @Test
    void aCompressedFileIsRefused() throws IOException {
        Path file = folder.resolve("pages.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write('{');
        }
        assertThatThrownBy(() -> ReportInput.read(List.of(file), problems::add))
                .hasMessage(file + " is gzip-compressed; unpack it first");
        assertThat(problems).isEmpty();
    }

    @Test
    void badLinesAreNamedAndLeftOut() throws IOException {
        Path good = write("good.jsonl", visits(4, 10));
        List<String> lines = new ArrayList<>(Files.readAllLines(good));
        lines.add(3, "no JSON");
        lines.add(5, "{\"url\": \"http://a.test/\", \"status\": ");
        lines.add("[1]");
        lines.add("{\"key\": 7}");
        lines.add(
                "{\"url\": \"http://a.test/x\", \"status\": 1e99, \"bytes\": -5, \"depth\": \"deep\", \"x\": [[{}]]}");
        Path file = Files.write(folder.resolve("mixed.jsonl"), lines);

        ReportInput.read(List.of(file), problems::add).read(crawl -> {
            assertThat(crawl.totals.count(Counter.PAGES)
                            + crawl.totals.count(Counter.REDIRECTS)
                            + crawl.totals.count(Counter.FAILED))
                    .isEqualTo(11);
            assertThat(crawl.totals.count(Counter.BODY)).isGreaterThanOrEqualTo(0);
            return crawl;
        });
        assertThat(problems)
                .containsExactly(
                        file + ", line 4: not JSON",
                        file + ", line 6: the JSON is incomplete",
                        file + ", line 13: not a JSON object",
                        file + ", line 14: no field 'url'");

        lines.addAll(Collections.nCopies(20, "no JSON"));
        lines.addAll(0, Collections.nCopies(7, "no JSON"));
        Files.write(file, lines);
        problems.clear();
        ReportInput.read(List.of(file), problems::add);
        assertThat(problems)
                .hasSize(10 + 1)
                .startsWith(file + ", line 1: not JSON")
                .endsWith(file + ": 31 lines could not be read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pages.csv", "links.tsv"})
    void fileOfAnotherKindIsRefusedInOneLine(String name) throws IOException {
        Path good = write("good.jsonl", visits(4, 10));
        Path file = Files.writeString(folder.resolve(name), "nothing\n".repeat(100));
        for (List<Path> files : List.of(List.of(file), List.of(good, file))) {
            assertThatThrownBy(() -> ReportInput.read(files, problems::add))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file + ", line 1: not ")
                    .hasMessageContaining("; give a file of records (-o pages.jsonl), a link graph (-o links.tsv) or");
        }
        assertThat(problems).isEmpty();
    }

    @Test
    @EnabledIfSystemProperty(named = "sieve.proof", matches = "true")
    void aMillionLinesNeedLittleMemory() throws Exception {
        List<String> lines = Files.readAllLines(write("some.jsonl", visits(6, 10_000)));
        Path file = folder.resolve("many.jsonl");
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < 100; i++) {
                for (String line : lines) {
                    out.write(line.replace(".test/", i + ".test/") + "\n");
                }
            }
        }
        Path report = folder.resolve("report.html");
        Process made = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.sieve.cli.Main",
                        "report",
                        file.toString(),
                        "-o",
                        report.toString())
                .inheritIO()
                .start();
        assertThat(made.waitFor()).isZero();
        assertThat(Files.size(report)).isLessThan(10_000_000);
    }

    @Test
    void aLinkGraphNamesThePagesThatLinkToABrokenOne() throws IOException {
        Path pages = write("pages.jsonl", List.of(Visits.page("http://a.test/~x", 404, "http://a.test/")));
        Path links = Files.writeString(folder.resolve("links.tsv"), """
                http://a.test/\thttp://a.test/%7Ex\tnew
                http://a.test/1\thttp://a.test/~x\tseen
                http://a.test/2\thttp://a.test/\\u0009\tseen
                bad
                """);

        ReportInput.read(List.of(links, pages), problems::add).read(crawl -> {
            BrokenLinks.Link link = crawl.broken.list().iterator().next();
            assertThat(link.referrers).containsExactly("http://a.test/", "http://a.test/1");
            assertThat(link.referrerCount()).isEqualTo(2);
            assertThat(crawl.fates.sum()).isEqualTo(3);
            return crawl;
        });
        assertThat(problems).hasSize(1).first().asString().contains("line 4");
    }
}
