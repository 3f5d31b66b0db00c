package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import dev.sieve.UrlBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Loads seeds as a crawl does, a shared line and a pushed URL each, while the engine is killed: with the system property {@code
 * sieve.proof}, 1,000,000 seeds and 100 kills ({@code sieve.kills}), else 50,000 seeds and a few kills. All have to be there in
 * the end.
 */
final class SeedLoad {
    private static final int SEEDS = Tier.of(50_000, 1_000_000);
    /** So long that 50,000 seeds are more than the engine can lose, and more than a worker would keep without a limit. */
    private static final String PATH = "/" + "a".repeat(Tier.of(300, 20)) + "/";

    private static final int BATCH = 64;

    private final EngineAddress address;
    private final int kills;

    /** Kills the engine, removes a part of what its log had in addition to a second ago, and starts it again. */
    interface Kill {
        /** Returns how many bytes were removed. */
        long run() throws Exception;
    }

    SeedLoad(EngineAddress address, int few) {
        this.address = address;
        kills = Tier.of(few, Integer.getInteger("sieve.kills", 100));
    }

    private static String seed(int i) {
        return "http://h" + i % 5000 + ".test" + PATH + i;
    }

    private static void load(SharedSieve frontier, int from, int to) {
        UrlBatch batch = new UrlBatch();
        List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            batch.add(seed(i));
            lines.add(seed(i));
        }
        frontier.notes().add("seeds", lines);
        frontier.pushAll(batch);
    }

    /** Loads all seeds, and kills the engine in between. */
    void run(Kill kill) throws Exception {
        long start = System.nanoTime();
        long cut = 0;
        try (SharedSieve frontier =
                SharedSieve.builder(address).capacity(2L * SEEDS).slices(16).open()) {
            Semaphore due = new Semaphore(0);
            CompletableFuture<Void> loader = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < SEEDS; i += BATCH) {
                    load(frontier, i, Math.min(SEEDS, i + BATCH));
                    due.release((int) ((long) (i + BATCH) * (kills + 1) / SEEDS - (long) i * (kills + 1) / SEEDS));
                }
            });
            CompletableFuture<Void> end = loader.whenComplete((nothing, failure) -> due.release(kills));
            for (int i = 0; i < kills; i++) {
                due.acquire();
                cut += kill.run();
            }
            end.join();
            double seconds = (System.nanoTime() - start) / 1e9;
            // It repeats what was lost.
            frontier.beat();
            BitSet missing = missing();
            String text = String.format(
                    "%,d seeds, %d kills, %,d bytes of logs cut: %d lost, loaded in %.1f s",
                    SEEDS, kills, cut, missing.cardinality(), seconds);
            System.out.println(text);
            assertThat(missing).as(text).isEqualTo(new BitSet());
        }
    }

    private BitSet missing() throws IOException {
        BitSet queued = new BitSet();
        SharedTools.export(address, label -> true, url -> queued.set(number(url)));
        BitSet shared = new BitSet();
        SharedTools.lines(address, "seeds", line -> shared.set(number(line)));
        queued.and(shared);
        queued.flip(0, SEEDS);
        return queued;
    }

    private static int number(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }
}
