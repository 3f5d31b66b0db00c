package dev.sieve.stage;

import static dev.sieve.crawl.Counter.DROPPED;
import static dev.sieve.crawl.Counter.FAILED;
import static dev.sieve.crawl.Counter.PAGES;
import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SKIPPED;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.sieve.Sieve;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Log;
import dev.sieve.crawl.Site;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.HostileServer;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cookies are sent where they belong and nowhere else, and last as long as the job. */
@Timeout(120)
class CookieCrawlTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final Web site = new Web("127.0.0.1");

    @AutoClose
    private final Web otherPort = new Web("127.0.0.1");

    @AutoClose
    private final Web other = new Web("127.0.0.2");

    /** A site whose responses depend on the cookies of requests. */
    private static final class Web implements AutoCloseable {
        private final Site server;
        private final Map<String, Function<String, String>> pages = new ConcurrentHashMap<>();
        private final List<String> requests = new CopyOnWriteArrayList<>();

        Web(String address) {
            server = new Site(address).otherwise(this::reply);
        }

        private Site.Reply reply(HttpExchange request) {
            String path = request.getRequestURI().toString();
            List<String> sent = request.getRequestHeaders().get("Cookie");
            String cookies = sent == null ? "" : String.join("; ", sent);
            requests.add((path + " " + cookies).strip());
            String[] parts =
                    pages.getOrDefault(path, any -> "404").apply(cookies).split("\n\n", 2);
            String[] lines = parts[0].lines().toArray(String[]::new);
            Site.Reply reply = Site.status(Integer.parseInt(lines[0])).field("Content-Type", "text/html");
            for (int i = 1; i < lines.length; i++) {
                String[] field = lines[i].split(": ", 2);
                reply.field(field[0], field[1]);
            }
            return reply.body(parts.length < 2 ? "" : parts[1]);
        }

        /** Sets what is at a path: a status, lines of header fields, and after an empty line the body. */
        Web on(String path, String answer) {
            return on(path, cookies -> answer);
        }

        Web on(String path, Function<String, String> answer) {
            pages.put(path, answer);
            return this;
        }

        String url(String path) {
            return server.url(path);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static String links(String... targets) {
        return "<p>" + Site.links(targets);
    }

    private static CrawlOptions options() {
        return new CrawlOptions()
                .delay(Duration.ZERO)
                .concurrency(1)
                .obeyRobots(false)
                .allowPrivate("127.0.0.0/8");
    }

    /** Options for a crawl that keeps cookies, and begins with those in lines of a file. */
    private CrawlOptions cookies(String... lines) throws IOException {
        Path file = Files.write(folder.resolve("cookies.txt"), List.of(lines));
        return options().logOut(CookieStage.LOG_OUT).stage(CookieStage.of(file, false));
    }

    private static CrawlReport crawl(CrawlOptions options, String url, PageSink sink) throws IOException {
        try (Crawler crawler = new Crawler(options, new Sieve(1000), AllStages::of)) {
            crawler.seed(url);
            return crawler.run(sink);
        }
    }

    private CrawlReport crawl(CrawlOptions options) throws IOException {
        return crawl(options, site.url("/"), visit -> {});
    }

    @Test
    void cookiesAreSentUntilAServerChangesOrDeletesThem() throws IOException {
        site.on("/", "200\nSet-Cookie: s=1; Path=/\nSet-Cookie: t=1; Path=/a\n\n" + links("/a"))
                .on("/a", "200\nSet-Cookie: s=2; Path=/\n\n" + links("/b"))
                .on("/b", "404\nSet-Cookie: s=; Path=/; Max-Age=0\n\n" + links("/c"));

        crawl(cookies());

        assertThat(site.requests).containsExactly("/", "/a t=1; s=1", "/b s=2", "/c");
    }

    @Test
    void aCookieBeyondAsciiIsSentBack() throws IOException {
        String sent = new String("s=M\u00fcnchen\u6625".getBytes(UTF_8), ISO_8859_1);
        site.on("/", "200\nSet-Cookie: " + sent + "; Path=/\n\n" + links("/a")).on("/a", "200\n\nx");

        crawl(cookies());

        assertThat(site.requests).containsExactly("/", "/a " + sent);
    }

    @ParameterizedTest
    @CsvSource({
        "example.org FALSE / FALSE 0 s 1, 1 in all; 0 expired",
        "127.0.0.1 FALSE / FALSE 1000000000 s 1, 1 in all; 1 expired",
        "# nothing, 0 in all; 0 expired",
        "127.0.0.1 FALSE / FALSE 0 s 1,"
    })
    void aFileOfWhichNoCookieIsSentIsNamedOnce(String line, String numbers) throws IOException {
        site.on("/", "200\n\n" + links("/a", "/b")).on("/a", "200\n\nx").on("/b", "200\n\nx");

        List<String> log = Log.of(() -> crawl(cookies(line.replace(' ', '\t'))));

        assertThat(log)
                .filteredOn(each -> each.contains("none of its cookies is sent"))
                .hasSize(numbers == null ? 0 : 1)
                .allMatch(each -> each.contains(numbers.replace(';', ',')));
    }

    @Test
    void noneIsSentWithoutTheOption() throws IOException {
        site.on("/", "200\nSet-Cookie: s=1; Path=/\n\n" + links("/a", "/logout"));

        crawl(options());

        assertThat(site.requests).containsExactly("/", "/a", "/logout");
    }

    /** Another port is another place, though cookies do not differ by it. */
    @Test
    void checksOutsideOfTheScopeNeitherGetNorSetCookies() throws IOException {
        String elsewhere = "200\nSet-Cookie: s=other; Path=/\n\n";
        otherPort
                .on("/x", elsewhere)
                .on("/i", elsewhere)
                .on("/r", "302\nLocation: " + site.url("/back") + "\nSet-Cookie: s=other\n");
        site.on(
                        "/",
                        "200\n\n" + links(otherPort.url("/x"), otherPort.url("/r"), "/late") + "<img src="
                                + otherPort.url("/i") + "><img src=/i>")
                .on("/late", "200\n\n" + links("/later"));

        crawl(cookies("127.0.0.1\tFALSE\t/\tFALSE\t0\ts\tmine")
                .with(Capability.CHECK_LINKS, true)
                .with(Capability.CHECK_RESOURCES, true));

        assertThat(otherPort.requests).containsExactlyInAnyOrder("/x", "/i", "/r");
        assertThat(site.requests)
                .containsExactlyInAnyOrder("/ s=mine", "/late s=mine", "/i s=mine", "/back s=mine", "/later s=mine");
    }

    @Test
    void aSeedRedirectedToAnotherSiteGetsNoCookies() throws IOException {
        site.on("/", "302\nLocation: " + other.url("/in"));
        other.on("/in", "200\n\n" + links("/further"));

        crawl(cookies("127.0.0.2\tFALSE\t/\tFALSE\t0\ts\t1"));

        assertThat(other.requests).containsExactly("/in");
    }

    @Test
    void robotsTxtNeitherGetsNorSetsCookies() throws IOException {
        site.on("/robots.txt", "200\nSet-Cookie: r=1; Path=/\n\nUser-agent: *\n")
                .on("/", "200\n\nx");

        crawl(cookies("127.0.0.1\tFALSE\t/\tFALSE\t0\ts\t1").obeyRobots(true));

        assertThat(site.requests).containsExactly("/robots.txt", "/ s=1");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aRedirectThatNeedsItsCookieIsFollowedWithIt(int retries) throws IOException {
        site.on("/", "200\n\n" + links("/self", "/ring", "/never"))
                .on("/self", cookies -> cookies.contains("a=1") ? "200\n\nx" : "302\nLocation: /self\nSet-Cookie: a=1")
                .on("/ring", cookies -> cookies.contains("b=1") ? "200\n\nx" : "302\nLocation: /test")
                .on("/test", "302\nLocation: /ring\nSet-Cookie: b=1")
                .on("/never", "302\nLocation: /never\nSet-Cookie: c=1");
        List<Visit> visits = new ArrayList<>();

        CrawlReport report = crawl(cookies().retries(retries), site.url("/"), visits::add);

        assertThat(visits)
                .filteredOn(visit -> visit.result().status() == 200)
                .extracting(Visit::url)
                .containsExactlyInAnyOrder(site.url("/"), site.url("/self"), site.url("/ring"));
        assertThat(report.failures())
                .containsExactly(new CrawlReport.Failure(site.url("/never"), "bad redirect", site.url("/")));
        assertThat(visits)
                .filteredOn(visit -> visit.url().equals(site.url("/never")))
                .extracting(visit -> visit.result().description())
                .containsExactly("bad redirect: to itself");
        assertThat(site.requests).filteredOn(each -> each.startsWith("/never")).hasSize(2);
    }

    @Test
    void linksThatEndTheSessionAreNotRequested() throws IOException {
        String[] ends = """
                        /logout /log-out/ /?action=logout&x /a/LOGOFF.php /Special:UserLogout /sign_out /SignOff
                        /abmelden /LogoutServlet /doLogout.action /logoutUser?x /d%C3%A9connexion
                        /?do=se%2dd%c3%89connecter /%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88
                        /connect/endsession?id=1 /adfs/ls/?wa=wsignout1.0 /saml2/idp/slo /session/destroy
                        /a//logout""".split("\\s+", -1);
        String[] others = """
                        /catalogout /blog/outdoor /logouts /signoffs/x /assign/out /designout
                        /docs/logout-endpoint.html /how-to-log-out /logout%20page /slo/ /fr/connexion""".split("\\s+", -1);
        site.on("/", "200\n\n" + links(ends) + links(others) + "<img src=/logout.png>");

        CrawlReport report = crawl(cookies().with(Capability.CHECK_LINKS, true).with(Capability.CHECK_RESOURCES, true));

        assertThat(report.by(SKIPPED)).containsExactly(Map.entry("log-out link", ends.length + 1L));
        assertThat(site.requests).containsExactlyInAnyOrder(concat("/", others));
        site.requests.clear();

        crawl(cookies().logOut("/log-|x$"));

        assertThat(site.requests).contains("/logout", "/catalogout").doesNotContain("/log-out/", "/signoffs/x");
    }

    private static String[] concat(String first, String... others) {
        return IntStream.rangeClosed(0, others.length)
                .mapToObj(i -> i == 0 ? first : others[i - 1])
                .toArray(String[]::new);
    }

    private CrawlReport run(CrawlOptions options) throws IOException {
        Path job = folder.resolve("job");
        boolean exists = Files.exists(job);
        try (CrawlJob open = CrawlDirectory.open(job, exists ? builder -> {} : builder -> builder.capacity(1000));
                Crawler crawler = new Crawler(options, open, AllStages::of)) {
            crawler.seed(site.url("/"));
            return crawler.run(visit -> {});
        }
    }

    @Test
    void queuedLogoutLinksAreRefusedButSeedsAreNot() throws IOException {
        site.on("/", "200\n\n" + links("/logout", "/a"))
                .on("/logout", "200\n\nx")
                .on("/a", "200\n\nx");
        run(options().maxPages(1));

        CrawlReport resumed = run(cookies());

        assertThat(resumed.by(REFUSED)).containsExactly(Map.entry("log-out link", 1L));
        assertThat(resumed.count(PAGES)).isEqualTo(1);
        assertThat(site.requests).containsExactly("/", "/a");

        crawl(cookies(), site.url("/logout"), visit -> {});
        assertThat(site.requests).containsExactly("/", "/a", "/logout");
    }

    @Test
    void aJobKeepsItsCookiesUntilTheFileHasOthers() throws IOException {
        String old = "127.0.0.1\tFALSE\t/\tFALSE\t0\ts\told";
        String unused = "bank.test\tFALSE\t/\tFALSE\t0\tbank\tsesame";
        site.on("/", "200\nSet-Cookie: s=new; Path=/\n\n" + links("/a", "/b", "/c", "/d"));

        run(cookies(old, unused).maxPages(1));
        run(cookies(old, unused).maxPages(1));
        run(cookies(old.replace("old", "fresh"), unused).maxPages(1));
        run(options().maxPages(1));
        run(cookies().maxPages(1));

        assertThat(site.requests).containsExactly("/ s=old", "/a s=new", "/b s=fresh", "/c", "/d s=new");
        Path stored = folder.resolve("job").resolve("crawl-cookies");
        assertThat(stored).content().contains("\ts\tnew").doesNotContain("old", "fresh", "sesame");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(stored)))
                .isEqualTo("rw-------");
    }

    @Test
    void exchangesAreWithoutCookiesUnlessTheOptionsSaySo() throws IOException {
        site.on("/robots.txt", "200\nSet-Cookie: r=secret\n\nUser-agent: *\n")
                .on("/", "200\nSet-Cookie: s=secret; Path=/\n\n" + links("/a"))
                .on("/a", "200\n\nx");
        List<Exchange> exchanges = new ArrayList<>();
        PageSink sink = new PageSink() {
            @Override
            public void accept(Visit visit) {}

            @Override
            public void exchanged(Exchange exchange) {
                exchanges.add(exchange);
            }
        };

        crawl(cookies().obeyRobots(true).exchanges(true), site.url("/"), sink);

        assertThat(exchanges).hasSize(3).allSatisfy(each -> {
            assertThat(each.request() + each.response()).doesNotContainIgnoringCase("cookie", "secret");
            assertThat(each.request())
                    .startsWith("GET /")
                    .contains("\r\nHost: 127.0.0.1")
                    .endsWith("\r\n\r\n");
            assertThat(each.response()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\n");
        });
        exchanges.clear();

        crawl(options().exchanges(true).stage(CookieStage.of(null, true)), site.url("/"), sink);

        assertThat(exchanges.get(0).response()).containsIgnoringCase("Set-Cookie: s=secret; Path=/\r\n");
        assertThat(exchanges.get(1).request()).contains("\r\nCookie: s=secret\r\n");
    }

    @Test
    @Tag("slow")
    @Tag("hostile")
    void cookieBombsAreBounded() throws IOException {
        try (HostileServer server = new HostileServer()) {
            String head = "HTTP/1.1 200 OK\nContent-Type: text/html\n";
            server.on(
                    "/",
                    HostileServer.raw(
                            head + "Set-Cookie: good=1; Path=/good\n",
                            links("/lines", "/value", "/super", "/bomb0", HostileServer.GOOD)
                                    .getBytes(US_ASCII)));
            server.on("/lines", HostileServer.raw(head + "Set-Cookie: a=b\n".repeat(10_000)))
                    .on("/value", HostileServer.raw(head + "Set-Cookie: a=" + "v".repeat(1 << 20) + "\n"))
                    .on(
                            "/super",
                            HostileServer.raw(head
                                    + "Set-Cookie: a=super; Domain=0.0.1; Path=/\n"
                                    + "Set-Cookie: b=super; Domain=com; Path=/\n"
                                    + "Set-Cookie: c=super; Domain=example.com; Path=/\n"));
            for (int page = 0; page <= 10; page++) {
                StringBuilder bomb = new StringBuilder(head);
                for (int i = 0; i < 60; i++) {
                    bomb.append("Set-Cookie: bomb")
                            .append(60 * page + i)
                            .append("=")
                            .append("v".repeat(4000))
                            .append("; Path=/\n");
                }
                server.on(
                        "/bomb" + page,
                        HostileServer.raw(
                                bomb.toString(), links("/bomb" + (page + 1)).getBytes(US_ASCII)));
            }

            CrawlReport report = crawl(cookies().retries(0), server.url("/"), visit -> {});

            assertThat(report.count(FAILED)).isEqualTo(2);
            assertThat(server.requests(HostileServer.GOOD)).isEqualTo(1);
            List<String> cookies = server.heads().stream()
                    .map(sent -> sent.replaceAll("(?s)^.*\r\nCookie: |\r\nHost: .*$", ""))
                    .map(sent -> sent.replaceAll("v+", "v"))
                    .toList();
            assertThat(cookies).noneMatch(sent -> sent.contains("=super"));
            assertThat(server.heads()).allMatch(sent -> sent.length() < 70_000);
            assertThat(cookies.get(cookies.size() - 1)).contains("bomb649=v").doesNotContain("bomb650=v", "bomb648=v");
            assertThat(report.by(DROPPED)).containsKeys("cookies evicted", "cookies ignored");
        }
    }
}
