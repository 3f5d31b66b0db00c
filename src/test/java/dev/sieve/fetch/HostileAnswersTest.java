package dev.sieve.fetch;

import static dev.sieve.fetch.HostileServer.endless;
import static dev.sieve.fetch.HostileServer.gzip;
import static dev.sieve.fetch.HostileServer.raw;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a server answers, it is a value before the deadline, and the fetcher is well after it. */
@Tag("hostile")
@Timeout(1200)
class HostileAnswersTest {
    private static final int LIMIT = 100_000;
    private static final String HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

    private HostileServer server;
    private Fetcher fetcher;
    /** Gives up soon, for servers that send too little; the other one waits as long as a slow machine needs. */
    private Fetcher hasty;

    @BeforeEach
    void open() throws IOException {
        server = HostileServer.unjudged();
        fetcher = newFetcher(host -> List.of(InetAddress.getByName(host)), Duration.ofMinutes(2));
        hasty = newFetcher(host -> List.of(InetAddress.getByName(host)), Duration.ofSeconds(1));
    }

    private static Fetcher newFetcher(Resolver resolver, Duration timeout) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of("X-Api-Key", "secret"),
                timeout,
                LIMIT,
                4,
                resolver,
                AddressPolicy.publicOnly().allowing("127.0.0.0/8"),
                1 << 26,
                ProxySettings.NONE,
                false));
    }

    @AfterEach
    void theSameFetcherStillFetchesAGoodPage() throws IOException {
        assertThat(hasty.connectionsInUse()).isZero();
        hasty.close();
        assertThat(fetcher.fetch(server.url(HostileServer.GOOD)))
                .isInstanceOfSatisfying(
                        Page.class, page -> assertThat(page.body()).asString().contains("good"));
        assertThat(fetcher.connectionsInUse()).isZero();
        fetcher.close();
        server.close();
    }

    private FetchResult answer(HostileServer.Behaviour behaviour) {
        server.on("/", behaviour);
        return fetcher.fetch(server.url());
    }

    private void assertFailed(Reason reason, HostileServer.Behaviour behaviour) {
        assertThat(answer(behaviour)).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.reason()).isEqualTo(reason);
            assertThat(failed.detail()).hasSizeLessThan(300).doesNotContain("\u001B", "\n", "\0");
        });
    }

    private void assertTimesOut(HostileServer.Behaviour behaviour) {
        server.on("/", behaviour);
        assertThat(hasty.fetch(server.url())).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.reason()).isEqualTo(Reason.TIMEOUT);
            assertThat(failed.detail()).hasSizeLessThan(300).doesNotContain("\u001B", "\n", "\0");
        });
    }

    private void assertFailed(HostileServer.Behaviour behaviour) {
        assertThat(answer(behaviour)).isInstanceOf(Failed.class);
    }

    private void assertCut(HostileServer.Behaviour behaviour) {
        assertThat(answer(behaviour)).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.isCut()).isTrue();
            assertThat(page.body()).hasSize(LIMIT);
        });
    }

    @Test
    void aBodyWithoutEndIsCut() {
        assertCut(endless(HTML + "\r\n", "<a href=x>"));
        assertCut(endless(HTML + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"));
        assertCut(endless(HTML + "Content-Length: 9223372036854775807\r\n\r\n", "<a href=x>"));
    }

    @Test
    void aBombIsCutWhereItsContentsReachTheLimit() throws IOException {
        assertCut(raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n", gzip(new byte[64 << 20])));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip, br", "br", "br, gzip", "zstd", "compress", "gzip, gzip, gzip, gzip, gzip, gzip"})
    void whatIsPackedInAnyOtherWayIsNotReadAsADocument(String encoding) throws IOException {
        byte[] packed = gzip(gzip(new byte[64 << 20]));

        assertFailed(
                Reason.PROTOCOL,
                raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: " + encoding + "\n", packed));
    }

    @Test
    void aBombWithinABombIsCutToo() throws IOException {
        byte[] packed = gzip(gzip(new byte[64 << 20]));

        assertCut(raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip, x-gzip\n", packed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Encoding: zstd\n",
                "Content-Encoding: gzip, zstd\n",
                "Content-Length: 10\n",
                "Transfer-Encoding: chunked\n",
            })
    void theStatusOfAnErrorDoesNotDependOnItsBody(String fields) {
        for (int status : new int[] {404, 429, 503}) {
            String head = "HTTP/1.1 " + status + " No\nContent-Type: text/html\nRetry-After: 9\n" + fields;

            assertThat(answer(raw(head, "<p>not".getBytes(ISO_8859_1)))).isInstanceOfSatisfying(Page.class, page -> {
                assertThat(page.status()).isEqualTo(status);
                assertThat(page.retryAfter(Instant.now())).isEqualTo(Duration.ofSeconds(9));
                assertThat(page.body()).isEmpty();
            });
        }
    }

    @Test
    void theStatusOfAnErrorDoesNotDependOnThePaceOfItsBody() {
        server.on("/", server.stall("HTTP/1.1 404 None\r\nContent-Type: text/html\r\n\r\n<p>"));

        assertThat(hasty.fetch(server.url()).status()).isEqualTo(404);
    }

    /** 64 MiB of zeros. */
    private static final String BROTLI_BOMB = "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8"
            + "//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/L//8//BMAcVgAoHv/Bw==";

    @Test
    void aBombInBrIsCutToo() throws IOException {
        byte[] packed = Base64.getDecoder().decode(BROTLI_BOMB);
        for (byte[] each : List.of(packed, gzip(packed))) {
            String codings = each == packed ? "br" : "br, gzip";
            assertCut(raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: " + codings + "\n", each));
        }
    }

    @Test
    void whatIsDamagedThoughPackedIsKeptAsFarAsItCanBeRead() throws IOException {
        String head = "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n";
        byte[] packed = gzip("<a href=x>".repeat(1000).getBytes(ISO_8859_1));

        assertFailed(Reason.PROTOCOL, raw(head, Arrays.copyOf(packed, 5)));
        assertBegun(Reason.PROTOCOL, raw(head, Arrays.copyOf(packed, packed.length - 9)));
        packed[packed.length - 5] ^= 1;
        assertBegun(Reason.PROTOCOL, raw(head, packed));
    }

    private void assertBegun(Reason reason, HostileServer.Behaviour behaviour) {
        assertThat(answer(behaviour)).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.isCut()).isTrue();
            assertThat(page.body()).isNotEmpty();
            assertThat(page.problem()).isNotNull();
            assertThat(page.problem().reason()).isEqualTo(reason);
            assertThat(page.description()).startsWith(reason.text() + ": ");
            assertThat(page.isWorthRetrying()).isEqualTo(reason == Reason.BROKEN);
        });
    }

    @Test
    void whoeverDripsIsGivenUpAtTheDeadline() {
        assertTimesOut(server.drip("", "HTTP/1.1 200 OK and so on"));
        assertTimesOut(server.drip("HTTP/1.1 200 OK\r\n", "X-Slow: yes\r\n"));
        assertTimesOut(server.drip(HTML + "\r\n", "<a href=x>"));
        assertTimesOut(server.drip(HTML + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"));
    }

    @Test
    @Tag("slow")
    void whoeverSaysNothingIsGivenUpAtTheDeadline() {
        assertTimesOut(server.stall(""));
        assertTimesOut(server.stall("HTTP/1.1 200 OK\r\n"));
        assertTimesOut(server.stall(HTML + "\r\n<a href=x>"));
        assertTimesOut(server.stall(HTML + "Content-Length: 5\r\n\r\n<a"));
    }

    @Test
    void aNameServerThatSaysNothingIsGivenUpAtTheDeadline() {
        CountDownLatch never = new CountDownLatch(1);
        try (Fetcher waiting = newFetcher(
                host -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return List.of();
                },
                Duration.ofSeconds(1))) {
            assertThat(waiting.fetch("http://silent.test/"))
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.TIMEOUT));
        }
    }

    @Test
    void whoeverBreaksOffIsAFailure() {
        assertFailed(Reason.BROKEN, HostileServer.reset());
        assertFailed(Reason.BROKEN, client -> {});
        assertFailed(Reason.BROKEN, raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 500\n"));
        assertBegun(Reason.BROKEN, raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 500\n", new byte[3]));
        assertFailed(raw("HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n\n5\n<a"));
        assertBegun(
                Reason.BROKEN,
                raw(
                        "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n",
                        "2\r\n<a\r\n".getBytes(ISO_8859_1)));
        assertThat(answer(client -> {
                            HostileServer.write(client, HTML + "Content-Length: 500\r\n\r\n<a href=x>");
                            HostileServer.reset().answer(client);
                        })
                        .isWorthRetrying())
                .isTrue();
        assertFailed(raw("HTTP/1.1 200"));
    }

    @Test
    void headersBeyondTheLimitAreAFailure() {
        assertFailed(endless("HTTP/1.1 200 OK\r\n", "X-Y: " + "z".repeat(1000) + "\r\n"));
        assertFailed(endless("HTTP/1.1 200 OK\r\nX-Y: ", "z".repeat(1000)));
        assertFailed(endless("HTTP/1.1 200 ", "O".repeat(1000)));
        assertFailed(endless("HTTP/1.1 200 OK\r\n", "Set-Cookie: a=" + "b".repeat(1 << 20) + "\r\n"));
        assertFailed(endless("", "\r\n"));
        assertFailed(endless(HTML + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-Trailer: x\r\n"));
        assertFailed(Reason.PROTOCOL, raw("HTTP/1.1 200 OK\n" + "a:\n".repeat(1001)));
    }

    @Test
    void emptyMembersOfGzipAreSkipped() throws IOException {
        byte[] members = EMPTY_MEMBER.repeat(20_000).getBytes(ISO_8859_1);
        byte[] all = Arrays.copyOf(members, members.length + 100);
        byte[] last = gzip("<title>x</title>".getBytes(ISO_8859_1));
        System.arraycopy(last, 0, all, members.length, last.length);
        server.on("/", raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n", all));

        assertThat(fetcher.fetch(server.url()))
                .isInstanceOfSatisfying(
                        Page.class, page -> assertThat(page.body()).asString().isEqualTo("<title>x</title>"));
    }

    private static final String EMPTY_MEMBER = "\u001f\u008b\u0008\0\0\0\0\0\0\0\u0003\0\0\0\0\0\0\0\0\0";

    private static String gzipHeader(int flags, String rest) {
        return HTML + "Content-Encoding: gzip\r\n\r\n\u001f\u008b\u0008" + (char) flags + "\0\0\0\0\0\0" + rest;
    }

    /** What the client collects until it ends, or reads without a part of the body. */
    static List<HostileServer.Behaviour> endlessLines() {
        String chunked = HTML + "Transfer-Encoding: chunked\r\n\r\n";
        String a = "a".repeat(1000);
        return List.of(
                endless(chunked + "5;x=", a),
                endless(chunked + "1\r\nx", a),
                endless(gzipHeader(8, ""), a),
                endless(gzipHeader(16, ""), a),
                endless(gzipHeader(24, "a\0"), a),
                endless(HTML + "Content-Encoding: gzip\r\n\r\n", EMPTY_MEMBER.repeat(50)),
                // Blocks of metadata.
                endless(HTML + "Content-Encoding: br\r\n\r\n\u000c", "\u0006".repeat(1000)),
                // Blocks of deflate that hold nothing.
                endless(gzipHeader(0, ""), "\0\0\0\u00ff\u00ff".repeat(200)));
    }

    @ParameterizedTest
    @MethodSource("endlessLines")
    void aLineWithoutEndIsAFailureLongBeforeTheDeadline(HostileServer.Behaviour behaviour) {
        server.on("/", behaviour);
        FetchResult page = fetcher.fetch(server.url());
        FetchResult stream =
                fetcher.fetch(new FetchRequest(server.url()).reading(FetchRequest.Body.to(InputStream::readAllBytes)));

        assertThat(List.of(page, stream))
                .allSatisfy(each -> assertThat(each).isInstanceOfSatisfying(Failed.class, failed -> {
                    assertThat(failed.reason()).isEqualTo(Reason.PROTOCOL);
                    assertThat(failed.detail()).contains("not part of the body");
                    assertThat(failed.isWorthRetrying()).isFalse();
                }));
    }

    @Test
    void longLinesBetweenPartsOfTheBodyAreAllowed() {
        String chunk = "5;x=" + "a".repeat(100_000) + "\r\n12345\r\n";

        assertThat(answer(raw(
                        "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n",
                        (chunk.repeat(20) + "0\r\n\r\n").getBytes(ISO_8859_1))))
                .isInstanceOfSatisfying(
                        Page.class, page -> assertThat(page.body()).hasSize(100));
    }

    @Test
    void aBodyThatIsNotReadIsNotCollectedEither() {
        String chunked = "Transfer-Encoding: chunked\r\n\r\n5;x=";

        assertThat(answer(endless("HTTP/1.1 302 Found\r\nLocation: /x\r\n" + chunked, "a".repeat(1000))))
                .isInstanceOf(FetchResult.Redirect.class);
        assertThat(answer(endless("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n" + chunked, "a".repeat(1000))))
                .isInstanceOf(Page.class);
    }

    @Test
    void interimAnswersWithoutEndAreAFailure() {
        assertFailed(endless("", "HTTP/1.1 100 Continue\r\n\r\n"));
        assertFailed(endless("", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"));
        assertThat(answer(raw("HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\n"))).isInstanceOf(Page.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 099 Early",
                "HTTP/1.1 100 Continue",
                "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade",
                "HTTP/1.1 199 What",
                "HTTP/1.1 000 Nothing",
                "HTTP/1.1 -10 Minus",
                "HTTP/1.1 2000 Many",
                "HTTP/1.1 2\0000 OK",
                "HTTP/9.9 200 OK",
                "HTTP/1.1",
                "\0\0\0",
                "PRI * HTTP/2.0",
                "SSH-2.0-OpenSSH_9.2",
                "220 mail.test ESMTP",
                "-ERR unknown command 'GET'",
                "<html>no head at all",
                "HTTP/1.1 200 OK\nContent-Length: -5",
                "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6",
                "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n\nffffffffffffffff",
                "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n\n-1",
                "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n\nxyz",
                "HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked",
                "HTTP/1.1 200 OK\nTransfer-Encoding: gzip",
            })
    void anAnswerThatIsNoneIsAFailure(String head) {
        assertFailed(raw(head + "\n", "abc".getBytes(ISO_8859_1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 O\0K\u001B[31m",
                "HTTP/1.1 999 Blocked",
                "HTTP/1.0 200 OK",
                "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 3",
                "HTTP/1.1 200 OK\nContent-Length: 99999999999999999999999",
                "HTTP/1.1 200 OK\nContent-Length: three",
                "HTTP/1.1 200 OK\nno colon\n: no name\nX: \0\u001B[31m\u00FF",
                "HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic realm=x",
                "HTTP/1.1 500 Oops\nRetry-After: -1",
                "HTTP/1.1 408 Slow\nRetry-After: 99999999999",
                "HTTP/1.1 503 Busy\nRetry-After: 0000000000000",
                "HTTP/1.1 503 Busy\nRetry-After: \u0661",
                "HTTP/1.1 200 OK\nContent-Type: /",
                "HTTP/1.1 200 OK\nContent-Type: text/html;charset=\u001B",
                "HTTP/1.1 304 Not Modified",
                "HTTP/1.1 204 No Content\nContent-Length: 5",
                "HTTP/1.1 204 No Content\nTransfer-Encoding: chunked",
                "HTTP/1.1 205 Reset Content\nContent-Length: 3",
                "HTTP/1.1 407 Proxy Authentication Required\nProxy-Authenticate: OkHttp-Preemptive\nContent-Length: 0",
                "HTTP/1.1 200 OK\nContent-Length: 3, 3",
            })
    void anOddAnswerIsAPage(String head) {
        assertThat(answer(raw(head + "\n", "abc".getBytes(ISO_8859_1)))).isInstanceOf(Page.class);
        assertThat(server.requests("/")).isEqualTo(1);
    }

    @Test
    void aLengthMayBeRepeatedOften() {
        String lengths = "3" + ", 3".repeat(50_000);
        assertThat(answer(raw("HTTP/1.1 200 OK\nContent-Length: " + lengths + "\n", "abc".getBytes(ISO_8859_1))))
                .isInstanceOf(Page.class);
    }

    @Test
    void aCharsetOfJunkDoesNotMatter() {
        assertThat(answer(raw("HTTP/1.1 200 OK\nContent-Type: text/html; charset=" + "\u00A7".repeat(10_000) + "\n")))
                .isInstanceOfSatisfying(
                        Page.class, page -> assertThat(page.status()).isEqualTo(200));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Location:\n",
                "Location: file:///etc/passwd\n",
                "Location: gopher://127.0.0.1:6379/_FLUSHALL\n",
                "Location: data:text/html,<a>\n",
                "Location: javascript:alert(1)\n",
                "Location: http://h:99999/\n",
                "Location: http://\0/\n",
                "Refresh: 0; url=/x\n",
            })
    void aRedirectThatLeadsNowhereIsAFailureAndNotRetried(String location) {
        FetchResult result = answer(raw("HTTP/1.1 302 Found\n" + location));

        // An empty reference leads to the page itself, which a crawl does not follow either.
        if (!location.equals("Location:\n")) {
            assertThat(result)
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.BAD_REDIRECT));
        }
        assertThat(result.isWorthRetrying()).isFalse();
    }

    @Test
    void bytesOfARedirectThatAreNotUtf8AreEscapedOneByOne() {
        for (String location : List.of("/caf\u00e9?q=\u00ff", "/caf\u00c3\u00a9?q=x")) {
            assertThat(answer(raw("HTTP/1.1 302 Found\nX: y\nlocation: " + location + "\nSet-Cookie: a\n")))
                    .isInstanceOfSatisfying(
                            FetchResult.Redirect.class,
                            redirect -> assertThat(redirect.target())
                                    .isEqualTo(
                                            server.url(location.contains("x") ? "/caf%C3%A9?q=x" : "/caf%E9?q=%FF")));
        }
    }

    @Test
    void aRedirectToAUrlWithoutEndIsAFailure() {
        assertFailed(Reason.BAD_REDIRECT, raw("HTTP/1.1 302 Found\nLocation: /" + "x".repeat(100_000) + "\n"));
    }

    @Test
    void noCookieIsEverSentBack() {
        answer(raw("HTTP/1.1 200 OK\nSet-Cookie: a=b; Path=/\nContent-Length: 0\n"));
        answer(raw("HTTP/1.1 200 OK\nContent-Length: 0\n"));

        assertThat(server.heads()).hasSize(2).noneMatch(head -> head.contains("Cookie"));
    }

    @Test
    void headersOfTheUserGoOnlyToNamedOrigins() throws IOException {
        try (HostileServer other = HostileServer.unjudged()) {
            fetcher.sendHeadersTo(server.url("/start"));

            fetcher.fetch(server.url("/x"));
            fetcher.fetch(other.url("/x"));

            assertThat(server.heads().get(0)).contains("X-Api-Key: secret");
            assertThat(other.heads().get(0)).doesNotContain("X-Api-Key");
            assertThat(other.heads().get(0)).contains("User-Agent: testbot");
        }
    }

    @Test
    void anImageIsReadOnlyIfItClaimsToBeADocument() {
        byte[] noise = new byte[10 << 20];
        new java.util.Random(3).nextBytes(noise);

        assertCut(raw("HTTP/1.1 200 OK\nContent-Type: text/html\n", noise));
        assertThat(answer(raw("HTTP/1.1 200 OK\nContent-Type: image/png\n", "<a href=x>".getBytes(ISO_8859_1))))
                .isInstanceOfSatisfying(Page.class, page -> {
                    assertThat(page.isHtml()).isFalse();
                    assertThat(page.body()).isEmpty();
                });
    }

    @Test
    void headersOfTheUserAreNotSentWithLessEncryption() {
        fetcher.sendHeadersTo(server.url("/").replace("http:", "https:"));

        answer(raw("HTTP/1.1 200 OK\n"));

        assertThat(server.heads()).singleElement().asString().doesNotContain("X-Api-Key", "Referer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%00", "/%zz", "/%2e.%2e/x%", "/?%", "/%1B[31m%E2%80%AE", "/a[b]?{}", "/" + "%20%09"})
    void anOddPathIsAskedForAsItIsWritten(String path) {
        assertThat(fetcher.fetch(server.url(path))).isInstanceOf(Page.class);
        assertThat(server.requests(path)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://h/a\r\nX-Api-Key: secret", "http://h/\u001B[31m\u202E", "http://h\\@x/\ud800"})
    void aUrlPutsNoLineIntoTheHead(String url) {
        String path = url.substring("http://h".length());
        fetcher.fetch(server.url("/").replaceFirst("/$", "") + path);

        assertThat(server.heads()).allSatisfy(head -> {
            assertThat(head).matches("(?s)GET [!-~]+ HTTP/1.1\r\n.*").doesNotContain("X-Api-Key: secret\r\n");
            assertThat(head.lines().filter(line -> line.startsWith("X-"))).isEmpty();
        });
    }

    @Test
    void aServerThatBreaksOffInItsHandshakeIsAFailure() {
        String url = server.url().replace("http:", "https:");
        for (HostileServer.Behaviour behaviour : List.<HostileServer.Behaviour>of(
                HostileServer.reset(), client -> {}, server.stall(""), endless("", "\u0016"))) {
            server.on("", behaviour);
            assertThat(hasty.fetch(url)).isInstanceOf(Failed.class);
        }
    }

    @Test
    void aRequestThatWasReadIsNotSentASecondTime() {
        for (HostileServer.Behaviour behaviour : List.<HostileServer.Behaviour>of(
                HostileServer.reset(), client -> {}, raw("HTTP/1.1 408 Slow\nContent-Length: 0\n"))) {
            long before = server.heads().size();
            answer(behaviour);
            assertThat(server.heads()).hasSize((int) before + 1);
        }
    }
}
