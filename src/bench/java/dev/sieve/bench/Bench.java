package dev.sieve.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Runs benchmarks and prints their tables: {@code push}, {@code threads}, {@code pending}, {@code durable},
 * {@code hosts}, {@code crawl}, {@code billion}, or {@code all}. What they take from the command line is in
 * {@link PushTable}, {@link DurableTable}, {@link HostsTable} and {@link CrawlTable}.
 */
public final class Bench {
    private static final Set<String> NAMES =
            Set.of("push", "threads", "pending", "durable", "hosts", "billion", "crawl", "all");

    private Bench() {}

    /** Runs what is named. */
    public static void main(String[] args) throws Exception {
        Choices choices = new Choices(String.join(" ", args));
        List<String> unknown =
                choices.names().stream().filter(name -> !NAMES.contains(name)).toList();
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("no benchmarks: " + unknown + "; there are " + NAMES);
        }
        PrintStream out = System.out;
        if (choices.has("pending")) {
            Pending.print(out);
        }
        if (choices.has("push")) {
            new PushTable(choices).print(out);
        }
        if (choices.has("threads")) {
            new PushTable(choices).printThreads(out);
        }
        if (choices.has("durable")) {
            new DurableTable(choices).print(out);
        }
        if (choices.has("hosts")) {
            new HostsTable(choices).print(out);
        }
        if (choices.has("crawl")) {
            new CrawlTable(choices).print(out);
        }
        if (choices.has("billion")) {
            Billion.print(choices, out);
        }
    }

    /** Tells how far things are. */
    static void tell(String format, Object... values) {
        System.err.println(String.format(Locale.ROOT, format, values));
    }
}
