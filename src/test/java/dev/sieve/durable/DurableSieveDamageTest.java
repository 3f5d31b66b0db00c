package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapturedLog;
import dev.sieve.FrontierContract;
import dev.sieve.Tier;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not what was written into them. */
class DurableSieveDamageTest {
    private final CapturedLog log = new CapturedLog();
    private final FakeDisk disk = new FakeDisk();
    /** After each push: how long the last segment is, how many URLs there are, and which are not done. */
    private final List<Integer> lengths = new ArrayList<>();

    private final List<Integer> accepted = new ArrayList<>();
    private final List<List<String>> open = new ArrayList<>();

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** Small, so that much of what is damaged at random is not the filter. */
    private long capacity = 300;

    private long segmentBytes = 5000;

    private DurableSieve.Builder builder() {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(capacity)
                .falsePositiveRate(1e-6)
                .seed(9)
                .segmentBytes(segmentBytes)
                .withoutKeepers();
    }

    private DurableSieve open(FakeDisk disk) throws IOException {
        return builder().open(disk, () -> {});
    }

    private static List<String> drain(DurableSieve frontier) {
        List<String> urls = new ArrayList<>();
        FrontierContract.takeAll(frontier, 0).forEach(lease -> urls.add(lease.url()));
        return urls;
    }

    /** Pushes and works; every page is done after its links were pushed. */
    private DurableSieve run(int pages, boolean withCheckpoints) throws IOException {
        DurableSieve frontier = open(disk);
        List<String> waiting = new ArrayList<>();
        int next = 0;
        for (int page = 0; page < pages; page++) {
            UrlBatch batch = new UrlBatch(1, 0, "http://host/page/" + page);
            for (int i = 0; i < 3 + page % 3; i++) {
                batch.add("http://host/a/" + "b/".repeat(page % 5) + next++);
                waiting.add(batch.url(i));
            }
            frontier.pushAll(batch);
            lengths.add(disk.bytes(FrontierFiles.segment(lastSegment(disk))).length);
            accepted.add(next);
            open.add(List.copyOf(waiting));
            frontier.done(frontier.take(0));
            waiting.remove(0);
            if (withCheckpoints && page % 20 == 11) {
                frontier.checkpoint();
            }
        }
        return frontier;
    }

