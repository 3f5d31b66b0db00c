package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.UrlBatch;
import dev.sieve.durable.ChildJvm;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Workers are killed by SIGKILL, and so is the engine, whose log loses a random part of its last second: no page of a tree
 * is lost, and the crawl ends. With the system property {@code sieve.proof}: 100 and 30 kills on every engine that is
 * found; else 10 and 3.
 */
@Timeout(3600)
class SharedSieveKillIT {
    private static final boolean IS_PROOF = Boolean.getBoolean("sieve.proof");
    private static final int WORKER_KILLS = IS_PROOF ? 100 : 10;
    private static final int ENGINE_KILLS = IS_PROOF ? 30 : 3;
    private static final int WORKERS = IS_PROOF ? 4 : 3;
    private static final int PAGES = 30_000;
    private static final long SEED = 20261122;

    /** What the log may lose: Valkey and Redis sync it each second. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many pages a worker has in flight, or has finished and not sent: it sends 256, unless it is sending others. */
    private static final int UNSENT = 400;

    private final Random random = new Random(SEED);
    private final List<Worker> workers = new ArrayList<>();

    // The state below is that of this object's monitor.
    private final int[] reads = new int[PAGES];
    private final int[] news = new int[PAGES];
    private final List<Long> readNanos = new ArrayList<>();
    private int distinct;
    private int late;

    static List<File> engines() {
        return IS_PROOF ? TestEngine.all() : List.of(TestEngine.program());
    }

    /** A process, and the thread that reads its lines. */
    private final class Worker {
        final Process process;
        final Thread reader;
        boolean isOver;

