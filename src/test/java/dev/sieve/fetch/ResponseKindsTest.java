package dev.sieve.fetch;

import static dev.sieve.fetch.HostileServer.brotli;
import static dev.sieve.fetch.HostileServer.gzip;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.LocalServer;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.parse.SitemapReader;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Kinds of responses (status, framing, coding, what follows, whether the connection is kept), and what each is by RFC 9110, RFC
 * 9112, RFC 1952 and the Fetch standard: as a page, a robots.txt, a sitemap and a style sheet. A good page follows each.
 */
@Tag("hostile")
@Timeout(1200)
class ResponseKindsTest {
    private static final String GOOD = "<title>good</title>";
    private static final String SURPLUS_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother";

    /** What is requested, by its path. The last line of each says whether it is whole. */
    private static final Map<String, String> CONTENTS = Map.of(
            "/page", "<title>\u00e4</title>" + "<a href=x>x</a>\n".repeat(20) + "<a href=last>x</a>",
            "/robots.txt", "User-agent: *\n" + "Disallow: /a\n".repeat(20) + "Disallow: /last\n",
            "/sitemap.xml",
                    "<urlset>" + "<url><loc>http://a.test/x</loc></url>\n".repeat(20)
                            + "<url><loc>http://a.test/last</loc></url></urlset>",
            "/style.css", "a { color: red }\n".repeat(20) + "b { color: blue }");

    /** What a response is. */
    private enum Right {
        /** Its status and its whole body. */
        WHOLE,
        /** Its status and no body. */
        EMPTY,
        /** Its beginning, which is requested again. */
        BROKEN,
        /** Its beginning, which would be the same again. */
        DAMAGED,
        /** A response that is not valid, or whose body cannot be read. */
        INVALID
    }

    /** What happens to the connection of a response. */
    private enum Line {
        KEPT,
        CLOSED
    }

    /**
     * A kind of response.
     *
     * @param late what is sent when the response was read
     * @param isBeforeNext whether that is sent when the next request has arrived
     */
    private record Kind(
            String name,
            int status,
            UnaryOperator<byte[]> packing,
            Framing framing,
            String late,
            boolean isBeforeNext,
            Right right,
            Line line) {}

    /** Adds a head to a body, and what separates it from the next response. */
    @FunctionalInterface
    private interface Framing {
        byte[] of(String head, byte[] body);
    }

    private final List<Kind> kinds = new ArrayList<>();
    private final Map<String, Integer> connections = new ConcurrentHashMap<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final Semaphore isRead = new Semaphore(0);
    private final Semaphore isLateSent = new Semaphore(0);

    @AutoClose
    private final LocalServer server = new LocalServer(this::serve);

    @AutoClose
    private final Fetcher fetcher = new Fetcher(new Fetcher.Options(
            "testbot",
            Map.of(),
            Duration.ofMinutes(2),
            100_000,
            4,
            host -> List.of(InetAddress.getLoopbackAddress()),
            AddressPolicy.publicOnly().allowing("127.0.0.1"),
            1 << 26,
            ProxySettings.NONE,
            false));

    private void serve(Socket client) throws IOException, InterruptedException {
        int connection = accepted.incrementAndGet();
        OutputStream out = client.getOutputStream();
        String before = "";
        for (String head = HostileServer.readHead(client.getInputStream());
                !head.isEmpty();
                head = HostileServer.readHead(client.getInputStream())) {
            String path = head.split(" ", 3)[1];
            String host = head.replaceAll("(?s).*\r\nHost: k([0-9]+)\\..*", "$1");
            connections.put(host + path, connection);
            if (path.equals("/good")) {
                out.write(join(before, length("").of("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", join(GOOD))));
                continue;
            }
            Kind kind = kinds.get(Integer.parseInt(host));
            String start = "HTTP/1.1 " + kind.status + " Status\r\nContent-Type: " + type(path) + "\r\n";
            String redirect = kind.status / 100 == 3 ? "Location: /target\r\n" : "";
            byte[] body = kind.packing.apply(CONTENTS.get(path).getBytes(UTF_8));
            out.write(kind.framing.of(start + redirect, body));
            before = kind.isBeforeNext ? kind.late : "";
            if (!kind.late.isEmpty() && !kind.isBeforeNext) {
                isRead.acquire();
                out.write(kind.late.getBytes(ISO_8859_1));
                isLateSent.release();
            }
            if (kind.line == Line.CLOSED && kind.late.isEmpty()) {
                return;
            }
        }
    }

