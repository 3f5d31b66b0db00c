package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

class LiveOptionsTest {
    private static final class Crawl {
        @Mixin
        LiveOptions live;

        @Parameters
        List<String> seeds = new ArrayList<>();
    }

    private static Run crawl(String... options) {
        List<String> words = new ArrayList<>(List.of("demo", "--hosts=2", "--pages=10"));
        words.addAll(List.of(options));
        return Run.of(Main.commandLine(), words.toArray(String[]::new));
    }

    @Test
    @Timeout(120)
    void metricsAtTheEndAreInTheFile(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("sieve.prom");
        for (int i = 0; i < 2; i++) {
            // Standard output belongs to the process that runs the tests.
            Run run = crawl("--metrics-file=" + file, "-o" + folder.resolve(i + ".txt"));

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(file)
                    .content()
                    .contains("\nsieve_crawl_running 0.0\n", "\nsieve_crawl_pages_total{status=\"2xx\"} 10.0\n")
                    .containsPattern("\nsieve_crawl_response_seconds_count [1-9]");
        }
    }

    @Test
    void metricsReplaceNoOtherFile(@TempDir Path folder) throws IOException {
        Path notes = Files.writeString(folder.resolve("notes"), "notes");
        Path output = folder.resolve("x.jsonl");
        Path inJob = folder.resolve("job/x.prom");

        assertThat(crawl("--metrics-file=" + notes).err()).contains("notes exists, and has no metrics in it");
        assertThat(crawl("--metrics-file=" + output, "-o" + output).err()).contains("x.jsonl is named twice");
        Run job = Run.of(
                Main.commandLine(), "http://h.test/", "--job=" + folder.resolve("job"), "--metrics-file=" + inJob);
        assertThat(job.err()).contains("is in the directory of --job");
        assertThat(List.of(crawl("--metrics-file=" + notes).exitCode(), job.exitCode()))
                .containsOnly(2);
        assertThat(notes).hasContent("notes");
        assertThat(folder.resolve("job")).doesNotExist();
    }

    private static CommandLine.ParseResult parse(Crawl crawl, String... args) {
        return new CommandLine(crawl).parseArgs(args);
    }

    @ParameterizedTest
    @CsvSource({
        "8484, 127.0.0.1, 8484",
        "0, 127.0.0.1, 0",
        "0.0.0.0:80, 0.0.0.0, 80",
        "[::1]:8080, [::1], 8080",
        "my-host.example:65535, my-host.example, 65535"
    })
    void aPortOrAnAddressAndAPort(String text, String host, int port) {
        assertThat(new LiveOptions.EndpointConverter().convert(text)).isEqualTo(new LiveOptions.Endpoint(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "-1",
                "65536",
                "999999",
                ":80",
                "a:b:80",
                "::1:80",
                "http://x:80",
                "x:",
                "x:80/",
                "a b:80"
            })
    void everythingElseIsRefused(String text) {
        assertThatThrownBy(() -> new LiveOptions.EndpointConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + text + "' is not a port");
    }

    @Test
    void aSeedAfterTheOptionIsNotItsValue() throws Exception {
        Crawl crawl = new Crawl();
        parse(crawl, "--live=0", "8080");
        assertThat(crawl.seeds).containsExactly("8080");
        Crawl other = new Crawl();
        Object value = parse(other, "--live", "8080").matchedOptionValue("--live", null);
        assertThat(value).isEqualTo(new LiveOptions.Endpoint("127.0.0.1", 8484));
        assertThat(other.seeds).containsExactly("8080");
    }

    @Test
    void withoutTheOptionThereIsNoServer() throws Exception {
        Crawl crawl = new Crawl();
        parse(crawl, "seeds.txt");
        assertThat(crawl.live.open()).isNull();
    }

    @Test
    void anEmptyValueIsRefused() {
        assertThatThrownBy(() -> parse(new Crawl(), "--live=", "x")).isInstanceOf(ParameterException.class);
    }
}
