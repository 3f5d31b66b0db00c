package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.Tier;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Folders with random damage, compared with what was accepted and done: after a repair an open succeeds, what is lost was
 * reported, and nothing fails in another way than documented.
 */
class RandomDamageTest {
    private static final int DAMAGES = Tier.of(30, 75, 5000);
    private static final Pattern NEW_AGAIN = Pattern.compile("at least (\\d+) URLs, finished ones included, are new");

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** A URL that was accepted, with the end of the log at that time. */
    private record Accepted(String url, LogPosition end) {}

    /** A run, its folder, and that folder at an earlier time. */
    private static final class Run {
        final Random random;
        final FakeDisk disk = new FakeDisk();
        final List<FakeDisk> earlier = new ArrayList<>();
        final List<Accepted> accepted = new ArrayList<>();
        final Set<String> done = new HashSet<>();
        final boolean keepLog;

        Run(long seed) throws IOException {
            random = new Random(seed);
            keepLog = random.nextInt(3) == 0;
            int segmentBytes = 300 + random.nextInt(2500);
            int rounds = 10 + random.nextInt(40);
            int checkpoints = 3 + random.nextInt(20);
            DurableSieve frontier = open(disk, segmentBytes, keepLog);
            for (int round = 0; round < rounds; round++) {
                round(frontier, round);
                if (round % checkpoints == checkpoints - 1) {
                    frontier.checkpoint();
                    earlier.add(disk.copy());
                }
                if (round % 5 == 0) {
                    earlier.add(disk.copy());
                }
                if (random.nextInt(15) == 0) {
                    frontier.close();
                    frontier = open(disk, segmentBytes, keepLog);
                }
            }
            if (random.nextBoolean()) {
                frontier.close();
            } else {
                frontier.sync();
            }
        }

        private void round(DurableSieve frontier, int round) throws IOException {
            UrlBatch batch = new UrlBatch(1, 0, "http://host/page/" + round);
            int count = 1 + random.nextInt(9);
            for (int i = 0; i < count; i++) {
                batch.add("http://host/" + "long/".repeat(round % 4) + accepted.size() + "/" + i);
            }
            frontier.pushAll(batch);
            int last = FrontierFiles.list(disk).logs().last();
            LogPosition end = new LogPosition(last, disk.bytes(FrontierFiles.segment(last)).length);
            for (int i = 0; i < count; i++) {
                accepted.add(new Accepted(batch.url(i), end));
            }
            for (int i = random.nextInt(9); i > 0; i--) {
                Lease lease = frontier.take(0);
                if (lease != null && random.nextInt(6) == 0) {
                    frontier.retry(lease, 0);
                } else if (lease != null) {
                    frontier.done(lease);
                    done.add(lease.url());
                }
            }
            if (random.nextInt(3) == 0) {
                frontier.sync();
            }
        }
    }