        Worker(TestEngine engine) throws IOException {
            process = ChildJvm.start(
                    List.of("-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                    TreeWorker.class,
                    engine.address("tree").toString(),
                    String.valueOf(PAGES),
                    String.valueOf(random.nextInt(1_000_000)));
            reader = new Thread(this::readAll);
            reader.start();
        }

        /** Reads to its end; a line in which it was killed is cut. */
        private void readAll() {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII))) {
                StringBuilder line = new StringBuilder();
                for (int c = lines.read(); c >= 0; c = lines.read()) {
                    if (c != '\n') {
                        line.append((char) c);
                        continue;
                    }
                    note(this, line.toString());
                    line.setLength(0);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void kill() throws InterruptedException {
            process.toHandle().destroyForcibly();
            reader.join();
        }
    }

    private synchronized void note(Worker worker, String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "f" -> {
                readNanos.add(System.nanoTime());
                if (reads[Integer.parseInt(words[1])]++ == 0) {
                    distinct++;
                    notifyAll();
                }
            }
            case "n" -> Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).forEach(number -> news[number]++);
            case "l" -> late++;
            case "over" -> worker.isOver = true;
            default -> assertThat(words[0]).isIn("ready", "d");
        }
    }

    /** Waits until so many pages were read. */
    private synchronized void await(int pages) throws InterruptedException {
        while (distinct < pages) {
            assertThat(workers).as("%d pages", distinct).anyMatch(worker -> worker.process.isAlive());
            wait(1000);
        }
    }

    private synchronized int readsSince(long nanos) {
        return (int) readNanos.stream().filter(read -> read - nanos > 0).count();
    }

    /** What a log has lost: so many bytes, and nothing of before a time. */
    private record Cut(long bytes, long sinceNanos) {}

    /** The lengths of the log of an engine over its last seconds. */
    private static final class LogLengths implements AutoCloseable {
        private record Length(long nanos, Object file, long bytes) {}

        private final TestEngine engine;
        private final Deque<Length> lengths = new ArrayDeque<>();
        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

        LogLengths(TestEngine engine) {
            this.engine = engine;
            ScheduledFuture<?> unused = timer.scheduleWithFixedDelay(this::measure, 0, 20, TimeUnit.MILLISECONDS);
        }

        private synchronized void measure() {
            try {
                BasicFileAttributes log = Files.readAttributes(engine.log(), BasicFileAttributes.class);
                lengths.add(new Length(System.nanoTime(), log.fileKey(), log.size()));
                while (lengths.size() > 1000) {
                    lengths.remove();
                }
            } catch (IOException e) {
                // It was replaced just now.
            }
        }

        /** Kills the engine and removes a random part of what its log had in addition to a second ago. */
        synchronized Cut killAndCut(Random random) {
            engine.kill();
            measure();
            Length last = lengths.getLast();
            List<Length> lately = lengths.stream()
                    .filter(length -> length.file.equals(last.file) && last.nanos - length.nanos < LOST_NANOS)
                    .toList();
            // A restart may shorten the log: the engine removes a command that was cut.
            long least = lately.stream().mapToLong(Length::bytes).min().orElseThrow();
            long bytes = random.nextInt((int) (last.bytes - least) + 1);
            engine.cutLog(last.bytes - bytes);
            long since = lately.stream()
                    .filter(length -> length.bytes <= last.bytes - bytes)
                    .mapToLong(Length::nanos)
                    .max()
                    .orElseThrow();
            lengths.clear();
            return new Cut(bytes, since);
        }

        @Override
        public void close() {
            timer.shutdownNow();
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void noKillLosesAPageOrKeepsTheCrawlFromEnding(File program) throws Exception {
        long start = System.nanoTime();
        List<Boolean> kills = new ArrayList<>(Collections.nCopies(WORKER_KILLS, false));
        kills.addAll(Collections.nCopies(ENGINE_KILLS, true));
        Collections.shuffle(kills, random);
        long cut = 0;
        int atMostAgain = 0;
        try (TestEngine engine = TestEngine.start(program);
                LogLengths log = new LogLengths(engine)) {
            for (int i = 0; i < WORKERS; i++) {
                workers.add(new Worker(engine));
            }
            for (int i = 0; i < kills.size(); i++) {
                await((i + 1) * (PAGES / (kills.size() + 1)));
                if (kills.get(i)) {
                    Cut end = log.killAndCut(random);
                    engine.restart();
                    cut += end.bytes;
                    atMostAgain += readsSince(end.sinceNanos) + WORKERS * UNSENT;
                } else {
                    Worker victim = workers.remove(random.nextInt(WORKERS));
                    victim.kill();
                    atMostAgain += UNSENT;
                    workers.add(new Worker(engine));
                }
            }
            for (Worker worker : workers) {
                assertThat(worker.process.waitFor(10, TimeUnit.MINUTES)).isTrue();
                worker.reader.join();
                assertThat(worker.process.exitValue()).isZero();
                assertThat(worker.isOver).isTrue();
            }
            verifyEnd(engine);
        } finally {
            for (Worker worker : workers) {
                worker.kill();
            }
        }
        int again = Arrays.stream(reads).sum() - PAGES;
        System.out.printf(
                "seed %d, %s: %d kills of workers and %d of the engine, %,d bytes of its log cut: %d pages, 0 lost, %d read"
                        + " again (at most %d), %d results refused, %d told new again, %.1f s%n",
                SEED,
                program.getName(),
                WORKER_KILLS,
                ENGINE_KILLS,
                cut,
                PAGES,
                again,
                atMostAgain + late * UNSENT,
                late,
                Arrays.stream(news)
                        .filter(count -> count > 1)
                        .map(count -> count - 1)
                        .sum(),
                (System.nanoTime() - start) / 1e9);
        assertThat(again).isLessThanOrEqualTo(atMostAgain + late * UNSENT);
    }

    private synchronized void verifyEnd(TestEngine engine) throws IOException {
        BitSet lost = new BitSet();
        for (int page = 0; page < PAGES; page++) {
            lost.set(page, reads[page] == 0);
        }
        assertThat(lost).as("lost").isEqualTo(new BitSet());
        try (SharedSieve frontier = TreeWorker.open(engine.address("tree"))) {
            assertThat(frontier.isOver(0)).isTrue();
            assertThat(frontier.pending()).isZero();
            UrlBatch all = new UrlBatch();
            for (int page = 0; page < PAGES; page++) {
                all.add(TreeWorker.url(page));
            }
            assertThat(frontier.pushAll(all)).as("queued, but not seen").isZero();
        }
    }
}
