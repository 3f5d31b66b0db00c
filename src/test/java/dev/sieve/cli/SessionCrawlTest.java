package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import dev.sieve.crawl.Site;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a crawl with credentials says of URLs that ask to log in: the session has ended. */
@Timeout(120)
class SessionCrawlTest {
    private static final int PAGES = 30;
    private static final String FORM =
            "<title>Log in</title><form method=post action='%s'><input type=hidden name=t value=%d>"
                    + "<input name=u><input type=password name=p></form><a href=/help>help</a>";
    private static final String ENDED = "the session seems to have ended: log in again and repeat the command";

    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site("127.0.0.1");

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream before = System.err;

    private String kind = "redirect";
    private int left = Integer.MAX_VALUE;
    private int token;

    @BeforeEach
    void captureErr() {
        System.setErr(new PrintStream(err, true, UTF_8));
    }

    @AfterEach
    void restoreErr() {
        System.setErr(before);
    }

    /** Serves pages to a session, until so many responses are left. */
    private synchronized Site.Reply reply(HttpExchange request) {
        String path = request.getRequestURI().toString();
        List<String> cookie = request.getRequestHeaders().getOrDefault("Cookie", List.of());
        if (path.equals("/robots.txt")) {
            return Site.status(404);
        } else if (path.startsWith("/login")) {
            return html(FORM.formatted(path, ++token));
        } else if (path.equals("/help")) {
            return html("<title>help</title>");
        } else if (cookie.stream().noneMatch(each -> each.contains("sid=")) || left <= 0) {
            return switch (kind) {
                case "redirect" -> Site.status(302).field("Location", "/login?next=" + path);
                case "401" ->
                    Site.status(401).field("Content-Type", "text/html").body("<title>no</title>");
                default -> html(FORM.formatted(path, ++token));
            };
        }
        left--;
        String[] pages = IntStream.range(0, PAGES).mapToObj(i -> "/p" + i).toArray(String[]::new);
        return path.equals("/")
                ? html("<title>home</title>" + Site.links(pages))
                : html("<title>page</title>the text of " + path.substring(1));
    }

    private static Site.Reply html(String html) {
        return Site.ok("text/html", html);
    }

