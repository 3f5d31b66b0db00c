package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sieve.cli.Main;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Whole checks of the links, images and parts of a site by several programs, in turns, each on one processor, and what they
 * find of what is missing. The site has {@code -p pages=1000} pages of about 26 kB with 30 links each; a page in a hundred
 * links to a page, an image and a part that do not exist. {@code -f} is the number of rounds.
 *
 * <p>{@code linkinator} and {@code linkchecker} take part if they are on the PATH. {@code -p start=URL} is where a site
 * begins that another program serves; then it is not known what is missing.
 */
final class CheckBench {
    private static final Pattern MISSING = Pattern.compile("missing-[0-9]+(?:\\.[a-z]+)?");
    private static final int LINKS = 30;
    private static final int WORDS = 120;
    private static final String[] TEXT =
            "the river carried boats past a meadow before bridges were closed and rain had filled every garden"
                    .split(" ");

    private CheckBench() {}

    static void compare(CommandLineOptions line) throws IOException, InterruptedException {
        Bench.pin(1);
        int pages = Integer.parseInt(Bench.parameter(line, "pages", "1000"));
        String start = Bench.parameter(line, "start", "");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        ExecutorService workers = Executors.newCachedThreadPool();
        server.setExecutor(workers);
        server.createContext("/", exchange -> serve(exchange, pages));
        server.start();
        try {
            boolean isOurs = start.isEmpty();
            String url = isOurs ? "http://127.0.0.1:" + server.getAddress().getPort() + "/" : start;
            for (int round = 0; round < line.getForkCount().orElse(3); round++) {
                for (Map.Entry<String, List<String>> program : programs(url).entrySet()) {
                    Path folder = Files.createTempDirectory("sieve-bench");
                    Files.writeString(
                            folder.resolve("linkcheckerrc"),
                            "[checking]\nmaxrequestspersecond=100000\n[AnchorCheck]\n");
                    Program cost = Program.run(folder, program.getValue());
                    Bench.print(
                            "%-11s %s; %s missing found%s",
                            program.getKey(), cost, missing(folder), isOurs ? " of " + (pages + 99) / 100 * 3 : "");
                }
            }
        } finally {
            server.stop(0);
            workers.shutdown();
        }
    }

    /** Counts what the output of a program names as missing. */
    private static long missing(Path folder) throws IOException {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                MISSING.matcher(Files.readString(file))
                        .results()
                        .map(MatchResult::group)
                        .forEach(names::add);
            }
        }
        return names.size();
    }

    private static Map<String, List<String>> programs(String url) throws IOException {
        Map<String, List<String>> programs = new LinkedHashMap<>();
        List<String> sieve = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        sieve.addAll(Bench.scriptOptions());
        sieve.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), url));
        sieve.addAll(List.of("--allow-private", "127.0.0.0/8", "--delay", "0", "--per-host", "10"));
        sieve.addAll(List.of("--check-links", "--check-resources", "--check-fragments", "-o", "junit.xml"));
        programs.put("sieve", sieve);
        Program.find("linkinator")
                .ifPresent(found -> programs.put(
                        "linkinator",
                        List.of(
                                found,
                                url,
                                "--recurse",
                                "--check-fragments",
                                "--check-css",
                                "--concurrency",
                                "20",
                                "--format",
                                "csv",
                                "--verbosity",
                                "error")));
        Program.find("linkchecker")
                .ifPresent(found -> programs.put(
                        "linkchecker",
                        List.of(found, "-f", "linkcheckerrc", "-t", "10", "--no-status", "-o", "csv", url)));
        return programs;
    }

    private static void serve(HttpExchange exchange, int pages) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = {};
            String type = "text/html; charset=utf-8";
            if (path.equals("/") || path.startsWith("/page-")) {
                body = page(Integer.parseInt("0" + path.replaceAll("\\D", "")), pages);
            } else if (path.equals("/style.css")) {
                type = "text/css";
                body = "p { color: black; background: url(image-0.png) }".getBytes(UTF_8);
            } else if (path.startsWith("/image-")) {
                type = "image/png";
                body = new byte[2000];
            }
            boolean hasBody = body.length > 0 && exchange.getRequestMethod().equals("GET");
            exchange.getResponseHeaders().set("Content-Type", type);
            // Without it, linkchecker makes at most a few requests per second.
            exchange.getResponseHeaders().set("LinkChecker", "fast");
            exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, hasBody ? body.length : -1);
            if (hasBody) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    /** Half of the links of a page lead further into the site, the others to parts of any pages. */
    private static byte[] page(int number, int pages) {
        Random random = new Random(number);
        StringBuilder html = new StringBuilder("<!DOCTYPE html><title>Page ")
                .append(number)
                .append("</title><link rel=stylesheet href=style.css><img src=image-")
                .append(number % 50)
                .append(".png>");
        for (int i = 0; i < LINKS; i++) {
            long further = number * (LINKS / 2L) + i + 1;
            long target = i < LINKS / 2 ? further : number * 7919L + i * 104_729L;
            html.append("<h2 id=part-")
                    .append(i)
                    .append(">Part</h2><p><a href=\"page-")
                    .append(target % pages)
                    .append(".html");
            html.append(i < LINKS / 2 ? "" : "#part-" + i).append("\">next</a> ");
            // Pages with the same text would be a trap.
            for (int word = 0; word < WORDS; word++) {
                html.append(TEXT[random.nextInt(TEXT.length)]).append(' ');
            }
        }
        if (number % 100 == 0) {
            String missing = "missing-" + number;
            html.append("<a href=")
                    .append(missing)
                    .append(".html>a</a><a href=page-1.html#")
                    .append(missing)
                    .append(">b</a><img src=")
                    .append(missing)
                    .append(".png>");
        }
        return html.toString().getBytes(UTF_8);
    }
}