    private static String type(String path) {
        return path.equals("/page") ? "text/html" : path.equals("/style.css") ? "text/css" : "text/plain";
    }

    private static byte[] join(Object... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Object part : parts) {
            all.writeBytes(
                    part instanceof byte[] bytes ? bytes : part.toString().getBytes(ISO_8859_1));
        }
        return all.toByteArray();
    }

    private static byte[] deflate(byte[] body, boolean isRaw) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed, new Deflater(6, isRaw))) {
            out.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    private static byte[] changed(byte[] bytes, int index) {
        bytes[index] ^= 0x55;
        return bytes;
    }

    private static byte[] first(byte[] bytes, int length) {
        return Arrays.copyOf(bytes, length);
    }

    private static Framing length(String fields) {
        return (head, body) -> join(head, fields, "Content-Length: ", body.length, "\r\n\r\n", body);
    }

    private static byte[] chunks(byte[] body) {
        int half = body.length / 2;
        byte[] rest = Arrays.copyOfRange(body, half, body.length);
        return body.length < 2
                ? join()
                : join(
                        Integer.toHexString(half),
                        "\r\n",
                        first(body, half),
                        "\r\n",
                        Integer.toHexString(rest.length),
                        "\r\n",
                        rest,
                        "\r\n");
    }

    private static Framing chunked(String fields) {
        return (head, body) -> join(head, fields, "Transfer-Encoding: chunked\r\n\r\n", chunks(body), "0\r\n\r\n");
    }

    private static Framing until(String fields) {
        return (head, body) -> join(head, fields, "Connection: close\r\n\r\n", body);
    }

    private void add(String name, int status, UnaryOperator<byte[]> packing, Framing framing, Right right, Line line) {
        kinds.add(new Kind(name, status, packing, framing, "", false, right, line));
    }

    /** Codings, with each framing. */
    private void addCodings() {
        String coding = "Content-Encoding: ";
        Map<String, UnaryOperator<byte[]>> whole = new LinkedHashMap<>();
        for (String name : List.of(
                "identity",
                "",
                "none",
                "UTF-8",
                "binary",
                "text/html",
                "aws-chunked",
                "gzip",
                "deflate",
                "x-gzip,",
                "br",
                ",")) {
            whole.put(name, body -> body);
        }
        for (String name :
                List.of("gzip ", "GZip", "x-gzip", "gzip, identity", "identity,gzip", ", gzip,", "gzip, utf-8")) {
            whole.put(name, HostileServer::gzip);
        }
        whole.put("gzip\r\nContent-Encoding: identity", HostileServer::gzip);
        whole.put("gzip, gzip", body -> gzip(gzip(body)));
        whole.put("BR", HostileServer::brotli);
        whole.put("br, gzip", body -> gzip(brotli(body)));
        whole.put("gzip, br", body -> brotli(gzip(body)));
        whole.put("gzip\r\nContent-Encoding: gzip", body -> gzip(gzip(body)));
        whole.put("deflate, gzip", body -> gzip(deflate(body, false)));
        whole.put("Deflate", body -> deflate(body, false));
        whole.put("deflate ", body -> deflate(body, true));
        whole.put(" deflate", HostileServer::gzip);
        whole.put(
                " gzip",
                body -> join(
                        gzip(first(body, 100)), gzip(Arrays.copyOfRange(body, 100, body.length)), gzip(new byte[0])));
        whole.put("  gzip", body -> join(gzip(body), new byte[30]));
        whole.put("   gzip", body -> join(gzip(body), "\r\n"));
        whole.put("    gzip", body -> join(gzip(body), "\u001f\u008b and so on, after the end of it"));
        whole.forEach((name, packing) -> addCoding(coding + name + "\r\n", packing, Right.WHOLE));
        addCoding(coding + "gzip\r\n", body -> new byte[0], Right.EMPTY);
        addCoding(coding + "br\r\n", body -> new byte[0], Right.EMPTY);
        addCoding(coding + "br\r\n", body -> brotli(new byte[0]), Right.EMPTY);
        addCoding(coding + "gzip\r\n", body -> gzip(new byte[0]), Right.EMPTY);
        addCoding(coding + "br\r\n", HostileServer::gzip, Right.INVALID);
        addCoding(coding + "br\r\n", body -> first(brotli(body), 50), Right.INVALID);
        addCoding(coding + "br, br\r\n", body -> brotli(brotli(body)), Right.INVALID);
        addCoding(coding + "gzip, zstd\r\n", HostileServer::gzip, Right.INVALID);
        addCoding(coding + "gzip\r\n", body -> first(gzip(body), 5), Right.INVALID);
        addCoding(coding + "gzip\r\n", body -> first(gzip(body), gzip(body).length - 9), Right.DAMAGED);
        addCoding(coding + "gzip\r\n", body -> changed(gzip(body), gzip(body).length - 8), Right.DAMAGED);
    }

    private void addCoding(String field, UnaryOperator<byte[]> packing, Right right) {
        // The connection of a body that is not read to its end, or is announced and empty, need not be kept.
        add(field + "length", 200, packing, length(field), right, right == Right.WHOLE ? Line.KEPT : null);
        add(field + "chunked", 200, packing, chunked(field), right, right == Right.WHOLE ? Line.KEPT : null);
        add(field + "close", 200, packing, until(field), right, Line.CLOSED);
    }

    /** Framings, with and without a coding. */
    private void addFramings() {
        for (boolean isPacked : new boolean[] {false, true}) {
            UnaryOperator<byte[]> packing = isPacked ? HostileServer::gzip : body -> body;
            String coding = isPacked ? "Content-Encoding: gzip\r\n" : "";
            add(
                    "length twice",
                    200,
                    packing,
                    (head, body) -> join(
                            head,
                            coding,
                            "Content-Length: ",
                            body.length,
                            "\r\n",
                            length("").of("", body)),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "list of lengths",
                    200,
                    packing,
                    (head, body) ->
                            join(head, coding, "Content-Length: ", body.length, ", ", body.length, "\r\n\r\n", body),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "lengths that differ",
                    200,
                    packing,
                    (head, body) -> join(head, coding, "Content-Length: ", body.length, ", 1\r\n\r\n", body),
                    Right.INVALID,
                    Line.CLOSED);
            add(
                    "length below 0",
                    200,
                    packing,
                    (head, body) -> join(head, coding, "Content-Length: -", body.length, "\r\n\r\n", body),
                    Right.INVALID,
                    Line.CLOSED);
            add(
                    "length and chunks",
                    200,
                    packing,
                    (head, body) -> join(
                            head, coding, "Content-Length: 1\r\n", chunked("").of("", body)),
                    Right.WHOLE,
                    null);
            add(
                    "lengths and chunks",
                    200,
                    packing,
                    (head, body) -> join(
                            head,
                            coding,
                            "Content-Length: 1\r\nContent-Length: 2\r\n",
                            chunked("").of("", body)),
                    Right.WHOLE,
                    null);
            add(
                    "chunks twice",
                    200,
                    packing,
                    (head, body) -> join(
                            head,
                            coding,
                            "Transfer-Encoding: identity\r\n",
                            chunked("").of("", body)),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "other transfer coding",
                    200,
                    packing,
                    (head, body) ->
                            join(head, coding, "Transfer-Encoding: gzip, chunked\r\n\r\n", chunks(body), "0\r\n\r\n"),
                    Right.INVALID,
                    Line.CLOSED);
            add(
                    "extension and trailer",
                    200,
                    packing,
                    (head, body) -> join(
                            head,
                            coding,
                            "Transfer-Encoding: Chunked\r\n\r\n",
                            Integer.toHexString(body.length).toUpperCase(java.util.Locale.ROOT),
                            ";a=\"b\"\r\n",
                            body,
                            "\r\n000\r\nX-Trailer: x\r\n\r\n"),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "version 1.0",
                    200,
                    packing,
                    (head, body) -> length(coding).of(head.replace("1.1", "1.0"), body),
                    Right.WHOLE,
                    Line.CLOSED);
            add(
                    "version 1.0, kept",
                    200,
                    packing,
                    (head, body) ->
                            length(coding + "Connection: Keep-Alive\r\n").of(head.replace("1.1", "1.0"), body),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "lines end in LF",
                    200,
                    packing,
                    (head, body) -> join(
                            (head + coding + "Content-Length: " + body.length + "\r\n\r\n").replace("\r", ""), body),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "interim responses",
                    200,
                    packing,
                    (head, body) -> join(
                            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
                            length(coding).of(head, body)),
                    Right.WHOLE,
                    Line.KEPT);
            add(
                    "upgrade",
                    200,
                    packing,
                    (head, body) -> join(
                            "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
                            length(coding).of(head, body)),
                    Right.INVALID,
                    Line.CLOSED);
            add(
                    "short",
                    200,
                    packing,
                    (head, body) -> join(
                            head,
                            coding,
                            "Content-Length: ",
                            body.length + 7,
                            "\r\n\r\n",
                            first(body, body.length - 20)),
                    Right.BROKEN,
                    Line.CLOSED);
            add(
                    "within a chunk",
                    200,
                    packing,
                    (head, body) -> join(
                            head, coding, "Transfer-Encoding: chunked\r\n\r\n", first(chunks(body), body.length - 20)),
                    Right.BROKEN,
                    Line.CLOSED);
            add(
                    "nothing",
                    200,
                    packing,
                    (head, body) -> join(head, coding, "Content-Length: ", body.length, "\r\n\r\n"),
                    Right.INVALID,
                    Line.CLOSED);
            add("no head", 200, packing, (head, body) -> join(), Right.INVALID, Line.CLOSED);
            add("half a head", 200, packing, (head, body) -> join(head, coding), Right.INVALID, Line.CLOSED);
        }
        add(
                "length counted too high",
                200,
                body -> body,
                (head, body) -> join(head, "Content-Length: ", body.length + 7, "\r\n\r\n", body),
                Right.BROKEN,
                Line.CLOSED);
        add(
                "no last chunk",
                200,
                body -> body,
                (head, body) -> join(head, "Transfer-Encoding: chunked\r\n\r\n", chunks(body)),
                Right.BROKEN,
                Line.CLOSED);
        // The gzip format says itself where it ends.
        add(
                "packed, no last chunk",
                200,
                HostileServer::gzip,
                (head, body) ->
                        join(head, "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", chunks(body)),
                Right.WHOLE,
                Line.CLOSED);
    }

    /** Bytes after a response, at once and when it was read. */
    private void addSurplus() {
        for (String surplus :
                List.of("\r\n", "\n", "</html>", SURPLUS_RESPONSE, "HTTP/1.1 200 OK\r\nContent-Le", "0\r\n\r\n")) {
            for (String coding : List.of("", "Content-Encoding: gzip\r\n")) {
                UnaryOperator<byte[]> packing = coding.isEmpty() ? body -> body : HostileServer::gzip;
                for (Framing framing : List.of(length(coding), chunked(coding))) {
                    Framing more = (head, body) -> join(framing.of(head, body), surplus);
                    kinds.add(new Kind("surplus", 200, packing, more, "", false, Right.WHOLE, null));
                    kinds.add(new Kind("late", 200, packing, framing, surplus, false, Right.WHOLE, Line.CLOSED));
                    if (!surplus.contains("Le")) {
                        kinds.add(new Kind("later", 200, packing, framing, surplus, true, Right.WHOLE, Line.CLOSED));
                    }
                }
            }
        }
    }

    private void addStatuses() {
        for (int status :
                new int[] {203, 206, 300, 400, 401, 403, 404, 407, 408, 410, 412, 421, 429, 451, 500, 503, 999}) {
            String fields =
                    "WWW-Authenticate: Basic realm=x\r\nProxy-Authenticate: OkHttp-Preemptive\r\nRetry-After: 0\r\n";
            add("status", status, body -> body, length(fields), Right.WHOLE, null);
            add(
                    "status",
                    status,
                    HostileServer::gzip,
                    chunked(fields + "Content-Encoding: gzip\r\n"),
                    Right.WHOLE,
                    null);
        }
        for (int status : new int[] {204, 205, 304}) {
            add("no content", status, body -> new byte[0], length(""), Right.EMPTY, Line.KEPT);
            add(
                    "no content, no length",
                    status,
                    body -> new byte[0],
                    (head, body) -> join(head, "\r\n"),
                    Right.EMPTY,
                    Line.KEPT);
            add(
                    "no content, a length",
                    status,
                    body -> body,
                    (head, body) -> join(head, "Content-Length: 9\r\n\r\n"),
                    Right.EMPTY,
                    Line.KEPT);
            add("no content, a body", status, body -> body, length(""), Right.EMPTY, null);
            add(
                    "no content, gzip",
                    status,
                    HostileServer::gzip,
                    chunked("Content-Encoding: gzip\r\n"),
                    Right.EMPTY,
                    null);
            add(
                    "no content, chunked",
                    status,
                    body -> body,
                    (head, body) -> join(head, "Transfer-Encoding: chunked\r\n\r\n"),
                    Right.EMPTY,
                    Line.KEPT);
        }
    }

    @Test
    void everyKindIsReadAsTheStandardsSay() throws Exception {
        addCodings();
        addFramings();
        addSurplus();
        addStatuses();
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < kinds.size(); i++) {
            for (String path : CONTENTS.keySet()) {
                Kind kind = kinds.get(i);
                String problem = problem(kind, url(i, path) + path, path);
                if (!kind.late.isEmpty() && !kind.isBeforeNext) {
                    isRead.release();
                    isLateSent.acquire();
                }
                problem += goodPage(i, kind, path);
                if (!problem.isEmpty()) {
                    wrong.add(kind.name.replace("\r\n", "|") + " " + kind.status + " " + path + ": " + problem);
                }
            }
        }
        assertThat(fetcher.connectionsInUse()).isZero();
        assertThat(kinds).hasSizeGreaterThan(150);
        assertThat(wrong)
                .as("%d of %d", wrong.size(), kinds.size() * CONTENTS.size())
                .isEmpty();
    }

    /** Returns the origin of a kind of a content, which has connections of its own. */
    private String url(int i, String path) {
        return "http://k" + i + "." + path.replaceAll("[/.]", "") + ".test:" + server.port();
    }

    /** Requests a good page after a response; returns what is wrong with it. */
    private String goodPage(int i, Kind kind, String path) {
        String url = url(i, path) + "/good";
        FetchResult good = fetcher.fetch(url);
        boolean isClosed = good instanceof Failed failed && failed.reason() == Reason.CLOSED;
        if (isClosed && kind.line == Line.KEPT) {
            return " closed before the good page";
        }
        good = isClosed ? fetcher.fetch(url) : good;
        if (!(good instanceof Page page) || !new String(page.body(), UTF_8).equals(GOOD)) {
            return " no good page: " + good.description();
        }
        boolean isSame = connections.get(i + "/good").equals(connections.get(i + path));
        return kind.line != null && isSame != (kind.line == Line.KEPT) ? " connection kept: " + isSame : "";
    }

    private String problem(Kind kind, String url, String path) {
        return switch (path) {
            case "/robots.txt" -> robotsProblem(kind, url);
            case "/sitemap.xml" -> sitemapProblem(kind, url);
            default -> {
                FetchResult result = path.equals("/page")
                        ? fetcher.fetch(url)
                        : fetcher.fetch(new FetchRequest(url).reading(FetchRequest.Body.ANY_TYPE));
                yield problem(kind, result, result instanceof Page page ? new String(page.body(), UTF_8) : null, path);
            }
        };
    }

    private static String problem(Kind kind, FetchResult result, String body, String path) {
        String content = CONTENTS.get(path);
        boolean isRight = switch (kind.right) {
            case WHOLE -> result.description().isEmpty() && content.equals(body);
            case EMPTY -> result.description().isEmpty() && "".equals(body);
            case BROKEN -> isBegun(result, Reason.BROKEN) && content.startsWith(body) && !body.isEmpty();
            case DAMAGED -> isBegun(result, Reason.PROTOCOL) && content.startsWith(body) && !body.isEmpty();
            case INVALID -> result instanceof Failed failed && failed.reason() != Reason.TIMEOUT;
        };
        boolean hasStatus = result.status() == kind.status || kind.right == Right.INVALID;
        return isRight && hasStatus ? "" : result.status() + " " + result.description() + " " + body;
    }

    private static boolean isBegun(FetchResult result, Reason reason) {
        return result instanceof Page page
                && page.isCut()
                && page.problem() != null
                && page.problem().reason() == reason
                && page.isWorthRetrying() == (reason == Reason.BROKEN);
    }

    private String sitemapProblem(Kind kind, String url) {
        List<String> urls = new ArrayList<>();
        FetchResult result = fetcher.fetch(new FetchRequest(url)
                .reading(FetchRequest.Body.to(body -> SitemapReader.read(
                        body, (page, time) -> urls.add(page.substring(page.lastIndexOf('/') + 1)), sitemap -> {}))));
        if (kind.status / 100 != 2) {
            return result.status() == kind.status ? "" : "status " + result.status();
        }
        if (kind.right == Right.BROKEN || kind.right == Right.DAMAGED) {
            Reason reason = kind.right == Right.BROKEN ? Reason.BROKEN : Reason.PROTOCOL;
            return result instanceof Failed failed && failed.reason() == reason ? "" : result.description();
        }
        boolean isWhole = urls.size() == 21 && urls.get(20).equals("last");
        return problem(
                kind,
                result,
                isWhole ? CONTENTS.get("/sitemap.xml") : urls.isEmpty() ? "" : "only " + urls.size(),
                "/sitemap.xml");
    }

    private String robotsProblem(Kind kind, String url) {
        RobotsCache robots = new RobotsCache(fetcher, "testbot", 2, InstantSource.system(), 1 << 20);
        String origin = url.substring(0, url.lastIndexOf('/'));
        Duration pause = robots.request(url, 0);
        RobotsCache.Access access = robots.find(origin, 0).access();
        RobotsRules rules = access == null ? null : access.rules();
        boolean isRight = switch (kind.status / 100) {
            case 2 ->
                switch (kind.right) {
                    case WHOLE -> rules != null && !rules.allows(origin + "/last");
                    case EMPTY -> rules != null && rules.allows(origin + "/a");
                    case BROKEN -> access == null && pause.equals(RobotsCache.UNREACHABLE_FOR);
                    case DAMAGED -> access != null && rules == null && pause.isZero();
                    case INVALID -> rules == null && pause.toMinutes() == 0;
                };
            case 4 -> kind.status == 429 ? rules == null : rules != null && rules.allows(origin + "/a");
            default -> rules == null;
        };
        return isRight ? "" : "access " + access + ", pause " + pause;
    }
}
