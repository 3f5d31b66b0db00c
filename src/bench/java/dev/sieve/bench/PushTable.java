package dev.sieve.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs {@link PushBench} and {@link ThreadsBench} over all that is to be compared. The contenders take turns, fork by
 * fork, so that a neighbour's noise hits all of them alike; of the forks the median counts.
 */
final class PushTable {
    private final List<Kind> kinds = new ArrayList<>();
    private final List<Long> sizes = new ArrayList<>();
    private final int rounds;
    private final double seconds;
    private final int threadCalls;

    PushTable(Choices choices) {
        List<String> only = choices.list("only", "");
        for (Kind kind : Kind.values()) {
            if (only.contains("") || only.contains(kind.option())) {
                kinds.add(kind);
            }
        }
        for (String size : choices.list("urls", "1e6,1e7,1e8")) {
            sizes.add((long) Double.parseDouble(size));
        }
        rounds = choices.count("rounds", 3);
        seconds = choices.number("seconds", 1);
        threadCalls = choices.count("calls", 20);
    }

    /** Pushing by one thread. */
    void print(PrintStream out) {
        Map<Long, Map<Kind, double[]>> times = new LinkedHashMap<>();
        for (long size : sizes) {
            times.put(size, run(size));
        }
        List<String> titles = new ArrayList<>(List.of("ns a URL (Guava's time / its own)"));
        sizes.forEach(size -> titles.add(String.format("%,d URLs", size)));
        titles.add("false positives");
        titles.add("bytes of garbage");
        Table table = new Table(titles.toArray(String[]::new));
        for (Kind kind : kinds) {
            List<String> row = new ArrayList<>(List.of(kind.title));
            for (Map<Kind, double[]> bySize : times.values()) {
                row.add(cell(bySize.get(kind), bySize.get(Kind.GUAVA)));
            }
            Accuracy accuracy = Accuracy.of(kind, sizes.get(0));
            row.add(Table.number("%.3f %%", 100 * accuracy.falsePositiveRate()));
            row.add(Table.number("%.1f", accuracy.bytesAllocated()));
            table.row(row);
        }
        table.print(out);
    }

    private Map<Kind, double[]> run(long size) {
        Map<Kind, double[]> times = new EnumMap<>(Kind.class);
        for (int round = 0; round < rounds; round++) {
            for (Kind kind : kinds) {
                if (kind.fits(size)) {
                    double nanos = Forks.run(PushBench.class, kind, size, 3, 5, seconds);
                    times.computeIfAbsent(kind, any -> new double[rounds])[round] = nanos;
                    Bench.tell("%,d URLs, fork %d, %s: %.1f ns", size, round + 1, kind.title, nanos);
                }
            }
        }
        return times;
    }

    private static String cell(double[] times, double[] guava) {
        if (times == null) {
            return "-";
        }
        double median = Table.median(times);
        String ratio = guava == null ? "" : Table.number(" (%.1f)", Table.median(guava) / median);
        return Table.number("%.1f", median) + ratio;
    }

    /** Pushing by two threads at once. */
    void printThreads(PrintStream out) {
        long urls = 20_000_000;
        List<Kind> safe = List.of(Kind.SIEVE_STRINGS, Kind.SIEVE_BYTES, Kind.SIEVE_SINGLE, Kind.GUAVA);
        Map<Kind, double[]> times = new EnumMap<>(Kind.class);
        for (int round = 0; round < rounds; round++) {
            for (Kind kind : safe) {
                // A thread's time a URL; two of them push at once.
                double nanos = Forks.run(ThreadsBench.class, kind, urls, threadCalls, threadCalls, 0) / 2;
                times.computeIfAbsent(kind, any -> new double[rounds])[round] = nanos;
                Bench.tell("two threads, fork %d, %s: %.1f ns", round + 1, kind.title, nanos);
            }
        }
        Table table = new Table(
                "two threads, 20,000,000 URLs", "ns a URL", "million URLs a second", "Guava's time / its own");
        for (Kind kind : safe) {
            double median = Table.median(times.get(kind));
            table.row(
                    kind.title,
                    Table.number("%.1f", median),
                    Table.number("%.1f", 1000 / median),
                    Table.number("%.1f", Table.median(times.get(Kind.GUAVA)) / median));
        }
        table.print(out);
    }
}
