package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.demo.DemoWeb;
import dev.sieve.report.Numbers;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Crawls a demo web with several processes of this program, which share a frontier on a server that is started for them.
 * Everything is in one temporary folder, which is deleted at the end, also after Ctrl-C.
 */
final class DemoWorkers implements AutoCloseable {
    private static final String NAME = "demo";
    /** By name, since that class leads to this one. */
    private static final String PROGRAM = DemoWorkers.class.getPackageName() + ".Main";

    /** So few that a worker is kept busy by waiting for responses, and several are faster even on one processor. */
    private static final int CONCURRENCY = 8;

    private static final int POLL_MILLIS = 200;
    private static final long TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final DemoWeb web;
    private final Path folder;
    private final LocalEngine engine;
    private final List<Worker> workers = new ArrayList<>();
    private final Thread hook = new Thread(this::end, "sieve-demo-end");
    private boolean isEnded;
    private long requests;
    /** When the first request was seen, and the last one. */
    private long firstNanos;

    private long lastNanos;

    /** A process, what it has found, and what it has logged. */
    private record Worker(Process process, Path pages, Path log) {
        long count() {
            try (Stream<String> lines = Files.lines(pages, UTF_8)) {
                return lines.count();
            } catch (IOException | UncheckedIOException e) {
                // It has not begun, or a line is being written.
                return 0;
            }
        }

        String lastLine() throws IOException {
            List<String> lines = Files.readAllLines(log, UTF_8);
            return lines.isEmpty() ? "no output" : lines.get(lines.size() - 1);
        }
    }

    /** Starts a server without workers. */
    DemoWorkers(DemoWeb web) throws IOException {
        this.web = web;
        folder = Files.createTempDirectory("sieve-demo");
        try {
            engine = LocalEngine.start(folder);
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IOException | RuntimeException e) {
            delete(folder);
            throw e;
        }
    }

    /** Crawls the web with a number of workers. Returns the exit code. */
    int run(int count, Duration delay) throws IOException, InterruptedException {
        Terminal.println(text(
                "Frontier: %s on %s. To see its state: sieve state %2$s --frontier-password-file %s",
                engine, engine.address(NAME), engine.passwordFile()));
        for (int number = 1; number <= count; number++) {
            start(number, count, delay);
        }
        show();
        if (isEnded()) {
            return 0;
        }
        List<String> failed = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Worker worker = workers.get(i);
            if (worker.process.exitValue() != 0) {
                failed.add(text("worker %d: %s", i + 1, worker.lastLine()));
            }
        }
        Terminal.print(summary());
        failed.forEach(Terminal::println);
        return failed.isEmpty() ? 0 : ExitCode.INTERNAL_ERROR_OR_FULL;
    }

    private synchronized void start(int number, int count, Duration delay) throws IOException {
        if (isEnded) {
            return;
        }
        Path pages = folder.resolve("worker-" + number + ".txt");
        Path log = folder.resolve("worker-" + number + ".log");
        long megabytes = Math.max(64, (Runtime.getRuntime().maxMemory() / (count + 1)) >> 20);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + megabytes + "m", "-cp"));
        command.add(absolute(System.getProperty("java.class.path")));
        command.addAll(List.of(PROGRAM, web.start(), "--scope", "any", "--resolve", ".test=127.0.0.1"));
        command.addAll(List.of("--frontier", engine.address(NAME)));
        command.addAll(List.of("--frontier-password-file", engine.passwordFile().toString()));
        command.addAll(List.of("--concurrency", String.valueOf(CONCURRENCY), "--delay", delay.toMillis() + "ms"));
        command.addAll(List.of("-o", pages.toString()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(log.toFile())
                .start();
        workers.add(new Worker(process, pages, log));
    }

    private static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Shows the pages of each worker until all have ended. */
    private void show() throws InterruptedException {
        boolean rewrites = Terminal.isStderr();
        long shownNanos = System.nanoTime();
        for (Worker worker : workers) {
            while (!worker.process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                long now = System.nanoTime();
                observe(now);
                if (now - shownNanos > (rewrites ? TERMINAL_NANOS : LOG_NANOS)) {
                    shownNanos = now;
                    show(progress(), rewrites);
                }
            }
        }
        if (rewrites) {
            Terminal.wipe();
        }
    }

    private static void show(String line, boolean rewrites) {
        if (rewrites) {
            Terminal.rewrite(line);
        } else {
            Terminal.println(line);
        }
    }

    private void observe(long now) {
        long count = web.requestCount();
        if (count != requests) {
            firstNanos = requests == 0 ? now : firstNanos;
            lastNanos = now;
            requests = count;
        }
    }

    private String progress() {
        List<Long> counts = workers.stream().map(Worker::count).toList();
        return text(
                "%s = %s",
                Numbers.count(sum(counts), "page"),
                counts.stream().map(each -> text("%,d", each)).collect(Collectors.joining(" + ")));
    }

    private static long sum(List<Long> counts) {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    private String summary() throws IOException {
        StringBuilder lines = new StringBuilder();
        List<Long> counts = workers.stream().map(Worker::count).toList();
        double seconds = Duration.ofNanos(lastNanos - firstNanos).toMillis() / 1e3;
        IntStream.range(0, counts.size()).forEach(i -> row(lines, "worker " + (i + 1), counts.get(i), seconds));
        row(lines, "together", sum(counts), seconds);
        Set<String> distinct = new HashSet<>();
        for (Worker worker : workers) {
            if (Files.exists(worker.pages)) {
                distinct.addAll(Files.readAllLines(worker.pages, UTF_8));
            }
        }
        lines.append(text(
                "Found %,d of the %s, %,d of them more than once.%n",
                distinct.size(), Numbers.count(web.pages(), "page"), sum(counts) - distinct.size()));
        return lines.toString();
    }

    private static void row(StringBuilder lines, String name, long pages, double seconds) {
        Summary.row(lines, name, "%,7d pages  %7.1f/s", pages, pages / Math.max(1e-3, seconds));
    }

    /** Ends all processes and deletes their files. */
    private synchronized void end() {
        if (isEnded) {
            return;
        }
        isEnded = true;
        workers.forEach(worker -> worker.process.destroyForcibly());
        workers.forEach(worker -> worker.process.onExit().join());
        engine.close();
        delete(folder);
    }

    private synchronized boolean isEnded() {
        return isEnded;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            Terminal.println("sieve: cannot delete " + folder + ": " + e.getMessage());
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running, or has run.
        }
    }
}
