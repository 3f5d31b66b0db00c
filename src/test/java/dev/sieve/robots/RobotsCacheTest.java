package dev.sieve.robots;

import static dev.sieve.fetch.HostileServer.endless;
import static dev.sieve.fetch.HostileServer.raw;
import static dev.sieve.fetch.HostileServer.redirect;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.AddressPolicy;
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

    @BeforeEach
    void open() throws IOException {
        server = new HostileServer();
        fetcher = newFetcher(Duration.ofMinutes(2));
        fetcher.onSend(sentTo::add);
        robots = new RobotsCache(fetcher, "testbot", 2, InstantSource.system(), 1 << 20);
    }

    private static Fetcher newFetcher(Duration timeout) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of(),
                timeout,
                1000,
                false,
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

    private RobotsCache.Access ask() {
        return robots.ask(origin(), 0);
    }

    private RobotsCache.Access answer(HostileServer.Behaviour behaviour) {
        server.on("/robots.txt", behaviour);
        return ask();
    }

    private static HostileServer.Behaviour rules(String text) {
        return raw(OK, text.getBytes(ISO_8859_1));
    }

    private void assertClosed(RobotsCache.Access answer) {
        assertThat(answer.isKnown()).isFalse();
        assertThat(answer.isElsewhere()).isFalse();
        assertThat(answer.problem()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"404 Not Found", "410 Gone", "403 Forbidden", "401 Unauthorized"})
    void aHostThatHasNoneIsOpenForADay(String status) {
        assertThat(answer(raw("HTTP/1.1 " + status + "\n")).rules().allows("/x"))
                .isTrue();
        assertThat(robots.known(origin(), DAY - 1)).isNotNull();
        assertThat(robots.known(origin(), DAY)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "500 Oops, PT1M",
        "'503 Busy\nRetry-After: 1', PT1M",
        "'503 Busy\nRetry-After: 3600', PT1H",
        "'503 Busy\nRetry-After: 99999999999', PT24H",
        "429 Slow, PT1M",
        "999 What, PT1M",
        "099 Early, PT2S"
    })
    void aHostThatCannotSayIsClosedAndAskedAgain(String status, Duration pause) {
        RobotsCache.Access first = answer(raw("HTTP/1.1 " + status + "\n"));

        assertClosed(first);
        assertThat(first.isRequestedAgain()).isTrue();
        assertThat(first.pause()).isEqualTo(pause);
        assertThat(robots.known(origin(), 0)).isNull();
        RobotsCache.Access last = ask();
        assertClosed(last);
        assertThat(last.isRequestedAgain()).isFalse();
        assertThat(robots.known(origin(), 0)).isSameAs(last);
        assertThat(answer(rules("")).isKnown()).isTrue();
    }

    @Test
    void aHostThatNamesADateIsLeftAloneUntilThen() {
        InstantSource noon = InstantSource.fixed(Instant.parse("2026-11-21T12:00:00Z"));
        server.on("/robots.txt", raw("HTTP/1.1 503 Busy\nRetry-After: Sat, 21 Nov 2026 12:05:00 GMT\n"));

        RobotsCache.Access access = new RobotsCache(fetcher, "testbot", 2, noon, 1 << 20).ask(origin(), 0);

        assertThat(access.pause()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void aHostThatDoesNotAnswerIsClosedAtTheDeadline() {
        try (Fetcher hasty = newFetcher(Duration.ofSeconds(1))) {
            robots = new RobotsCache(hasty, "testbot", 2, InstantSource.system(), 1 << 20);
            assertClosed(answer(server.stall("")));
            assertClosed(answer(server.drip("HTTP/1.1 200 OK\r\n\r\n", "User-agent: *\nDisallow:\n")));
        }
    }

    @Test
    void aHostThatAnswersInPartIsClosed() {
        for (HostileServer.Behaviour behaviour : List.<HostileServer.Behaviour>of(
                HostileServer.reset(),
                client -> {},
                raw(OK + "Content-Length: 500\n", "User-agent: *".getBytes(ISO_8859_1)),
                raw(OK + "Content-Encoding: gzip\n", "User-agent: *".getBytes(ISO_8859_1)))) {
            assertClosed(answer(behaviour));
        }
    }

    @Test
    void aHostThatCannotProveWhoItIsIsClosed() {
        assertClosed(robots.ask(origin().replace("http:", "https:"), 0));
    }

    @Test
    void fiveRedirectsAreFollowedOneAtATime() {
        server.on("/5", rules("User-agent: *\nDisallow: /no"));
        for (int i = 0; i < 5; i++) {
            RobotsCache.Access answer = answerOf(i);
            assertThat(answer.isElsewhere()).isTrue();
            assertThat(robots.known(origin(), 0)).isNull();
            assertThat(server.heads()).hasSize(i + 1);
        }

        assertThat(ask().rules().allows("/no")).isFalse();
        assertThat(sentTo).hasSizeGreaterThanOrEqualTo(6).containsOnly("127.0.0.1");
        assertThat(robots.known(origin(), 0).rules().allows("/yes")).isTrue();
    }

    private RobotsCache.Access answerOf(int redirects) {
        server.on(redirects == 0 ? "/robots.txt" : "/" + redirects, redirect("/" + (redirects + 1)));
        return ask();
    }

    @Test
    void oneRedirectMoreMeansThatThereIsNone() {
        for (int i = 0; i < 5; i++) {
            answerOf(i);
        }

        assertThat(answerOf(5).rules().allows("/no")).isTrue();
        assertThat(server.heads()).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:///etc/passwd", "http://127.0.0.2/", "gopher://h/", "http://a..b/"})
    void aRedirectToWhereNobodyMayGoClosesTheHost(String target) {
        RobotsCache.Access answer = answer(redirect(target));

        assertClosed(answer.isElsewhere() ? ask() : answer);
        assertThat(server.heads()).hasSize(1);
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
        return "http://host" + host + ".test:" + server.port();
    }

    @Test
    void theMemoryOfAllOriginsIsLimitedAndLargeRulesDisplaceNoOthers() {
        int maxBytes = 4 << 20;
        RobotsCache small = new RobotsCache(fetcher, "testbot", 2, InstantSource.system(), maxBytes);
        server.on("/robots.txt", rules("User-agent: *\nDisallow: /no"));
        small.ask(originOf(1), 0);
        StringBuilder text = new StringBuilder("User-agent: *\n");
        for (int i = 0; text.length() < 200_000; i++) {
            text.append("Disallow: /").append("a*".repeat(100)).append(i).append('\n');
        }
        server.on("/robots.txt", rules(text.toString()));
        long last = 0;
        for (int i = 2; i < 42; i++) {
            small.ask(originOf(i), 0);
            last = Math.max(last, small.memoryBytes());
        }

        assertThat(last).isBetween(maxBytes / 4L, maxBytes / 2L + 1000);
        assertThat(small.known(originOf(1), 0).rules().allows("/no")).isFalse();
        assertThat(small.known(originOf(2), 0)).isNull();
        assertThat(small.known(originOf(41), 0)).isNotNull();
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
