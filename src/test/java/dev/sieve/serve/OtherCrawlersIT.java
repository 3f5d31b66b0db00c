package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sieve.FrontierSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clients for Scrapy and Crawlee in {@code src/it} crawl a site, are killed once, and lose nothing. Skipped where these
 * are not installed; the modules of Node.js are looked for in {@code target/crawlee} or the folder {@code sieve.crawlee}.
 */
@Tag("process")
@Timeout(120)
class OtherCrawlersIT {
    private static final int PAGES = 40;
    private static final Path SOURCES = Path.of("src/it");
    private static final Path MODULES = Path.of(System.getProperty("sieve.crawlee", "target/crawlee"), "node_modules");

    /** How many pages are served before a client is killed. */
    private static final int PAGES_BEFORE = 12;

    @TempDir
    Path folder;

    private final List<String> requested = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch halfway = new CountDownLatch(PAGES_BEFORE);
    private HttpServer site;
    private FrontierServer server;

    @BeforeEach
    void start() throws IOException {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        site = HttpServer.create(free, 0);
        site.createContext("/", this::respond);
        site.start();
        server = FrontierServer.builder(folder.resolve("crawls"))
                .address(free)
                .settings(FrontierSettings.DEFAULTS.withCapacity(10_000).withFalsePositiveRate(1e-9))
                .open();
    }

    @AfterEach
    void stop() {
        site.stop(0);
        server.close();
    }

    private void respond(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().toString();
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            String header = exchange.getRequestHeaders().getFirst("X-Name");
            requested.add(exchange.getRequestMethod() + " " + path);
            String text = body.isEmpty() ? page(path) : body + " " + header;
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            byte[] bytes = text.getBytes(UTF_8);
            exchange.sendResponseHeaders(
                    switch (path) {
                        case "/missing" -> 404;
                        case "/broken" -> 500;
                        default -> 200;
                    },
                    bytes.length);
            exchange.getResponseBody().write(bytes);
            halfway.countDown();
        }
    }

    /** A page links to two that only it links to, and to the first one. */
    private static String page(String path) {
        if (!path.startsWith("/p/")) {
            return "<p>nothing";
        }
        int number = Integer.parseInt(path.substring("/p/".length()));
        StringBuilder links = new StringBuilder("<a href=/p/0>first</a>");
        IntStream.of(2 * number + 1, 2 * number + 2)
                .filter(next -> next < PAGES)
                .forEach(next -> links.append("<a href=/p/").append(next).append(">next</a>"));
        return links.toString();
    }

    private String address() {
        return "http://127.0.0.1:" + site.getAddress().getPort();
    }

    private Path output() {
        return folder.resolve("output");
    }

    /** Starts a client in a folder with copies of these files. */
    private Process start(List<String> program, String... files) throws IOException {
        Path place = Files.createDirectories(folder.resolve("client"));
        for (String file : files) {
            Path source = SOURCES.resolve(file);
            Path copy = place.resolve(source.getFileName());
            if (Files.notExists(copy)) {
                Files.copy(source, copy);
            }
        }
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(address(), "127.0.0.1:" + server.port(), output().toString()));
        return run(place, command, Map.of("NODE_PATH", MODULES.toAbsolutePath().toString()));
    }

    private Process run(Path place, List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(place.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Runs a program that needs other programs; whether it succeeded. */
    private boolean succeeds(String... command) throws IOException, InterruptedException {
        try {
            return run(folder, List.of(command), Map.of()).waitFor() == 0;
        } catch (IOException e) {
            return abort(command[0] + " is not installed: " + e.getMessage());
        }
    }

    private void killHalfwayAndRunToTheEnd(List<String> program, String... files) throws Exception {
        Process first = start(program, files);
        try {
            assertThat(halfway.await(60, TimeUnit.SECONDS)).as(log()).isTrue();
        } finally {
            first.destroyForcibly().waitFor();
        }
        Process second = start(program, files);
        try {
            assertThat(second.waitFor(60, TimeUnit.SECONDS)).as(log()).isTrue();
            assertThat(second.exitValue()).as(log()).isZero();
        } finally {
            second.destroyForcibly();
        }
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    private List<String> pages(String before) {
        return IntStream.range(0, PAGES).mapToObj(i -> before + "/p/" + i).toList();
    }

    @Test
    void aKilledSpiderOfScrapyLosesNoRequest() throws Exception {
        assumeTrue(
                succeeds("/usr/bin/python3", "-c", "import scrapy, grpc_tools.protoc, grpc"),
                "Scrapy and gRPC are not installed (Debian packages python3-scrapy, python3-grpcio, python3-grpc-tools)");
        Path client = Files.createDirectories(folder.resolve("client"));
        assertThat(succeeds(
                        "/usr/bin/python3",
                        "-m",
                        "grpc_tools.protoc",
                        "-I" + SOURCES.toAbsolutePath(),
                        "--python_out=" + client,
                        "--grpc_python_out=" + client,
                        "urlfrontier.proto"))
                .as(log())
                .isTrue();
        killHalfwayAndRunToTheEnd(
                List.of("/usr/bin/python3", "spider.py"), "scrapy/spider.py", "scrapy/sieve_scrapy.py");
        List<String> results = Files.readAllLines(output());
        assertThat(new HashSet<>(results)).containsAll(pages(address()));
        assertThat(new HashSet<>(results))
                .contains(
                        "name=a a a " + address() + "/p/0",
                        "name=b b b " + address() + "/p/0",
                        address() + "/missing",
                        address() + "/first");
        assertThat(Collections.frequency(results, address() + "/again")).isGreaterThanOrEqualTo(2);
        // It was discovered last, after nine others.
        assertThat(requested.indexOf("GET /first")).isLessThan(8);
        // What was in progress when it was killed is repeated, or had just ended, and not what was done before.
        assertThat(requested.size() - new HashSet<>(requested).size()).isLessThan(PAGES_BEFORE);
        assertThat(server.stats("example").inProcess()).isZero();
    }

    @Test
    void aKilledCrawlerOfCrawleeLosesNoRequest() throws Exception {
        assumeTrue(
                Files.isDirectory(MODULES) && succeeds("node", "--version"),
                "Node.js, or Crawlee and @grpc/grpc-js, are not in " + MODULES);
        killHalfwayAndRunToTheEnd(
                List.of("node", "crawler.js"), "crawlee/crawler.js", "crawlee/sieve_crawlee.js", "urlfrontier.proto");
        List<String> results =
                Files.readAllLines(output()).stream().map(String::strip).toList();
        assertThat(new HashSet<>(results))
                .containsAll(pages(address()))
                .contains("failed " + address() + "/broken 1 the start");
    }
}