    private static int lastSegment(FakeDisk disk) throws IOException {
        return FrontierFiles.list(disk).logs().last();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLogCutAtAnyByteKeepsAllBeforeIt(boolean withCheckpoints) throws IOException {
        run(100, withCheckpoints);
        String name = FrontierFiles.segment(lastSegment(disk));
        byte[] whole = disk.bytes(name);
        int first = Math.max(0, whole.length - 4096);
        if (withCheckpoints) {
            first = Math.max(first, (int) newest(disk).forced().offset());
        }
        for (int length = first; length < whole.length; length += Tier.of(5, 1)) {
            FakeDisk cut = disk.afterKill();
            cut.replace(name, Arrays.copyOf(whole, length));
            log.clear();

            DurableSieve frontier = open(cut);

            int before = lastAtMost(length, whole.length);
            if (before >= 0) {
                assertThat(frontier.stats().accepted()).isEqualTo((long) accepted.get(before));
                List<String> found = drain(frontier);
                assertThat(open.get(before)).endsWith(found.toArray(String[]::new));
                assertThat(open.get(before).size() - found.size()).isBetween(0, 1);
            }
            assertThat(log.lines()).hasSizeLessThanOrEqualTo(1);
            if (!log.lines().isEmpty()) {
                assertThat(log.lines().get(0)).contains(name, "cut off at offset", "bytes", ".broken");
                assertThat(cut.names()).anyMatch(file -> file.startsWith(name) && file.endsWith(".broken"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLogCutAtAnyByteBeforeItsStoredEndIsRefused(boolean withCheckpoints) throws IOException {
        DurableSieve frontier = run(30, withCheckpoints);
        frontier.sync(); // stores the end; no frame says that it was forced
        String name = FrontierFiles.segment(lastSegment(disk));
        byte[] whole = disk.bytes(name);
        List<String> all = open.get(29);
        int first = Math.max(Segment.HEADER_BYTES, whole.length - 300);
        for (int length = first; length < whole.length; length += Tier.of(3, 1)) {
            FakeDisk cut = disk.afterKill();
            cut.replace(name, Arrays.copyOf(whole, length));

            assertThatThrownBy(() -> open(cut))
                    .isInstanceOf(DamageException.class)
                    .hasMessageContainingAll(name, "written up to " + name + ", offset " + whole.length);
            DurableState state = Inspection.of(cut, inspection -> inspection.state(OptionalLong.empty()));
            assertThat(state.problems()).isNotEmpty();

            RepairReport report = Repair.run(cut);
            assertThat(report.findings()).isNotEmpty();
            assertThat(report.lostBytes()).isPositive();
            List<String> found = drain(open(cut));
            assertThat(all.stream().filter(url -> !found.contains(url))).hasSizeLessThanOrEqualTo((int) report.lost());
            assertThat(Repair.run(cut).findings()).isEmpty();
        }
    }

    @Test
    void aMissingOrForeignStoredEndIsIgnored() throws IOException {
        run(10, false).sync();
        byte[] whole = disk.bytes(LogEnd.NAME);
        List<String> left = drain(open(disk.afterKill()));
        for (int length = 0; length < whole.length; length++) {
            FakeDisk cut = disk.afterKill();
            cut.replace(LogEnd.NAME, Arrays.copyOf(whole, length));
            assertThat(drain(open(cut))).isEqualTo(left);
        }
        FakeDisk missing = disk.afterKill();
        missing.delete(LogEnd.NAME);
        assertThat(drain(open(missing))).isEqualTo(left);
        FakeDisk foreign = disk.afterKill();
        new LogEnd(LogEnd.read(disk).frontierId() + 1, LogPosition.LAST, 1).write(foreign);
        assertThat(drain(open(foreign))).isEqualTo(left);
    }

    private static Checkpoint newest(FakeDisk disk) throws IOException {
        return Checkpoint.read(disk, FrontierFiles.list(disk).checkpoints().last());
    }

    /** The last push that ended at such a length of the last segment; negative when it was in an earlier one. */
    private int lastAtMost(int length, int whole) {
        int push = lengths.size() - 1;
        while (push >= 0 && lengths.get(push) > length && lengths.get(push) <= whole) {
            push--;
        }
        return push >= 0 && lengths.get(push) <= length && isInLastSegment(push) ? push : -1;
    }

    private boolean isInLastSegment(int push) {
        for (int i = push; i + 1 < lengths.size(); i++) {
            if (lengths.get(i + 1) < lengths.get(i)) {
                return false;
            }
        }
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 512, 8192})
    void zerosBehindTheLogAreNoRecords(int zeros) throws IOException {
        DurableSieve frontier = run(10, false);
        List<String> left = new ArrayList<>(open.get(9));
        left.remove(0);
        frontier.sync();
        String name = FrontierFiles.segment(lastSegment(disk));
        byte[] bytes = disk.bytes(name);
        disk.replace(name, Arrays.copyOf(bytes, bytes.length + zeros));

        assertThat(drain(open(disk))).isEqualTo(left);
        assertThat(log.lines()).singleElement().asString().contains(name, "offset " + bytes.length, zeros + " bytes");
        assertThat(disk.bytes(name)).hasSize(bytes.length);
        assertThat(disk.bytes(name + "-" + bytes.length + ".broken")).hasSize(zeros);
    }

    @Test
    void anySingleBitThatFlipsIsFoundOrDoesNotMatter() throws IOException {
        segmentBytes = 800;
        DurableSieve frontier = run(60, true);
        frontier.push("http://host/last");
        frontier.sync();
        frontier.push("http://host/after");
        List<String> left = drain(open(disk.afterKill()));
        Random random = new Random(1);
        List<String> names = new ArrayList<>(disk.names());
        names.sort(null);
        int refused = 0;
        for (int flip = 0; flip < Tier.of(4000, 100_000); flip++) {
            String name = names.get(random.nextInt(names.size()));
            byte[] bytes = disk.bytes(name);
            int bit = random.nextInt(8 * bytes.length);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            FakeDisk flipped = disk.afterKill();
            flipped.replace(name, bytes);
            log.clear();
            if (!isSameOrWarned(flipped, left)) {
                refused++;
                if (flip % 10 == 0) {
                    requireRepairable(flipped, left);
                }
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }

    /** Answers false when the damage was refused by name; fails when it went unnoticed. */
    private boolean isSameOrWarned(FakeDisk flipped, List<String> left) {
        try {
            List<String> found = drain(open(flipped));
            if (log.lines().isEmpty()) {
                assertThat(found).isEqualTo(left);
            } else {
                assertThat(log.lines()).allMatch(line -> line.contains("log-") || line.contains("checkpoint"));
                assertThat(new HashSet<>(left).containsAll(found)).isTrue();
            }
            return true;
        } catch (UncheckedIOException e) {
            assertThat(e.getCause()).hasMessageMatching("(?s).*(log-|checkpoint-|settings).*offset \\d+.*");
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?s).*(log-|checkpoint-|settings).*(offset \\d+|checksum).*");
        }
        return false;
    }

    private void requireRepairable(FakeDisk damaged, List<String> left) throws IOException {
        RepairReport report = Repair.run(damaged);
        log.clear();

        List<String> found = drain(open(damaged));

        assertThat(report.findings()).isNotEmpty();
        Set<String> kept = new HashSet<>(found);
        kept.retainAll(new HashSet<>(left));
        assertThat(left.size() - kept.size()).isLessThanOrEqualTo((int) report.lost());
        assertThat(report.lost()).isLessThanOrEqualTo(64);
        assertThat(report.lostBytes()).isLessThan(6000);
        assertThat(Repair.run(damaged).findings()).isEmpty();
    }

    @Test
    void repairLosesOnlyDamagedRecordsWhichAreFoundAgain() throws IOException {
        capacity = 20_000;
        DurableSieve frontier = run(100, false);
        frontier.close();
        byte[] bytes = disk.bytes(FrontierFiles.segment(1));
        bytes[bytes.length - 200] ^= 1;
        disk.replace(FrontierFiles.segment(1), bytes);
        assertThatThrownBy(() -> drain(open(disk.copy())))
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(DamageException.class)
                .hasMessageContaining("log-00000001: damaged at offset");

        RepairReport report = Repair.run(disk);

        assertThat(report.lost()).isBetween(3L, 5L);
        assertThat(report.urls()).isEqualTo(accepted.get(99) - report.lost());
        assertThat(report.findings()).singleElement().asString().contains("log-00000001: damaged at offset");
        assertThat(disk.bytes("log-00000001.broken")).isEqualTo(bytes);
        DurableSieve repaired = open(disk);
        assertThat(repaired.stats().accepted()).isEqualTo(report.urls());
        int again = 0;
        for (int i = 0; i < accepted.get(99); i++) {
            for (int depth = 0; depth < 5; depth++) {
                again += repaired.push("http://host/a/" + "b/".repeat(depth) + i) ? 1 : 0;
            }
        }
        assertThat(again).isEqualTo(4 * accepted.get(99) + (int) report.lost());
    }

    @Test
    void aMissingSegmentIsNamedAndCanBeRepaired() throws IOException {
        run(100, false).close();
        disk.delete(FrontierFiles.segment(2));

        assertThatThrownBy(() -> open(disk))
                .isInstanceOfSatisfying(DamageException.class, damage -> {
                    assertThat(damage.file()).hasValue("log-00000002");
                    assertThat(damage.offset()).hasValue(0);
                })
                .hasMessageContaining("log-00000002");

        RepairReport report = Repair.run(disk);
        assertThat(report.lost()).isBetween(1L, 200L);
        DurableSieve frontier = open(disk);
        assertThat(frontier.stats().accepted()).isEqualTo(report.urls());
        assertThat(open.get(99)).containsAll(drain(frontier));
    }

    @Test
    void theDamageThatEndsAnExportNamesItsFile() throws IOException {
        run(100, false).close();
        byte[] bytes = disk.bytes("checkpoint-00000001");
        bytes[20] ^= 1;
        disk.replace("checkpoint-00000001", bytes);

        Inspection inspection = Inspection.of(disk);
        assertThatThrownBy(() -> inspection.export(Export.ALL, label -> true, url -> {}))
                .isInstanceOfSatisfying(DamageException.class, damage -> {
                    assertThat(damage.file()).hasValue("checkpoint-00000001");
                    assertThat(damage.offset()).hasValue(8);
                });
        assertThat(inspection.state(OptionalLong.empty()).problems())
                .singleElement()
                .asString()
                .startsWith("checkpoint-00000001: damaged at offset 8");
    }

    @Test
    void settingsThatAreMissingBesideALogAreDamage() throws IOException {
        run(10, false).close();
        disk.delete(Settings.NAME);

        assertThatThrownBy(() -> open(disk))
                .isInstanceOfSatisfying(
                        DamageException.class,
                        damage -> assertThat(damage.file()).isEmpty())
                .hasMessageContaining("settings: the file is missing");
    }

    @Test
    void aSegmentUnderAnotherNameIsRefused() throws IOException {
        run(100, false).close();
        disk.replace(FrontierFiles.segment(2), disk.bytes(FrontierFiles.segment(1)));

        assertThatThrownBy(() -> drain(open(disk))).hasMessageContaining("log-00000002");
    }

    @Test
    void foreignFilesAreLeftAlone() throws IOException {
        run(10, false).close();
        disk.replace("notes.txt", new byte[10]);
        disk.replace("log-1", new byte[10]);
        disk.replace("log-00000000", new byte[10]);
        disk.replace("checkpoint-0000000x", new byte[10]);

        open(disk).close();

        assertThat(disk.names()).contains("notes.txt", "log-1", "log-00000000", "checkpoint-0000000x");
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void repairKeepsTheFrontierBesideAForeignSegment() throws IOException {
        FakeDisk other = new FakeDisk();
        try (DurableSieve frontier = builder().open(other, () -> {})) {
            for (int i = 0; i < 100; i++) {
                frontier.push("http://other/" + i);
            }
        }
        segmentBytes = 500;
        try (DurableSieve frontier = run(100, true)) {
            for (int i = 0; i < 150; i++) {
                frontier.done(frontier.take(0));
            }
            frontier.checkpoint();
            frontier.checkpoint();
        }
        assertThat(disk.names()).doesNotContain("log-00000001");
        byte[] settings = disk.bytes(Settings.NAME);
        List<String> left = drain(open(disk.copy()));
        byte[] foreign = other.bytes("log-00000001");
        disk.replace("log-00000001", foreign);
        assertThat(drain(open(disk.copy()))).isEqualTo(left);

        RepairReport report = Repair.run(disk);

        assertThat(report.findings()).containsExactly("log-00000001: belongs to another frontier; kept as .broken");
        assertThat(report.lost()).isZero();
        assertThat(report.lostBytes()).isZero();
        assertThat(disk.bytes(Settings.NAME)).isEqualTo(settings);
        assertThat(disk.bytes("log-00000001.broken")).isEqualTo(foreign);
        assertThat(drain(open(disk))).isEqualTo(left);
    }

    @Test
    void segmentsAreDeletedSoonAfterTheirUrlsAreDone() throws IOException {
        segmentBytes = 500;
        DurableSieve frontier = builder().checkpointBytes(1500).open(disk, () -> {});
        for (int i = 0; i < 400; i++) {
            frontier.push("http://host/" + i + "/".repeat(50));
        }
        frontier.checkpoint();
        assertThat(frontier.isCheckpointDue()).isFalse();
        int before = FrontierFiles.list(disk).logs().size();
        for (int i = 0; i < 100; i++) {
            frontier.done(frontier.take(0));
        }
        assertThat(frontier.isCheckpointDue()).isTrue();
        frontier.checkpoint();
        assertThat(FrontierFiles.list(disk).logs().size()).isLessThan(before - 10);
        assertThat(frontier.isCheckpointDue()).isFalse();
        for (int i = 0; i < 300; i++) {
            frontier.done(frontier.take(0));
        }
        frontier.close();
        assertThat(FrontierFiles.list(disk).logs()).hasSizeLessThan(5);
    }

    @Test
    void withoutCheckpointsTheLogMakesTheFilterWithAWarning() throws IOException {
        run(60, true).close();
        List<String> left = drain(open(disk.copy()));
        for (int number : FrontierFiles.list(disk).checkpoints()) {
            byte[] bytes = disk.bytes(FrontierFiles.checkpoint(number));
            disk.replace(FrontierFiles.checkpoint(number), Arrays.copyOf(bytes, bytes.length / 2));
        }
        FakeDisk kept = disk.copy();

        if (FrontierFiles.list(disk).isLogWhole()) {
            assertThat(drain(open(kept))).isEqualTo(left);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("made again"))
                    .hasSize(1);
        } else {
            assertThatThrownBy(() -> open(kept))
                    .isInstanceOf(DamageException.class)
                    .hasMessageContaining("checkpoint");
            Repair.run(kept);
            assertThat(drain(open(kept))).isEqualTo(left);
        }
    }

    @Test
    void theLogOfAnEarlierTimeIsRefused() throws IOException {
        DurableSieve frontier = run(20, false);
        FakeDisk earlier = disk.afterKill();
        frontier.close();
        String name = FrontierFiles.segment(1);
        disk.replace(name, Arrays.copyOf(earlier.bytes(name), earlier.bytes(name).length / 2));

        assertThatThrownBy(() -> open(disk)).hasMessageContaining("log-00000001");
        assertThat(Repair.run(disk).lost()).isPositive();
        open(disk).close();
    }

    @Test
    void aLaterVersionIsRefusedByItsNumber() throws IOException {
        run(3, false).close();
        FakeDisk later = disk.copy();
        String text = new String(later.bytes(Settings.NAME), java.nio.charset.StandardCharsets.US_ASCII);
        String lines = text.substring(0, text.indexOf("crc ")).replace("sieve-frontier 1", "sieve-frontier 2");
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(lines.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        later.replace(
                Settings.NAME,
                (lines + String.format("crc %08x\n", (int) crc.getValue()))
                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII));

        assertThatThrownBy(() -> open(later)).hasMessageContaining("version 2").hasMessageContaining("reads version 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aSegmentOfAnotherVersionIsRefused(int version) throws IOException {
        run(3, false);
        FakeDisk other = disk.afterKill();
        String name = FrontierFiles.segment(1);
        byte[] bytes = other.bytes(name);
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        header.putInt(8, version);
        crc.update(bytes, 0, Segment.HEADER_BYTES - 4);
        header.putInt(Segment.HEADER_BYTES - 4, (int) crc.getValue());
        other.replace(name, bytes);

        assertThatThrownBy(() -> open(other))
                .hasMessageContaining(
                        "log-00000001: its format has version " + version + ", this Sieve reads version 2");
        assertThatThrownBy(() -> Repair.run(other)).hasMessageContaining("version " + version);
    }

    /** Returns the disk after a kill, with a changed bit in the middle of the only segment. */
    private FakeDisk killedWithAFlippedBit() throws IOException {
        capacity = 20_000;
        segmentBytes = 1 << 20;
        run(100, false);
        FakeDisk killed = disk.afterKill();
        byte[] bytes = killed.bytes(FrontierFiles.segment(1));
        bytes[bytes.length / 2] ^= 1;
        killed.replace(FrontierFiles.segment(1), bytes);
        return killed;
    }

    @Test
    void aFlippedUnforcedBitCostsOnlyItsFrame() throws IOException {
        FakeDisk killed = killedWithAFlippedBit();
        byte[] bytes = killed.bytes(FrontierFiles.segment(1));
        DurableState state = Inspection.of(killed, inspection -> inspection.state(OptionalLong.empty()));
        assertThat(state.problems()).isNotEmpty();
        log.clear();

        DurableSieve frontier = open(killed);

        assertThat(frontier.stats().accepted()).isBetween((long) accepted.get(99) - 5, (long) accepted.get(99));
        assertThat(log.lines()).singleElement().asString().contains("log-00000001", "damaged from offset", "bytes");
        assertThat(killed.bytes("log-00000001.broken")).isEqualTo(bytes);
        List<String> found = drain(frontier);
        // Results behind the damage do not count, since URLs found on their pages may have been lost.
        assertThat(found).hasSizeGreaterThan(open.get(99).size());
        Set<String> missing = new HashSet<>(open.get(99));
        missing.removeAll(new HashSet<>(found));
        assertThat(missing).hasSizeLessThanOrEqualTo(6);
        frontier.close();
        log.clear();
        assertThat(drain(open(killed))).isEqualTo(found);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void withoutLogAndCheckpointItIsRefusedUnchanged() throws IOException {
        run(60, true).close();
        for (String name : disk.names()) {
            if (name.startsWith("log-")) {
                disk.delete(name);
            } else if (name.startsWith("checkpoint-")) {
                disk.replace(name, Arrays.copyOf(disk.bytes(name), 100));
            }
        }
        List<String> names = disk.names();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> open(disk))
                    .isInstanceOf(DamageException.class)
                    .hasMessageContaining("log-00000001");
            assertThat(disk.names()).containsExactlyInAnyOrderElementsOf(names);
        }
        RepairReport report = Repair.run(disk);
        assertThat(report.findings()).anyMatch(finding -> finding.contains("their number is unknown"));
        open(disk).close();
    }

    @Test
    void settingsWithoutALogAreDamage() throws IOException {
        run(10, false);
        disk.delete(FrontierFiles.segment(1));
        assertThatThrownBy(() -> open(disk)).isInstanceOf(DamageException.class).hasMessageContaining("log-00000001");
    }

    @Test
    void aRemovedSegmentWithoutACheckpointCountsAsLost() throws IOException {
        segmentBytes = 800;
        run(60, false);
        disk.delete(FrontierFiles.segment(1));

        RepairReport report = Repair.run(disk);

        assertThat(report.lost()).isPositive().isEqualTo(accepted.get(59) - report.urls());
        assertThat(report.findings())
                .anyMatch(finding -> finding.contains("at least " + report.lost() + " URLs, finished ones included"));
        assertThat(open.get(59)).containsAll(drain(open(disk)));
    }

    @Test
    void finishedUrlsThatAreNewAgainAreCounted() throws IOException {
        capacity = 20_000;
        segmentBytes = 800;
        run(100, true).close();
        assertThat(FrontierFiles.list(disk).logs().first()).isGreaterThan(1);
        for (int number : FrontierFiles.list(disk).checkpoints()) {
            disk.replace(FrontierFiles.checkpoint(number), new byte[50]);
        }

        RepairReport report = Repair.run(disk);

        long gone = accepted.get(99) - report.urls();
        assertThat(gone).isPositive();
        assertThat(report.findings())
                .anyMatch(finding -> finding.contains("at least " + gone + " URLs, finished ones included, are new"));
    }

    @Test
    void anEndThatIsMissingCountsUpToWhereItWasOnTheDisk() throws IOException {
        run(60, true).close();
        long end = newest(disk).forced().offset();
        disk.delete(FrontierFiles.segment(newest(disk).forced().segment()));

        // Also in a later report, without the header and the frame that stands for the missing file.
        assertThat(Repair.run(disk).lostBytes()).isBetween(end - 50, end);
        assertThat(Repair.run(disk).lostBytes()).isBetween(end - 50, end);
    }

    @Test
    void theMarkOfAnInterruptedRepairMayBeEmptyOrDamaged() throws IOException {
        run(10, true).close();
        byte[] whole = CheckedText.seal("lost-bytes 7\nlog-00000009: a finding\n");
        for (byte[] mark : List.of(new byte[0], new byte[20], Arrays.copyOf(whole, 30), whole)) {
            disk.replace(FrontierFiles.REPAIR, mark);
            assertThatThrownBy(() -> open(disk)).isInstanceOf(DamageException.class);

            RepairReport report = Repair.run(disk);

            assertThat(report.lostBytes()).isEqualTo(mark == whole ? 7 : 0);
            assertThat(report.findings()).hasSize(mark == whole ? 2 : 1).allMatch(finding -> !finding.isEmpty());
            open(disk).close();
        }
    }

    @Test
    void aRepairThatContinuesAnotherMakesTheSameFilter() throws IOException {
        run(10, true).close();
        disk.replace(FrontierFiles.segment(1), new byte[40]);
        FakeDisk repaired = disk.copy();
        RepairReport whole = Repair.run(repaired);
        boolean isNew = open(repaired.copy()).push("http://host/a/0");
        int lastCall = repaired.calls() - 1; // after which the repair is complete
        for (int call = 0; call < lastCall; call++) {
            FakeDisk interrupted = disk.copy();
            interrupted.failFrom(call, FakeDisk.Fault.REFUSED);
            assertThatThrownBy(() -> Repair.run(interrupted)).isInstanceOf(IOException.class);
            FakeDisk next = interrupted.afterKill();

            RepairReport report = Repair.run(next);

            assertThat(report.findings()).containsAll(whole.findings());
            assertThat(open(next).push("http://host/a/0")).as("at call " + call).isEqualTo(isNew);
        }
    }

    @Test
    void strayFilesWithHighNumbersDoNotStopAFrontier() throws IOException {
        run(30, true).close();
        for (int number : new int[] {99_999_999, 99_999_998}) {
            for (String name : List.of(FrontierFiles.segment(number), FrontierFiles.checkpoint(number))) {
                FakeDisk stray = disk.copy();
                stray.replace(name, new byte[40]);
                FakeDisk other = stray.copy();
                Repair.run(other);
                for (FakeDisk found : List.of(stray, other)) {
                    DurableSieve frontier = open(found);
                    frontier.push("http://later/");
                    frontier.close();
                    assertThat(drain(open(found))).contains("http://later/");
                }
            }
        }
    }

    @Test
    void aStrayFileWithAHighNumberBehindAHoleIsPutAside() throws IOException {
        FakeDisk killed = killedWithAFlippedBit();
        List<String> left = drain(open(killed.copy()));
        byte[] foreign = new Segment(1, 0).header(17);
        for (byte[] content : List.of(new byte[40], foreign, disk.bytes(FrontierFiles.segment(1)))) {
            FakeDisk stray = killed.copy();
            stray.replace(FrontierFiles.segment(99_999_998), content);
            Inspection.of(stray, inspection -> inspection.state(OptionalLong.empty()));
            FakeDisk repaired = stray.copy();
            Repair.run(repaired);
            assertThat(drain(open(repaired))).isNotEmpty();

            assertThat(drain(open(stray))).isEqualTo(left);

            assertThat(stray.names()).contains("log-99999998.broken").doesNotContain("log-99999998");
        }
    }

    @Test
    void brokenFilesDoNotPileUp() throws IOException {
        for (int crash = 0; crash < 5; crash++) {
            DurableSieve frontier = open(disk);
            frontier.push("http://host/" + crash);
            frontier.checkpoint();
            String name = FrontierFiles.segment(lastSegment(disk));
            byte[] bytes = disk.bytes(name);
            disk.replace(name, Arrays.copyOf(bytes, bytes.length + 20));
            FrontierFiles files = FrontierFiles.list(disk);
            disk.replace(FrontierFiles.checkpoint(files.checkpoints().last() + 1), new byte[30]);
        }
        open(disk).close();

        assertThat(disk.names()).filteredOn(name -> name.endsWith(".broken")).hasSize(2);
    }

    @Test
    void stateAndExportOfABusyFrontierShowNoProblem() throws IOException, InterruptedException {
        segmentBytes = 600;
        capacity = 50_000;
        DurableSieve frontier = open(disk);
        Thread worker = new Thread(() -> {
            for (int i = 0; i < 3000; i++) {
                frontier.push("http://host/" + i);
                frontier.done(frontier.take(0));
                if (i % 50 == 49) {
                    frontier.checkpoint();
                }
            }
        });
        worker.start();
        do {
            assertThat(Inspection.of(disk, inspection -> inspection.state(OptionalLong.of(1)))
                            .problems())
                    .isEmpty();
            Inspection.of(disk).export(Export.ALL, label -> true, url -> {});
        } while (worker.isAlive());
        worker.join();
    }

    @Test
    void contentsThatAreNotValidLeaveAnEmptyBatch() throws IOException {
        FrameWriter out = new FrameWriter();
        out.begin(FrameKind.URLS);
        out.putNumbers(7, 0, 0, 0, 0, 6);
        out.put("abc".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, 3);
        out.putNumbers(1 << 20);
        out.end();
        disk.replace("frames", Arrays.copyOf(out.bytes(), out.size()));
        UrlFrameReader urls = new UrlFrameReader();
        try (FrameReader reader = new FrameReader("frames", disk.read("frames"), 0, 100)) {
            assertThat(reader.next()).isTrue();
            assertThatThrownBy(() -> urls.read(reader)).isInstanceOf(DamageException.class);
        }
        assertThat(urls.batch().isEmpty()).isTrue();
        assertThat(urls.endId()).isEqualTo(urls.firstId());
    }
}
