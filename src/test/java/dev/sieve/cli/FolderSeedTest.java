package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.fetch.FolderSite;
import dev.sieve.report.BrokenLink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
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

        assertThat(run.exitCode()).isEqualTo(FailOn.ExitCode.FAIL_ON);
        assertThat(Files.readAllLines(list))
                .extracting(line -> line.split("\t", 2)[0])
                .contains("http://localhost/project/", "http://localhost/project/a.html")
                .noneMatch(url -> url.contains("robots"));
    }

    @Test
    void nothingIsSentToTheOriginOfAFolder() throws IOException {
        Path skipped = folder.resolve("skipped.tsv");
        Files.writeString(folder.resolve("missing.html"), "<a href='https://localhost:80/'>x</a>");

        run("--delay=0", "--check-links", "--skipped=" + skipped, "-o=" + folder.resolve("urls.tsv"));

        assertThat(Files.readString(skipped)).contains("https://localhost:80/").contains("address");
    }

    @Test
    void dryRunAndWhyDoNotAskTheRobotsTxtOfAFolder() throws IOException {
        Run dryRun = run("--dry-run");
        Run why = Run.of(Main.commandLine(), "why", "http://localhost/a.html", folder.toString());

        assertThat(dryRun.out())
                .contains("http://localhost/")
                .doesNotContain("robots.txt:", "/robots.txt", "not requested");
        assertThat(why.out()).startsWith("crawled").doesNotContain("robots.txt");
    }

    @Test
    void annotationsNameTheFileAndTheLine() throws IOException {
        Files.createDirectory(folder.resolve("s"));
        Files.writeString(folder.resolve("s/a, b.html"), "<p>\n<a\nhref=gone.html>x</a>");
        Path named = folder.resolve("s/../../" + folder.getFileName());
        run("--annotations=never");
        Files.writeString(folder.resolve("index.html"), "\n<a href='a.html'>a</a> <a href='s/a, b.html'>b</a>");
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, UTF_8));
        try {
            Run.of(Main.commandLine(), "-q", named.toString(), "--annotations=always");
        } finally {
            System.setErr(before);
        }

        String file = "::error file=" + folder;
        assertThat(err.toString(UTF_8).lines())
                .anyMatch(line -> line.equals(file + "/s/a%2C b.html,line=2,title=Broken link::404: "
                        + "http://localhost/s/gone.html (linked from " + folder + "/s/a, b.html)"))
                .anyMatch(line -> line.startsWith(
                        file + "/a.html,line=1,title=Broken link::404: " + "http://localhost/missing.html (linked"));
    }

    @Test
    void aFileBelowTheWorkspaceIsRelativeToIt() throws IOException {
        Path below = Files.createTempDirectory(Path.of("target"), "site");
        try {
            Files.writeString(below.resolve("index.html"), "x");
            FolderSite site = new FolderSite(Path.of(".").resolve(below), "http://localhost/project/", false);
            BrokenLink link = new BrokenLink(
                    "http://localhost/project/gone", "404", null, List.of("http://localhost/project/?x"), 1, false);
            BrokenLink other = new BrokenLink("http://a.test/", "404", null, List.of("http://localhost/"), 1, true);

            assertThat(Annotations.of(List.of(link, other), site, Path.of("")).lines())
                    .containsExactly(
                            "::error file=target/" + below.getFileName() + "/index.html,title=Broken link::404: "
                                    + "http://localhost/project/gone (linked from target/" + below.getFileName()
                                    + "/index.html)",
                            "::error file=http%3A//localhost/,title=Newly broken link::404: "
                                    + "http://a.test/ (linked from http://localhost/)");
            assertThat(Annotations.of(List.of(link), site, Path.of("..")))
                    .startsWith("::error file=" + Path.of("").toAbsolutePath().getFileName() + "/target/");
            assertThat(Annotations.of(List.of(link), site, below.resolve("elsewhere")))
                    .startsWith("::error file=" + below.toAbsolutePath() + "/index.html,");
        } finally {
            Files.delete(below.resolve("index.html"));
            Files.delete(below);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-o=x.warc.gz | a folder cannot be crawled with '--frontier' or an archive",
                "/ | a folder cannot be crawled with another one",
                "--base-url=x.test | Invalid value for option '--base-url': must be http or https, end with a slash",
                "--base-url=https://u:secret@h.test/ | Invalid value for option '--base-url': must be http or https",
                "--base-path=/x/ --base-url=https://h.test/ | Options '--base-path' and '--base-url' exclude each other",
                "--base-path=project | Invalid value for option '--base-path': must begin and end with a slash: project",
            })
    void whatCannotBeDoneIsRefused(String option, String message) throws IOException {
        Run run = run(option.replaceFirst("=x($|\\.warc)", "=" + folder.resolve("x") + "$1")
                .split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message).doesNotContain("secret");
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--base-path=/project/", "--base-url=http://127.0.0.1:1/", "--clean-urls"})
    void whatIsAboutAFolderNeedsOne(String option) {
        Run run = Run.of(Main.commandLine(), "-q", "http://127.0.0.1:1/", option);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("Option '" + option.replaceFirst("=.*", "") + "' requires 'a folder as SEED'");
    }

    /** The production site has an older build, and another one beside it. */
    @Test
    void linksToTheSiteOfTheFolderAreReadFromIt() throws IOException {
        List<String> robots = new ArrayList<>();
        try (Site production = new Site()) {
            String base = production.url("/docs/");
            production.page("/docs/").page("/other/", "/other/deep");
            production.answer("/robots.txt", request -> {
                robots.add("asked");
                return Site.status(404);
            });
            Files.writeString(
                    folder.resolve("new.html"),
                    "<link rel=canonical href=%snew><a href=%sgone.html>x</a><a href=/other/>x</a>"
                            .formatted(base, base));
            Files.writeString(folder.resolve("missing.html"), "<meta property=og:image content=" + base + "no.png>");
            String index =
                    "<link rel=canonical href=%s><link rel=alternate hreflang=de href=%sde/><a href=%snew>new</a>"
                            .formatted(base, base, base);
            Path list = folder.resolve("urls.tsv");
            String[] options = {"--base-url=" + base, "--clean-urls", "--check-links", "--check-resources"};
            run();
            Files.writeString(folder.resolve("index.html"), index);

            List<String> all = new ArrayList<>(List.of("-q", folder.toString(), "-o=" + list));
            all.addAll(List.of("--delay=0", "--allow-private=127.0.0.0/8"));
            all.addAll(List.of(options));
            Run.of(Main.commandLine(), all.toArray(String[]::new));

            assertThat(Files.readAllLines(list))
                    .extracting(line -> line.split("\t", -1)[0].replace(base, "/"))
                    .contains("/", "/new");
            assertThat(production.requests()).containsExactly("/other/");
            assertThat(robots).hasSize(1);
        }
    }
}
