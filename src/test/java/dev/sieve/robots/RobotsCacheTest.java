package dev.sieve.robots;

import static dev.sieve.fetch.HostileServer.endless;
import static dev.sieve.fetch.HostileServer.raw;
import static dev.sieve.fetch.HostileServer.redirect;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.AddressPolicy;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.HostileServer;
import dev.sieve.fetch.ProxySettings;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any response to a request for robots.txt determines what may be fetched. */
@Tag("hostile")
@Timeout(1200)
class RobotsCacheTest {
    private static final String OK = "HTTP/1.1 200 OK\n";
    private static final long DAY = Duration.ofHours(24).toNanos();

    private HostileServer server;
    private Fetcher fetcher;
    private RobotsCache robots;
    private final List<String> sentTo = new ArrayList<>();
    private final FetchRequest.Watch watch = new FetchRequest.Watch() {
        @Override
        public boolean maySend(String host) {
            return sentTo.add(host);
        }
    };
    /** How long the server has to be left alone after the last request. */
    private Duration pause;

    @BeforeEach
    void open() throws IOException {
        server = HostileServer.unjudged();
        fetcher = newFetcher(Duration.ofMinutes(2));
        robots = new RobotsCache(
                request -> fetcher.fetch(request.watchedBy(watch)), "testbot", 2, InstantSource.system(), 1 << 20);
    }

