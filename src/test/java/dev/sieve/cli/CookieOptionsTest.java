package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.output.Archive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cookies on the command line: they are sent, and shown nowhere. */
@Timeout(60)
class CookieOptionsTest {
    private static final String MINE = "c2VzYW1lOm1pbmU";
    private static final String THEIRS = "c2VzYW1lOnRoZWlycw";

    @TempDir
    private Path folder;

    private final List<String> requests = new CopyOnWriteArrayList<>();

    @AutoClose
    private final Site server = new Site("127.0.0.1");

    private final String site = server.url("/");
    private Path cookies;

    @BeforeEach
    void serve() throws IOException {
        server.otherwise(request -> {
            String path = request.getRequestURI().toString();
            List<String> sent = request.getRequestHeaders().get("Cookie");
            requests.add(path + (sent == null ? "" : " " + sent));
            Site.Reply reply = path.equals("/self")
                    ? Site.status(302).field("Location", "/self")
                    : Site.status(path.equals("/a") ? 500 : 200)
                            .field("Content-Type", "text/html")
                            .body(Site.links("/a", "/self", "/logout", "http://["));
            return reply.field("Set-Cookie", "theirname=" + THEIRS + "; Path=/");
        });
        cookies = Files.writeString(
                folder.resolve("cookies.txt"), "#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tmyname\t" + MINE + "\n");
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--delay", "0", "--retries", "0", "--concurrency", "1"));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    /** Returns the content of all files but that of the user, by their paths. */
    private Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.equals(cookies)) {
                    files.put(folder.relativize(file).toString(), Files.readString(file, ISO_8859_1));
                }
            }
        }
        return files;
    }

    private String[] everything(String... more) {
        return Stream.concat(
                        Stream.of(
                                site,
                                "--cookies=" + cookies,
                                "--job=" + path("job"),
                                "--report=" + path("report.html"),
                                "--skipped=" + path("skipped.tsv"),
                                "--summary=" + path("summary.json"),
                                "--metrics-file=" + path("sieve.prom"),
                                "-o" + path("a.txt"),
                                "-o" + path("a.jsonl"),
                                "-o" + path("a.csv"),
                                "-o" + path("a.tsv"),
                                "-o" + path("a.warc"),
                                "--again",
                                "--check-fragments",
                                "--check-links",
                                "-v"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void noOutputButTheCookieFileOfTheJobHasACookie() throws IOException {
        Run run = crawl(everything());

        assertThat(requests).contains("/robots.txt", "/a [myname=" + MINE + "; theirname=" + THEIRS + "]");
        assertThat(requests).filteredOn(each -> each.startsWith("/self")).isNotEmpty();
        Map<String, String> files = files();
        assertThat(files.remove("job/crawl-cookies"))
                .contains("theirname\t" + THEIRS)
                .doesNotContain(MINE);
        assertThat(files)
                .containsKeys("job/crawl-report", "report.html", "a.warc", "a.jsonl", "skipped.tsv")
                .hasSizeGreaterThan(15);
        for (String secret : List.of(MINE, THEIRS, "myname", "theirname")) {
            assertThat(run.out() + run.err()).doesNotContain(secret);
            assertThat(files).allSatisfy((name, content) -> assertThat(content).doesNotContain(secret));
        }
        assertThat(files.get("skipped.tsv")).contains(site + "logout\tlog-out link: it ends the session\t" + site);
        assertThat(files.get("report.html")).contains("--cookies " + cookies);
        assertThat(Archive.read(folder.resolve("a.warc"))).hasSizeGreaterThan(8);
        for (String command : List.of("state", "export")) {
            Run shown = Run.of(Main.commandLine(), command, path("job"));
            assertThat(shown.out() + shown.err()).doesNotContain(MINE, THEIRS, "myname", "theirname");
        }
    }

    @Test
    void anArchiveHasCookiesIfTheOptionSaysSo() throws IOException {
        crawl(everything("--archive-cookies"));

        Map<String, String> files = files();
        assertThat(files.remove("a.warc"))
                .contains("\r\nCookie: myname=" + MINE + "\r\n", "theirname=" + THEIRS + "; Path=/\r\n");
        files.remove("job/crawl-cookies");
        assertThat(files).allSatisfy((name, content) -> assertThat(content).doesNotContain(MINE, THEIRS));
        assertThat(Archive.read(folder.resolve("a.warc"))).hasSizeGreaterThan(8);
    }

    @Test
    void aJobThatGoesOnWithoutItsCookiesSaysSo() {
        String job = "--job=" + path("job");
        String warning = "WARN  earlier runs sent cookies, this one sends none (--cookies, --keep-cookies)";
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, US_ASCII));
        try {
            crawl(site, job, "--max-pages=1", "-q");
            crawl(job, "--max-pages=1", "-q", "--keep-cookies");
            crawl(job, "--max-pages=1", "-q", "--cookies=" + cookies);
            assertThat(err.toString(US_ASCII)).doesNotContain(warning);

            crawl(job, "-q");

            assertThat(err.toString(US_ASCII)).containsOnlyOnce(warning);
        } finally {
            System.setErr(before);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cookies none.txt | Invalid value for option '--cookies': none.txt: no such file or directory",
                "--log-out x | Option '--log-out' requires '--cookies or --keep-cookies'",
                "--archive-cookies | Option '--archive-cookies' requires '--cookies or --keep-cookies'",
                "--keep-cookies --log-out ( | Invalid value for option '--log-out': log-out (: Unclosed group",
            })
    void wrongOptionsAreNamed(String options, String message) {
        List<String> all = new ArrayList<>(List.of(options.split(" ")));
        all.add(site);
        Run run = crawl(all.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
        assertThat(requests).isEmpty();
    }

    @Test
    void aWrongLineIsNamedAndNothingIsRequestedOrCreated() throws IOException {
        Files.writeString(cookies, "# comment\n127.0.0.1 " + MINE + "\n");

        for (String command : List.of("crawl", "why")) {
            Run run = Run.of(Main.commandLine(), command, site, site, "--cookies=" + cookies, "--job=" + path("job"));

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .contains("Invalid value for option '--cookies': " + cookies + ":2: not a cookie: ")
                    .doesNotContain(MINE);
        }
        assertThat(requests).isEmpty();
        assertThat(folder.resolve("job")).doesNotExist();
    }

    @Test
    void whyNamesALinkThatEndsTheSession() {
        Run with = Run.of(Main.commandLine(), "why", site + "logout", site, "--cookies=" + cookies);
        Run without = Run.of(Main.commandLine(), "why", site + "logout", site);
        Run other = Run.of(Main.commandLine(), "why", site + "logout", site, "--keep-cookies", "--log-out=/bye");

        Run header = Run.of(Main.commandLine(), "why", site + "logout", site, "-H", "Cookie: " + MINE);

        assertThat(with.out()).startsWith("not crawled: log-out link: it ends the session");
        assertThat(header.out()).startsWith("not crawled: log-out link: it ends the session");
        assertThat(with.exitCode()).isEqualTo(5);
        assertThat(without.out()).startsWith("crawled: in scope");
        assertThat(other.out()).startsWith("crawled: in scope");
    }
}
