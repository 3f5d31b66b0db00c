package dev.sieve.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LiveServerTest {
    /** Two updates never follow each other in a test, unless it waits for both. */
    private static final Duration OFTEN = Duration.ofMillis(20);

    /** Much longer than a head takes. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final Numbered content = new Numbered();
    private LiveServer server;
    private int port;

    /** Content that shows how often it was rendered. */
    private static class Numbered implements LiveServer.Content {
        final AtomicInteger updates = new AtomicInteger();

        @Override
        public String page() {
            return "<!doctype html><title>page</title>";
        }

        @Override
        public String update(boolean isComplete) {
            return (isComplete ? "complete " : "progress ") + updates.incrementAndGet();
        }

        @Override
        public String metrics() {
            return "up 1\n";
        }
    }

    @BeforeEach
    void open() throws IOException {
        open("127.0.0.1", OFTEN);
        server.show(content);
    }

    private void open(String host, Duration interval) throws IOException {
        server = LiveServer.open(host, 0, interval, PATIENCE);
        port = URI.create(server.url()).getPort();
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** A connection to the server with one request. */
    private final class Request implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;

        Request(String head) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.getOutputStream().write(head.getBytes(ISO_8859_1));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        }

        String line() throws IOException {
            return in.readLine();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Returns the whole response to a request. */
    private String response(String head) throws IOException {
        try (Request request = new Request(head)) {
            return String.join("\n", request.in.lines().toList());
        }
    }

    private String response(String method, String path, String host) throws IOException {
        return response(method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
    }

    private String localhost() {
        return "localhost:" + port;
    }

    @Test
    void thePageTheMetricsAndNothingElseAreThere() throws IOException {
        assertThat(response("GET", "/", localhost()))
                .startsWith("HTTP/1.1 200 OK\n")
                .contains("text/html; charset=utf-8")
                .endsWith("<!doctype html><title>page</title>");
        assertThat(response("GET", "/metrics", localhost()))
                .contains("text/plain; version=0.0.4; charset=utf-8")
                .endsWith("\nup 1");
        for (String path : List.of("/etc/passwd", "/../metrics", "/metrics/", "/%2e", "/favicon.ico", "/pages.jsonl")) {
            assertThat(response("GET", path, localhost())).as(path).startsWith("HTTP/1.1 404 ");
        }
    }

    @Test
    void everyResponseHasTheHeadersThatProtectIt() throws IOException {
        for (String response : List.of(
                response("GET", "/", localhost()),
                response("GET", "/metrics", localhost()),
                response("GET", "/none", localhost()),
                response("HEAD", "/update", localhost()),
                response("POST", "/", localhost()),
                response("GET", "/", "evil.example"))) {
            assertThat(response.toLowerCase(Locale.ROOT))
                    .contains(
                            "content-security-policy: frame-ancestors 'none'",
                            "x-content-type-options: nosniff",
                            "cache-control: no-store",
                            "referrer-policy: no-referrer",
                            "cross-origin-resource-policy: same-origin")
                    .doesNotContain("access-control-allow-origin");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get"})
    void otherMethodsAreRefused(String method) throws IOException {
        assertThat(response(method, "/", localhost()))
                .startsWith("HTTP/1.1 405 ")
                .contains("\nAllow: GET, HEAD\n");
    }

    @Test
    void headHasNoBody() throws IOException {
        assertThat(response("HEAD", "/", localhost()))
                .startsWith("HTTP/1.1 200 OK\n")
                .doesNotContain("<");
        assertThat(response("HEAD", "/update", localhost()))
                .startsWith("HTTP/1.1 200 OK\n")
                .doesNotContain("progress");
    }

    @Test
    void onlyItsOwnNamesAreServed() throws IOException {
        String own = ":" + port;
        for (String host : List.of("localhost" + own, "LocalHost" + own, "127.0.0.1" + own, "[::1]" + own)) {
            assertThat(response("GET", "/", host)).as(host).startsWith("HTTP/1.1 200 ");
        }
        for (String host : List.of(
                "evil.example" + own,
                "evil.example",
                "localhost",
                "localhost:1",
                "localhost" + own + own,
                "localhost.evil.example" + own,
                "evil.example@localhost" + own,
                "192.168.0.1" + own,
                own,
                "")) {
            assertThat(response("GET", "/metrics", host))
                    .as(host)
                    .startsWith("HTTP/1.1 421 ")
                    .doesNotContain("evil");
        }
        assertThat(response("GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 421 ");
        assertThat(response("GET / HTTP/1.1\r\nHost: localhost" + own
                        + "\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 4");
        assertThat(response("GET", "http://evil.example/", "localhost" + own)).startsWith("HTTP/1.1 421 ");
    }

    /** No web page can make an address lead here, other than a name. */
    @Test
    void onAllInterfacesAnyAddressIsServedButNoOtherName() throws IOException {
        server.close();
        open("0.0.0.0", OFTEN);
        server.show(content);

        assertThat(server.isLoopback()).isFalse();
        assertThat(response("GET", "/", "192.168.0.1:" + port)).startsWith("HTTP/1.1 200 ");
        assertThat(response("GET", "/", "[fe80::1]:" + port)).startsWith("HTTP/1.1 200 ");
        assertThat(response("GET", "/", "evil.example:" + port)).startsWith("HTTP/1.1 421 ");
    }

    private String update(String query) throws IOException {
        return response("GET", "/update" + query, localhost());
    }

    @Test
    void clientsShareAnUpdateUntilItExpires() throws IOException {
        server.close();
        open("127.0.0.1", Duration.ofDays(1));
        server.show(content);

        assertThat(update(""))
                .contains("text/html; charset=utf-8", "\nNext-update-millis: 86400000\n")
                .endsWith("\nprogress 1");
        assertThat(update("")).endsWith("\nprogress 1");
        assertThat(update("?complete")).endsWith("\ncomplete 2");
        assertThat(update("?other")).endsWith("\nprogress 1");
    }

    @Test
    void anUpdateExpires() throws IOException {
        String first = update("");
        String next = first;
        while (next.equals(first)) {
            next = update("");
        }
        assertThat(next).contains("\nprogress ");
    }

    @Test
    void withoutClientsNothingIsRendered() throws IOException {
        assertThat(response("GET", "/metrics", localhost())).endsWith("up 1");
        server.close();
        assertThat(content.updates).hasValue(0);
    }

    @Test
    void anOpenPageFetchesTheFinalState() throws Exception {
        server.close();
        server = LiveServer.open("127.0.0.1", 0, Duration.ofDays(1), Duration.ofMinutes(1));
        port = URI.create(server.url()).getPort();
        server.show(content);
        update("?progress");

        Thread end = new Thread(server::close);
        end.start();
        String last = update("?progress");
        while (last.contains("Next-update")) {
            last = update("?progress");
        }
        end.join();

        assertThat(last).containsPattern("\ncomplete \\d$");
    }

    private static String read(Request client) {
        try {
            return client.line();
        } catch (IOException e) {
            return null;
        }
    }

    @Test
    void afterTheEndThePortIsFreeAndNoThreadIsLeft() throws Exception {
        assertThat(response("GET", "/metrics", localhost())).endsWith("up 1");
        Thread[] during = liveThreads();
        assertThat(during).isNotEmpty();
        server.close();
        for (Thread thread : during) {
            thread.join();
        }
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
                .isInstanceOf(IOException.class);
    }

    private static Thread[] liveThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("sieve-live"))
                .toArray(Thread[]::new);
    }

    @Test
    void closingTwiceDoesNothing() {
        server.close();

        assertThatCode(server::close).doesNotThrowAnyException();
    }

    @Test
    void aServerThatHasShownNothingFreesItsPort() throws IOException {
        LiveServer unused = LiveServer.open("127.0.0.1", 0);
        unused.close();
        assertThatThrownBy(() -> new Socket(
                        InetAddress.getLoopbackAddress(),
                        URI.create(unused.url()).getPort()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aPortInUseIsNamed() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            int used = other.getLocalPort();
            assertThatThrownBy(() -> LiveServer.open("127.0.0.1", used))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot listen on 127.0.0.1:" + used + ": ");
        }
    }

    /** A connection without a thread for it is closed at once; no request waits behind the others. */
    @Test
    @Tag("slow")
    @Timeout(20)
    void unfinishedRequestsDoNotBlockOthersForLong() throws IOException {
        List<Request> unfinished = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                unfinished.add(new Request("GET / HT"));
            }
            String response = "";
            while (response.isEmpty()) {
                try {
                    response = response("GET", "/", localhost());
                } catch (IOException | UncheckedIOException e) {
                    // Closed, since there is no room yet.
                }
            }
            assertThat(response).startsWith("HTTP/1.1 200 ");
            for (Request request : unfinished) {
                assertThat(read(request)).isNull();
            }
        } finally {
            for (Request request : unfinished) {
                request.close();
            }
        }
    }

    @Test
    void aRequestBodyIsNotRead() throws IOException {
        assertThat(response("GET / HTTP/1.1\r\nHost: " + localhost()
                        + "\r\nContent-Length: 1000000000\r\nConnection: close\r\n\r\nabc"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aLongHeadIsRefused() throws IOException {
        try (Request request = new Request("GET / HTTP/1.1\r\nHost: " + localhost() + "\r\n")) {
            byte[] field = ("X: " + "x".repeat(1000) + "\r\n").getBytes(ISO_8859_1);
            assertThatThrownBy(() -> {
                        while (true) {
                            request.socket.getOutputStream().write(field);
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aFailureToRenderIsNotTheEnd() throws Exception {
        server.close();
        open("127.0.0.1", OFTEN);
        server.show(new Numbered() {
            @Override
            public String update(boolean isComplete) {
                String text = super.update(isComplete);
                if (text.endsWith(" 1")) {
                    throw new IllegalStateException("for the test");
                }
                return text;
            }
        });
        assertThat(update("")).startsWith("HTTP/1.1 500 ");
        assertThat(update("")).endsWith("\nprogress 2");
    }
}
