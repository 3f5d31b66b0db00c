package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.TestCertificate;
import dev.sieve.durable.DurableSieve;
import dev.sieve.serve.FrontierServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the service refuses before it is ready, each with one line and an exit code. */
@Timeout(100)
class ServeCommandTest {
    @TempDir
    private Path folder;

    private Run serve(String... options) {
        return Run.of(
                Main.commandLine(),
                Stream.concat(
                                Stream.of(
                                        "serve",
                                        "--dir",
                                        folder.resolve("crawls").toString()),
                                Arrays.stream(options))
                        .toArray(String[]::new));
    }

    private void isRefused(Run run, int exitCode, String... words) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        assertThat(run.err().lines()).singleElement().asString().contains(words);
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--listen | x | 'x' is not a port",
                "--listen | 65536 | '65536' is not a port",
                "--listen | 0.0.0.0:7071 | other machines can reach 0.0.0.0",
                "--listen | [::]:7071 | '--tls-cert' and '--tls-key'",
                "--tls-cert | cert.pem | requires '--tls-key'",
                "--tls-key | key.pem | requires '--tls-cert'",
                "--capacity | 0 | must be at least 1",
                "--capacity | 1e15 | a filter is limited to",
                "--miss-rate | 2 | not between",
                "--on-full | explode | 'explode' is not one of warn, grow, fail",
                "--durability | never | 'never' is not one of process, interval, always",
                "--metrics | x | 'x' is not a port",
                "--metrics | 7071 | needs another port than '--listen': 7071",
                "--frobnicate | 1 | --frobnicate",
            })
    void wrongUsageIsNamedInOneLineAndNothingIsCreated(String option, String value, String problem) {
        isRefused(serve(option, value), FailOn.ExitCode.WRONG_USAGE, option, problem);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aDirectoryIsRequired() {
        isRefused(Run.of(Main.commandLine(), "serve"), FailOn.ExitCode.WRONG_USAGE, "--dir");
        isRefused(Run.of(Main.commandLine(), "serve", "--dir", ""), FailOn.ExitCode.WRONG_USAGE, "--dir", "empty");
    }

    @Test
    void anAddressThatCannotBeUsedIsNamedWithTheReason() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(other.getLocalPort());

            isRefused(
                    serve("--listen", "0", "--metrics", port),
                    FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED,
                    "cannot listen on 127.0.0.1:" + port + ": ",
                    "in use; choose another port with --metrics=PORT");
            isRefused(
                    serve("--listen", "0", "--metrics", "192.0.2.1:" + port),
                    FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED,
                    "cannot listen on 192.0.2.1:" + port + ": ",
                    "--metrics");
            assertThat(folder).isEmptyDirectory();
            isRefused(
                    serve("--listen", port),
                    FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED,
                    "cannot listen on 127.0.0.1:" + port + ": ",
                    "in use");
        }
        isRefused(
                serve("--listen", "nowhere.invalid:1"),
                FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED,
                "cannot listen on nowhere.invalid:1: unknown host");
    }

    @Test
    void filesForTlsThatCannotBeUsedAreNamed() throws Exception {
        TestCertificate pem = TestCertificate.create(folder);
        Path text = Files.writeString(folder.resolve("text.pem"), "no certificate");
        Path missing = folder.resolve("missing.pem");

        for (List<Path> files : List.of(
                List.of(missing, pem.key(), missing),
                List.of(pem.certificate(), missing, missing),
                List.of(text, pem.key(), text),
                List.of(pem.certificate(), text, text),
                List.of(pem.certificate(), pem.certificate(), pem.certificate()))) {
            isRefused(
                    serve(
                            "--listen",
                            "0",
                            "--tls-cert",
                            files.get(0).toString(),
                            "--tls-key",
                            files.get(1).toString()),
                    FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED,
                    files.get(2).toString());
        }
    }

    @Test
    void aDirectoryThatIsInUseIsRefused() throws Exception {
        try (FrontierServer server = FrontierServer.builder(folder.resolve("crawls"))
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .open()) {
            assertThat(server.port()).isPositive();

            isRefused(serve("--listen", "0"), FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED, "crawls", "in use");
        }
    }

    @Test
    void aDirectoryWithOtherFilesIsRefused() throws Exception {
        try (DurableSieve job = DurableSieve.open(folder.resolve("crawls"), 1000)) {
            job.push("https://a.test/");
        }
        isRefused(
                serve("--listen", "0"),
                FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED,
                "crawls: a server needs a folder of its own, and this one contains checkpoint-");

        Path notes =
                Files.createDirectories(folder.resolve("other/deleted-files")).resolve("notes.txt");
        Files.writeString(notes, "mine");
        Run run = Run.of(
                Main.commandLine(), "serve", "--dir", folder.resolve("other").toString(), "--listen", "0");
        isRefused(run, FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED, "other: ", "this one contains deleted-files");
        assertThat(notes).hasContent("mine");
    }
}
