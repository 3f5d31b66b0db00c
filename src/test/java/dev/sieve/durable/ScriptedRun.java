package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.io.Disk;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The same run of a frontier each time, until it is over or its disk fails; and what it was told, so that it can be
 * compared with what the next process finds.
 */
final class ScriptedRun {
    private static final int ROUNDS = 24;

    private final Disk disk;
    private final Durability durability;
    private final Random random = new Random(7);
    private DurableSieve frontier;

    /** URLs that were accepted, in their order, and those of the push that failed, which may have been. */
    private final List<String> accepted = new ArrayList<>();

    private final List<String> unknown = new ArrayList<>();
    /** Each URL that was said to be done, and how many had been accepted by then. */
    private final List<String> done = new ArrayList<>();

    private final List<Integer> acceptedAtDone = new ArrayList<>();
    private int doneWritten;
    private int acceptedSynced;
    private int doneSynced;
    private int pushed;
    private boolean hasFailed;
    private boolean isClosing;

    ScriptedRun(Disk disk, Durability durability) {
        this.disk = disk;
        this.durability = durability;
    }

    static DurableSieve open(Disk disk, Durability durability) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .filter(FilterKind.EXACT)
                .seed(3)
                .durability(durability)
                .segmentBytes(1500)
                .withoutKeepers()
                .open(disk, () -> {});
    }

    /** Runs until the end, or until the disk fails; then no call may succeed any more. */
    ScriptedRun run() {
        try {
            frontier = open(disk, durability);
        } catch (IOException e) {
            hasFailed = true;
            return this;
        }
        try {
            for (int round = 0; round < ROUNDS; round++) {
                round(round);
            }
            isClosing = true;
            frontier.close();
            synced();
        } catch (UncheckedIOException e) {
            hasFailed = true;
        }
        return this;
    }

    boolean hasFailed() {
        return hasFailed;
    }

    private void round(int round) {
        push(1 + random.nextInt(12));
        if (round % 4 == 2) {
            pushDone(1 + random.nextInt(12));
        }
        for (int i = random.nextInt(10); i > 0; i--) {
            work();
        }
        if (round % 9 == 5) {
            checkpoint();
        }
        if (round % 7 == 3) {
            frontier.sync();
            synced();
        }
    }

    private void push(int count) {
        UrlBatch batch = next(count);
        assertThat(frontier.pushAll(batch)).isEqualTo(count);
        accepted();
    }

    private void pushDone(int count) {
        UrlBatch batch = next(count);
        for (String url : unknown) {
            done.add(url);
            acceptedAtDone.add(accepted.size());
        }
        assertThat(frontier.pushDone(batch)).isEqualTo(count);
        accepted();
    }

    /** Makes a batch of new URLs, which may be accepted from now on. */
    private UrlBatch next(int count) {
        UrlBatch batch = new UrlBatch(1, 0, "http://host/page/" + pushed);
        for (int i = 0; i < count; i++) {
            batch.add("http://host/" + "long/".repeat(pushed % 7) + pushed++);
        }
        unknown.clear();
        for (int i = 0; i < count; i++) {
            unknown.add(batch.url(i));
        }
        return batch;
    }

    private void accepted() {
        accepted.addAll(unknown);
        unknown.clear();
        doneWritten = done.size();
        if (durability == Durability.ALWAYS) {
            synced();
        }
    }

    private void work() {
        Lease lease = frontier.take(0);
        if (lease == null) {
            return;
        }
        int choice = random.nextInt(6);
        if (choice == 0) {
            frontier.retry(lease, random.nextInt(100) - 50L);
        } else if (choice == 1) {
            UrlBatch batch = next(1);
            done.add(lease.url());
            acceptedAtDone.add(accepted.size() + 1);
            assertThat(frontier.pushAgain(lease, batch)).isTrue();
            accepted();
        } else {
            done.add(lease.url());
            acceptedAtDone.add(accepted.size());
            frontier.done(lease);
        }
    }

    /** A checkpoint that cannot be written does not count as a failure, as long as the log is sound. */
    private void checkpoint() {
        try {
            frontier.checkpoint();
            synced();
        } catch (UncheckedIOException e) {
            // The next call tells whether it was the log.
            hasFailed = false;
        }
    }

    private void synced() {
        acceptedSynced = accepted.size();
        doneSynced = done.size();
        doneWritten = done.size();
    }

    /** After a failure of the log nothing is accepted or answered any more. */
    void requireStopped() {
        if (frontier == null || isClosing) {
            return;
        }
        assertThatThrownBy(() -> frontier.push("http://late/")).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.pushDone(late())).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.pushAgain(null, late())).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.mightContain("http://late/")).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.forEach((url, isDone) -> {})).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.take(0)).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.sync()).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.checkpoint()).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> frontier.close()).isInstanceOf(UncheckedIOException.class);
        frontier.close();
    }

    private static UrlBatch late() {
        UrlBatch batch = new UrlBatch();
        batch.add("http://late/");
        return batch;
    }

    /** What was handed to the operating system is there, and nothing that followed something that is not. */
    void verifyAfterKill(FakeDisk found) throws IOException {
        List<String> kept = verify(found, accepted.size(), doneWritten);
        assertThat(kept).isEqualTo(all().subList(0, kept.size()));
    }

    /** What was forced is there, and no page is done whose links are not; of other URLs some may be there. */
    void verifyAfterPowerCut(FakeDisk found) throws IOException {
        verify(found, acceptedSynced, doneSynced);
    }

    private List<String> all() {
        List<String> all = new ArrayList<>(accepted);
        all.addAll(unknown);
        return all;
    }

    /** Returns the URLs that were kept, in their order. */
    private List<String> verify(FakeDisk found, int leastAccepted, int leastDone) throws IOException {
        try (DurableSieve next = open(found, durability)) {
            List<String> all = all();
            int count = (int) next.stats().accepted();
            List<String> open = new ArrayList<>();
            FrontierContract.takeAll(next, 0).forEach(lease -> open.add(lease.url()));
            List<String> kept = new ArrayList<>(all);
            kept.removeIf(next::push);

            assertThat(kept).hasSize(count);
            assertThat(kept.subList(0, leastAccepted)).isEqualTo(all.subList(0, leastAccepted));
            assertThat(open).isEqualTo(inOrder(kept, open));
            assertThat(inOrder(done.subList(0, leastDone), open)).isEmpty();
            Set<String> gone = new LinkedHashSet<>(kept);
            gone.removeAll(new HashSet<>(open));
            assertThat(new HashSet<>(done).containsAll(gone)).isTrue();
            int before = gone.stream()
                    .mapToInt(url -> acceptedAtDone.get(done.indexOf(url)))
                    .max()
                    .orElse(0);
            assertThat(kept.subList(0, before)).isEqualTo(all.subList(0, before));
            return kept;
        }
    }

    private static List<String> inOrder(List<String> all, List<String> some) {
        Set<String> chosen = new HashSet<>(some);
        List<String> ordered = new ArrayList<>(all);
        ordered.removeIf(url -> !chosen.contains(url));
        return ordered;
    }
}
