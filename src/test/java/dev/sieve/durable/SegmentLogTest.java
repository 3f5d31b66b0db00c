package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is appended while a force runs is forced by a later one. */
class SegmentLogTest {
    private static final List<String> URLS = FrontierContract.urls(40);

    private final FakeDisk disk = new FakeDisk();
    private final AtomicBoolean isArmed = new AtomicBoolean();

    private static DurableSieve open(FakeDisk disk) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .filter(FilterKind.EXACT)
                .segmentBytes(200)
                .withoutKeepers()
                .open(disk, () -> {});
    }

    /** Runs once, during the next call that begins like this. */
    private void during(String call, Runnable action) {
        isArmed.set(true);
        disk.onChange(found -> {
            if (found.startsWith(call) && isArmed.compareAndSet(true, false)) {
                action.run();
            }
        });
    }

    private FakeDisk afterPowerCut() {
        return disk.afterPowerCut(FakeDisk.Unsynced.DROPPED, FakeDisk.Names.DROPPED, new Random(0));
    }

    private void assertAllIsForced() throws IOException {
        try (DurableSieve found = open(afterPowerCut())) {
            assertThat(FrontierContract.takeAll(found, 0))
                    .extracting(Lease::url)
                    .isEqualTo(URLS);
        }
    }

    @Test
    void theEndOfASegmentThatGrewDuringAForceIsForced() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push(URLS.get(0));
        during("force log-00000001", () -> URLS.forEach(frontier::push));
        frontier.sync();
        assertThat(isArmed).isFalse();
        assertThat(FrontierFiles.list(disk).logs()).hasSizeGreaterThan(2);

        frontier.sync();

        assertAllIsForced();
    }

    @Test
    void theNameOfASegmentIsForcedBeforeTheNextOneExists() throws IOException {
        DurableSieve frontier = open(disk);
        URLS.forEach(frontier::push);

        assertThat(FrontierFiles.list(afterPowerCut()).logs())
                .isEqualTo(FrontierFiles.list(disk).logs());
    }

    @Test
    void aCheckpointForcesTheEndOfAGrowingSegment() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.push(URLS.get(0));
        during("force log-00000001", () -> URLS.forEach(frontier::push));
        frontier.checkpoint();
        assertThat(isArmed).isFalse();

        frontier.checkpoint();

        assertAllIsForced();
    }

    @Test
    void theNameOfARemovedSegmentIsForced() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.pushAll(URLS);
        URLS.forEach(url -> frontier.done(frontier.take(0)));
        for (int i = 0; i < 3; i++) {
            frontier.push("http://later/" + i);
            frontier.checkpoint();
        }

        assertThat(FrontierFiles.list(disk).logs()).doesNotContain(1);
        assertThat(FrontierFiles.list(afterPowerCut()).logs())
                .isEqualTo(FrontierFiles.list(disk).logs());
    }
}
