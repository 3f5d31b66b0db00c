package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.CapturedLog;
import dev.sieve.crawl.Site;
import dev.sieve.io.FakeDisk;
import dev.sieve.job.OutputLengths;
import dev.sieve.output.Archive;
import dev.sieve.output.FileEnds;
import dev.sieve.output.OutputFormat;
import dev.sieve.output.OutputFormats;
import dev.sieve.output.Skip;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a crawl writes, and what becomes of files that exist. */
@Timeout(60)
class OutputsTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final Site server = new Site();

    private final String site = server.url("/");

    @BeforeEach
    void serve() {
        String page = "<a href='/a'>text</a><a href='mailto:x'></a>";
        server.html("/", page).html("/a", page).html("/robots.txt", page);
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        // One worker, so that the lines have an order.
        all.addAll(List.of("--delay", "0", "--retries", "0", "--concurrency", "1", "-q"));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.jsonl", "a.json", "a.JSONL", "a.JSON"})
    void recordsAreChosenByTheEnding(String name) throws IOException {
        assertThat(crawl(site, "-o", file(name).toString()).exitCode()).isZero();

        assertThat(Files.readAllLines(file(name))).hasSize(2).allMatch(line -> line.startsWith("{\"url\": \"" + site));
    }

    @ParameterizedTest
    @CsvSource({"a.txt, txt", "a.TXT, txt", "a.xyz, txt", "a, TXT"})
    void urlsAreChosenByTheEndingOrTheFormat(String name, String format) {
        assertThat(crawl(site, "-o", file(name).toString(), "--format", format).exitCode())
                .isZero();

        assertThat(file(name)).hasContent(site + "\n" + site + "a\n");
    }

    @Test
    void reportNamesTheSeedsAndOptionsOfEachRun() throws IOException {
        String[] options = {
            site.replace("//", "//user:word@"),
            "--job",
            file("job").toString(),
            "--report",
            file("r.html").toString(),
            "-H",
            "Authorization: secret",
            "--check-links",
            "--max-pages",
            "1",
            "-o",
            file("x.jsonl").toString(),
            "--exclude",
            "it's a b|" + "x".repeat(200),
            "--exclude",
            "y"
        };
        crawl(options);
        options[9] = "2";
        crawl(options);

        String report = Files.readString(file("r.html"));
        assertThat(Jsoup.parse(report).select(".command").eachText())
                .hasSize(2)
                .allMatch(line ->
                        line.contains(site + " ") && line.contains(" --header 'Authorization: ...' --check-links "))
                .allMatch(
                        line -> line.contains(" --exclude " + "'it'\\''s a b|" + "x".repeat(200) + "' --exclude y --"));
        assertThat(report).contains("--max-pages 1", "--max-pages 2").doesNotContain("secret", "user:word");
    }

    @Test
    void recordsHaveASketchWithAReport() throws IOException {
        crawl(site, "-o", file("without.jsonl").toString());
        crawl(
                site,
                "-o",
                file("with.jsonl").toString(),
                "--report",
                file("r.html").toString());

        assertThat(file("without.jsonl"))
                .content()
                .contains("\"text_digest\": ")
                .doesNotContain("\"sketch\": ");
        assertThat(file("with.jsonl")).content().contains("\"sketch\": ");
    }

    @Test
    void summaryIsJsonWithTheNumbersOfTheCrawl() throws IOException {
        Path file = file("summary.json");
        for (int i = 0; i < 2; i++) {
            Run run = crawl(site, "--fail-on", "broken", "--summary", file.toString());
            JsonNode summary = new ObjectMapper().readTree(Files.readString(file));

            assertThat(summary.get("exit_code").intValue()).isEqualTo(run.exitCode());
            assertThat(summary.get("ending").textValue()).isEqualTo("drained");
            assertThat(summary.at("/counts/pages").longValue()).isPositive().isEqualTo(sum(summary.at("/parts/pages")));
            assertThat(summary.at("/counts/failures").longValue()).isEqualTo(sum(summary.at("/parts/failures")));
            assertThat(summary.get("left").longValue()).isZero();
            assertThat(summary.at("/filter/capacity").longValue()).isEqualTo(1_000_000);
        }
        Path notes = Files.writeString(file("notes.json"), "{}");
        Run refused = crawl(site, "--summary", notes.toString());
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("notes.json exists, and is not a summary");
        assertThat(notes).hasContent("{}");
    }

    private static long sum(JsonNode parts) {
        long sum = 0;
        for (JsonNode each : parts) {
            sum += each.longValue();
        }
        return sum;
    }

    @Test
    void aFormatIsForOutputsWhoseNamesDoNotSayIt() throws IOException {
        Run run = crawl(site, "-o", file("a.jsonl").toString(), "-o", file("a").toString(), "--format", "csv");

        assertThat(run.exitCode()).isZero();
        assertThat(file("a.jsonl")).content().startsWith("{");
        assertThat(file("a")).content().startsWith("url,");
    }

    @Test
    void recordsLinksAndTableAreWrittenAtOnce() throws IOException {
        Run run = crawl(
                site,
                "-o",
                file("a.csv").toString(),
                "-o",
                file("a.tsv").toString(),
                "-o",
                file("a.jsonl").toString());

        assertThat(run.exitCode()).isZero();
        assertThat(Files.readAllLines(file("a.csv")))
                .hasSize(3)
                .first()
                .asString()
                .startsWith("url,key,depth,")
                .endsWith(
                        ",accepted,moved,earlier,newly_broken,wall,login,rendered,digest,text_digest,description,canonical,duplicate_of,sketch,change,same_text,last_visit,last_status,last_change,visits,signals,meta,text_cut,text");
        assertThat(Files.readAllLines(file("a.tsv")))
                .containsExactly(
                        site + "\tmailto:x\tskipped: not http or https",
                        site + "\t" + site + "a\tnew",
                        site + "a\tmailto:x\tskipped: not http or https",
                        site + "a\t" + site + "a\tseen");
    }

    @Test
    void aBodyIsReadUpToTheLimit() throws IOException {
        assertThat(crawl(site, "-o", file("a.jsonl").toString(), "--max-body", "20")
                        .exitCode())
                .isZero();

        assertThat(Files.readAllLines(file("a.jsonl")))
                .hasSize(2)
                .allMatch(line -> line.contains("\"links\": 1,") && line.contains(", \"cut\": true"));
    }

    @Test
    void aContinuedTableHasOneHeader() throws IOException {
        String[] command = {
            site, "--job", file("job").toString(), "-o", file("a.csv").toString(), "--max-pages", "1"
        };
        assertThat(crawl(command).exitCode()).isZero();
        Files.writeString(file("a.csv"), "\"http://127.0.0.1/a,b", StandardOpenOption.APPEND);

        assertThat(crawl(command).exitCode()).isZero();

        assertThat(Files.readAllLines(file("a.csv")))
                .hasSize(3)
                .filteredOn(line -> line.startsWith("url,"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.txt", "a.jsonl", "a.csv", "a.tsv", "a.warc.gz", "a.warc", "skipped"})
    void aResumedJobRemovesTheZerosOfAPowerCut(String name) throws IOException {
        String option = name.equals("skipped") ? "--skipped" : "-o";
        String[] command = {
            site, "--job", file("job").toString(), option, file(name).toString(), "-o", "/dev/null", "--format", "txt"
        };
        assertThat(crawl(command).exitCode()).isZero();
        byte[] whole = Files.readAllBytes(file(name));
        Files.write(file(name), new byte[464], StandardOpenOption.APPEND);

        assertThat(crawl(command).exitCode()).isZero();

        assertThat(file(name)).hasBinaryContent(whole);
        assertThat(whole).isNotEmpty();
    }

    /** Returns the file that a crawl continues: that of the lines for a document, which is written from these. */
    private Path continued(String name) {
        return file(name.contains(".xml") ? name + ".lines" : name);
    }

    /** A name with each ending. */
    static Stream<String> names() {
        return OutputFormats.all().stream()
                .flatMap(format -> format.endings().stream())
                .map("a"::concat);
    }

    @Test
    void everyFormatIsInTheHelpWithItsEndings() {
        for (Run run : List.of(Run.of(Main.commandLine(), "--help"), Run.of(Main.commandLine(), "demo", "--help"))) {
            String help = run.out().replaceAll("\\s+", " ").replace(". ", ".");
            for (OutputFormat format : OutputFormats.all()) {
                assertThat(help)
                        .contains(format.endings())
                        .contains(format.help().replace(". ", "."));
            }
        }
    }

    private String[] job(String... outputs) {
        List<String> command =
                new ArrayList<>(List.of(site, "--job", file("job").toString(), "--max-pages", "1"));
        for (String output : outputs) {
            command.addAll(List.of("-o", file(output).toString()));
        }
        return command.toArray(String[]::new);
    }

    @ParameterizedTest
    @MethodSource("names")
    void whateverFollowsTheLastFlushIsRemoved(String name) throws IOException {
        assertThat(crawl(job(name)).exitCode()).isZero();
        byte[] whole = Files.readAllBytes(continued(name));
        for (String more : List.of("http", "\n", "http://a.test/\nhttp://b.test/\n", "\0\0\0\nx\0")) {
            Files.writeString(continued(name), more, APPEND);
            assertThat(crawl(job(name)).exitCode()).isZero();

            assertThat(Arrays.copyOf(Files.readAllBytes(continued(name)), whole.length))
                    .isEqualTo(whole);
            whole = Files.readAllBytes(continued(name));
        }
    }

    @Test
    void whatACrashLeftUnfinishedIsSaidOnce() throws IOException {
        FakeDisk lengths = new FakeDisk();
        Path skipped = file("skipped");
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 3; i++) {
                try (Outputs outputs =
                        Outputs.open(List.of(), null, skipped, APPEND, false, OutputLengths.open(lengths, 1))) {
                    outputs.sinks.skipped(new Skip("mailto:" + i, new SkipReason("no URL"), null));
                    outputs.sinks.flush();
                }
                if (i == 0) {
                    Files.writeString(skipped, "mailto:x\nmail\0", APPEND);
                }
            }
            assertThat(Files.readAllLines(skipped)).hasSize(3).allMatch(line -> line.matches("mailto:\\d\tno URL\t"));
            assertThat(log.lines()).containsExactly(skipped + ": removed 14 bytes that a crash had left unfinished");

            log.clear();
            Files.delete(skipped);
            Outputs.open(List.of(), null, skipped, APPEND, false, OutputLengths.open(lengths, 1))
                    .close();
            assertThat(log.lines())
                    .containsExactly(skipped + ": missing, with 51 bytes that this job has written; a new file begins");
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void anOutputWithoutTheBytesOfItsJobIsRefused(String name) throws IOException {
        assertThat(crawl(job(name, "b.txt")).exitCode()).isZero();
        byte[] whole = Files.readAllBytes(continued(name));
        byte[] other = whole.clone();
        other[other.length - 2] ^= 1;
        byte[] longer = Arrays.copyOf(other, other.length + 100);
        Path first = file("b.txt");
        String lines = Files.readString(first);
        for (byte[] changed : List.of(new byte[0], Arrays.copyOf(whole, whole.length - 1), other, longer)) {
            Files.write(continued(name), changed);

            Run run = crawl(job(name, "b.txt"));

            assertThat(run.exitCode()).isEqualTo(4);
            assertThat(run.err())
                    .contains("cannot write " + continued(name) + ": ")
                    .contains(
                            changed.length < whole.length
                                    ? "bytes that this job has written are missing"
                                    : "changed since this job has written it");
            assertThat(continued(name)).hasBinaryContent(changed);
        }
        assertThat(first).hasContent(lines);

        Files.write(continued(name), whole);
        assertThat(crawl(job(name, "b.txt")).exitCode()).isZero();
    }

    @Test
    void anOutputThatWasMovedAwayBeginsAnew() throws IOException {
        assertThat(crawl(job("a.txt")).exitCode()).isZero();
        Files.move(file("a.txt"), file("b.txt"));
        assertThat(crawl(job("a.txt")).exitCode()).isZero();

        assertThat(file("a.txt")).hasContent(site + "a\n");
    }

    /** Of a job without lengths, as earlier builds have written it, or of another crawl. */
    @Test
    void anOutputWithoutALengthIsContinuedAfterItsLastLine() throws IOException {
        assertThat(crawl(job("a.txt")).exitCode()).isZero();
        Files.writeString(file("b.txt"), "mine\n");
        Files.writeString(file("b.warc"), "mine");

        assertThat(crawl(job("b.txt", "b.warc")).exitCode()).isZero();

        assertThat(file("b.txt")).hasContent("mine\n" + site + "a\n");
        assertThat(file("b.warc")).hasContent("mine");
        assertThat(Archive.read(file("b-00001.warc"))).isNotEmpty();
    }

    @Test
    void theEndOfATableOfAnotherProgramIsKept() throws IOException {
        Files.writeString(file("a.csv"), "name,size\nx");
        assertThat(crawl(
                                site,
                                "--job",
                                file("job").toString(),
                                "-o",
                                file("b.txt").toString())
                        .exitCode())
                .isZero();

        assertThat(crawl(
                                site,
                                "--job",
                                file("job").toString(),
                                "-o",
                                file("a.csv").toString())
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void aFileThatAnotherCrawlWritesIsNotOverwritten() throws IOException {
        try (Outputs first =
                Outputs.open(List.of(file("a.jsonl")), null, file("s"), CREATE_NEW, false, FileEnds.NONE)) {
            first.sinks.skipped(new Skip("mailto:x", new SkipReason("no URL"), null));
            first.sinks.flush();

            assertThatThrownBy(() -> Outputs.open(
                            List.of(file("b.txt")), null, file("s"), TRUNCATE_EXISTING, false, FileEnds.NONE))
                    .hasMessageContaining("another process is writing this file");
            assertThat(file("s")).isNotEmptyFile();
            assertThat(file("b.txt")).doesNotExist();
        }
    }

    @Test
    void theFilesOfACrawlAreListedWithTheirSizes() throws IOException {
        try (Outputs outputs = Outputs.open(
                List.of(file("a.txt"), file("a.jsonl")), null, file("s"), CREATE_NEW, false, FileEnds.NONE)) {
            outputs.sinks.skipped(new Skip("mailto:x", new SkipReason("no URL"), null));
            outputs.sinks.flush();

            assertThat(outputs.files())
                    .containsExactly(
                            file("a.txt") + "  0 lines, 0 B",
                            file("a.jsonl") + "  0 lines, 0 B",
                            file("s") + "  1 line, 17 B");
            assertThat(Summary.files(outputs.files()))
                    .isEqualTo("  files    %s  0 lines, 0 B%n           %s  0 lines, 0 B%n           %s  1 line, 17 B%n"
                            .formatted(file("a.txt"), file("a.jsonl"), file("s")));
        }
    }

    @Test
    void brokenLinksSetTheExitCode() throws IOException {
        try (Site other = new Site()) {
            server.page("/links", other.url("/gone"));
            String[] checks = {
                site + "links",
                "--check-links",
                "--allow-private",
                "127.0.0.0/8",
                "-o",
                "/dev/null",
                "--format",
                "csv",
                "--fail-on",
                "broken"
            };

            assertThat(crawl(checks).exitCode()).isEqualTo(6);
            checks[checks.length - 1] = "error";
            assertThat(crawl(checks).exitCode()).isZero();
            checks[1] = "--ignore-robots";
            checks[checks.length - 1] = "broken";
            assertThat(crawl(checks).exitCode()).isZero();
        }
    }

    @Test
    void aNameThatDeterminesNoFormatIsRefused() {
        Run run = crawl(site, "-o", file("a.xyz").toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("a.xyz", ".jsonl", "--format");
        assertThat(file("a.xyz")).doesNotExist();
    }

    @Test
    void anotherFormatIsRefused() {
        Run run = crawl(site, "-o", "-", "--format", "xml");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--format", "'xml' is not one of txt, jsonl, csv, tsv");
    }

    @ParameterizedTest
    @CsvSource({"-, /dev/stdout", "-, -", "a.txt, ./a.txt"})
    void anOutputIsNamedOnce(String one, String other) {
        Run run = crawl(site, "-o", one, "-o", other, "--skipped", "/dev/stdout");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("is named twice");
    }

    @Test
    void aResumedJobContinuesItsFilesWhateverTheOptions() throws IOException {
        String[] command = {
            site, "--job", file("job").toString(), "-o", file("a.txt").toString(), "--force"
        };
        assertThat(crawl(command).exitCode()).isZero();
        Files.writeString(file("a.txt"), site + "\n" + site + "a\nhttp://127.0.0.1:80");

        assertThat(crawl(command).exitCode()).isZero();

        assertThat(file("a.txt")).hasContent(site + "\n" + site + "a\n");
    }

    @Test
    void aNewJobRefusesFilesThatExist() throws IOException {
        Files.writeString(file("a.txt"), "mine");
        String[] command = {
            site, "--job", file("job").toString(), "-o", file("a.txt").toString()
        };

        Run run = crawl(command);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("a.txt exists", "--force");
        assertThat(file("a.txt")).hasContent("mine");
        assertThat(file("job")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"a.txt, mine", "a.jsonl, http://a.test/", "a.txt, {\"url\": \"http://a.test/"})
    void aLineThatACrawlHasNotWrittenIsNotCutOff(String name, String line) throws IOException {
        String[] job = {site, "--job", file("job").toString()};
        assertThat(crawl(job[0], job[1], job[2], "-o", file("b.txt").toString()).exitCode())
                .isZero();
        Files.writeString(file(name), "first\n" + line);

        Run run = crawl(job[0], job[1], job[2], "-o", file(name).toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(name, "line feed");
        assertThat(file(name)).hasContent("first\n" + line);
    }

    @Test
    void aCrawlWithoutAPageLeavesNoEmptyFileInTheWay() throws IOException {
        String seeds = Files.writeString(file("seeds.txt"), site).toString();
        String output = file("a.txt").toString();
        assertThat(crawl(seeds, "-o", output).exitCode()).isEqualTo(3);
        assertThat(file("a.txt")).doesNotExist();

        assertThat(crawl(seeds, "-o", output, "--allow-private", "127.0.0.0/8").exitCode())
                .isZero();
        assertThat(file("a.txt")).hasContent(site + "\n" + site + "a\n");
    }

    @Test
    void anExceptionThatOnlyNamesAFileGetsAReason() {
        assertThat(Checks.message(new AccessDeniedException("/x"))).isEqualTo("/x: permission denied");
        assertThat(Checks.message(new UncheckedIOException(new NoSuchFileException("/x"))))
                .isEqualTo("/x: no such file or directory");
        assertThat(Checks.message(new FileSystemException("/x"))).isEqualTo("/x: failed");
        assertThat(Checks.message(new FileSystemException("/x", null, "Read-only file system")))
                .isEqualTo("/x: Read-only file system");
        assertThat(Checks.message(new IOException("a reason"))).isEqualTo("a reason");
    }

    @Test
    void aFileThatCannotBeCreatedIsNamedWithTheReason() {
        Run run = crawl(
                site,
                "-o",
                file("a.txt").toString(),
                "-o",
                file("no/such/x.jsonl").toString());

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains("cannot write " + file("no/such/x.jsonl"), "o such file or directory");
        assertThat(file("a.txt")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/proc/r.html", "no/such/r.html", "/dev/null/r.html"})
    void aReportThatCannotBeWrittenIsRefusedAtTheStart(String name) {
        Run run = crawl(
                site, "--report", file(name).toString(), "--job", file("job").toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'--report': " + file(name) + " cannot be written: ");
        assertThat(file("job")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"-o, job/x.jsonl", "-o, ./job/a/x.warc.gz", "--skipped, job/x.tsv", "--report, job/r.html"})
    void noOutputIsInTheDirectoryOfTheJob(String option, String name) {
        Run run =
                crawl(site, "--job", file("job").toString(), option, file(name).toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        file(name) + " is in the directory of --job " + file("job") + "; write outputs outside of it");
        assertThat(file("job")).doesNotExist();
    }

    @Test
    void devicesAreWrittenTo() {
        assertThat(crawl(site, "-o", "/dev/null", "--format", "jsonl").exitCode())
                .isZero();
    }

    @Test
    void anArchiveHasEveryRequest() throws IOException {
        Run run = crawl(
                site, "-o", file("a.txt").toString(), "-o", file("a.warc.gz").toString());

        assertThat(run.exitCode()).isZero();
        assertThat(file("a.txt")).hasContent(site + "\n" + site + "a\n");
        List<Archive.Entry> records = Archive.read(file("a.warc.gz"));
        assertThat(records)
                .extracting(Archive.Entry::type)
                .containsExactly("warcinfo", "request", "response", "request", "revisit", "request", "revisit");
        assertThat(records.subList(1, 7).stream().map(Archive.Entry::url).distinct())
                .containsExactly(site + "robots.txt", site, site + "a");
        assertThat(records.get(2).payload()).asString(US_ASCII).startsWith("<a href='/a'>");
    }

    @Test
    void anArchiveIsOverwrittenOnlyByForce() throws IOException {
        Files.writeString(file("a.warc.gz"), "mine");
        Files.writeString(file("a-20241128.warc.gz"), "mine");
        String[] command = {site, "-o", file("a.warc.gz").toString()};
        assertThat(crawl(command).err()).contains("a.warc.gz exists; use --force to overwrite it");
        assertThat(file("a.warc.gz")).hasContent("mine");

        assertThat(crawl(command[0], command[1], command[2], "--force").exitCode())
                .isZero();
        Archive.read(file("a.warc.gz"));
        assertThat(file("a-20241128.warc.gz")).hasContent("mine");
    }

    @Test
    void aResumedJobAddsAFileToItsArchive() throws IOException {
        String[] command = {
            site, "--job", file("job").toString(), "-o", file("a.warc.gz").toString(), "--max-pages", "1"
        };
        assertThat(crawl(command).exitCode()).isZero();
        byte[] whole = Files.readAllBytes(file("a.warc.gz"));
        Files.write(file("a.warc.gz"), Arrays.copyOf(whole, 100), StandardOpenOption.APPEND);

        assertThat(crawl(command).exitCode()).isZero();

        assertThat(file("a.warc.gz")).hasBinaryContent(whole);
        assertThat(Archive.read(file("a-00001.warc.gz")).stream().map(Archive.Entry::url))
                .contains(site + "a")
                .doesNotContain(site);
    }

    @Test
    void aCrawlWithoutAResponseLeavesNoArchive() throws IOException {
        String seeds = Files.writeString(file("seeds.txt"), site).toString();

        assertThat(crawl(seeds, "-o", file("a.warc.gz").toString()).exitCode()).isEqualTo(3);

        assertThat(file("a.warc.gz")).doesNotExist();
    }
}
