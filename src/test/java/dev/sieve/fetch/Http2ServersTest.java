package dev.sieve.fetch;

import static dev.sieve.TestCertificate.PASSWORD;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.LocalServer;
import dev.sieve.Sieve;
import dev.sieve.TestCertificate;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.stage.AllStages;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import okio.Buffer;
import okio.BufferedSource;
import okio.Okio;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that refuse HTTP/1.1, and hostile ones among them. */
@Timeout(300)
class Http2ServersTest {
    private static final String HOST = "good.test";
    private static final int PREFACE = 24;
    /** What a server may send in vain, and the buffers of the system. */
    private static final long MOST_BYTES = 24 << 20;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PING = 6;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PUSH_PROMISE = 5;
    private static final int GOAWAY = 7;
    /** The first stream of the client. */
    private static final int STREAM = 3;
    /** A literal field that gets an index: RFC 7541, section 6.2.1. */
    private static final int INDEXED = 0x40;

    @TempDir
    private static Path folder;

    private static Path store;

    private LocalServer server;
    private Fetcher fetcher;
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final AtomicLong written = new AtomicLong();
    private volatile Hostile behaviour;
    /** What a response to HTTP/1.1 asks for; empty to end the connection without one. */
    private volatile String upgrade = "h2c, HTTP/2.0";

    private PolitenessJudge judge = new PolitenessJudge(Duration.ZERO);

    /** What a server does after it has read a request. */
    @FunctionalInterface
    private interface Hostile {
        void answer(Connection to) throws IOException;
    }

    /** A connection of the server. */
    private final class Connection {
        private final Buffer buffer = new Buffer();
        private final Socket socket;
        private final BufferedSource in;

        private Connection(Socket socket, BufferedSource in) {
            this.socket = socket;
            this.in = in;
        }

        /** Waits until a frame of a type arrives. */
        private void await(int type) throws IOException {
            for (int next = -1; next != type; ) {
                int length = (in.readShort() << 8) | (in.readByte() & 0xff);
                next = in.readByte();
                in.skip(5 + length);
            }
        }

        private void frame(int type, int flags, int stream, byte[] payload) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            try {
                out.writeByte(payload.length >> 16);
                out.writeShort(payload.length);
                out.writeByte(type);
                out.writeByte(flags);
                out.writeInt(stream);
                out.write(payload);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            buffer.write(bytes.toByteArray());
        }

        private void headers(boolean isLast, String... namesAndValues) {
            frame(HEADERS, END_HEADERS | (isLast ? 1 : 0), STREAM, fields(namesAndValues));
        }

        private void send() throws IOException {
            written.addAndGet(buffer.size());
            socket.getOutputStream().write(buffer.readByteArray());
        }

        /** Sends the same until the other side ends the connection. */
        private void sendWithoutEnd(int times, Runnable frame) throws IOException {
            while (true) {
                for (int i = 0; i < times; i++) {
                    frame.run();
                }
                send();
            }
        }
    }

    /** Returns names and values of header fields as literals without an index: RFC 7541, section 6.2.2. */
    private static byte[] fields(String... namesAndValues) {
        Buffer block = new Buffer();
        for (int i = 0; i < namesAndValues.length; i++) {
            if (i % 2 == 0) {
                block.writeByte(INDEXED);
            }
            // A length of 127 or more continues in groups of 7 bits.
            int length = namesAndValues[i].length();
            block.writeByte(Math.min(length, 127));
            for (int rest = length - 127; rest >= 0; rest = rest < 128 ? -1 : rest >> 7) {
                block.writeByte(rest < 128 ? rest : 128 | (rest & 127));
            }
            block.writeUtf8(namesAndValues[i]);
        }
        return block.readByteArray();
    }

    @BeforeAll
    static void certify() throws Exception {
        store = TestCertificate.create(folder, "EC", "dns:" + HOST).store();
    }

    @BeforeEach
    void start() throws Exception {
        serve("h2");
    }

