package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the HTTP client would do by itself, line by line of the table in the package page: none of it happens. */
@Tag("hostile")
@Timeout(1200)
class ClientActsTest {
    private static final String EMPTY = "Content-Length: 0\nConnection: keep-alive\n";

    /** All requests, of which {@link HostileServer#heads} has the first of each connection. */
    private final List<String> heads = new CopyOnWriteArrayList<>();

    @AutoClose
    private final HostileServer server = HostileServer.unjudged();

    @AutoClose
    private final Fetcher fetcher = newFetcher(ProxySettings.NONE);

    private static Fetcher newFetcher(ProxySettings proxy) {
        return new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of("Authorization", "Basic secret"),
                Duration.ofMinutes(2),
                10_000,
                4,
                host -> List.of(InetAddress.getLoopbackAddress()),
                AddressPolicy.publicOnly().allowing("127.0.0.1"),
                1 << 20,
                proxy,
                false));
    }

    /** Answers all requests of a connection in the same way. */
    private HostileServer.Behaviour forEachRequest(String head, AtomicInteger connections) {
        HostileServer.Behaviour answer = HostileServer.raw(head);
        return client -> {
            connections.incrementAndGet();
            for (String next = "first"; !next.isEmpty(); next = HostileServer.readHead(client.getInputStream())) {
                heads.add(next);
                answer.answer(client);
            }
        };
    }

    /** Returns the only request, on whichever connection it came. */
    private String onlyHead() {
        assertThat(heads).containsExactly("first");
        assertThat(server.heads()).hasSize(1);
        return server.heads().get(0);
    }

    @ParameterizedTest
    @CsvSource({
        "300, Location: /next",
        "301, Location: /next",
        "302, Location: /next",
        "303, Location: /next",
        "307, Location: /next",
        "308, Location: /next",
        "401, WWW-Authenticate: Basic realm=x",
        "401, WWW-Authenticate: OkHttp-Preemptive",
        "407, Proxy-Authenticate: Basic realm=x",
        "407, Proxy-Authenticate: OkHttp-Preemptive",
        "408, X: y",
        "408, Retry-After: 0",
        "421, X: y",
        "503, Retry-After: 0",
        "503, Retry-After: 000",
        "503, Retry-After: 99999999999",
    })
    void noStatusMakesItSendAnotherRequest(int status, String field) {
        String head = "HTTP/1.1 " + status + " x\n" + field + "\n" + EMPTY;
        server.otherwise(forEachRequest(head, new AtomicInteger()));

        assertThat(fetcher.fetch(server.url()).status()).isEqualTo(status);
        assertThat(onlyHead()).doesNotContain("Authorization", "Cookie");
    }

    @ParameterizedTest
    @CsvSource({"0000000060, 60", "0, 0", "000, 0", "99999999999, 86400", "-1, 0"})
    void aPauseIsReadAsItWasSent(String pause, long seconds) {
        server.otherwise(HostileServer.raw("HTTP/1.1 503 x\nRetry-After: " + pause + "\n"));

        assertThat(fetcher.fetch(server.url()))
                .isInstanceOfSatisfying(
                        Page.class,
                        page -> assertThat(page.retryAfter(Instant.EPOCH)).isEqualTo(Duration.ofSeconds(seconds)));
    }

    @Test
    void aFailureMakesItSendNoOtherRequest() {
        for (HostileServer.Behaviour behaviour :
                List.<HostileServer.Behaviour>of(HostileServer.reset(), client -> {}, HostileServer.raw("rubbish\n"))) {
            int before = server.heads().size();
            server.otherwise(behaviour);

            assertThat(fetcher.fetch(server.url())).isInstanceOf(Failed.class);
            assertThat(server.heads()).hasSize(before + 1);
        }
    }

    @Test
    void aClosedConnectionIsAFailureThatTheCallerMayRepeat() {
        server.otherwise(server.hangUp());

        assertThat(fetcher.fetch(server.url())).isInstanceOf(Page.class);
        assertThat(fetcher.fetch(server.url()))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.CLOSED));
        assertThat(fetcher.fetch(server.url())).isInstanceOf(Page.class);
    }

    @Test
    void aConnectionIsUsedAgainForItsHostAndNoOther() {
        AtomicInteger connections = new AtomicInteger();
        server.otherwise(forEachRequest("HTTP/1.1 200 OK\n" + EMPTY, connections));

        for (String host : List.of("a.test", "a.test", "b.test", "a.test", "b.test")) {
            assertThat(fetcher.fetch("http://" + host + ":" + server.port() + "/"))
                    .isInstanceOf(Page.class);
        }
        assertThat(connections).hasValue(2);
    }

    @Test
    void nothingIsStoredBetweenRequests() {
        String head = "HTTP/1.1 200 OK\nSet-Cookie: a=b\nCache-Control: max-age=9999, immutable\nETag: \"x\"\n";
        server.otherwise(HostileServer.raw(head));

        fetcher.fetch(server.url());
        fetcher.fetch(server.url());

        assertThat(server.heads())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each)
                        .isEqualTo("GET / HTTP/1.1\r\nUser-Agent: testbot\r\nAccept: "
                                + "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5\r\nAccept-Encoding: gzip\r\nHost: 127.0.0.1:"
                                + server.port() + "\r\nConnection: Keep-Alive\r\n\r\n"));
    }

    @Test
    void theFieldsOfAResponseStayAsTheyAre() {
        server.otherwise(HostileServer.raw(
                "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\nContent-Length: 27\n",
                HostileServer.gzip("<title>".getBytes(ISO_8859_1))));

        assertThat(fetcher.fetch(server.url())).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.headers()).containsKeys("content-encoding", "content-length");
            assertThat(page.body()).asString(ISO_8859_1).isEqualTo("<title>");
        });
    }

    @Test
    void interimResponsesAreSkippedOtherProtocolsRefused() {
        server.on("/103", HostileServer.raw("HTTP/1.1 103 Early\n\nHTTP/1.1 404 None\n"));
        server.on("/101", HostileServer.raw("HTTP/1.1 101 Switching\nConnection: Upgrade\nUpgrade: h2c\n"));

        assertThat(fetcher.fetch(server.url("/103")).status()).isEqualTo(404);
        assertThat(fetcher.fetch(server.url("/101"))).isInstanceOf(Failed.class);
        assertThat(server.heads())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each).doesNotContain("Expect", "Upgrade"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"OkHttp-Preemptive", "Basic realm=x"})
    void aProxyThatRejectsATunnelIsAskedOnce(String challenge) throws IOException {
        server.otherwise(forEachRequest(
                "HTTP/1.1 407 No\nProxy-Authenticate: " + challenge + "\n" + EMPTY, new AtomicInteger()));
        try (Fetcher proxied = newFetcher(ProxySettings.of("http://me:secret@127.0.0.1:" + server.port()))) {
            assertThat(proxied.fetch("https://a.test/")).isInstanceOf(Failed.class);
        }
        assertThat(onlyHead()).startsWith("CONNECT a.test:443 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SECRET\u00e9", "SECRET\r\nX: y", "SECRET\0"})
    void noMessageContainsTheValueOfAField(String value) {
        assertThatThrownBy(() -> Fetcher.Options.checkHeader("X-Key", value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("X-Key")
                .hasMessageNotContaining("SECRET");
        assertThatThrownBy(() -> Fetcher.Options.checkHeader("Accept-Encoding", "SECRET"))
                .hasMessageNotContaining("SECRET");
    }
}
