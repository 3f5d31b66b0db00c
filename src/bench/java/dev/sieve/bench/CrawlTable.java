package dev.sieve.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Runs {@link Crawls} over one web: the sieve's crawler, the bare loop, WebMagic, a cold process for each, in turns. Where
 * it can be, they are kept to one processor and the server to another.
 *
 * <p>{@code start=URL} is where a web begins that somebody else serves, and {@code prefix=} what all its URLs begin with;
 * without them, a demo web of {@code pages=10000} is served.
 */
final class CrawlTable {
    private static final Map<String, String> CRAWLERS = new LinkedHashMap<>();

    static {
        CRAWLERS.put("sieve", "Sieve, whole crawl");
        CRAWLERS.put("loop", "OkHttp + jsoup + absUrl, bare loop");
        CRAWLERS.put("webmagic", "WebMagic");
    }

    private final Choices choices;
    private final int rounds;
    private final boolean pinned;

    CrawlTable(Choices choices) {
        this.choices = choices;
        rounds = choices.count("rounds", 3);
        pinned = Child.canPin() && choices.count("processors", 1) == 1;
    }

    void print(PrintStream out) throws IOException {
        Path folder = Files.createTempDirectory("sieve-bench");
        Path hosts = folder.resolve("hosts");
        String start = choices.text("start", null);
        if (start != null) {
            Files.writeString(hosts, "127.0.0.1 localhost\n");
            String prefix = choices.text("prefix", start.substring(0, start.lastIndexOf('/') + 1));
            compare(start, prefix, folder, List.of(), out);
            return;
        }
        String pages = String.valueOf(choices.count("pages", 10_000));
        try (Child server =
                Child.start(pinned ? 1 : -1, List.of("-Xmx512m"), CrawlServer.class, pages, hosts.toString())) {
            // The hosts of the demo web have no addresses but these.
            compare(server.line(), "http://", folder, List.of("-Djdk.net.hosts.file=" + hosts), out);
        }
    }

    private void compare(String start, String prefix, Path folder, List<String> jvm, PrintStream out)
            throws IOException {
        List<String> options = new ArrayList<>(jvm);
        options.add("-Xmx1g");
        Path list = folder.resolve("pages");
        // Makes the list, and lets the server warm up.
        crawl("sieve", start, prefix, list, options);
        Map<String, List<double[]>> results = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (String crawler : CRAWLERS.keySet()) {
                double[] result = crawl(crawler, start, prefix, list, options);
                results.computeIfAbsent(crawler, any -> new ArrayList<>()).add(result);
                Bench.tell(
                        "%s, round %d: %.0f pages, %.1f s, %.1f s CPU, %.0f MB",
                        crawler, round + 1, result[0], result[1], result[2], result[3]);
            }
        }
        Table table = new Table(
                pinned ? "whole crawls on one processor" : "whole crawls",
                "pages",
                "CPU s a 1,000",
                "pages a second",
                "MB at most");
        results.forEach((crawler, result) -> {
            double[] pages = column(result, run -> run[0]);
            table.row(
                    CRAWLERS.get(crawler),
                    Table.number("%.0f", Table.median(pages)),
                    Table.number("%.2f", Table.median(column(result, run -> 1000 * run[2] / run[0]))),
                    Table.number("%.0f", Table.median(column(result, run -> run[0] / run[1]))),
                    Table.number("%.0f", Table.median(column(result, run -> run[3]))));
        });
        table.print(out);
    }

    private static double[] column(List<double[]> runs, ToDoubleFunction<double[]> value) {
        return runs.stream().mapToDouble(value).toArray();
    }

    private double[] crawl(String crawler, String start, String prefix, Path list, List<String> jvm)
            throws IOException {
        String[] arguments = {crawler, start, prefix, list.toString()};
        try (Child child = Child.start(pinned ? 0 : -1, jvm, Crawls.class, arguments)) {
            return child.numbers();
        }
    }
}
