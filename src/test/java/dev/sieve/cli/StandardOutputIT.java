package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.DurableSieve;
import dev.sieve.judge.PolitenessJudge;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a crawl writes to standard output. */
@Tag("process")
@Timeout(120)
class StandardOutputIT {
    private static final int PAGES = 30;

    @TempDir
    private Path folder;

    @AutoClose
    private DemoWeb web;

    @BeforeEach
    void serve() throws IOException {
        web = PolitenessJudge.web().hosts(3).pages(PAGES).open();
    }

    private int crawl(File out, String... options) throws IOException, InterruptedException {
        String crawl = web.start() + " --filter exact --scope any --resolve .test=127.0.0.1 --delay 0";
        String[] arguments = Stream.concat(Stream.of(crawl.split(" ", -1)), Stream.of(options))
                .toArray(String[]::new);
        return Program.exitCode(
                Program.of(folder, arguments).redirectOutput(out).start());
    }

    private List<String> lines(String... options) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        assertThat(crawl(out.toFile(), options)).as(err()).isZero();
        return Files.readAllLines(out);
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    @Test
    void recordsGoIntoAPipe() throws Exception {
        assertThat(lines("-o", "-"))
                .hasSizeGreaterThanOrEqualTo(PAGES)
                .allMatch(line -> line.startsWith("{\"url\": \"http://") && line.endsWith("}"));
    }

    /** The example of the documentation. */
    @Test
    void logIsJsonInAFileOfItsOwn() throws Exception {
        String example = Pages.blocks("xml").stream()
                .filter(block -> block.startsWith("<configuration>"))
                .findFirst()
                .orElseThrow();
        Path configuration = Files.writeString(folder.resolve("logback.xml"), example);
        Path log = folder.resolve("sieve.log");
        List<String> jvm = List.of("-Dlogback.configurationFile=" + configuration, "-Dsieve.log=" + log);

        String[] crawl = {web.start(), "--resolve", ".test=127.0.0.1", "--delay", "0", "-q", "-o", "-"};
        Process process = Program.of(folder, jvm, crawl).start();

        assertThat(Program.exitCode(process)).as(err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out")))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("{\"url\": "));
        assertThat(Files.readAllLines(log))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(JSON.std.mapFrom(line)).containsKeys("timestamp", "level", "message"));
        assertThat(err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<configuration>",
                "<configuration><appender name='a' class='nope'/><root><appender-ref ref='a'/></root></configuration>"
            })
    void configurationOfTheLogIsRefusedIfItIsWrong(String text) throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.xml"), text);
        for (Path file : List.of(wrong, folder.resolve("mistyped.xml"))) {
            Process process = Program.of(folder, List.of("-Dlogback.configurationFile=" + file), web.start(), "-o", "-")
                    .start();

            assertThat(Program.exitCode(process)).isEqualTo(2);
            assertThat(err()).contains("Invalid value for -Dlogback.configurationFile: " + file + ": ");
        }
    }

    @Test
    @Tag("slow")
    void formatAloneMeansStandardOutput() throws Exception {
        assertThat(lines("--format", "jsonl")).allMatch(line -> line.startsWith("{\"url\": \"http://"));
        assertThat(lines("-o", "/dev/stdout", "--format", "txt"))
                .hasSize(PAGES)
                .allMatch(line -> line.startsWith("http:"));
    }

    @Test
    @Tag("slow")
    void tablesAndLinksGoIntoAPipe() throws Exception {
        assertThat(lines("-o", "-", "--format", "csv"))
                .hasSizeGreaterThan(PAGES)
                .startsWith(
                        "url,key,depth,referrer,status,type,bytes,ms,waited_ms,fetched_at,redirect_to,title,links,error,cut,"
                                + "check,accepted,moved,earlier,newly_broken,wall,login,rendered,digest,text_digest,description,canonical,duplicate_of,sketch,change,"
                                + "same_text,last_visit,last_status,last_change,visits,signals,meta,text_cut,text")
                .allMatch(line -> line.startsWith("url,") || line.startsWith("http://"));
        assertThat(lines("-o", "-", "--format", "tsv"))
                .hasSizeGreaterThan(PAGES)
                .allMatch(line -> line.matches("http://\\S+\t\\S+\t(new|seen|out of scope|skipped: [a-z ]+)"));
    }

    @Test
    @Tag("slow")
    void aForcedJobWritesItsUrlsToStandardOutput() throws Exception {
        assertThat(lines("--job", "job", "--durability", "interval"))
                .hasSize(PAGES)
                .doesNotHaveDuplicates();
    }

    /** Runs a command whose output is read by {@code head -1}, and returns its exit code. */
    private int head(String command) throws IOException, InterruptedException {
        String java = String.join(" ", Program.command(List.of()));
        String line = "{ " + java + " " + command + " 2> err; echo $? > code; } | head -1 > out";
        Process shell =
                new ProcessBuilder("sh", "-c", line).directory(folder.toFile()).start();
        assertThat(shell.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readAllLines(folder.resolve("out"))).hasSize(1);
        return Integer.parseInt(Files.readString(folder.resolve("code")).strip());
    }

    @Test
    void aReaderThatEndsFirstEndsACrawlSilently() throws Exception {
        // More than fits into a pipe.
        try (DemoWeb large = PolitenessJudge.web().hosts(3).pages(500).open()) {
            String options = " -o - --filter exact --scope any --resolve .test=127.0.0.1 --delay 0";

            assertThat(head(large.start() + options)).isEqualTo(4);
        }
        // What a crawl says as it begins, and nothing of its end.
        assertThat(err().lines())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("Crawling 1 new seed"))
                .anyMatch(line -> line.startsWith("Filter: "))
                .anyMatch(line -> line.contains("crawling as sieve/"));
    }

    @Test
    void aReaderThatEndsFirstEndsAnExportSilently() throws Exception {
        try (DurableSieve job =
                DurableSieve.builder(folder.resolve("job")).capacity(20_000).open()) {
            for (int i = 0; i < 20_000; i++) {
                job.push("http://a.test/" + i);
            }
        }

        assertThat(head("export job")).isEqualTo(4);

        assertThat(err()).isEmpty();
    }

    @Test
    @Tag("slow")
    void aFullDiskBehindItIsNamed() throws Exception {
        File full = new File("/dev/full");
        Assumptions.assumeTrue(full.exists(), "no " + full);

        assertThat(crawl(full, "-o", "-")).isEqualTo(4);

        assertThat(err()).contains("cannot write standard output: No space left on device");
    }
}