    private Run crawl(String seed, String... options) throws IOException {
        Path cookies = file("cookies.txt");
        Files.writeString(cookies, "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tn" + ++token + "\n");
        List<String> all = new ArrayList<>(List.of(site.url(seed), "--delay", "0", "--retries", "0", "--per-host=1"));
        all.addAll(List.of("--force", "--fail-on=broken", "--fail-on=error", "-o", file("a.jsonl") + ""));
        all.addAll(List.of(options));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private String cookies() {
        return "--cookies=" + file("cookies.txt");
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** Returns a field of the records by path. */
    private Map<String, String> records(String field) throws IOException {
        Map<String, String> values = new TreeMap<>();
        for (String line : Files.readAllLines(file("a.jsonl"))) {
            JsonNode record = new ObjectMapper().readTree(line);
            values.put(
                    record.get("url").asText().replace(site.url(""), ""),
                    record.path(field).asText());
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"redirect", "form", "401"})
    void whatTheSessionDidNotReachIsForTheNextRun(String ending) throws IOException {
        kind = ending;
        site.otherwise(this::reply);
        left = 8;
        String[] options = {
            cookies(),
            "--job=" + file("job"),
            "-o",
            file("a.junit.xml").toString(),
            "--report=" + file("r.html"),
            "--metrics-file=" + file("m.prom"),
            "--summary=" + file("s.json")
        };

        assertThat(crawl("/", options).exitCode()).isEqualTo(6);

        assertThat(err.toString(UTF_8))
                .containsOnlyOnce(ENDED)
                .contains("  logins   20 URLs behind a login, since the session has ended", ": " + kind + " x20\n")
                .contains("host given up after 20 requests to log in in a row\n", "23 URLs left in ");
        assertThat(records("login").values()).filteredOn(kind::equals).hasSize(20);
        assertThat(records("title")).doesNotContainValue("Log in");
        assertThat(site.requests()).doesNotContain("/help");
        assertThat(new ObjectMapper()
                        .readTree(file("s.json").toFile())
                        .at("/parts/logins/" + kind)
                        .asInt())
                .isEqualTo(20);
        assertThat(Files.readAllLines(file("m.prom")))
                .contains("sieve_crawl_logins_total{login=\"" + kind + "\"} 20.0");
        assertThat(Jsoup.parse(file("r.html").toFile(), "UTF-8")
                        .select("#of-login")
                        .text())
                .startsWith("Behind a login, since the session has ended");
        assertThat(Jsoup.parse(Files.readString(file("a.junit.xml")), Parser.xmlParser())
                        .select("skipped[message^=login: " + kind + "]"))
                .hasSize(20);

        left = Integer.MAX_VALUE;
        err.reset();
        assertThat(crawl("/", options).exitCode()).isZero();

        assertThat(records("title").values()).filteredOn("page"::equals).hasSize(PAGES);
        assertThat(err.toString(UTF_8)).doesNotContain(ENDED).contains("complete: no URL is left");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redirect", "form", "401"})
    void aRoundWithoutASessionChangesNothing(String ending) throws IOException {
        kind = ending;
        site.otherwise(this::reply);
        String[] round = {cookies(), "--again", "--fail-on=changed", "--fail-on=gone", "--job=" + file("job")};
        assertThat(crawl("/", round).exitCode()).isZero();
        left = 0;

        assertThat(crawl("/", round).exitCode()).isEqualTo(6);
        assertThat(err.toString(UTF_8)).containsOnlyOnce(ENDED);
        assertThat(records("change").values()).containsOnly("failed");
        left = Integer.MAX_VALUE;

        assertThat(crawl("/", round).exitCode()).isZero();
        assertThat(records("change")).hasSize(PAGES + 1).containsValue("unchanged");
        assertThat(records("change").values()).containsOnly("unchanged");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redirect", "form", "401"})
    void withoutCredentialsNothingIsJudged(String ending) throws IOException {
        kind = ending;
        site.otherwise(this::reply);

        crawl("/", "--keep-cookies");

        assertThat(records("login").values()).containsOnly("");
        assertThat(err.toString(UTF_8)).doesNotContain(ENDED);
        assertThat(site.requests().stream().filter(each -> each.startsWith("/login")))
                .hasSize(kind.equals("redirect") ? 1 : 0);
    }

    @Test
    void aTypedLoginPageIsAPage() throws IOException {
        site.otherwise(this::reply);

        assertThat(crawl("/login", cookies()).exitCode()).isZero();

        assertThat(records("title")).containsEntry("/login", "Log in").containsEntry("/help", "help");
    }

    @Test
    void formsForAPasswordInASessionAreNoEnd() throws IOException {
        String box = "<form action=/in><input type=password name=p></form>";
        site.html("/", "<title>t</title>home " + box + Site.links("/a", "/b", "/old", "/join", "/in"));
        site.html("/a", "<title>t</title>one " + box);
        site.html("/b", "<title>t</title>two " + box);
        site.redirect("/old", "/change");
        site.redirect("/join", "/join/us");
        site.html("/change", "<form><input type=password><input type=password></form>");
        site.html("/join/us", "<form><input type=password autocomplete=new-password></form>");
        site.html("/in", "<title>in</title>" + box);

        assertThat(crawl("/", cookies()).exitCode()).isZero();
        assertThat(records("login").values()).hasSize(8).containsOnly("");
        assertThat(records("redirect_to")).containsEntry("/old", site.url("/change"));
    }

    @Test
    void aLoginThatBeginsWithoutAPasswordIsKnownByName() throws IOException {
        String first = "<form method=post><input name=user></form>";
        site.page("/", "/a", "/b", "/c");
        site.redirect("/a", "/login?to=%2Fa").redirect("/b", "/blog-in").redirect("/c", "/log-in");
        site.html("/login?to=%2Fa", first).html("/blog-in", first).html("/log-in", "<form><input name=q></form>");

        assertThat(crawl("/", cookies()).exitCode()).isEqualTo(6);
        assertThat(records("login"))
                .containsEntry("/a", "redirect")
                .containsEntry("/b", "")
                .containsEntry("/c", "");
    }

    @Test
    void aLoginPageThatRobotsForbidIsKnownByName() throws IOException {
        site.robots("User-agent: *\nDisallow: /sign-in");
        site.page("/", "/a");
        site.redirect("/a", "/sign-in?to=%2Fa");

        assertThat(crawl("/", "-H", "Authorization: Basic eDp5").exitCode()).isEqualTo(6);
        assertThat(records("login")).containsEntry("/a", "redirect").containsEntry("/", "");
        assertThat(site.requests()).containsExactly("/", "/a");
    }
}
