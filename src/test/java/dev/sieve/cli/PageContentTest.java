package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What records contain of pages on request. */
@Timeout(60)
class PageContentTest {
    private static final String PAGE = "<html lang=en><title>T</title><meta property=og:image content=a>"
            + "<meta property=og:image content='\"b'><nav>menu</nav><main><h1>Head</h1><p>one <a href=/b>two</a>"
            + "<table><tr><td>a<td>b<tr><td>=c<td>d</table></main>";

    @TempDir
    private Path folder;

    @AutoClose
    private final Site server = new Site();

    private final String site = server.url("/");

    @BeforeEach
    void serve() {
        server.robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /b train-ai=y");
        page("/", 200);
        page("/b", 404);
    }

    private void page(String path, int status) {
        server.answer(
                path,
                Site.status(status)
                        .field("Content-Usage", "train-ai=n")
                        .field("Content-Type", "text/html; charset=utf-8")
                        .body(PAGE));
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of(site, "--delay", "0", "--concurrency", "1", "-q"));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private List<JsonNode> records(String... options) throws IOException {
        Path file = folder.resolve("x.jsonl");
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-o", file.toString(), "--force"));
        Run run = crawl(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<JsonNode> records = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            records.add(new ObjectMapper().readTree(line));
        }
        return records;
    }

    private String text(String... options) throws IOException {
        JsonNode text = records(options).get(0).get("text");
        return text == null ? "none" : text.textValue();
    }

    @Test
    void theTextOfAPageIsInItsRecordInTheChosenForm() throws IOException {
        String markdown = "# Head\n\none [two](" + site + "b)\n\n| a | b |\n| --- | --- |\n| =c | d |";
        assertThat(text()).isEqualTo("none");
        assertThat(text("--text")).isEqualTo("menu\nHead\none two\na\tb\n=c\td");
        assertThat(text("--text=main")).isEqualTo("Head\none two\na\tb\n=c\td");
        assertThat(text("--text=markdown")).isEqualTo("menu\n\n" + markdown);
        assertThat(text("--text=MAIN-Markdown")).isEqualTo(markdown);
        List<JsonNode> records = records("--text=main");
        assertThat(records)
                .hasSize(2)
                .allMatch(record -> record.get("text").textValue().startsWith("Head\n"));
        assertThat(records.get(1).get("status").intValue()).isEqualTo(404);
    }

    @Test
    void inCsvATextIsOneLine() throws IOException {
        Path file = folder.resolve("x.csv");
        Run run = crawl("--text=main", "-o", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readAllLines(file)).hasSize(3).element(1).asString().endsWith(",,Head one two a b =c d");
    }

    @Test
    void whatAPageSaysOfItselfIsOneField() throws IOException {
        JsonNode record = records("--meta").get(0);
        assertThat(record.has("text")).isFalse();
        assertThat(record.get("meta"))
                .isEqualTo(new ObjectMapper()
                        .readTree("{\"language\": \"en\", \"open_graph\": {\"og:image\": [\"a\", \"\\\"b\"]}}"));
        assertThat(records().get(0).has("meta")).isFalse();
        Path file = folder.resolve("x.csv");
        assertThat(crawl("--meta", "-o", file.toString()).exitCode()).isZero();
        assertThat(Files.readAllLines(file))
                .element(1)
                .asString()
                .contains(",\"{\"\"language\"\": \"\"en\"\", \"\"open_graph\"\": {");
    }

    @Test
    void aRecordSaysHowTheSiteWantsItsContentToBeUsed() throws IOException {
        String signal = "\"content-signal\": \"search=yes, ai-train=no\"";
        String headers = "\"headers\": {\"content-usage\": \"train-ai=n\"}";
        List<JsonNode> records = records();
        assertThat(records.get(0).get("signals"))
                .isEqualTo(new ObjectMapper().readTree("{\"robots\": {" + signal + "}, " + headers + "}"));
        assertThat(records.get(1).get("signals"))
                .isEqualTo(new ObjectMapper()
                        .readTree(
                                "{\"robots\": {" + signal + ", \"content-usage\": \"train-ai=y\"}, " + headers + "}"));
        assertThat(records("--ignore-robots").get(0).get("signals"))
                .isEqualTo(new ObjectMapper().readTree("{" + headers + "}"));
    }

    @Test
    void whyShowsTheSignalsThatAJobHasRecorded() {
        String job = folder.resolve("job").toString();
        Run crawl = crawl(
                "--job",
                job,
                "--report",
                folder.resolve("r.html").toString(),
                "-o",
                folder.resolve("u.txt").toString());
        assertThat(crawl.exitCode()).as(crawl.err()).isZero();
        Run why = Run.of(Main.commandLine(), "why", site + "b", "--job", job);
        assertThat(why.out())
                .contains(
                        "signals, by which nothing is decided: {\"robots\":{\"content-signal\":\"search=yes, ai-train=no\"");
        Run other = Run.of(Main.commandLine(), "why", site + "c", "--job", job);
        assertThat(other.out()).contains("not seen yet").doesNotContain("signals");
    }

    @Test
    void aTextWithoutRecordsIsRefused() {
        Run run = crawl("--text");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--text", "no output has records; add -o FILE.jsonl or -o FILE.csv");
        Run wrong = crawl("--text=html", "-o", "-");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("--text", "not one of plain, main, markdown, main-markdown");
    }

    @Test
    void aReportReadsRecordsWithTexts() throws IOException {
        records("--text");
        Path report = folder.resolve("r.html");
        Run run = Run.of(Main.commandLine(), "report", folder.resolve("x.jsonl").toString(), "-o", report.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readString(report)).contains(site + "b").doesNotContain("one two");
    }
}