    private static Fetcher newFetcher(Duration timeout) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of(),
                timeout,
                1000,
                4,
                host -> List.of(
                        host.endsWith(".test") ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host)),
                AddressPolicy.publicOnly().allowing("127.0.0.1"),
                1 << 26,
                ProxySettings.NONE,
                false));
    }

    @AfterEach
    void theSameFetcherStillFetchesAGoodPage() throws IOException {
        assertThat(fetcher.fetch(server.url(HostileServer.GOOD))).isInstanceOf(FetchResult.Page.class);
        assertThat(fetcher.connectionsInUse()).isZero();
        fetcher.close();
        server.close();
    }

    private String origin() {
        return server.url("");
    }

    /** Makes the next request for the rules of the server, or the first one again. */
    private RobotsCache.Found ask() {
        String next = robots.find(origin(), 0).next();
        pause = robots.request(next == null ? server.url("/robots.txt") : next, 0);
        return robots.find(origin(), 0);
    }

    private RobotsCache.Found known(long nowNanos) {
        return robots.find(origin(), nowNanos);
    }

    private RobotsCache.Access answer(HostileServer.Behaviour behaviour) {
        server.on("/robots.txt", behaviour);
        return ask().access();
    }

    private static HostileServer.Behaviour rules(String text) {
        return raw(OK, text.getBytes(ISO_8859_1));
    }

    private static void assertClosed(RobotsCache.Access answer) {
        assertThat(answer.isKnown()).isFalse();
        assertThat(answer.problem()).isNotEmpty();
    }

    @Test
    void aFailureOfTlsIsExplained() {
        String origin = origin().replace("http:", "https:");
        robots.request(origin + "/robots.txt", 0);
        assertThat(robots.find(origin, 0).access()).isNull();
        robots.request(origin + "/robots.txt", 0);
        assertThat(robots.find(origin, 0).access().problem())
                .startsWith("tls: ")
                .endsWith("; is this http?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"404 Not Found", "410 Gone", "403 Forbidden", "401 Unauthorized"})
    void aHostThatHasNoneIsOpenForADay(String status) {
        assertThat(answer(raw("HTTP/1.1 " + status + "\n")).rules().allows("/x"))
                .isTrue();
        assertThat(known(DAY - 1).access()).isNotNull();
        assertThat(known(DAY).access()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "500 Oops, PT1M, PT0S",
        "'503 Busy\nRetry-After: 1', PT1M, PT1S",
        "'503 Busy\nRetry-After: 3600', PT1H, PT1H",
        "'503 Busy\nRetry-After: 99999999999', PT24H, PT24H",
        "429 Slow, PT1M, PT0S",
        "999 What, PT1M, PT0S",
        "099 Early, PT2S, PT0S"
    })
    void aHostThatCannotSayIsAskedAgainAndThenClosed(String status, Duration firstPause, Duration lastPause) {
        assertThat(answer(raw("HTTP/1.1 " + status + "\n"))).isNull();
        assertThat(pause).isEqualTo(firstPause);

        assertClosed(ask().access());
        assertThat(pause).isEqualTo(lastPause);
        assertThat(known(Duration.ofHours(6).toNanos()).next()).endsWith("/robots.txt");
        robots.request(server.url("/robots.txt"), 0);
        assertThat(known(0).access()).isNull();
        assertThat(answer(rules("")).isKnown()).isTrue();
    }

    @Test
    void pausesOfAHostThatCannotSayDouble() {
        robots = new RobotsCache(fetcher, "testbot", 9, InstantSource.system(), 1 << 20);
        server.on("/robots.txt", raw("HTTP/1.1 500 Oops\n"));

        for (int minutes : new int[] {1, 2, 4, 8, 10, 10}) {
            ask();
            assertThat(pause).isEqualTo(Duration.ofMinutes(minutes));
        }
    }

    @Test
    void aHostThatNamesADateIsLeftAloneUntilThen() {
        InstantSource noon = InstantSource.fixed(Instant.parse("2026-11-21T12:00:00Z"));
        server.on("/robots.txt", raw("HTTP/1.1 503 Busy\nRetry-After: Sat, 21 Nov 2026 12:05:00 GMT\n"));

        robots = new RobotsCache(fetcher, "testbot", 2, noon, 1 << 20);

        assertThat(ask().access()).isNull();
        assertThat(pause).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void aHostThatDoesNotAnswerIsClosedAtTheDeadline() {
        try (Fetcher hasty = newFetcher(Duration.ofSeconds(1))) {
            robots = new RobotsCache(hasty, "testbot", 1, InstantSource.system(), 1 << 20);
            assertClosed(answer(server.stall("")));
            robots = new RobotsCache(hasty, "testbot", 1, InstantSource.system(), 1 << 20);
            assertClosed(answer(server.drip("HTTP/1.1 200 OK\r\n\r\n", "User-agent: *\nDisallow:\n")));
        }
    }

    @Test
    void aHostThatAnswersInPartIsClosed() {
        for (HostileServer.Behaviour behaviour : List.<HostileServer.Behaviour>of(
                HostileServer.reset(),
                client -> {},
                raw(OK + "Content-Length: 500\n", "User-agent: *".getBytes(ISO_8859_1)),
                raw(OK + "Content-Encoding: br\n", "User-agent: *".getBytes(ISO_8859_1)))) {
            robots = new RobotsCache(fetcher, "testbot", 1, InstantSource.system(), 1 << 20);
            assertClosed(answer(behaviour));
        }
    }

    @Test
    void aHostThatCannotProveWhoItIsIsClosed() {
        String secure = origin().replace("http:", "https:");
        robots.request(secure + "/robots.txt", 0);
        robots.request(secure + "/robots.txt", 0);

        assertClosed(robots.find(secure, 0).access());
    }

    @Test
    void fiveRedirectsAreFollowedOneAtATime() {
        server.on("/5", rules("User-agent: *\nDisallow: /no"));
        for (int i = 0; i < 5; i++) {
            assertThat(answerOf(i).next()).isEqualTo(server.url("/" + (i + 1)));
            assertThat(server.heads()).hasSize(i + 1);
        }

        assertThat(ask().access().rules().allows("/no")).isFalse();
        assertThat(sentTo).hasSizeGreaterThanOrEqualTo(6).containsOnly("127.0.0.1");
        assertThat(known(DAY - 1).access().rules().allows("/yes")).isTrue();
    }

    private RobotsCache.Found answerOf(int redirects) {
        server.on(redirects == 0 ? "/robots.txt" : "/" + redirects, redirect("/" + (redirects + 1)));
        return ask();
    }

    @Test
    void oneRedirectMoreMeansThatThereIsNone() {
        for (int i = 0; i < 5; i++) {
            answerOf(i);
        }

        assertThat(answerOf(5).access().rules().allows("/no")).isTrue();
        assertThat(server.heads()).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:///etc/passwd", "http://127.0.0.2/", "gopher://h/", "http://a..b/"})
    void aRedirectToWhereNobodyMayGoClosesTheHost(String target) {
        server.on("/robots.txt", redirect(target));
        RobotsCache.Found found = ask();
        for (int i = 0; i < 3 && found.next() != null; i++) {
            found = ask();
        }

        assertClosed(found.access());
        assertThat(server.heads()).hasSizeBetween(1, 2).allMatch(head -> head.startsWith("GET /robots.txt "));
    }

    private String originOf(String host) {
        return "http://" + host + ":" + server.port();
    }

    /** Makes requests until the access to a host is known, and returns it. */
    private RobotsCache.Access accessTo(String host) {
        for (String next; (next = robots.find(originOf(host), 0).next()) != null; ) {
            robots.request(next, 0);
        }
        return robots.find(originOf(host), 0).access();
    }

    private List<String> requests() {
        return server.heads().stream()
                .map(head -> head.replaceAll("(?s)GET (\\S+) .*Host: ([^:\r]+).*", "$2$1"))
                .toList();
    }

    @Test
    void oneRobotsTxtServesAllThatRedirectThere() {
        server.on("/robots.txt", redirect(originOf("b.test") + "/robots.txt"))
                .on("b.test/robots.txt", rules("User-agent: *\nDisallow: /no"));

        for (String host : List.of("a.test", "c.test", "b.test")) {
            assertThat(accessTo(host).rules().allows("/no")).isFalse();
        }

        assertThat(requests()).containsExactly("a.test/robots.txt", "b.test/robots.txt", "c.test/robots.txt");
    }

    @ParameterizedTest
    @CsvSource({
        "Disallow: /x, false, false",
        "Disallow: /y, true, true",
        "'Disallow: /x\nAllow: /x?a', true, true",
    })
    void rulesOfTheTargetDecideOnARedirect(String rules, boolean isAllowed, boolean isRequested) {
        server.on("a.test/robots.txt", redirect(originOf("b.test") + "/x?a"))
                .on("b.test/robots.txt", rules("User-agent: *\n" + rules))
                .on("b.test/x?a", rules("User-agent: *\nDisallow: /no"));

        RobotsCache.Access access = accessTo("a.test");

        assertThat(access.isKnown()).isEqualTo(isAllowed);
        assertThat(requests().contains("b.test/x?a")).isEqualTo(isRequested);
        assertThat(requests()).startsWith("a.test/robots.txt", "b.test/robots.txt");
        if (isAllowed) {
            assertThat(access.rules().allows("/no")).isFalse();
        } else {
            assertThat(access.problem()).contains("b.test").contains("forbids it");
        }
    }

    @Test
    void aTargetWithoutKnownRulesClosesTheOrigin() {
        server.on("a.test/robots.txt", redirect(originOf("b.test") + "/x"))
                .on("b.test/robots.txt", raw("HTTP/1.1 500 Oops\n"))
                .on("c.test/robots.txt", redirect(originOf("d.test") + "/x"))
                .on("d.test/robots.txt", redirect(originOf("e.test") + "/robots.txt"));

        assertThat(accessTo("a.test").problem()).contains("b.test").contains("unavailable");
        assertThat(accessTo("c.test").problem()).contains("d.test").contains("redirected, too");
        assertThat(requests()).doesNotContain("b.test/x", "d.test/x");
    }

    @Test
    void aRedirectOfTheTargetWithinItsOriginIsFollowed() {
        server.on("a.test/robots.txt", redirect(originOf("b.test") + "/x"))
                .on("b.test/robots.txt", redirect("/r"))
                .on("b.test/r", rules("User-agent: *\nDisallow: /x"));

        assertThat(accessTo("a.test").problem()).contains("forbids it");
        assertThat(requests()).containsExactly("a.test/robots.txt", "b.test/robots.txt", "b.test/r");
    }

    @Test
    void ofAFileWithoutEndTheBeginningCounts() {
        RobotsCache.Access answer = answer(endless(
                "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /no\n", "Disallow: /" + "x".repeat(80) + "\n"));

        assertThat(answer.rules().allows("/no")).isFalse();
        assertThat(answer.rules().allows("/yes")).isTrue();
        assertThat(answer.rules().memoryBytes()).isLessThan(600_000);
    }

    private String originOf(int host) {
        return originOf("host" + host + ".test");
    }

    @Test
    void memoryIsLimitedAndLargeRulesDisplaceNoOthers() {
        int maxBytes = 4 << 20;
        RobotsCache small = new RobotsCache(fetcher, "testbot", 2, InstantSource.system(), maxBytes);
        server.on("/robots.txt", rules("User-agent: *\nDisallow: /no"));
        small.request(originOf(1) + "/robots.txt", 0);
        StringBuilder text = new StringBuilder("User-agent: *\n");
        for (int i = 0; text.length() < 200_000; i++) {
            text.append("Disallow: /").append("a*".repeat(100)).append(i).append('\n');
        }
        server.on("/robots.txt", rules(text.toString()));
        long last = 0;
        for (int i = 2; i < 42; i++) {
            small.request(originOf(i) + "/robots.txt", 0);
            last = Math.max(last, small.memoryBytes());
        }

        assertThat(last).isBetween(maxBytes / 4L, maxBytes / 2L + 1000);
        assertThat(small.find(originOf(1), 0).access().rules().allows("/no")).isFalse();
        assertThat(small.find(originOf(2), 0).access()).isNull();
        assertThat(small.find(originOf(41), 0).access()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Allow: /secret", "Disallow: /xyz"})
    void aLineThatIsCutAtTheLimitDoesNotCount(String line) {
        String head = "User-agent: *\nDisallow: /s\n";
        for (int cut = 1; cut < 5; cut++) {
            String padding = "#".repeat(RobotsRules.MAX_BYTES - head.length() - 1 - line.length() + cut);

            RobotsRules rules = answer(rules(head + padding + "\n" + line + "\nDisallow: /"))
                    .rules();

            assertThat(rules.allows("/secret")).isFalse();
            assertThat(rules.allows("/x")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\nDisallow: /", ""})
    void aLineThatEndsAtTheLimitCounts(String rest) {
        String head = "User-agent: *\n";
        String line = "Disallow: /secret";
        String padding = "#".repeat(RobotsRules.MAX_BYTES - head.length() - 1 - line.length());

        RobotsRules rules = answer(rules(head + padding + "\n" + line + rest)).rules();

        assertThat(rules.allows("/secret")).isFalse();
        assertThat(rules.allows("/x")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html><a href=x>", "\0\0\0", "User-agent: *\nCrawl-delay: NaN", "Disallow: /\n"})
    void aFileThatSaysNothingAllowsEverything(String text) {
        assertThat(answer(rules(text)).rules().allows("/x")).isTrue();
    }
}
