package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Workers are killed by SIGKILL, and so is the engine, whose log loses a random part of its last second: no page of a tree
 * is lost, and the crawl ends. With the system property {@code sieve.proof}: 100 and 30 kills on every engine that is
 * found; else 10 and 3, and a third of the pages.
 */
@Tag("process")
@Tag("engine")
@Tag("slow")
@Timeout(3600)
class SharedSieveKillIT {
    private static final int WORKER_KILLS = Tier.of(10, 100);
    private static final int ENGINE_KILLS = Tier.of(3, 30);
    private static final int WORKERS = Tier.of(3, 4);
    private static final int PAGES = Tier.of(10_000, 30_000);
    private static final long SEED = 20261122;

    /** What the log may lose: Valkey and Redis sync it each second. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many pages a worker has in flight, or has finished and not sent: it sends 256, unless it is sending others. */
    private static final int UNSENT = 400;

    private final Random random = new Random(SEED);

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
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void noKillLosesASeedThatIsBeingLoaded(File program) throws Exception {
        try (TestEngine engine = TestEngine.start(program);
                LogLengths log = new LogLengths(engine)) {
            new SeedLoad(engine.address("seeds"), 3).run(() -> {
                Cut end = log.killAndCut(random);
                engine.restart();
                return end.bytes;
            });
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void noKillLosesAPageOrKeepsTheCrawlFromEnding(File program) throws Exception {
        long start = System.nanoTime();
        List<Boolean> kills = new ArrayList<>(Collections.nCopies(WORKER_KILLS, false));
        kills.addAll(Collections.nCopies(ENGINE_KILLS, true));
        Collections.shuffle(kills, random);
        long cut = 0;
        int atMostAgain = 0;
        int again;
        int late;
        int newAgain;
        try (TestEngine engine = TestEngine.start(program);
                LogLengths log = new LogLengths(engine);
                TreeCrawl crawl = new TreeCrawl(engine.address("tree"), PAGES, random)) {
            for (int i = 0; i < WORKERS; i++) {
                crawl.startWorker();
            }
            for (int i = 0; i < kills.size(); i++) {
                crawl.await((i + 1) * (PAGES / (kills.size() + 1)));
                if (kills.get(i)) {
                    Cut end = log.killAndCut(random);
                    engine.restart();
                    cut += end.bytes;
                    atMostAgain += crawl.readsSince(end.sinceNanos) + WORKERS * UNSENT;
                } else {
                    crawl.replaceWorker();
                    atMostAgain += UNSENT;
                }
            }
            assertThat(crawl.awaitEnd()).isTrue();
            crawl.verifyEnd();
            again = crawl.readAgain();
            late = crawl.late();
            newAgain = crawl.toldNewAgain();
        }
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
                newAgain,
                (System.nanoTime() - start) / 1e9);
        assertThat(again).isLessThanOrEqualTo(atMostAgain + late * UNSENT);
    }
}
