package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Refused;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
@Timeout(1200)
class ProxyTest {
    private static final String SECRET = "pass%20word";
    private static final String CREDENTIALS = "Basic bWU6cGFzcyB3b3Jk";
    private static final Resolver NO_LOOKUP = host -> {
        throw new AssertionError("looked up " + host);
    };
    private static final Resolver LOOPBACK = host -> {
        if (!host.endsWith(".test")) {
            throw new UnknownHostException(host);
        }
        return List.of(InetAddress.getLoopbackAddress());
    };

    /** The proxy over HTTP, or the server behind the other one. */
    @AutoClose
    private final HostileServer server = HostileServer.unjudged();

    @AutoClose
    private final SocksServer socks = new SocksServer(server.port());

    private static Fetcher fetcher(ProxySettings proxy, Resolver resolver, AddressPolicy addresses) {
        return new Fetcher(new Fetcher.Options(
                "testbot", Map.of(), Duration.ofMinutes(2), 10_000, 4, resolver, addresses, 1 << 20, proxy, true));
    }

    private Fetcher overHttp(String user) {
        String url = "http://" + user + "127.0.0.1:" + server.port();
        return fetcher(ProxySettings.of(url), NO_LOOKUP, AddressPolicy.publicOnly());
    }

    private Fetcher overSocks(String scheme, Resolver resolver, AddressPolicy addresses) {
        return fetcher(ProxySettings.of(scheme + "://127.0.0.1:" + socks.port()), resolver, addresses);
    }

    @Test
    void anHttpProxyGetsTheWholeUrlAndLooksUpTheName() {
        server.on("http://name.test/a?b", HostileServer.html("<title>through</title>"));
        try (Fetcher fetcher = overHttp("")) {
            assertThat(fetcher.fetch("http://name.test/a?b"))
                    .isInstanceOfSatisfying(
                            Page.class,
                            page -> assertThat(page.body()).asString(ISO_8859_1).contains("through"));
        }
        assertThat(server.heads())
                .singleElement()
                .asString()
                .startsWith("GET http://name.test/a?b HTTP/1.1\r\n")
                .contains("Host: name.test\r\n", "User-Agent: testbot\r\n")
                .doesNotContain("Proxy-Authorization");
    }

    @Test
    void credentialsAreSentWithTheFirstRequestAlready() {
        try (Fetcher fetcher = overHttp("me:" + SECRET + "@")) {
            FetchResult result = fetcher.fetch("http://name.test/");

            assertThat(result).isInstanceOf(Page.class);
            assertThat(result.exchange().request())
                    .startsWith("GET http://name.test/ HTTP/1.1\r\n")
                    .doesNotContain("Proxy-Authorization");
        }
        assertThat(server.heads()).singleElement().asString().contains("Proxy-Authorization: " + CREDENTIALS + "\r\n");
    }

    @Test
    void aTunnelIsRequestedForHttps() {
        server.on("secure.test:443", HostileServer.raw("HTTP/1.1 200 OK\nContent-Length: 0\n"));
        try (Fetcher fetcher = overHttp("me:" + SECRET + "@")) {
            assertThat(fetcher.fetch("https://secure.test/private")).isInstanceOf(Failed.class);
        }
        assertThat(server.heads())
                .isNotEmpty()
                .allSatisfy(head -> assertThat(head)
                        .startsWith("CONNECT secure.test:443 HTTP/1.1\r\n")
                        .contains("Proxy-Authorization: " + CREDENTIALS + "\r\n", "User-Agent: testbot\r\n")
                        .doesNotContain("private"));
    }