    private void serve(String... protocols) throws Exception {
        stop();
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(TestCertificate.load(store), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        SSLServerSocket socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        server = new LocalServer(socket, this::respond);
        fetcher = TestCertificate.trusting(
                store,
                () -> new Fetcher(new Fetcher.Options(
                        "testbot",
                        Map.of(),
                        Duration.ofSeconds(5),
                        100_000,
                        4,
                        name -> List.of(InetAddress.getLoopbackAddress()),
                        AddressPolicy.publicOnly().allowing("127.0.0.1"),
                        1 << 26,
                        ProxySettings.NONE,
                        true)));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            fetcher.close();
            server.close();
        }
    }

    private void respond(Socket client) throws IOException {
        judge.arrived(HOST, System.nanoTime());
        try {
            respondByProtocol(client);
        } finally {
            judge.answered(HOST, "HTTP/1.1 200 OK", "");
        }
    }

    private void respondByProtocol(Socket client) throws IOException {
        SSLSocket secure = (SSLSocket) client;
        if (upgrade.isEmpty()) {
            secure.setHandshakeApplicationProtocolSelector((socket, names) -> names.contains("h2") ? "h2" : "");
        }
        secure.startHandshake();
        if (!secure.getApplicationProtocol().equals("h2")) {
            requests.add("HTTP/1.1");
            HostileServer.readHead(client.getInputStream());
            if (!upgrade.isEmpty()) {
                HostileServer.write(
                        client,
                        "HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nUpgrade: " + upgrade
                                + "\r\nContent-Length: 0\r\n\r\n");
            }
            return;
        }
        // The preface, and all frames of a request: SETTINGS, WINDOW_UPDATE, HEADERS.
        BufferedSource in = Okio.buffer(Okio.source(client.getInputStream()));
        in.skip(PREFACE);
        Connection connection = new Connection(client, in);
        connection.await(HEADERS);
        requests.add("HTTP/2");
        connection.frame(SETTINGS, 0, 0, new byte[0]);
        behaviour.answer(connection);
        judge.answered(HOST, "HTTP/1.1 200 OK", "");
        connection.send();
        in.readAll(Okio.blackhole());
    }

    private FetchResult fetch(String path) {
        return fetcher.fetch("https://" + HOST + ":" + server.port() + path);
    }

