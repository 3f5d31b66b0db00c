package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Site;
import dev.sieve.report.Numbers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The summary, the report, the metrics and the records of a crawl count the same. */
@Timeout(60)
class SameNumbersTest {
    private static final int MAX_BODY = 2048;
    private static final Map<String, Integer> SIZES =
            Map.of("/", 300, "/a", 1000, "/big", 5000, "/file.pdf", 3000, "/small.pdf", 500, "/missing", 40);

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream summary = new ByteArrayOutputStream();
    private final PrintStream before = System.err;

    @AutoClose
    private final Site server = new Site("127.0.0.1");

    @BeforeEach
    void serve() throws IOException {
        System.setErr(new PrintStream(summary, true, US_ASCII));
        server.otherwise(request -> {
            String path = request.getRequestURI().getPath();
            String body = path.equals("/")
                    ? Site.links("/moved") + Site.links(SIZES.keySet().toArray(String[]::new))
                    : path;
            int size = SIZES.getOrDefault(path, 40);
            int status = path.equals("/moved") ? 301 : SIZES.containsKey(path) && size != 40 ? 200 : 404;
            return Site.status(status)
                    .field("Content-Type", path.endsWith(".pdf") ? "application/pdf" : "text/html")
                    .field("Location", "/a")
                    .body(body + " ".repeat(size - body.length()));
        });
    }

    @AfterEach
    void stop() {
        System.setErr(before);
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private double metric(String name) throws IOException {
        return Files.readAllLines(folder.resolve("m.prom")).stream()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static String tile(Document report, String name, String part) {
        return report.select("dl.tiles > div:has(dt:containsOwn(" + name + ")) > dd" + part)
                .text();
    }

    @ParameterizedTest
    @CsvSource({
        // Other types than documents are read only for an archive.
        "a.csv, 3388, 1",
        "a.warc.gz, 5936, 2"
    })
    void theyAgree(String other, long bytes, int cut) throws IOException {
        Run run = Run.of(
                Main.commandLine(),
                server.url("/"),
                "--delay=0",
                "--max-body=" + MAX_BODY,
                "-o" + file("a.jsonl"),
                "-o" + file("a.txt"),
                "-o" + file(other),
                "--report=" + file("r.html"),
                "--metrics-file=" + file("m.prom"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        Document report = Jsoup.parse(folder.resolve("r.html").toFile(), "UTF-8");

        List<JsonNode> pages = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("a.jsonl"))) {
            JsonNode record = new ObjectMapper().readTree(line);
            if (record.get("redirect_to").isNull()) {
                pages.add(record);
            }
        }
        assertThat(pages).hasSize(6).filteredOn(page -> page.has("cut")).hasSize(cut);
        assertThat(pages.stream()
                        .mapToLong(page -> page.get("bytes").longValue())
                        .sum())
                .isEqualTo(bytes);
        assertThat(Files.readAllLines(folder.resolve("a.txt"))).hasSize(5);

        long millis = (long) (1e3 * metric("sieve_crawl_elapsed_seconds") + 1e-3);
        String rate = Numbers.text("%.1f", 6e3 / millis);
        assertThat(summary.toString(US_ASCII))
                .contains("Done in " + Summary.clock(Duration.ofMillis(millis)) + ": ")
                .contains("  pages    6 (" + rate + "/s)  2xx 5  4xx 1  " + Numbers.bytes(bytes) + " decoded  " + cut
                        + " truncated\n");
        assertThat(tile(report, "Pages", ":not(.note)")).startsWith("6");
        assertThat(tile(report, "Pages", ".note")).contains(cut + " cut");
        assertThat(tile(report, "Size of pages", "")).isEqualTo(Numbers.bytes(bytes));
        assertThat(report.select("#links tr:has(> :containsOwn(Time)) [data-v]").attr("data-v"))
                .isEqualTo(String.valueOf(millis));
        assertThat(tile(report, "Time", ".note")).isEqualTo(rate + " pages/s");
        assertThat(metric("sieve_crawl_pages_total")).isEqualTo(6);
        assertThat(metric("sieve_crawl_body_bytes_total")).isEqualTo((double) bytes);
        assertThat(metric("sieve_crawl_truncated_total")).isEqualTo(cut);
    }
}
