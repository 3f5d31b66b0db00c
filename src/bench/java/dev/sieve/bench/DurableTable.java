package dev.sieve.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The frontier on the disk beside the one in memory, on one core, in batches of 64: {@link DurableRun} in processes of its
 * own, of which the medians count. The folder of {@code disk=DIR} decides which disk that is, {@code durable=N} how many
 * URLs.
 */
final class DurableTable {
    private static final int VALUES = 7;

    private final Path disk;
    private final long urls;
    private final int rounds;

    DurableTable(Choices choices) {
        disk = Path.of(choices.text("disk", System.getProperty("java.io.tmpdir")));
        urls = (long) choices.number("durable", 1e7);
        rounds = choices.count("rounds", 3);
    }

    void print(PrintStream out) throws IOException {
        double[] own = medians(false);
        double[] mixed = medians(true);
        Table table = new Table(
                String.format("%,d URLs of pages with 64 links, one core", urls),
                "4 of 5 to the page's host",
                "each to another host");
        row(table, "new URLs, million a second", "%.2f", 1000 / own[0], 1000 / mixed[0]);
        row(table, "the same in memory", "%.2f", 1000 / own[1], 1000 / mixed[1]);
        row(table, "seen URLs, ns each", "%.1f", own[2], mixed[2]);
        row(table, "the same in memory", "%.1f", own[3], mixed[3]);
        row(table, "seen URLs, on the disk / in memory", "%.2f", own[2] / own[3], mixed[2] / mixed[3]);
        row(table, "bytes on the disk for a byte of a URL", "%.2f", own[4], mixed[4]);
        row(table, "open without a checkpoint, million URLs a second", "%.2f", 1000 / own[5], 1000 / mixed[5]);
        row(table, "open with a checkpoint, ms", "%.0f", own[6] / 1e6, mixed[6] / 1e6);
        table.print(out);
    }

    private static void row(Table table, String title, String format, double own, double mixed) {
        table.row(title, Table.number(format, own), Table.number(format, mixed));
    }

    private double[] medians(boolean mixed) throws IOException {
        double[][] values = new double[VALUES][rounds];
        for (int round = 0; round < rounds; round++) {
            double[] run = run(mixed);
            for (int i = 0; i < VALUES; i++) {
                values[i][round] = run[i];
            }
            Bench.tell("fork %d: %.0f ns a new URL", round + 1, run[0]);
        }
        return Stream.of(values).mapToDouble(Table::median).toArray();
    }

    private double[] run(boolean mixed) throws IOException {
        Path folder = Files.createTempDirectory(disk, "sieve-bench");
        int processor = Child.canPin() ? 0 : -1;
        try (Child child = Child.start(
                processor,
                jvm(),
                DurableRun.class,
                folder.resolve("frontier").toString(),
                String.valueOf(urls),
                String.valueOf(mixed))) {
            double[] pushes = child.numbers();
            double[] opens = child.numbers();
            return Stream.of(pushes, opens).flatMapToDouble(Arrays::stream).toArray();
        } finally {
            delete(folder);
        }
    }

    /** Room for both filters and little else. */
    private List<String> jvm() {
        long megabytes = 500 + ((8 * urls) >> 20);
        String heap = megabytes + "m";
        return List.of("-XX:+UseG1GC", "-Xms" + heap, "-Xmx" + heap, "-Xmn200m", "-XX:+AlwaysPreTouch");
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
