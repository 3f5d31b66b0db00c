package dev.sieve.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs benchmarks by name: {@code push}, {@code threads}, {@code pending}, {@code durable}, {@code hosts}, {@code crawl},
 * {@code check}, {@code schedulers}, {@code shared}, {@code workers}, {@code serve}, {@code billion}, or {@code all}. What follows the
 * names is JMH's own command line: {@code -p urls=1000000 -f 1 -i 3}.
 */
public final class Bench {
    private static final String TASKSET = "/usr/bin/taskset";

    private interface Part {
        void run(CommandLineOptions line) throws Exception;
    }

    private static final Map<String, Part> PARTS = new LinkedHashMap<>();

    static {
        PARTS.put("pending", line -> {
            Pending.print();
            Pending.printHosts(1);
            Pending.printHosts(1_000_000);
        });
        PARTS.put("push", line -> {
            jmh(PushBench.class, line);
            for (Kind kind : Kind.values()) {
                Fill.fork(kind, 1_000_000);
            }
        });
        PARTS.put("threads", line -> jmh(ThreadsBench.class, line));
        PARTS.put("durable", line -> jmh(DurableBench.class, line));
        PARTS.put("hosts", line -> jmh(HostsBench.class, line));
        PARTS.put("crawl", CrawlBench::compare);
        PARTS.put("check", CheckBench::compare);
        PARTS.put("schedulers", SchedulersBench::compare);
        PARTS.put("shared", SharedBench::compare);
        PARTS.put("workers", WorkersBench::run);
        PARTS.put("serve", ServeBench::compare);
        PARTS.put("billion", line -> {
            long urls = Long.parseLong(parameter(line, "urls", "1000000000"));
            Fill.fork(Kind.SIEVE_BYTES, urls);
            Fill.fork(Kind.GUAVA_BYTES, urls);
        });
    }

    private Bench() {}

    /** Runs what is named. */
    public static void main(String[] args) throws Exception {
        List<String> words = List.of(String.join(" ", args).trim().split("\\s+", -1));
        List<String> names =
                words.stream().takeWhile(word -> !word.startsWith("-")).toList();
        for (String name : names) {
            if (!name.equals("all") && !PARTS.containsKey(name)) {
                throw new IllegalArgumentException("not a benchmark: " + name + "; choose from " + PARTS.keySet());
            }
        }
        CommandLineOptions line =
                new CommandLineOptions(words.subList(names.size(), words.size()).toArray(String[]::new));
        for (Map.Entry<String, Part> part : PARTS.entrySet()) {
            if (names.contains("all") || names.contains(part.getKey())) {
                part.getValue().run(line);
            }
        }
    }

    /** Runs the benchmarks of a class, and prints the medians beside those of Guava where it is among them. */
    private static void jmh(Class<?> benchmark, CommandLineOptions line) throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .parent(line)
                        .include(benchmark.getName())
                        .build())
                .run();
        for (RunResult result : results) {
            for (RunResult guava : results) {
                if (Kind.GUAVA.name().equals(guava.getParams().getParam("kind"))
                        && guava.getParams()
                                .getParam("urls")
                                .equals(result.getParams().getParam("urls"))) {
                    print(
                            "%-14s %,13d URLs: median %6.1f ns per URL; Guava takes %4.1f times as long",
                            result.getParams().getParam("kind"),
                            Long.parseLong(result.getParams().getParam("urls")),
                            median(result),
                            median(guava) / median(result));
                }
            }
        }
    }

    private static double median(RunResult result) {
        return result.getPrimaryResult().getStatistics().getPercentile(50);
    }

    static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** A parameter as JMH takes it, {@code -p name=value}, for what is not run by JMH. */
    static String parameter(CommandLineOptions line, String name, String usual) {
        return line.getParameter(name).orElse(List.of(usual)).iterator().next();
    }

    /** Runs a main class in a JVM of its own, which prints what it measures. */
    static void fork(List<String> jvm, Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        int exitCode = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (exitCode != 0) {
            throw new IOException(String.join(" ", command) + ": exit code " + exitCode);
        }
    }

    /** Returns what keeps a command to one processor, where that can be. */
    static List<String> pinned(int processor) throws IOException, InterruptedException {
        List<String> pinned = List.of(TASKSET, "-c", String.valueOf(processor));
        boolean canPin = Files.isExecutable(Path.of(TASKSET)) && run(pinned, "true") == 0;
        return canPin ? pinned : List.of();
    }

    /** Keeps this process to one processor, where that can be. */
    static void pin(int processor) throws IOException, InterruptedException {
        if (!pinned(processor).isEmpty()) {
            run(
                    List.of(TASKSET, "-a", "-c", "-p", String.valueOf(processor)),
                    String.valueOf(ProcessHandle.current().pid()));
        }
    }

    private static int run(List<String> command, String last) throws IOException, InterruptedException {
        List<String> whole = new ArrayList<>(command);
        whole.add(last);
        return new ProcessBuilder(whole)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** Returns the options for Java that the start script gives to crawls on two processors. */
    static List<String> scriptOptions() throws IOException {
        return Pattern.compile("-XX:(?:\\+UseSerialGC|Tier4\\w+=\\d+)|-Xms\\d+m")
                .matcher(Files.readString(Path.of("../cli/bin/sieve")))
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
    }

    static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
