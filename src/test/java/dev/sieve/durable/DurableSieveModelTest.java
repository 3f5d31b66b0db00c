package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FilterKind;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Any sequence of calls, kills and closes is answered as a plain set and a plain list would answer it. */
class DurableSieveModelTest {
    private static final int STEPS = 25_000;
    private static final long TIMEOUT = 100_000;

    private Random random;
    private FakeDisk disk;
    private DurableSieve frontier;
    private FrontierModel model;
    private long now;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 22, 333, 4444})
    void behavesAsTheModelThroughKillsAndCloses(long seed) throws IOException {
        random = new Random(seed);
        disk = new FakeDisk();
        model = new FrontierModel(TIMEOUT);
        reopen();
        for (int step = 0; step < STEPS; step++) {
            step();
            if (step % 50 == 0) {
                compareCounts();
            }
        }
        kill();
        drain();
    }

    private void step() throws IOException {
        switch (random.nextInt(47)) {
            case 0, 1, 2, 3, 4 -> pushOne();
            case 5, 6, 7, 8 -> pushBatch();
            case 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 -> take();
            case 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 -> done();
            case 31, 32, 33 -> retry();
            case 34, 35 -> now += random.nextInt(2_000);
            case 36 -> answerTooLate();
            case 37 -> sync();
            case 38 -> rarely(this::checkpoint);
            case 39 -> pushDone();
            case 40, 41, 42 -> pushAgain(anyHeld());
            case 43 -> pushAgain(null);
            case 44 -> mightContain();
            case 45 -> rarely(this::readAll);
            default -> rarely(random.nextBoolean() ? this::kill : this::close);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void rarely(Step step) throws IOException {
        if (random.nextInt(8) == 0) {
            step.run();
        }
    }

    private String url() {
        int number = random.nextInt(4 * model.entries.size() / 3 + 10);
        return "http://host" + number / 8 + ".example/" + "x".repeat(number % 30) + "/" + number;
    }

    private void pushOne() {
        String url = url();
        boolean isNew = model.push(url, url, 0, null);
        assertThat(frontier.push(url)).isEqualTo(isNew);
        if (isNew) {
            model.flush();
        }
    }

    private void pushBatch() {
        int depth = random.nextInt(5);
        String referrer = random.nextInt(4) == 0 ? null : url();
        UrlBatch batch = new UrlBatch(depth, 0, referrer);
        int size = random.nextInt(10) == 0 ? random.nextInt(200) : random.nextInt(12);
        List<Boolean> isNew = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String key = url();
            String url = random.nextInt(3) == 0 ? key + "#" + i : key;
            batch.add(url, key);
            isNew.add(model.push(url, key, depth, referrer));
        }

        frontier.pushAll(batch);

        for (int i = 0; i < size; i++) {
            assertThat(batch.isNew(i)).isEqualTo(isNew.get(i));
        }
        if (isNew.contains(true)) {
            model.flush();
        }
    }

    private void pushDone() {
        int depth = random.nextInt(5);
        UrlBatch batch = new UrlBatch(depth, 0, null);
        int size = random.nextInt(10) == 0 ? random.nextInt(200) : random.nextInt(5);
        List<Boolean> isNew = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String url = url();
            batch.add(url);
            isNew.add(model.pushDone(url, url, depth, null));
        }

        frontier.pushDone(batch);

        for (int i = 0; i < size; i++) {
            assertThat(batch.isNew(i)).isEqualTo(isNew.get(i));
        }
        if (isNew.contains(true)) {
            model.flush();
        }
    }

    private void pushAgain(FrontierModel.Entry ended) {
        String key = ended == null || random.nextInt(10) == 0 ? url() : ended.url;
        UrlBatch batch = new UrlBatch(7, 0, null);
        batch.add(key);

        assertThat(frontier.pushAgain(ended == null ? null : ended.lease(), batch))
                .isTrue();

        assertThat(batch.isNew(0)).isEqualTo(model.pushAgain(ended, key, key, 7, null));
    }

    private void mightContain() {
        String key = url();
        assertThat(frontier.mightContain(key)).isEqualTo(model.contains(key));
    }

    private void readAll() {
        List<Long> left = new ArrayList<>();
        model.entries.forEach(entry -> left.add(entry.id));
        frontier.forEach((url, isDone) -> {
            FrontierModel.Entry entry = model.entries.get((int) url.id());
            assertThat(url).isEqualTo(new Lease(entry.id, entry.url, entry.depth, 0, entry.referrer, 0, 0));
            assertThat(isDone).isEqualTo(entry.state == FrontierModel.State.DONE);
            left.set((int) url.id(), null);
        });
        left.removeIf(Objects::isNull);
        // Segments whose URLs are all done may have been deleted.
        assertThat(left).allMatch(id -> model.entries.get(id.intValue()).state == FrontierModel.State.DONE);
        model.flush();
    }

    private void take() {
        assertThat(frontier.take(now)).isEqualTo(model.take(now));
    }

    private FrontierModel.Entry anyHeld() {
        return model.held.isEmpty() ? null : model.held.get(random.nextInt(model.held.size()));
    }

    private void done() {
        FrontierModel.Entry entry = anyHeld();
        if (entry != null) {
            assertThat(frontier.done(entry.lease())).isTrue();
            model.done(entry);
        }
    }

    private void retry() {
        FrontierModel.Entry entry = anyHeld();
        if (entry != null) {
            long ready = now + random.nextInt(5_000);
            assertThat(frontier.retry(entry.lease(), ready)).isTrue();
            model.retry(entry, ready);
        }
    }

    private void answerTooLate() {
        if (model.entries.isEmpty()) {
            return;
        }
        FrontierModel.Entry entry = model.entries.get(random.nextInt(model.entries.size()));
        Lease stale = entry.state == FrontierModel.State.HELD
                ? new Lease(entry.id, entry.url, entry.depth, 0, entry.referrer, 0, entry.attempt + 1)
                : entry.lease();
        UrlBatch batch = new UrlBatch();
        batch.add(url());
        boolean isHeld = switch (random.nextInt(3)) {
            case 0 -> frontier.done(stale);
            case 1 -> frontier.retry(stale, now);
            default -> frontier.pushAgain(stale, batch);
        };
        assertThat(isHeld).isFalse();
    }

    private void sync() {
        frontier.sync();
        model.flush();
    }

    private void checkpoint() {
        frontier.checkpoint();
        model.checkpoint();
    }

    private void kill() throws IOException {
        disk = disk.afterKill();
        model.kill();
        reopen();
        compareCounts();
    }

    private void close() throws IOException {
        frontier.close();
        model.checkpoint();
        kill();
    }

    private void reopen() throws IOException {
        frontier = DurableSieve.builder(Path.of("fake"))
                .capacity(100_000)
                .filter(FilterKind.EXACT)
                .seed(5)
                .leaseTimeout(Duration.ofNanos(TIMEOUT))
                .segmentBytes(500 + random.nextInt(20_000))
                .withoutKeepers()
                .open(disk, () -> {});
    }

    private void compareCounts() {
        assertThat(frontier.pending()).isEqualTo(model.pending());
        assertThat(frontier.inFlight()).isEqualTo(model.inFlight());
        assertThat(frontier.stats().accepted()).isEqualTo(model.entries.size());
    }

    private void drain() {
        for (Lease lease = model.take(now); lease != null; lease = model.take(now)) {
            assertThat(frontier.take(now)).isEqualTo(lease);
        }
        assertThat(frontier.take(now)).isNull();
        assertThat(frontier.waitNanos(now)).isEqualTo(TIMEOUT);
    }
}
