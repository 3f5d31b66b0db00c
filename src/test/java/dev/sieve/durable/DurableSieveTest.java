package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sieve.CapturedLog;
import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurableSieveTest {
    @TempDir
    Path temporary;

    private final CapturedLog log = new CapturedLog();
    private Path directory;

    @BeforeEach
    void choose() {
        directory = temporary.resolve("frontier");
    }

    @AfterEach
    void close() {
        log.close();
    }

    private DurableSieve.Builder builder() {
        return DurableSieve.builder(directory).capacity(10_000).seed(1).segmentBytes(500);
    }

    private List<String> export(Export which) throws IOException {
        List<String> urls = new ArrayList<>();
        assertThat(DurableFolder.export(directory, which, label -> true, urls::add))
                .isEqualTo(urls.size());
        return urls;
    }

    private static void finish(DurableSieve frontier, int count) {
        for (int i = 0; i < count; i++) {
            frontier.done(frontier.take(0));
        }
    }

    @Test
    void anotherOpenGoesOnWithoutBeingToldAnything() throws IOException {
        try (DurableSieve frontier = builder().open()) {
            frontier.pushAll(FrontierContract.urls(100));
            finish(frontier, 10);
        }
        try (DurableSieve frontier = DurableSieve.builder(directory).open()) {
            assertThat(frontier.stats().accepted()).isEqualTo(100);
            assertThat(frontier.stats().capacity()).isEqualTo(10_000);
            assertThat(frontier.push(FrontierContract.urls(1).get(0))).isFalse();
            assertThat(FrontierContract.takeAll(frontier, 0))
                    .extracting(Lease::url)
                    .isEqualTo(FrontierContract.urls(100).subList(10, 100));
        }
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void aFolderThatIsNotThereIsNotMadeWithoutACapacity() {
        assertThatThrownBy(() -> DurableSieve.builder(directory).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity");
        assertThat(directory).doesNotExist();
        assertThat(DurableFolder.exists(directory)).isFalse();
    }

    @Test
    void theSecondOwnerIsToldTheFirst() throws IOException {
        try (DurableSieve frontier = builder().open()) {
            assertThatThrownBy(() -> builder().open())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(
                            "in use by process " + ProcessHandle.current().pid());
            assertThat(DurableFolder.inspect(directory).owner())
                    .hasValue(ProcessHandle.current().pid());
            assertThat(frontier.push("http://a/")).isTrue();
        }
        Files.writeString(directory.resolve("lock"), "nonsense");
        builder().open().close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFrontierWhoseLockFileIsGoneStops(boolean isReplaced) throws IOException {
        DurableSieve frontier = builder().withoutKeepers().open();
        frontier.push("http://a/");
        frontier.checkpoint();
        Path lock = directory.resolve("lock");
        Files.delete(lock);
        if (isReplaced) {
            Files.createFile(lock);
        }
        frontier.push("http://b/");

        assertThatThrownBy(frontier::checkpoint).hasMessageContaining("lock: re");

        assertThatThrownBy(() -> frontier.push("http://c/")).hasMessageContaining("while the frontier is open");
        assertThatThrownBy(frontier::close).hasMessageContaining("while the frontier is open");
        assertThat(directory.resolve("checkpoint-00000002")).doesNotExist();
        try (DurableSieve next = builder().open()) {
            assertThat(next.pending()).isEqualTo(2);
        }
    }

    @Test
    void onlyTheOwnerMayEnterTheFolder() throws IOException {
        builder().open().close();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("settings"))))
                .isEqualTo("rw-------");
    }

    @Test
    void linksAndWorldWritableFilesAreRefused() throws IOException {
        builder().open().close();
        Path settings = directory.resolve("settings");
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> builder().open()).hasMessageContaining("world-writable");

        Files.move(settings, temporary.resolve("elsewhere"));
        Files.setPosixFilePermissions(temporary.resolve("elsewhere"), PosixFilePermissions.fromString("rw-------"));
        Files.createSymbolicLink(settings, temporary.resolve("elsewhere"));
        assertThatThrownBy(() -> builder().open()).hasMessageContaining("not a regular file");
    }

    @Test
    void anotherCapacityNeedsAllOfTheLog() throws IOException {
        try (DurableSieve frontier = builder().keepLog(true).open()) {
            frontier.pushAll(FrontierContract.urls(500));
            finish(frontier, 400);
            frontier.checkpoint();
            frontier.checkpoint();
        }
        try (DurableSieve frontier = builder().keepLog(true).capacity(50_000).open()) {
            assertThat(frontier.stats().capacity()).isEqualTo(50_000);
            assertThat(frontier.pending()).isEqualTo(100);
            assertThat(frontier.pushAll(FrontierContract.urls(500))).isZero();
        }
        assertThat(export(Export.ALL)).isEqualTo(FrontierContract.urls(500));
        removeWhatIsDone();
        assertThatThrownBy(() -> builder().open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("made for a capacity of 50000 URLs")
                .hasMessageContaining("kind split-blocks");
    }

    @Test
    void anotherFilterKeepsTheEstimateOfMissedPages() throws IOException {
        DurableSieve.Builder small =
                builder().keepLog(true).segmentBytes(1 << 20).falsePositiveRate(0.01);
        double missed;
        try (DurableSieve frontier = small.open()) {
            long accepted = frontier.pushAll(FrontierContract.urls(30_000));
            missed = frontier.stats().estimatedMissed();
            assertThat(missed).isBetween((30_000 - accepted) * 0.9, (30_000 - accepted) * 1.1);
        }
        for (long capacity : new long[] {100_000, 100_000, 50_000}) {
            try (DurableSieve frontier = builder()
                    .keepLog(true)
                    .segmentBytes(1 << 20)
                    .falsePositiveRate(0.01)
                    .capacity(capacity)
                    .open()) {
                assertThat(frontier.stats().estimatedMissed()).isBetween(missed, missed + 0.01);
            }
        }
    }

    @Test
    void missedPagesIncludeUrlsSinceTheCheckpoint() throws IOException {
        FakeDisk disk = new FakeDisk();
        DurableSieve.Builder builder = builder().falsePositiveRate(0.01).withoutKeepers();
        DurableSieve frontier = builder.open(disk, () -> {});
        frontier.pushAll(FrontierContract.urls(20_000));
        frontier.checkpoint();
        double before = frontier.stats().estimatedMissed();
        frontier.pushAll(FrontierContract.urls(21_000));
        double after = frontier.stats().estimatedMissed();

        try (DurableSieve next = builder.capacity(100_000).open(disk.afterKill(), () -> {})) {
            assertThat(next.stats().estimatedMissed()).isBetween(before + (after - before) * 0.8, after);
        }
    }

    @Test
    void capacityEventsAreOnceAlsoAcrossRestarts() throws IOException {
        List<Double> events = new ArrayList<>();
        FakeDisk disk = new FakeDisk();
        DurableSieve.Builder builder = builder()
                .capacity(102_400)
                .falsePositiveRate(1e-6)
                .segmentBytes(1 << 20)
                .withoutKeepers()
                .onCapacity(event -> events.add(event.threshold()));
        DurableSieve frontier = builder.open(disk, () -> {});
        int url = 0;
        while (frontier.stats().estimatedSize() < 81_920) {
            frontier.push("http://host/" + url++);
        }
        assertThat(events).isEmpty();

        FakeDisk afterKill = disk.afterKill();
        builder.open(afterKill, () -> {}).close();
        assertThat(events).containsExactly(0.8);

        frontier = builder.open(afterKill, () -> {});
        while (frontier.stats().estimatedSize() < 102_400) {
            frontier.push("http://host/" + url++);
        }
        assertThat(events).containsExactly(0.8);
        frontier.close();
        assertThat(events).containsExactly(0.8, 1.0);
        builder.open(afterKill, () -> {}).close();
        assertThat(events).containsExactly(0.8, 1.0);
    }

    @Test
    void anotherFilterPublishesItsOwnCapacityEvents() throws IOException {
        List<Double> events = new ArrayList<>();
        FakeDisk disk = new FakeDisk();
        DurableSieve.Builder builder = builder().withoutKeepers().onCapacity(event -> events.add(event.threshold()));
        DurableSieve frontier = builder.open(disk, () -> {});
        frontier.pushAll(FrontierContract.urls(11_000));
        frontier.close();
        assertThat(events).containsExactly(0.8, 1.0);

        builder.capacity(13_000).open(disk, () -> {}).close();
        assertThat(events).containsExactly(0.8, 1.0, 0.8);

        builder.open(disk, () -> {}).close();
        assertThat(events).containsExactly(0.8, 1.0, 0.8);
    }

    @ParameterizedTest
    @EnumSource
    void statisticsNameTheFilter(FilterKind kind) throws IOException {
        try (DurableSieve frontier =
                builder().filter(kind).falsePositiveRate(1e-7).open()) {
            frontier.push("http://a.test/");
            assertThat(frontier.stats().filter()).isEqualTo(kind.at(1e-7));
        }
        assertThat(DurableFolder.inspect(directory).stats().filter()).isEqualTo(kind.at(1e-7));
        try (DurableSieve frontier = DurableSieve.builder(directory).open()) {
            assertThat(frontier.stats().filter()).isEqualTo(kind.at(1e-7));
        }
    }

    @Test
    void fewerUrlsThanThereAreCannotBeExpected() throws IOException {
        try (DurableSieve frontier = builder().filter(FilterKind.EXACT).open()) {
            frontier.pushAll(FrontierContract.urls(500));
        }

        assertThatThrownBy(() -> builder().capacity(499).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("499")
                .hasMessageContaining("500");

        try (DurableSieve frontier = builder().capacity(500).open()) {
            assertThat(frontier.stats().capacity()).isEqualTo(500);
            frontier.pushAll(FrontierContract.urls(600));
        }
        try (DurableSieve frontier = builder().capacity(500).open()) {
            assertThat(frontier.stats().accepted()).isEqualTo(600);
        }
    }

    @Test
    void whatCannotBeMadeLeavesNothingBehind() throws IOException {
        assertThatThrownBy(() -> builder().capacity(Long.MAX_VALUE).open())
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(directory).doesNotExist();

        Files.createDirectory(directory);
        assertThatThrownBy(() -> DurableSieve.builder(directory).open()).isInstanceOf(IllegalArgumentException.class);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileThatIsNoFolderIsNamed() throws IOException {
        Files.writeString(directory, "a file");

        assertThatThrownBy(() -> builder().open()).hasMessage(directory + ": not a directory");
        assertThatThrownBy(() -> DurableFolder.inspect(temporary.resolve("nothing")))
                .hasMessage(temporary.resolve("nothing") + ": no such directory");
    }

    private void removeWhatIsDone() throws IOException {
        try (DurableSieve frontier = DurableSieve.builder(directory).open()) {
            for (int i = 0; i < 3; i++) {
                frontier.push("http://more/" + i);
                frontier.checkpoint();
            }
        }
    }

    @Test
    void doneSegmentsAreRemovedAndStillKnown() throws IOException {
        try (DurableSieve frontier = builder().open()) {
            frontier.pushAll(FrontierContract.urls(1000));
            finish(frontier, 1000);
        }
        int before = DurableFolder.inspect(directory).segments();
        removeWhatIsDone();

        assertThat(before).isGreaterThan(5);
        assertThat(DurableFolder.inspect(directory).segments()).isLessThanOrEqualTo(3);
        try (DurableSieve frontier = DurableSieve.builder(directory).open()) {
            assertThat(frontier.pushAll(FrontierContract.urls(1000))).isZero();
            assertThat(frontier.pending()).isEqualTo(3);
        }
    }

    @Test
    void exportPassesOnTheUrlsWithTheseLabels() throws IOException {
        try (DurableSieve frontier = builder().open()) {
            frontier.push("http://page/");
            UrlBatch sitemaps = new UrlBatch(0, 0, null, 1);
            sitemaps.add("http://page/sitemap.xml");
            frontier.pushAll(sitemaps);
        }
        assertThat(export(Export.ALL)).containsExactly("http://page/", "http://page/sitemap.xml");
        List<String> pages = new ArrayList<>();
        assertThat(DurableFolder.export(directory, Export.ALL, label -> label == 0, pages::add))
                .isEqualTo(1);
        assertThat(pages).containsExactly("http://page/");
        try (DurableSieve frontier = DurableSieve.builder(directory).open()) {
            assertThat(FrontierContract.takeAll(frontier, 0))
                    .extracting(Lease::label)
                    .containsExactly(0, 1);
        }
    }

    @Test
    void exportAndInspectionLeaveEverythingAsItIs() throws IOException {
        try (DurableSieve frontier = builder().keepLog(true).open()) {
            frontier.pushAll(FrontierContract.urls(300));
            finish(frontier, 50);
            frontier.take(0);
            frontier.sync();

            assertThat(export(Export.PENDING))
                    .isEqualTo(FrontierContract.urls(300).subList(50, 300));
            assertThat(export(Export.DONE)).isEqualTo(FrontierContract.urls(50));
            assertThat(export(Export.ALL)).isEqualTo(FrontierContract.urls(300));
        }
        DurableState state = DurableFolder.inspect(directory);
        assertThat(state.stats().accepted()).isEqualTo(300);
        assertThat(state.stats().done()).isEqualTo(50);
        assertThat(state.stats().pending()).isEqualTo(250);
        assertThat(state.stats().capacity()).isEqualTo(10_000);
        assertThat(state.inFlight()).isEqualTo(1);
        assertThat(state.logBytes()).isPositive();
        assertThat(state.owner()).isEmpty();
        assertThat(state.problems()).isEmpty();
        assertThat(DurableFolder.repair(directory).findings()).isEmpty();
    }

    @Test
    void damageIsNamedByTheInspectionAndMendedByTheRepair() throws IOException {
        try (DurableSieve frontier = builder().open()) {
            frontier.pushAll(FrontierContract.urls(300));
        }
        Path segment = directory.resolve("log-00000002");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length / 2] ^= 4;
        Files.write(segment, bytes);

        assertThatThrownBy(() -> export(Export.ALL)).hasMessageContaining("log-00000002: damaged at offset");
        RepairReport report = DurableFolder.repair(directory);

        assertThat(report.lost()).isBetween(1L, 64L);
        assertThat(export(Export.ALL)).hasSize((int) (300 - report.lost()));
        assertThat(DurableFolder.inspect(directory).lost()).isEqualTo(report.lost());
    }

    @Test
    void anInterruptedThreadBreaksNothing() throws IOException {
        try (DurableSieve frontier = builder().durability(Durability.ALWAYS).open()) {
            Thread.currentThread().interrupt();
            assertThat(frontier.pushAll(FrontierContract.urls(300))).isEqualTo(300);
            finish(frontier, 100);
            frontier.checkpoint();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(frontier.pending()).isEqualTo(200);
        }
    }

    @Test
    void aKeyThatIsTheBeginningOfItsUrlIsSeenAfterAReplay() throws IOException {
        byte[] url = "http://a/#top".getBytes(StandardCharsets.US_ASCII);
        try (DurableSieve frontier = builder().keepLog(true).open()) {
            UrlBatch batch = new UrlBatch();
            batch.add(url, 0, url.length, url, 0, 9);
            frontier.pushAll(batch);
        }
        try (DurableSieve frontier = builder().keepLog(true).seed(2).open()) {
            assertThat(frontier.push("http://a/")).isFalse();
            assertThat(frontier.take(0).url()).isEqualTo("http://a/#top");
        }
    }

    @Test
    void theFilterIsChosenByNameAndKept() throws IOException {
        try (DurableSieve frontier = builder().filter(FilterKind.CLASSIC).open()) {
            frontier.pushAll(FrontierContract.urls(1000));
        }
        try (DurableSieve frontier = builder().onFull(OnFull.FAIL).open()) {
            assertThat(frontier.pushAll(FrontierContract.urls(1000))).isZero();
            assertThat(frontier.stats().memoryBytes())
                    .isEqualTo(FilterKind.CLASSIC.create(10_000, 1e-4, 1).memoryBytes());
        }
        assertThat(directory.resolve("settings")).content().contains("\nfilter classic\n");
        assertThatThrownBy(() ->
                        builder().filter(FilterKind.GROWING).onFull(OnFull.WARN).open())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void splitBlocksAreWrittenUnderTheNameThatTheyAlwaysHad() throws IOException {
        builder().filter(FilterKind.SPLIT_BLOCKS).open().close();

        assertThat(directory.resolve("settings")).content().contains("\nfilter bloom\n");
    }

    @Test
    void aGrowingFrontierKeepsGrowingWhenItIsOpenedAgain() throws IOException {
        try (DurableSieve frontier = DurableSieve.builder(directory)
                .capacity(1000)
                .onFull(OnFull.GROW)
                .open()) {
            frontier.pushAll(FrontierContract.urls(3000));
        }
        try (DurableSieve frontier = DurableSieve.builder(directory).open()) {
            frontier.pushAll(FrontierContract.urls(6000));
            assertThat(frontier.stats().falsePositiveRate()).isLessThan(1e-4);
            assertThat(frontier.stats().accepted()).isGreaterThan(5990);
        }
    }

    @Test
    void whatIsTooLongIsRefusedAndNothingOfItsBatchAccepted() throws IOException {
        try (DurableSieve frontier = builder().open()) {
            UrlBatch batch = new UrlBatch();
            batch.add("http://a/");
            batch.add("x".repeat(1_048_577));

            assertThatThrownBy(() -> frontier.pushAll(batch))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1048577");
            assertThat(frontier.pending()).isZero();
            assertThat(frontier.push("y".repeat(1_048_576))).isTrue();
            assertThat(frontier.take(0).url()).hasSize(1_048_576);
        }
    }

    @Test
    void afterCloseNothingIsAccepted() throws IOException {
        DurableSieve frontier = builder().open();
        frontier.close();
        frontier.close();

        assertThatThrownBy(() -> frontier.push("http://a/")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCheckpointThatDoesNotFitStopsNothing() throws Exception {
        Path mount = Files.createDirectory(temporary.resolve("small"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=1400k,mode=700", "tmpfs", mount.toString()),
                "no tmpfs can be mounted here");
        try {
            directory = mount.resolve("frontier");
            DurableSieve frontier = builder().capacity(200_000).open();
            for (int i = 0; i < 2; i++) {
                frontier.push("http://early/" + i);
                frontier.checkpoint();
            }
            frontier.push("http://early/2");
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(frontier::checkpoint).hasMessageContaining("checkpoint-00000003: no room");
            }
            frontier.pushAll(FrontierContract.urls(500));
            assertThat(directory.resolve("checkpoint.tmp")).doesNotExist();
            assertThatThrownBy(frontier::close).hasMessageContaining("no room");

            try (DurableSieve next = builder().capacity(200_000).open()) {
                assertThat(next.pending()).isEqualTo(503);
                next.pushAll(FrontierContract.urls(600));
                run("mount", "-o", "remount,size=4m", mount.toString());
            }
        } finally {
            run("umount", "-l", mount.toString());
        }
    }

    @Test
    void aFullDiskStopsTheFrontierAndLosesNothing() throws Exception {
        Path mount = Files.createDirectory(temporary.resolve("full"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", mount.toString()),
                "no tmpfs can be mounted here");
        try {
            fillAndReopen(mount);
        } finally {
            run("umount", "-l", mount.toString());
        }
    }

    private void fillAndReopen(Path mount) throws IOException {
        directory = mount.resolve("frontier");
        List<String> accepted = new ArrayList<>();
        DurableSieve full = builder().capacity(1000).open();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        String url = "http://host" + i + ".example/" + "x".repeat(500);
                        if (full.push(url)) {
                            accepted.add(url);
                        }
                    }
                })
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("space");
        assertThatThrownBy(() -> full.push("http://late/")).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(full::close).isInstanceOf(UncheckedIOException.class);
        assertThat(accepted).hasSizeGreaterThan(20);

        assertThat(export(Export.PENDING)).isEqualTo(accepted);
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(300, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
