package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.LocalServer;
import dev.sieve.judge.PolitenessJudge;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * A server on loopback that treats each request as it was told to for its path, byte by byte. What it was told nothing
 * about is a good page, so that it can be seen whether a client is still well.
 */
public final class HostileServer implements AutoCloseable {
    public static final String GOOD = "/good";
    /** What a client sends first that expects a secure server. */
    private static final int TLS_HANDSHAKE = 0x16;

    private static final Pattern HOST = Pattern.compile("(?i)\r\nHost: ([^:\r]*)");

    private static final Behaviour GOOD_PAGE = html("<title>good</title>");

    private final String address;
    private final LocalServer server;
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile Behaviour otherwise = GOOD_PAGE;
    private volatile IntConsumer onRequest = each -> {};
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Null if no crawl is served. */
    private final PolitenessJudge judge;
    /** What a thread that serves a client tells the judge of an answer: its head and its body. */
    private static final ThreadLocal<BiConsumer<String, byte[]>> ANSWERED =
            ThreadLocal.withInitial(() -> (head, body) -> {});

    private record Request(String head, long arrivalNanos) {}

    /** What is done to a client once its request is there; the connection is closed when this returns. */
    @FunctionalInterface
    public interface Behaviour {
        void answer(Socket client) throws IOException, InterruptedException;
    }

    public HostileServer() {
        this(Duration.ZERO);
    }

    /** A server whose client is not a crawl and need not wait between requests; the judge does not see them. */
    public static HostileServer unjudged() {
        return new HostileServer("127.0.0.1", 0, null);
    }

    /** A server for crawls with a delay, which is judged. */
    public HostileServer(Duration delay) {
        this("127.0.0.1", 0, delay);
    }

    public HostileServer(String address, int port) {
        this(address, port, Duration.ZERO);
    }

    private HostileServer(String address, int port, Duration delay) {
        this.address = address;
        judge = delay == null ? null : new PolitenessJudge(delay);
        try {
            server = new LocalServer(LocalServer.listen(InetAddress.getByName(address), port), this::serve);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Socket client) throws IOException, InterruptedException {
        String head = receive(client);
        String path = head.split(" ", 3).length < 2 ? "" : head.split(" ", 3)[1];
        Behaviour usual = behaviours.getOrDefault(path, path.equals(GOOD) ? GOOD_PAGE : otherwise);
        behaviours.getOrDefault(host(head) + path, usual).answer(client);
    }

    private String receive(Socket client) throws IOException {
        String head = readHead(client.getInputStream());
        Request request = new Request(head, System.nanoTime());
        requests.add(request);
        if (judge != null) {
            judge.arrived(host(head), request.arrivalNanos);
            boolean isRobots = head.startsWith("GET /robots.txt ");
            ANSWERED.set(
                    (answer, body) -> judge.answered(host(head), answer, isRobots ? new String(body, ISO_8859_1) : ""));
        }
        onRequest.accept(count.incrementAndGet());
        return head;
    }

    /** Every way in which a server may treat a request. */
    public List<Behaviour> catalogue() {
        String head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
        List<Behaviour> all = new ArrayList<>(List.of(
                html("<a href='/good'>x</a><a href='mailto:x@y'>x</a>"),
                redirect("/good"),
                redirect("http://elsewhere.test:1/"),
                raw("HTTP/1.1 302 Found\n"),
                raw("HTTP/1.1 429 Slow\nRetry-After: 1\n"),
                raw("HTTP/1.1 200 OK\nContent-Encoding: br\nContent-Type: text/html\n", new byte[9]),
                raw("HTTP/1.1 200 OK\nContent-Length: 100\nContent-Type: text/html\n", new byte[9]),
                raw("HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 4\n"),
                raw("rubbish\n"),
                reset(),
                client -> {},
                stall(""),
                stall(head),
                stall(head + "\r\n<p>"),
                drip(head, "X-Y: z\r\n"),
                drip(head + "\r\n", "<p>"),
                drip(head + "Content-Encoding: gzip\r\n\r\nno gzip at all", "x"),
                endless(head, "X: y\r\n")));
        for (int status : new int[] {204, 304, 401, 404, 408, 500, 503}) {
            all.add(raw("HTTP/1.1 " + status + " Status\n"));
        }
        return all;
    }

    /** Sends an empty page, and hangs up on the next request over the same connection. */
    public Behaviour hangUp() {
        Behaviour first = raw("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 0\nConnection: keep-alive\n");
        return client -> {
            first.answer(client);
            receive(client);
        };
    }

    public static String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0 || next == TLS_HANDSHAKE) {
                break;
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** Returns the host that a request names, without port. */
    private static String host(String head) {
        Matcher host = HOST.matcher(head);
        return host.find() ? host.group(1) : "";
    }

    /**
     * Sets what is done at a path.
     *
     * @param path {@code /path} of all hosts, or {@code a.test/path}
     */
    public HostileServer on(String path, Behaviour behaviour) {
        behaviours.put(path, behaviour);
        return this;
    }

    /** What is done at all other paths, but for that of the good page. */
    public HostileServer otherwise(Behaviour behaviour) {
        otherwise = behaviour;
        return this;
    }

    /** A body as it is sent with {@code Content-Encoding: gzip}. */
    public static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    /** A body as it is sent with {@code Content-Encoding: br}, in blocks that are not compressed. */
    public static byte[] brotli(byte[] plain) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        // A small window, and an empty block of metadata up to the end of the byte.
        packed.write(0x0c);
        for (int from = 0; from < plain.length; from += 1 << 16) {
            int length = Math.min(1 << 16, plain.length - from);
            int head = 1 << 19 | (length - 1) << 3;
            packed.write(head);
            packed.write(head >> 8);
            packed.write(head >> 16);
            packed.write(plain, from, length);
        }
        packed.write(3);
        return packed.toByteArray();
    }

