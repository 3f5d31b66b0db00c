package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
@Timeout(1200)
class FetcherTest {
    private static final int LIMIT = 10_000;

    private HostileServer server;
    private Fetcher fetcher;
    /** Gives up soon, for servers that never end; the other waits as long as a slow machine needs. */
    private Fetcher hasty;

    @BeforeEach
    void open() throws IOException {
        server = HostileServer.unjudged();
        fetcher = newFetcher(Duration.ofMinutes(2), host -> List.of(InetAddress.getByName(host)));
        hasty = newFetcher(Duration.ofSeconds(1), host -> List.of(InetAddress.getByName(host)));
    }

    @AfterEach
    void close() throws IOException {
        fetcher.close();
        hasty.close();
        server.close();
    }

    private static Fetcher newFetcher(Duration timeout, Resolver resolver) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of("X-Mine", "1"),
                timeout,
                LIMIT,
                4,
                resolver,
                AddressPolicy.publicOnly().allowing("127.0.0.0/8"),
                1 << 26,
                ProxySettings.NONE,
                false));
    }

    private FetchResult answer(String head, byte[] body) {
        server.on("/", HostileServer.raw(head, body));
        return fetcher.fetch(server.url());
    }

    private FetchResult answer(String head) {
        return answer(head, new byte[0]);
    }

    @Test
    void aPageIsItsStatusTypeCharsetAndBody() {
        fetcher.sendHeadersTo(server.url());

        FetchResult result = answer(
                "HTTP/1.1 404 Not Found\nContent-Type: Text/HTML; charset=latin1\n", "<p>x".getBytes(ISO_8859_1));

        assertThat(result).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.status()).isEqualTo(404);
            assertThat(page.type()).isEqualTo("text/html");
            assertThat(page.body()).asString().isEqualTo("<p>x");
            assertThat(page.isHtml()).isTrue();
            assertThat(page.header("content-type")).isEqualTo("Text/HTML; charset=latin1");
        });
        assertThat(server.heads().get(0)).contains("User-Agent: testbot", "X-Mine: 1", "Accept-Encoding: gzip");
    }

    @Test
    void headersOfTheUserAreNotSentForPagesOfOtherOrigins() {
        fetcher.sendHeadersTo(server.url());
        server.on("/", HostileServer.raw("HTTP/1.1 200 OK\n"));

        fetcher.fetch(new FetchRequest(server.url()).with("Origin", "http://other.test"));

        assertThat(server.heads().get(0)).contains("Origin: http://other.test").doesNotContain("X-Mine");
    }

    @Test
    void aRequestCanBeCancelledByItsWatch() {
        server.on("/", server.stall("HTTP/1.1 200 OK\r\n"));
        FetchRequest.Watch watch = new FetchRequest.Watch() {
            private Runnable cancel;

            @Override
            public void begins(Runnable way) {
                cancel = way;
            }

            @Override
            public boolean maySend(String host) {
                cancel.run();
                return true;
            }
        };

        assertThat(fetcher.fetch(new FetchRequest(server.url()).watchedBy(watch)))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(FetchResult.Reason.TIMEOUT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"charset=no-such-charset", "charset=utf-7", "charset=\"", "charset"})
    void aCharsetThatIsNoneDoesNotMatter(String charset) {
        assertThat(answer("HTTP/1.1 200 OK\nContent-Type: text/html; " + charset + "\n", "x".getBytes(ISO_8859_1)))
                .isInstanceOfSatisfying(
                        Page.class, page -> assertThat(page.status()).isEqualTo(200));
    }

    @Test
    void aListenerCanPreventThatARequestIsSent() {
        IllegalStateException reason = new IllegalStateException("not now");
        server.otherwise(HostileServer.raw("HTTP/1.1 200 OK\n"));
        FetchRequest request = new FetchRequest(server.url());

        assertThatThrownBy(() -> fetcher.fetch(request.watchedBy(watch(host -> {
                    throw reason;
                }))))
                .isSameAs(reason);
        assertThat(fetcher.fetch(request.watchedBy(watch(host -> false)))).isEqualTo(new FetchResult.NotSent());
        assertThat(server.heads()).allMatch(String::isEmpty);
        assertThat(fetcher.connectionsInUse()).isZero();

        assertThat(fetcher.fetch(request).status()).isEqualTo(200);
    }

    private static FetchRequest.Watch watch(Predicate<String> sending) {
        return new FetchRequest.Watch() {
            @Override
            public boolean maySend(String host) {
                return sending.test(host);
            }
        };
    }

    private static FetchResult stream(Fetcher fetcher, String url, FetchRequest.BodyReader reader) {
        return fetcher.fetch(new FetchRequest(url).reading(FetchRequest.Body.to(reader)));
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWriteToAServerThatReadsNothingFails() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
            OutputStream out = Wire.limited(socket.getOutputStream(), socket);
            assertThatThrownBy(() -> {
                        while (true) {
                            out.write(new byte[1 << 16]);
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThat(socket.isClosed()).isTrue();
        }
    }

    @Test
    void aBodyThatIsNoDocumentIsNotRead() {
        assertThat(answer("HTTP/1.1 200 OK\nContent-Type: image/png; name=a b\nContent-Length: 123456789\n"))
                .isInstanceOfSatisfying(Page.class, page -> {
                    assertThat(page.body()).isEmpty();
                    assertThat(page.length()).isZero();
                    assertThat(page.isHtml()).isFalse();
                    assertThat(page.isCut()).isFalse();
                });
    }

    @Test
    void aBodyWithoutATypeIsADocumentWhenItBeginsLikeOne() {
        assertThat(((Page) answer("HTTP/1.1 200 OK\n", "\n <html>".getBytes(ISO_8859_1))).isHtml())
                .isTrue();
        assertThat(((Page) answer("HTTP/1.1 200 OK\n", "%PDF".getBytes(ISO_8859_1))).isHtml())
                .isFalse();
    }

    @Test
    void aBodyIsCutAtTheLimitWhichCountsAfterDecoding() {
        byte[] packed = HostileServer.gzip(new byte[50_000_000]);
        FetchResult result = answer("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\n", packed);

        assertThat(result).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.isCut()).isTrue();
            assertThat(page.body()).hasSize(LIMIT);
        });
    }

    @Test
    void aBodyOfJustTheLimitIsWhole() {
        assertThat(answer("HTTP/1.1 200 OK\nContent-Type: text/html\n", new byte[LIMIT]))
                .isInstanceOfSatisfying(
                        Page.class, page -> assertThat(page.isCut()).isFalse());
    }

    @Test
    void aRedirectIsNotFollowedAndItsTargetIsAbsolute() {
        FetchResult result = answer("HTTP/1.1 302 Found\nLocation: a/../b?c#d\n");

        assertThat(result).isEqualTo(new Redirect(302, server.url() + "b?c", "d", FetchResult.SetCookie.NONE, null));
        assertThat(server.heads().size()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Location: file:///etc/passwd\n",
                "Location: http://a..b/\n",
                "Location: http://[0:1:2:3:4:5:6::8]/\n",
                "Location: gopher://h/\n"
            })
    void aRedirectToNowhereIsAFailure(String location) {
        assertThat(answer("HTTP/1.1 301 Moved\n" + location)).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.reason()).isEqualTo(Reason.BAD_REDIRECT);
            assertThat(failed.status()).isEqualTo(301);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"408 Request Timeout\n", "503 Unavailable\nRetry-After: 0\n", "503 Unavailable\n"})
    void nothingIsSentASecondTime(String status) {
        FetchResult result = answer("HTTP/1.1 " + status + "Content-Length: 0\n");

        assertThat(result).isInstanceOf(Page.class);
        assertThat(result.isWorthRetrying()).isTrue();
        assertThat(server.heads().size()).isEqualTo(1);
    }

    @Test
    void nothingIsSentAgainWhenAKeptConnectionIsClosed() {
        server.on("/", server.hangUp());
        List<String> sent = new CopyOnWriteArrayList<>();
        FetchRequest request = new FetchRequest(server.url()).watchedBy(watch(sent::add));

        assertThat(fetcher.fetch(request)).isInstanceOf(Page.class);
        assertThat(fetcher.fetch(request)).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.reason()).isEqualTo(Reason.CLOSED);
            assertThat(failed.isWorthRetrying()).isTrue();
        });
        assertThat(sent).hasSize(2);
        assertThat(server.heads()).hasSize(2);
        assertThat(fetcher.fetch(server.url())).isInstanceOf(Page.class);
    }

    @Test
    void aNewConnectionThatIsClosedIsBroken() {
        server.on("/", client -> {});

        assertThat(fetcher.fetch(server.url()))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.BROKEN));
        assertThat(server.heads()).hasSize(1);
    }

    @Test
    void aConnectionOfHttp10IsNotKept() {
        server.on("/", HostileServer.raw("HTTP/1.0 200 OK\nContent-Length: 0\n"));

        for (int i = 0; i < 5; i++) {
            assertThat(fetcher.fetch(server.url())).isInstanceOf(Page.class);
        }
    }

    @Test
    void oneOfManyAddressesGetsTheRequest() throws Exception {
        List<InetAddress> addresses = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            addresses.add(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) i}));
        }
        try (HostileServer all = new HostileServer("0.0.0.0", 0);
                Fetcher many = newFetcher(Duration.ofMinutes(2), host -> addresses)) {
            all.on("/", client -> {});

            FetchResult result = many.fetch("http://many.test:" + all.port() + "/");

            assertThat(result).isInstanceOf(Failed.class);
            assertThat(all.heads()).hasSize(1);
        }
    }

    @Test
    void theNextAddressIsTriedWhenAConnectionFails() throws Exception {
        List<InetAddress> addresses = List.of(
                InetAddress.getByName("127.0.0.2"),
                InetAddress.getByName("127.0.0.3"),
                InetAddress.getLoopbackAddress());
        try (Fetcher many = newFetcher(Duration.ofMinutes(2), host -> addresses)) {
            assertThat(many.fetch("http://many.test:" + server.port() + HostileServer.GOOD))
                    .isInstanceOf(Page.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\nContent-Length: -5\n",
                "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked\n\nffffffffffffffffff\n",
                "SSH-2.0-OpenSSH_9.2\n",
                "HTTP/1.1 2000 OK\n",
                "",
            })
    void anAnswerThatIsNoneIsAFailure(String head) {
        assertThat(answer(head, "abc".getBytes(ISO_8859_1))).isInstanceOf(Failed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\nContent-Length: 0\n",
                "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: br\nContent-Length: 0\n",
                "HTTP/1.1 304 Not Modified\nContent-Type: text/html\nContent-Length: 5\n",
                "HTTP/1.1 304 Not Modified\nContent-Type: text/html\nContent-Encoding: gzip\nContent-Length: 5\n",
                "HTTP/1.1 304 Not Modified\nContent-Type: text/html\nTransfer-Encoding: chunked\n",
            })
    void aResponseWithoutABodyIsAnEmptyPage(String head) {
        assertThat(answer(head)).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.body()).isEmpty();
            assertThat(page.length()).isZero();
        });
    }

    @Test
    void headersWithoutEndAreAFailure() {
        assertThat(answer("HTTP/1.1 200 OK\n" + ("X-Y: " + "z".repeat(1000) + "\n").repeat(5000)))
                .isInstanceOf(Failed.class);
    }

    @Test
    void aServerThatSaysNothingMoreIsGivenUpAtTheDeadline() {
        server.on("/", server.stall("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\n"));

        FetchResult result = hasty.fetch(server.url());

        assertThat(result)
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.TIMEOUT));
    }

    @Test
    void everyFailureAfterAStopIsAStop() {
        server.on("/", server.stall("HTTP/1.1 200 OK\r\n")).on("/reset", HostileServer.reset());
        server.onRequest(number -> fetcher.stop());

        for (String url : List.of(server.url(), server.url("/reset"))) {
            assertThat(fetcher.fetch(url))
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.STOPPED));
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void stopEndsRequestWhoseBodyIsReceived() {
        server.on("/", server.stall("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"));
        FetchRequest.Body body = FetchRequest.Body.to(in -> {
            assertThat(in.read()).isEqualTo('<');
            fetcher.stop();
            in.readAllBytes();
        });

        assertThat(fetcher.fetch(new FetchRequest(server.url()).reading(body)))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.STOPPED));
    }

    @Test
    void aLookupThatACloseEndsIsAStop() throws Exception {
        CountDownLatch isLookedUp = new CountDownLatch(1);
        Fetcher closed = newFetcher(Duration.ofMinutes(2), host -> {
            isLookedUp.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new UnknownHostException(host);
            }
            return List.of();
        });
        CompletableFuture<FetchResult> result = CompletableFuture.supplyAsync(() -> closed.fetch("http://slow.test/"));
        isLookedUp.await();

        closed.close();

        for (FetchResult each : List.of(result.get(), closed.fetch("http://late.test/"))) {
            assertThat(((Failed) each).reason()).isEqualTo(Reason.STOPPED);
        }
    }

    @Test
    void whoIsNotThereIsAFailure() throws IOException {
        int port;
        try (ServerSocket nobodyAccepts = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = nobodyAccepts.getLocalPort();
        }

        assertThat(((Failed) fetcher.fetch("http://127.0.0.1:" + port + "/")).reason())
                .isEqualTo(Reason.CONNECT);
        try (Fetcher lost = newFetcher(Duration.ofMinutes(2), host -> {
            throw new UnknownHostException(host);
        })) {
            assertThat(((Failed) lost.fetch("http://nowhere.test/")).reason()).isEqualTo(Reason.DNS);
        }
    }

    @Test
    void aServerThatIsNotSecureIsAFailure() {
        String url = server.url().replace("http:", "https:");
        server.on("", HostileServer.raw("HTTP/1.1 400 Bad\n"));

        assertThat(((Failed) fetcher.fetch(url)).reason()).isEqualTo(Reason.TLS);
    }

    @Test
    void aStreamedBodyHasNoLimitButAWantedType() throws IOException {
        byte[] body = new byte[100 * LIMIT];
        server.on("/", HostileServer.raw("HTTP/1.1 200 OK\nContent-Type: image/png\n", body));
        AtomicLong length = new AtomicLong();

        FetchResult result = stream(fetcher, server.url(), in -> length.set(in.readAllBytes().length));

        assertThat(length).hasValue(body.length);
        assertThat(result).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.type()).isEqualTo("image/png");
            assertThat(page.body()).isEmpty();
        });
    }

    @Test
    void onlyTheBodyOfASuccessIsStreamed() {
        server.on("/404", HostileServer.raw("HTTP/1.1 404 No\n", new byte[9]))
                .on("/302", HostileServer.redirect("/x"))
                .on("/br", HostileServer.raw("HTTP/1.1 200 OK\nContent-Encoding: br\n", new byte[9]));
        FetchRequest.BodyReader never = body -> {
            throw new AssertionError();
        };

        assertThat(stream(fetcher, server.url("/404"), never).status()).isEqualTo(404);
        assertThat(stream(fetcher, server.url("/302"), never)).isInstanceOf(Redirect.class);
        assertThat(stream(fetcher, server.url("/br"), never)).isInstanceOf(Failed.class);
    }

    @Test
    void slowAndUnreadStreamsAreClosed() {
        server.on("/slow", server.drip("HTTP/1.1 200 OK\r\n\r\n", "x"))
                .on("/endless", HostileServer.endless("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(1000)));

        assertThat(stream(hasty, server.url("/slow"), InputStream::readAllBytes))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.TIMEOUT));
        assertThat(stream(fetcher, server.url("/endless"), body -> body.readNBytes(10)))
                .isInstanceOf(Page.class);
        assertThat(fetcher.connectionsInUse()).isZero();
    }

    @Test
    void whatTheReaderOfAStreamThrowsComesOut() {
        IllegalStateException full = new IllegalStateException("full");

        assertThatThrownBy(() -> stream(fetcher, server.url(), body -> {
                    throw full;
                }))
                .isSameAs(full);
        assertThat(fetcher.connectionsInUse()).isZero();
    }
}