    private static DurableSieve open(FakeDisk disk, int segmentBytes, boolean keepLog) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .filter(FilterKind.EXACT)
                .seed(3)
                .segmentBytes(segmentBytes)
                .keepLog(keepLog)
                .withoutKeepers()
                .open(disk, () -> {});
    }

    private static DurableSieve reopen(FakeDisk disk) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .segmentBytes(2000)
                .withoutKeepers()
                .open(disk, () -> {});
    }

    /** What came of all damages; for the message. */
    private final TreeMap<String, Integer> counts = new TreeMap<>();

    private String why = "";

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    @Test
    void afterARepairTheFolderOpensAndWhatIsLostWasReported() throws IOException {
        Run run = null;
        for (int i = 0; i < DAMAGES; i++) {
            run = i % 10 == 0 ? new Run(i) : run;
            FakeDisk damaged = run.disk.copy();
            RandomDamage damage = new RandomDamage(new Random(i), damaged, run.earlier);
            for (int times = 1 + new Random(i).nextInt(3); times > 0; times--) {
                damage.apply();
            }
            String name = "damage " + i + ": " + damage.applied();
            log.clear();
            try {
                check(run, damaged, name);
                if (i % 20 == 0) {
                    checkInterrupted(run, damaged);
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(name, e);
            }
        }
        System.out.println("random damages: " + DAMAGES + " " + counts);
    }

    @Test
    void forgedFramesFailOnlyAsDocumented() throws IOException {
        Run run = null;
        for (int i = 0; i < DAMAGES / 2; i++) {
            run = i % 10 == 0 ? new Run(i) : run;
            FakeDisk damaged = run.disk.copy();
            RandomDamage damage = new RandomDamage(new Random(i), damaged, run.earlier);
            damage.forge();
            log.clear();
            try {
                openAndDrain(damaged.copy());
                state(damaged);
                if (repair(damaged.copy()) != null) {
                    FakeDisk repaired = damaged.copy();
                    Repair.run(repaired);
                    assertThat(openAndDrain(repaired))
                            .as(Repair.run(repaired) + why)
                            .isNotNull();
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("forgery " + i + ": " + damage.applied(), e);
            }
        }
        System.out.println("forged: " + DAMAGES / 2 + " " + counts);
    }

    private void check(Run run, FakeDisk damaged, String name) throws IOException {
        List<String> problems = state(damaged);
        Set<String> opened = openAndDrain(damaged.copy());
        if (opened != null) {
            requireShown(run, damaged, lost(run, opened), !problems.isEmpty());
        }
        FakeDisk repaired = damaged.copy();
        RepairReport report = repair(repaired);
        if (report == null) {
            count("refused by repair");
            assertThat(problems).as(name).isNotEmpty();
            return;
        }
        requireTrue(run, damaged, repaired, report, !problems.isEmpty());
        count(report.findings().isEmpty() ? "not seen" : "repaired");
    }

    /** Requires that a repaired folder opens and that its report was true. */
    private void requireTrue(Run run, FakeDisk damaged, FakeDisk repaired, RepairReport report, boolean isShown)
            throws IOException {
        assertThat(Repair.run(repaired.copy()).findings())
                .as("second repair, after " + report)
                .isEmpty();
        FakeDisk copy = repaired.copy();
        Set<String> left = openAndDrain(copy);
        assertThat(left).as("opened after repair").isNotNull();
        List<Accepted> lost = lost(run, left);
        if (!report.findings().isEmpty()) {
            count("opened after repair");
        }
        if (lost.size() > report.lost()) {
            count("lost and not counted in URLs");
            assertThat(isSuffix(run, lost.subList((int) report.lost(), lost.size())))
                    .as("lost in the middle")
                    .isTrue();
            if (report.lostBytes() == 0
                    && report.findings().stream().noneMatch(found -> found.matches(".*(is missing|is left).*"))) {
                requireShown(run, damaged, lost, false);
            }
        }
        if (!lost.isEmpty()) {
            count("lost something");
            boolean isReported = !report.findings().isEmpty() || report.lost() + report.lostBytes() > 0;
            requireShown(run, damaged, lost, isShown && isReported);
        }
        requireNewAgain(run, repaired, report, lost.size());
    }

    /** Requires that finished URLs that are new again were reported, and not too many of them. */
    private void requireNewAgain(Run run, FakeDisk repaired, RepairReport report, int lost) throws IOException {
        int newAgain = 0;
        try (DurableSieve frontier = reopen(repaired)) {
            for (Accepted accepted : run.accepted) {
                newAgain += frontier.push(accepted.url) ? 1 : 0;
            }
        }
        long said = 0;
        for (String finding : report.findings()) {
            Matcher matcher = NEW_AGAIN.matcher(finding);
            said += matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        }
        assertThat(said).as("new again").isLessThanOrEqualTo(newAgain);
        if (newAgain > lost + said) {
            count("more are new again than said");
        }
    }

    /** A loss that nothing shows is only one that looks like a crash: URLs at the end that were not known to be forced. */
    private void requireShown(Run run, FakeDisk damaged, List<Accepted> lost, boolean isShown) throws IOException {
        if (lost.isEmpty() || isShown) {
            return;
        }
        LogPosition forced = forced(damaged);
        assertThat(isSuffix(run, lost))
                .as("a silent loss in the middle: " + lost)
                .isTrue();
        assertThat(lost.get(0).end).as("a silent loss before " + forced).isGreaterThan(forced);
        count("as after a crash");
    }

    private static boolean isSuffix(Run run, List<Accepted> lost) {
        Set<Accepted> all = new HashSet<>(lost);
        boolean isLost = false;
        for (Accepted accepted : run.accepted) {
            isLost |= all.contains(accepted);
            if (isLost && !all.contains(accepted) && !run.done.contains(accepted.url)) {
                return false;
            }
        }
        return true;
    }

    /** The position that the files still prove to have been forced. */
    private static LogPosition forced(FakeDisk disk) throws IOException {
        LogPosition forced = LogPosition.NONE;
        FrontierFiles files = FrontierFiles.list(disk);
        for (int number : files.checkpoints()) {
            try {
                LogPosition position = Checkpoint.read(disk, number).forced();
                forced = position.compareTo(forced) > 0 ? position : forced;
            } catch (DamageException e) {
                // Proves nothing.
            }
        }
        for (int number : files.logs()) {
            try (FrameReader reader = Segment.open(disk, new LogPosition(number, Segment.HEADER_BYTES), 1 << 16)) {
                do {
                    while (reader.next()) {
                        if (reader.kind() == FrameKind.FORCED) {
                            LogPosition position = LogPosition.read(reader);
                            forced = position.compareTo(forced) > 0 ? position : forced;
                        }
                    }
                } while (reader.damage() != null && reader.skipDamage());
            }
        }
        return forced;
    }

    private static List<Accepted> lost(Run run, Set<String> left) {
        List<Accepted> lost = new ArrayList<>(run.accepted);
        lost.removeIf(accepted -> run.done.contains(accepted.url) || left.contains(accepted.url));
        return lost;
    }

    private List<String> state(FakeDisk disk) throws IOException {
        List<String> problems = new ArrayList<>();
        try {
            DurableState state = Inspection.of(disk, inspection -> inspection.state(OptionalLong.empty()));
            problems.addAll(state.problems());
            assertThat(state.problems()).doesNotContainNull();
        } catch (IOException e) {
            requireDocumented(e);
            problems.add(e.getMessage());
        }
        try {
            Inspection.of(disk).export(Export.ALL, label -> true, url -> {});
        } catch (IOException e) {
            requireDocumented(e);
        }
        return problems;
    }

    private RepairReport repair(FakeDisk disk) throws IOException {
        try {
            return Repair.run(disk);
        } catch (IOException e) {
            requireDocumented(e);
            assertThat(e).hasMessageMatching("(?s).*(settings|its format has version).*");
            return null;
        }
    }

    private static void requireDocumented(IOException e) {
        assertThat(e)
                .matches(cause -> cause instanceof DamageException
                        || cause instanceof VersionException
                        || cause instanceof Segment.ForeignException
                        || cause.getMessage().contains("does not contain a frontier"));
    }

    /** The URLs that come out of a folder; null where it is refused. */
    private Set<String> openAndDrain(FakeDisk disk) throws IOException {
        try (DurableSieve frontier = reopen(disk)) {
            Set<String> urls = new HashSet<>();
            for (Lease lease : FrontierContract.takeAll(frontier, 0)) {
                assertThat(urls.add(lease.url())).as("twice: " + lease.url()).isTrue();
            }
            return urls;
        } catch (UncheckedIOException e) {
            requireDocumented(e.getCause());
            why = e.toString();
            return null;
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("capacity is required");
            return null;
        } catch (IOException e) {
            requireDocumented(e);
            why = e.toString();
            return null;
        }
    }

    /** The repair is interrupted at each of its calls, and then done again. */
    private void checkInterrupted(Run run, FakeDisk damaged) throws IOException {
        boolean isShown = !state(damaged).isEmpty();
        FakeDisk repaired = damaged.copy();
        RepairReport whole = repair(repaired);
        int calls = whole == null ? 0 : repaired.calls();
        for (int call = 0; call < calls; call++) {
            for (FakeDisk.Fault fault : FakeDisk.Fault.values()) {
                FakeDisk disk = damaged.copy();
                disk.failFrom(call, fault);
                try {
                    Repair.run(disk);
                } catch (IOException e) {
                    count("interrupted repairs");
                }
                FakeDisk next = call % 2 == 0
                        ? disk.afterKill()
                        : disk.afterPowerCut(FakeDisk.Unsynced.HALVED, FakeDisk.Names.SOME, run.random);
                List<String> names = new ArrayList<>(next.names());
                RepairReport report = Repair.run(next);
                try {
                    requireAtLeast(report, whole);
                    requireTrue(run, damaged, next, report, isShown);
                } catch (AssertionError e) {
                    throw new AssertionError("interrupted at " + call + ", " + fault + ": " + names + report, e);
                }
            }
        }
    }

    /** Requires that a repair reports what an interrupted one has found; nothing when that one was complete. */
    private static void requireAtLeast(RepairReport report, RepairReport interrupted) {
        assertThat(report.lost()).isGreaterThanOrEqualTo(interrupted.lost());
        if (!report.findings().isEmpty()) {
            assertThat(report.findings()).containsAll(interrupted.findings());
            assertThat(report.lostBytes()).isGreaterThanOrEqualTo(interrupted.lostBytes());
        }
    }
}