    @Test
    void aTunnelIsNotSigned(@TempDir Path folder) throws IOException {
        Path key = Files.writeString(folder.resolve("key.pem"), Signer.create("https://bot.example.org"));
        ProxySettings proxy = ProxySettings.of("http://127.0.0.1:" + server.port());
        Fetcher.Options options = new Fetcher.Options(
                "testbot",
                Map.of(),
                Duration.ofMinutes(2),
                10_000,
                4,
                NO_LOOKUP,
                AddressPolicy.publicOnly(),
                1 << 20,
                proxy,
                true);
        try (Fetcher fetcher = new Fetcher(options, Signer.read(key, InstantSource.system()))) {
            fetcher.fetch("https://secure.test/");
            fetcher.fetch("http://name.test/");
        }
        assertThat(server.heads()).anyMatch(head -> head.startsWith("GET ") && head.contains("Signature: sig=:"));
        assertThat(server.heads())
                .filteredOn(head -> head.startsWith("CONNECT "))
                .isNotEmpty()
                .noneMatch(head -> head.contains("Signature"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://name.test/", "https://name.test/"})
    void aProxyThatRejectsTheCredentialsIsAFailureAndNoPage(String url) {
        server.otherwise(HostileServer.raw(
                "HTTP/1.1 407 Proxy Authentication Required\nProxy-Authenticate: Basic realm=x\nContent-Length: 0\n"));
        try (Fetcher fetcher = overHttp("me:" + SECRET + "@")) {
            assertThat(fetcher.fetch(url)).isInstanceOfSatisfying(Failed.class, failed -> {
                assertThat(failed.isWorthRetrying()).isTrue();
                assertThat(failed.toString()).doesNotContain("pass word", SECRET, "bWU6");
            });
        }
        assertThat(server.heads()).hasSize(1);
    }

    @Test
    void status407WithoutAProxyIsAStatusLikeAnyOther() {
        server.otherwise(HostileServer.raw("HTTP/1.1 407 x\nProxy-Authenticate: Basic realm=x\nContent-Length: 0\n"));
        try (Fetcher fetcher =
                fetcher(ProxySettings.NONE, LOOPBACK, AddressPolicy.publicOnly().allowing("127.0.0.1"))) {
            assertThat(fetcher.fetch(server.url()).status()).isEqualTo(407);
        }
        assertThat(server.heads()).singleElement().asString().doesNotContain("Authorization");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://10.0.0.1/",
                "http://169.254.169.254/latest/",
                "http://[::1]/",
                "http://2130706433/",
                "http://localhost/",
                "http://x.LocalHost./",
                "http://ip6-localhost/",
                "http://ip6-loopback/",
                "http://ipv6-localhost/",
                "http://localhost.localdomain/",
                "http://localhost4/",
                "http://localhost6.localdomain6./",
                "http://x.localhost.localdomain/",
                "http://loopback/",
                "http://name.test:25/",
            })
    void addressesAndPortsAreCheckedWithAnyProxy(String url) {
        try (Fetcher http = overHttp("");
                Fetcher names = overSocks("socks5h", NO_LOOKUP, AddressPolicy.publicOnly());
                Fetcher addresses = overSocks("socks5", LOOPBACK, AddressPolicy.publicOnly())) {
            assertThat(http.objection(url)).isNotNull();
            assertThat(http.fetch(url)).isInstanceOf(Refused.class);
            assertThat(names.fetch(url)).isInstanceOf(Refused.class);
            assertThat(addresses.fetch(url)).isNotInstanceOf(Page.class);
        }
        assertThat(server.heads()).isEmpty();
        assertThat(socks.targets()).isEmpty();
    }

    @Test
    void anOpenedAddressIsRequestedThroughTheProxy() {
        try (Fetcher fetcher = overHttp("")) {
            fetcher.open("http://10.0.0.1:8080/");

            assertThat(fetcher.fetch("http://10.0.0.1:8080/x")).isInstanceOf(Page.class);
            assertThat(fetcher.fetch("http://10.0.0.1:8081/x")).isInstanceOf(Refused.class);
        }
        assertThat(server.heads()).singleElement().asString().startsWith("GET http://10.0.0.1:8080/x ");
    }

    @Test
    void behindSocks5AddressesAreCheckedAsWithoutAProxy() {
        AddressPolicy policy = AddressPolicy.publicOnly().allowing("127.0.0.1");
        try (Fetcher strict = overSocks("socks5", LOOPBACK, AddressPolicy.publicOnly());
                Fetcher fetcher = overSocks("socks5", LOOPBACK, policy)) {
            assertThat(strict.fetch("http://name.test/")).isInstanceOf(Refused.class);
            assertThat(socks.targets()).isEmpty();

            assertThat(fetcher.fetch("http://name.test/x")).isInstanceOf(Page.class);
        }
        assertThat(socks.targets()).containsExactly("127.0.0.1:80");
        assertThat(server.heads()).singleElement().asString().startsWith("GET /x HTTP/1.1\r\nUser-Agent: testbot");
    }

    @Test
    void aSocks5hProxyGetsTheName() {
        try (Fetcher fetcher = overSocks("socks5h", NO_LOOKUP, AddressPolicy.publicOnly())) {
            fetcher.open("http://127.0.0.9:81/");

            assertThat(fetcher.fetch("http://name.test:8080/x")).isInstanceOf(Page.class);
            assertThat(fetcher.fetch("http://127.0.0.9:81/")).isInstanceOf(Page.class);
        }
        assertThat(socks.targets()).containsExactly("name.test:8080", "127.0.0.9:81");
    }

    @Test
    void whatASocksConnectionReceivesIsLimited() {
        server.otherwise(
                HostileServer.endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=", "a".repeat(1000)));
        try (Fetcher fetcher = overSocks("socks5h", NO_LOOKUP, AddressPolicy.publicOnly())) {
            assertThat(fetcher.fetch("http://name.test/")).isInstanceOf(Failed.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "socks5", "socks5h"})
    void aProxyThatIsNotThereIsAConnectionThatFailed(String scheme) throws IOException {
        int port = server.port();
        server.close();
        AddressPolicy policy = AddressPolicy.publicOnly().allowing("127.0.0.1");
        try (Socket held = PrivatePlacesTest.heldClosed(port);
                Fetcher fetcher = fetcher(ProxySettings.of(scheme + "://127.0.0.1:" + port), LOOPBACK, policy)) {
            assertThat(held.isBound()).isTrue();
            assertThat(fetcher.fetch("http://name.test/"))
                    .isInstanceOfSatisfying(
                            Failed.class,
                            failed -> assertThat(failed.isWorthRetrying()).isTrue());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "proxy.test:3128, http://proxy.test:3128",
        "http://proxy.test:80/, http://proxy.test:80",
        "HTTP://me:pass@Proxy.test:3128, http://proxy.test:3128",
        "socks5://10.0.0.1:1080, socks5://10.0.0.1:1080",
        "socks5h://[::1]:1080, socks5h://[::1]:1080",
    })
    void aProxyHasASchemeAHostAndAPort(String url, String shown) {
        assertThat(ProxySettings.of(url)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "proxy.test",
                "http://me:secret@proxy.test",
                "https://me:secret@proxy.test:443",
                "socks4://proxy.test:1080",
                "http://me:secret@proxy.test:99999",
                "http://me:secret@proxy.test:80/path",
                "http://me:secret@:80",
                "socks5://me:secret@proxy.test:1080",
            })
    void whatIsNotAProxyIsRefusedWithoutItsPassword(String url) {
        assertThatThrownBy(() -> ProxySettings.of(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test/, http://h:1",
        "https://a.test/, socks5://s:2",
        "http://direct.test/, ",
        "https://www.direct.test/, ",
        "http://indirect.test/, http://h:1",
        "http://other.test:8080/, ",
        "http://other.test/, http://h:1",
        "http://10.1.2.3/, ",
        "http://11.1.2.3/, http://h:1",
        "http://[fd00::1]/, ",
    })
    void theEnvironmentHasAProxyPerSchemeAndExceptions(String url, String proxy) {
        ProxySettings settings = ProxySettings.ofEnvironment(Map.of(
                "http_proxy", "h:1",
                "HTTP_PROXY", "nonsense",
                "ALL_PROXY", "socks5://s:2",
                "no_proxy", " .Direct.test, other.test:8080,10.0.0.0/8 fd00::/8"));

        ProxySettings.Server server = settings.server(HttpUrl.get(url));

        assertThat(server == null ? null : server.toString()).isEqualTo(proxy);
    }

    @Test
    void anEnvironmentWithoutAProxyIsNone() {
        assertThat(ProxySettings.ofEnvironment(Map.of("https_proxy", " "))).hasToString("none");
        assertThat(ProxySettings.ofEnvironment(Map.of("https_proxy", "p:1")))
                .hasToString("http: none, https: http://p:1");
        ProxySettings none = ProxySettings.ofEnvironment(Map.of("all_proxy", "p:1", "NO_PROXY", "*"));
        assertThat(none.server(HttpUrl.get("http://a.test/"))).isNull();
        assertThatThrownBy(() -> ProxySettings.ofEnvironment(Map.of("https_proxy", "https://me:secret@p:1")))
                .hasMessageStartingWith("https_proxy in the environment: not a proxy")
                .hasMessageNotContaining("secret");
    }

    @Test
    void whatTheEnvironmentExceptsIsCheckedAsWithoutAProxy() {
        ProxySettings settings = ProxySettings.ofEnvironment(
                Map.of("http_proxy", "127.0.0.1:" + server.port(), "no_proxy", "direct.test"));
        try (Fetcher fetcher = fetcher(settings, LOOPBACK, AddressPolicy.publicOnly())) {
            assertThat(fetcher.fetch("http://name.test/")).isInstanceOf(Page.class);
            assertThat(fetcher.fetch("http://direct.test:" + server.port() + "/"))
                    .isInstanceOf(Refused.class);
        }
        assertThat(server.heads()).hasSize(1);
    }
}