    /** Requests a URL twice: the first request finds out that HTTP/1.1 is refused. */
    private FetchResult fetchAgain() {
        assertThat(fetch("/"))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.CLOSED));
        return fetch("/");
    }

    private void page(Connection to, String text) throws IOException {
        to.headers(false, ":status", "100");
        to.headers(false, ":status", "200", "content-type", "text/html", "content-length", "" + text.length());
        to.frame(PING, 0, 0, new byte[8]);
        to.frame(DATA, 0, STREAM, text.substring(0, 3).getBytes(US_ASCII));
        to.frame(DATA, 1, STREAM, text.substring(3).getBytes(US_ASCII));
    }

    @Test
    void originThatRefusesHttp1InTheHandshakeGetsHttp2() {
        behaviour = to -> page(to, "<title>two</title>");

        FetchResult result = fetchAgain();

        assertThat(result).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.status()).isEqualTo(200);
            assertThat(new String(page.body(), US_ASCII)).isEqualTo("<title>two</title>");
            assertThat(page.isCut()).isFalse();
        });
        Exchange exchange = result.exchange();
        assertThat(exchange.request())
                .startsWith("GET / HTTP/1.1\r\n")
                .contains("Host: " + HOST + ":" + server.port() + "\r\n", "User-Agent: testbot\r\n");
        assertThat(exchange.response())
                .isEqualTo("HTTP/1.1 200 \r\ncontent-type: text/html\r\ncontent-length: 18\r\n\r\n");
        assertThat(exchange.address()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(exchange.cut()).isEqualTo(Exchange.Cut.NONE);
        assertThat(requests).containsExactly("HTTP/2");
    }

    @Test
    void originThatRequiresAnUpgradeGetsHttp2() throws Exception {
        serve("h2", "http/1.1");
        behaviour = to -> to.headers(true, ":status", "302", "location", "/next", "x", "a\r\nset-cookie: b=c");

        FetchResult result = fetchAgain();

        assertThat(result)
                .isInstanceOfSatisfying(
                        Redirect.class,
                        redirect -> assertThat(redirect.target()).endsWith("/next"));
        assertThat(result.exchange().response()).endsWith("x: a  set-cookie: b=c\r\n\r\n");
        assertThat(requests).containsExactly("HTTP/1.1", "HTTP/2");
    }

    @Test
    void crawlKeepsItsDelayWhateverTheProtocol() throws IOException {
        judge = new PolitenessJudge(Duration.ofMillis(200));
        behaviour = to -> page(to, "<title>x</title><a href=/1>1</a><a href=/2>2</a>");
        CrawlOptions options = new CrawlOptions()
                .delay(Duration.ofMillis(200))
                .allowPrivate("127.0.0.1")
                .resolver(host -> List.of(InetAddress.getLoopbackAddress()));

        try (Crawler crawler =
                TestCertificate.trusting(store, () -> new Crawler(options, new Sieve(100), AllStages::of))) {
            crawler.seed("https://" + HOST + ":" + server.port() + "/");

            assertThat(crawler.run(visit -> {}).count(Counter.PAGES)).isEqualTo(3);
        }
        assertThat(requests).as("robots.txt and the pages").hasSize(4).containsOnly("HTTP/2");
    }

    @Test
    void originThatRefusesBothGetsHttp1() throws Exception {
        serve("http/1.1");

        assertThat(fetchAgain())
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.CLOSED));
        assertThat(fetch("/").status()).isEqualTo(426);
        assertThat(requests).containsExactly("HTTP/1.1", "HTTP/1.1");
    }

    @Test
    void upgradeToAnotherProtocolIsAStatus() throws Exception {
        serve("h2", "http/1.1");
        upgrade = "websocket";

        assertThat(fetch("/").status()).isEqualTo(426);
        assertThat(fetch("/").status()).isEqualTo(426);
        assertThat(requests).containsExactly("HTTP/1.1", "HTTP/1.1");
    }

    @Test
    void originThatNegotiatesNothingGetsHttp2() {
        upgrade = "";
        behaviour = to -> page(to, "<title>two</title>");

        assertThat(fetchAgain().status()).isEqualTo(200);
        assertThat(requests).containsExactly("HTTP/1.1", "HTTP/2");
    }

    @Test
    void pingIsAnswered() {
        behaviour = to -> {
            to.frame(PING, 0, 0, new byte[8]);
            to.send();
            to.await(PING);
            page(to, "<title>two</title>");
        };

        assertThat(fetchAgain().status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"19, BROKEN", "17, PROTOCOL", "18, ", "x, "})
    void bodyHasTheLengthThatWasAnnounced(String length, Reason problem) {
        behaviour = to -> {
            to.headers(false, ":status", "200", "content-type", "text/html", "content-length", length);
            to.frame(DATA, 1, STREAM, "<title>two</title>".getBytes(US_ASCII));
        };

        FetchResult result = fetchAgain();

        Failed failed = result instanceof Page page ? page.problem() : (Failed) result;
        assertThat(failed == null ? null : failed.reason()).isEqualTo(problem);
    }

    @ParameterizedTest
    @CsvSource({
        "reset, BROKEN",
        "refused, BROKEN",
        "goAway, BROKEN",
        "push, PROTOCOL",
        "continuation, PROTOCOL",
        "headers, BROKEN",
        "names, PROTOCOL",
        "pings, PROTOCOL",
        "settings, PROTOCOL",
        "windows, PROTOCOL",
        "empty, PROTOCOL",
        "goAways, PROTOCOL",
        "streams, TIMEOUT",
        "silent, TIMEOUT",
        "slow, TIMEOUT"
    })
    void hostileServerEndsTheRequestOnly(String name, Reason reason) {
        behaviour = hostile(name);

        FetchResult result = fetchAgain();

        Failed failed = result instanceof Page page ? page.problem() : (Failed) result;
        assertThat(failed.reason()).as("%s", failed).isEqualTo(reason);
        assertThat(written).hasValueLessThan(MOST_BYTES);
        assertThat(requests).as("nothing is sent again").hasSize(1);
    }

    private Hostile hostile(String name) {
        byte[] block = new byte[16_000];
        return switch (name) {
            case "reset" -> to -> to.frame(RST_STREAM, 0, STREAM, new byte[] {0, 0, 0, 8});
            case "refused" -> to -> to.frame(RST_STREAM, 0, STREAM, new byte[] {0, 0, 0, 7});
            case "goAway" -> to -> to.frame(GOAWAY, 0, 0, new byte[8]);
            case "push" -> to -> to.frame(PUSH_PROMISE, END_HEADERS, STREAM, new byte[] {0, 0, 0, 2});
            case "continuation" ->
                to -> {
                    to.frame(HEADERS, 0, STREAM, new byte[0]);
                    to.sendWithoutEnd(1000, () -> to.frame(CONTINUATION, 0, STREAM, new byte[0]));
                };
            case "headers" ->
                to -> {
                    to.headers(false, ":status", "200", "x", "y".repeat(3900));
                    // The field above, by its index: one byte each.
                    Arrays.fill(block, (byte) (0x80 | 62));
                    to.frame(HEADERS, END_HEADERS, STREAM, block);
                };
            case "names" -> to -> to.frame(HEADERS, END_HEADERS, STREAM, block(2000));
            case "pings" -> to -> to.sendWithoutEnd(1000, () -> to.frame(PING, 0, 0, new byte[8]));
            case "settings" -> to -> to.sendWithoutEnd(1000, () -> to.frame(SETTINGS, 0, 0, new byte[0]));
            case "windows" -> to -> to.sendWithoutEnd(1000, () -> to.frame(8, 0, STREAM, new byte[] {0, 0, 0, 1}));
            case "empty" ->
                to -> {
                    to.headers(false, ":status", "200");
                    to.sendWithoutEnd(1000, () -> to.frame(DATA, 0, STREAM, new byte[0]));
                };
            case "goAways" ->
                to -> to.sendWithoutEnd(1000, () -> to.frame(GOAWAY, 0, 0, new byte[] {0, 0, 0, 9, 0, 0, 0, 0}));
            case "streams" -> to -> to.frame(HEADERS, END_HEADERS, STREAM + 2, block(1));
            case "silent" -> to -> {};
            case "slow" -> to -> to.headers(false, ":status", "200", "content-type", "text/html");
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** A head with a status and a number of fields without a name and a value. */
    private static byte[] block(int fields) {
        byte[] block = new byte[1 + 3 * fields];
        block[0] = (byte) (0x80 | 8);
        return block;
    }

    @Test
    void bodyIsReadUpToItsLimit() {
        behaviour = to -> {
            to.headers(false, ":status", "200", "content-type", "text/html");
            to.sendWithoutEnd(100, () -> to.frame(DATA, 0, STREAM, new byte[16_000]));
        };

        assertThat(fetchAgain()).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.body()).hasSize(100_000);
            assertThat(page.isCut()).isTrue();
        });
        assertThat(written).hasValueLessThan(MOST_BYTES);
    }

    @Test
    void longBodyIsReadWholeByASlowReader() {
        int length = 4 << 20;
        behaviour = to -> {
            to.headers(false, ":status", "200", "content-type", "text/html", "content-length", "" + length);
            for (int sent = 0; sent < length; sent += 1 << 14) {
                to.frame(DATA, sent + (1 << 14) == length ? 1 : 0, STREAM, new byte[1 << 14]);
                to.send();
            }
        };
        assertThat(fetch("/").isWorthRetrying()).isTrue();
        AtomicLong read = new AtomicLong();

        FetchRequest request = new FetchRequest("https://" + HOST + ":" + server.port() + "/")
                .reading(FetchRequest.Body.to(body -> {
                    for (int count = 0; count >= 0; count = body.read(new byte[100])) {
                        read.addAndGet(count);
                    }
                }));

        assertThat(fetcher.fetch(request)).isInstanceOf(Page.class);
        assertThat(read).hasValue(length);
    }
}