    /**
     * Sends a head, whose lines end with a line feed each, and a body. A head of HTTP/1.1 says that the connection is closed,
     * unless it says something else.
     */
    public static Behaviour raw(String head, byte[] body) {
        boolean saysClose = head.startsWith("HTTP/1.1") && !head.contains("\nConnection: ");
        return client -> {
            ANSWERED.get().accept(head, body);
            write(client, (head + (saysClose ? "Connection: close\n\n" : "\n")).replace("\n", "\r\n"));
            client.getOutputStream().write(body);
        };
    }

    public static Behaviour raw(String head) {
        return raw(head, new byte[0]);
    }

    public static Behaviour html(String html) {
        return raw("HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\n", html.getBytes(ISO_8859_1));
    }

    public static Behaviour redirect(String target) {
        return raw("HTTP/1.1 302 Found\nLocation: " + target + "\nContent-Length: 0\n");
    }

    /** Sends a text, and then one part over and over until the client goes. */
    public static Behaviour endless(String start, String part) {
        return client -> {
            write(client, start);
            byte[] bytes = part.getBytes(ISO_8859_1);
            OutputStream out = client.getOutputStream();
            while (true) {
                out.write(bytes);
            }
        };
    }

    /** Sends a text, and then one byte of another now and then until the client goes. */
    public Behaviour drip(String start, String rest) {
        return client -> {
            write(client, start);
            for (int i = 0; !closed.await(100, TimeUnit.MILLISECONDS); i++) {
                write(client, rest.substring(i % rest.length(), i % rest.length() + 1));
            }
        };
    }

    /** Sends a text and then nothing more. */
    public Behaviour stall(String start) {
        return client -> {
            write(client, start);
            closed.await();
        };
    }

    /** Breaks off with a reset. */
    public static Behaviour reset() {
        return client -> client.setSoLinger(true, 0);
    }

    public static void write(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(ISO_8859_1));
        client.getOutputStream().flush();
    }

    public int port() {
        return server.port();
    }

    public String url(String path) {
        return "http://" + address + ":" + port() + path;
    }

    public String url() {
        return url("/");
    }

    /** The heads of all requests in the order in which they came. */
    public List<String> heads() {
        return requests.stream().map(Request::head).toList();
    }

    /** When the requests came in whose heads hold a text, by {@link System#nanoTime}. */
    public List<Long> arrivals(String text) {
        return requests.stream()
                .filter(request -> request.head.contains(text))
                .map(Request::arrivalNanos)
                .toList();
    }

    public long requests(String path) {
        return requests.stream()
                .filter(request -> request.head.startsWith("GET " + path + " "))
                .count();
    }

    /** Tells the number of each request when it has come in and is not answered yet. */
    public void onRequest(IntConsumer listener) {
        onRequest = listener;
    }

    /** Ends whatever stalls or drips, from now on. */
    public void release() {
        closed.countDown();
    }

    @Override
    public void close() throws IOException {
        release();
        server.close();
    }
}
