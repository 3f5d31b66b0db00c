package dev.sieve.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Pushes a billion distinct URLs, made up on the way as bytes, in a process whose heap is hardly larger than the filter.
 * What is queued is taken out as it goes, and that time counts.
 */
final class Billion {
    private static final List<Kind> KINDS = List.of(Kind.SIEVE_BYTES, Kind.GUAVA_BYTES);
    private static final int ABSENT_ROUNDS = 2442;

    private Billion() {}

    static void print(Choices choices, PrintStream out) throws IOException {
        long urls = (long) choices.number("billion", 1e9);
        String heap = "-Xmx" + (64 + ((urls * 13 / 10) >> 20)) + "m";
        Table table = new Table(
                String.format("%,d distinct URLs", urls),
                "seconds",
                "making them up",
                "MB of heap",
                "false positives",
                "error of its estimate");
        for (Kind kind : KINDS) {
            List<String> jvm = List.of("-XX:+UseG1GC", heap, "-Xmn32m");
            try (Child child = Child.start(-1, jvm, Billion.class, kind.name(), String.valueOf(urls))) {
                double[] result = child.numbers();
                table.row(
                        kind.title,
                        Table.number("%.1f", result[0]),
                        Table.number("%.1f", result[1]),
                        Table.number("%.0f", result[2] / 1e6),
                        Table.number("%.3f %%", 100 * result[3]),
                        Table.number("%+.4f %%", 100 * (result[4] / urls - 1)));
            }
        }
        table.print(out);
    }

    /** Prints seconds, those of making URLs up among them, heap in use, share of absent URLs taken for seen, estimate. */
    public static void main(String[] args) {
        Kind kind = Kind.valueOf(args[0]);
        long urls = Long.parseLong(args[1]);
        Contender contender = kind.make(urls, PushBench.RATE);
        AtomicLong pushed = new AtomicLong();
        Mix mix = new Mix(pushed, kind.strings, 1);
        Round round = new Round();
        long start = System.nanoTime();
        long making = 0;
        while (pushed.get() < urls) {
            long before = System.nanoTime();
            mix.drawNew(round);
            making += System.nanoTime() - before;
            contender.push(round);
            contender.drain();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        double estimate = contender.estimatedSize() * urls / pushed.get();
        long heap = Pending.usedBytes();
        double rate = Accuracy.rate(contender, mix, round, ABSENT_ROUNDS);
        System.out.println(seconds + " " + making / 1e9 + " " + heap + " " + rate + " " + estimate);
    }
}
