package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FolderSeedTest {
    @TempDir
    private Path folder;

    private Run run(String... options) throws IOException {
        Files.writeString(folder.resolve("index.html"), "<a href='a.html'>a</a> <img src='no.png'>");
        Files.writeString(folder.resolve("a.html"), "<a href='missing.html'>x</a> <a href='/project/a.html'>x</a>");
        Files.writeString(folder.resolve("robots.txt"), "User-agent: *\nDisallow: /\n");
        String[] arguments = new String[options.length + 2];
        arguments[0] = "-q";
        arguments[1] = folder.toString();
        System.arraycopy(options, 0, arguments, 2, options.length);
        return Run.of(Main.commandLine(), arguments);
    }

    /** With the delay between the requests to a host, the crawl would take an hour. */
    @Test
    @Timeout(60)
    void linksOfAFolderAreChecked() throws IOException {
        Path list = folder.resolve("urls.tsv");

        Run run = run("--delay=1200", "--base-path=/project/", "--check-resources", "--fail-on=broken", "-o=" + list);

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAIL_ON);
        assertThat(Files.readAllLines(list))
                .extracting(line -> line.split("\t", 2)[0])
                .contains("http://localhost/project/", "http://localhost/project/a.html")
                .noneMatch(url -> url.contains("robots"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--job=x | a folder cannot be crawled with '--job', '--frontier' or an archive",
                "-o=x.warc.gz | a folder cannot be crawled with '--job', '--frontier' or an archive",
                "/ | a folder cannot be crawled with another one",
                "--base-path=project | Invalid value for option '--base-path': must begin and end with a slash: project",
            })
    void whatCannotBeDoneIsRefused(String option, String message) throws IOException {
        Run run = run(option.replace("=x", "=" + folder.resolve("x")));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void basePathNeedsAFolder() {
        Run run = Run.of(Main.commandLine(), "-q", "http://127.0.0.1:1/", "--base-path=/project/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("Option '--base-path' requires 'a folder as SEED'");
    }
}
