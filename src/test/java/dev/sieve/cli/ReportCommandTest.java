package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportCommandTest {
    @TempDir
    private Path folder;

    /** Runs the command; what it writes to the stderr of the process is added to that of the command. */
    private static Run report(Path... files) {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, UTF_8));
        try {
            String[] arguments = new String[files.length + 1];
            arguments[0] = "report";
            for (int i = 0; i < files.length; i++) {
                arguments[i + 1] = files[i].toString();
            }
            Run run = Run.of(Main.commandLine(), arguments);
            return new Run(run.exitCode(), run.out(), run.err() + err.toString(UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void writtenFileIsNamedWithItsSize() throws IOException {
        Path records = Files.writeString(
                folder.resolve("pages.jsonl"), "{\"url\": \"http://h.test/\", \"status\": 200}\n".repeat(2));
        Path file = folder.resolve("x.html");

        Run run = report(records, Path.of("-o" + file));

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).matches("\\Q" + file + "\\E  \\d+ kB\\R");
        assertThat(file).content(UTF_8).contains("<title>");
    }

    @Test
    void fileThatIsNoRecordsIsOneLineWithTheRemedy() throws IOException {
        Path table = Files.writeString(folder.resolve("x.csv"), "url,key\nhttp://h.test/,http://h.test/\n".repeat(20));

        Run run = report(table, Path.of("-o" + folder.resolve("x.html")));

        assertThat(run.exitCode()).isEqualTo(FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("sieve: " + table + ", line 1: not JSON; give a file of records (-o pages.jsonl)");
        assertThat(folder.resolve("x.html")).doesNotExist();
    }

    @Test
    void aReportThatTheDiskRefusesIsNamed() throws IOException {
        Path records = Files.writeString(folder.resolve("a.jsonl"), "{\"url\": \"http://a.test/\", \"status\": 200}\n");
        Path file = folder.resolve("long".repeat(100) + ".html");

        Run run = report(records, Path.of("-o" + file));

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err().lines()).singleElement().asString().startsWith("sieve: cannot write " + file);
    }

    @Test
    void reportIsReportHtmlUnlessNamed() {
        ReportCommand command = new ReportCommand();
        new CommandLine(command).parseArgs("pages.jsonl");

        assertThat(command.output).isEqualTo(Path.of("report.html"));
    }
}
