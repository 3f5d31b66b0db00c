package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.Exchange.Cut;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is kept of an exchange is what was on the wire, without chunks. */
@Tag("hostile")
@Timeout(60)
class ExchangeTest {
    private static final int LIMIT = 100_000;

    @AutoClose
    private final HostileServer server = HostileServer.unjudged();

    @AutoClose
    private final Fetcher fetcher = newFetcher(Duration.ofMinutes(1), true);

    private static Fetcher newFetcher(Duration timeout, boolean keepsExchanges) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of("X-Mine", "secret"),
                timeout,
                LIMIT,
                4,
                host -> List.of(InetAddress.getByName(host)),
                AddressPolicy.publicOnly().allowing("127.0.0.0/8"),
                8 * LIMIT,
                ProxySettings.NONE,
                keepsExchanges));
    }

    private Exchange exchange(Fetcher from, String head, byte[] body) {
        server.on("/", HostileServer.raw(head, body));
        return from.fetch(server.url()).exchange();
    }

    private Exchange exchange(String head, byte[] body) {
        return exchange(fetcher, head, body);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void theHeadsAreAsSentAndReceived() {
        fetcher.sendHeadersTo(server.url());
        server.on("/a?b=%20", HostileServer.raw("HTTP/1.1 404 Not  Here\nX-b: 2\nx-A:  1 \nX-b: 3\nRetry-After: 0\n"));

        Exchange exchange = fetcher.fetch(server.url("/a?b=%20#c")).exchange();

        assertThat(exchange.url()).isEqualTo(server.url("/a?b=%20"));
        assertThat(exchange.address()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(exchange.response())
                .startsWith("HTTP/1.1 404 Not  Here\r\n")
                .contains("\r\nX-b: 2\r\nx-A: 1\r\nX-b: 3\r\nRetry-After: 0\r\n")
                .endsWith("\r\n\r\n");
        assertThat(exchange.request())
                .startsWith("GET /a?b=%20 HTTP/1.1\r\n")
                .contains(
                        "\r\nUser-Agent: testbot\r\n", "\r\nX-Mine: secret\r\n", "\r\nHost: 127.0.0.1:" + server.port())
                .endsWith("\r\n\r\n");
        assertThat(exchange.cut()).isEqualTo(Cut.NONE);
    }

    @ParameterizedTest
    @CsvSource({"5000, false", "300000, true"})
    void aPageSaysHowMuchWasReadForItsExchange(int size, boolean isCut) {
        server.on(
                "/",
                HostileServer.raw(
                        "HTTP/1.1 200 OK\nContent-Type: video/mp4\nContent-Length: " + size + "\n", new byte[size]));

        FetchResult result = fetcher.fetch(server.url());

        assertThat(result).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.body()).isEmpty();
            assertThat(page.length()).isEqualTo(Math.min(size, LIMIT));
            assertThat(page.isCut()).isEqualTo(isCut);
        });
    }

    @Test
    void theBodyIsKeptBeforeItIsDecoded() throws IOException {
        byte[] html = "<p>hello".repeat(1000).getBytes(US_ASCII);
        byte[] gzipped = gzip(html);
        server.on(
                "/", HostileServer.raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n", gzipped));

        FetchResult result = fetcher.fetch(server.url());

        assertThat(((Page) result).body()).isEqualTo(html);
        Exchange exchange = result.exchange();
        assertThat(exchange.body()).isEqualTo(gzipped);
        assertThat(exchange.response()).contains("Content-Encoding: gzip\r\n");
    }

    @Test
    void chunksAreJoined() {
        byte[] chunked = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n".getBytes(US_ASCII);

        Exchange exchange = exchange("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n", chunked);

        assertThat(exchange.body()).asString(US_ASCII).isEqualTo("abcde");
        assertThat(exchange.response()).contains("Transfer-Encoding: chunked\r\n");
        assertThat(exchange.cut()).isEqualTo(Cut.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 302 Found|Location: /next",
        "HTTP/1.1 302 Found|X: no location",
        "HTTP/1.1 200 OK|Content-Type: image/png",
        "HTTP/1.1 200 OK|Content-Encoding: br",
        "HTTP/1.1 503 Down|Retry-After: 0",
        "HTTP/1.0 200 OK|Content-Type: application/x"
    })
    void bodiesOfEveryKindAreKept(String head) {
        byte[] body = "some body".getBytes(US_ASCII);

        Exchange exchange = exchange(head.replace('|', '\n') + "\n", body);

        assertThat(exchange.body()).isEqualTo(body);
        assertThat(exchange.cut()).isEqualTo(Cut.NONE);
        assertThat(exchange.response()).startsWith(head.substring(0, head.indexOf('|')));
    }

    @Test
    void aBodyThatCannotBeDecodedIsKeptWhole() throws IOException {
        byte[] broken = gzip(new byte[50_000]);
        Arrays.fill(broken, 20, 40, (byte) 0xff);
        server.on("/", HostileServer.raw("HTTP/1.1 200 OK\nContent-Encoding: gzip\n", broken));

        FetchResult result = fetcher.fetch(server.url());

        assertThat(result).isInstanceOf(Failed.class);
        assertThat(result.exchange())
                .satisfies(exchange -> assertThat(exchange.body()).isEqualTo(broken))
                .satisfies(exchange -> assertThat(exchange.cut()).isEqualTo(Cut.NONE));
    }

    @Test
    void aBodyBeyondTheLimitIsCut() {
        assertThat(exchange("HTTP/1.1 200 OK\n", new byte[LIMIT]).cut()).isEqualTo(Cut.NONE);
        Exchange exchange = exchange("HTTP/1.1 200 OK\nContent-Type: image/png\n", new byte[LIMIT + 1]);

        assertThat(exchange.cut()).isEqualTo(Cut.LENGTH);
        assertThat(exchange.body()).hasSize(LIMIT);
    }

    @Test
    void aBodyThatBreaksOffIsCut() {
        Exchange exchange = exchange("HTTP/1.1 302 Found\nLocation: /\nContent-Length: 10\n", new byte[5]);

        assertThat(exchange.cut()).isEqualTo(Cut.DISCONNECT);
        assertThat(exchange.body()).hasSize(5);
    }

    @Test
    void aBodyThatTakesTooLongIsCutAndTheResultStays() {
        CountDownLatch isOver = new CountDownLatch(1);
        server.on("/", client -> {
            client.getOutputStream()
                    .write("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 10\r\n\r\nabc".getBytes(US_ASCII));
            isOver.await();
        });
        try (Fetcher hasty = newFetcher(Duration.ofSeconds(3), true)) {
            FetchResult result = hasty.fetch(server.url());

            assertThat(result).isInstanceOf(Redirect.class);
            Exchange exchange = result.exchange();
            assertThat(exchange.cut()).isEqualTo(Cut.TIME);
            assertThat(exchange.body()).asString(US_ASCII).isEqualTo("abc");
        } finally {
            isOver.countDown();
        }
    }

    @Test
    void aDeadlineAfterAnErrorIsNotAStop() {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n\u001f\u008bno gzip";
        server.on("/", server.drip(head, "x"));
        try (Fetcher hasty = newFetcher(Duration.ofSeconds(3), true)) {
            FetchResult result = hasty.fetch(server.url());

            assertThat(result)
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.PROTOCOL));
            Exchange exchange = result.exchange();
            assertThat(exchange.cut()).isEqualTo(Cut.TIME);
            assertThat(exchange.body()).asString(ISO_8859_1).startsWith("\u001f\u008bno gzip");
        }
    }

    @Test
    void aResponseThatIsNotReadIsCut() {
        Exchange exchange = exchange("HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 4\n", new byte[3]);

        assertThat(exchange.cut()).isEqualTo(Cut.OTHER);
        assertThat(exchange.response()).contains("Content-Length: 3\r\nContent-Length: 4\r\n");
        assertThat(exchange.body()).isEmpty();
    }

    @Test
    void theBodyOfAStreamIsKept() {
        byte[] body = "<urlset/>".getBytes(US_ASCII);
        server.on("/", HostileServer.raw("HTTP/1.1 200 OK\n", body));

        FetchResult result = fetcher.fetch(new FetchRequest(server.url())
                .reading(FetchRequest.Body.to(in -> assertThat(in.read()).isEqualTo('<'))));

        assertThat(result.exchange().body()).isEqualTo(body);
    }

    @Test
    void withoutAResponseThereIsNone() {
        server.on("/", client -> {});

        FetchResult result = fetcher.fetch(server.url());

        assertThat(result).isInstanceOf(Failed.class);
        assertThat(result.exchange()).isNull();
    }

    @Test
    void nothingIsKeptUnlessAskedFor() {
        try (Fetcher other = newFetcher(Duration.ofMinutes(1), false)) {
            assertThat(exchange(other, "HTTP/1.1 200 OK\n", new byte[3])).isNull();
        }
    }

    @Test
    void releasedResultGivesBackTheMemoryOfItsExchange() {
        server.on("/", HostileServer.raw("HTTP/1.1 200 OK\nContent-Type: image/png\n", new byte[LIMIT]));
        for (int i = 0; i < 30; i++) {
            FetchResult result = fetcher.fetch(server.url());

            assertThat(result).isInstanceOf(Page.class);
            fetcher.release(result);
        }
    }

    @Test
    void withoutCookiesThereAreNoLinesThatContinueOne() {
        String head = """
                HTTP/1.1 200 OK
                Set-Cookie: a=1;
                \tsecret=2;
                  Path: secret
                X-A: b
                Set-Cookie2: secret
                 secret
                Content-Length: 1
                """;

        Exchange shown = exchange(head, new byte[1]).withoutCookies();

        assertThat(shown.response())
                .isEqualTo("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 1\r\nConnection: close\r\n\r\n");
    }
}
