package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.FrontierContract;
import dev.sieve.Tier;
import dev.sieve.io.Disk;
import dev.sieve.io.ErrorDisk;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An error of the machine at any call, reads and opens included, once or from then on. It is not damage: it is thrown with
 * its cause, no file is changed because of it, and the folder opens when the cause is gone.
 */
class MachineErrorTest {

    private final CapturedLog log = new CapturedLog();
    private int tried;

    @AfterEach
    void closeLog() {
        log.close();
        if (Tier.IS_PROOF) {
            System.out.println("errors of the machine: " + tried + " tried, violations 0");
        }
    }

    private interface Use {
        void of(Disk disk) throws IOException;
    }

    private static void open(Disk disk) throws IOException {
        ScriptedRun.open(disk, Durability.PROCESS);
    }

    /** A folder that was closed, and one that was killed, in which the checkpoint is not the end. */
    private static List<FakeDisk> folders() {
        FakeDisk closed = new FakeDisk();
        new ScriptedRun(closed, Durability.PROCESS).run();
        FakeDisk killed = new FakeDisk();
        AtomicInteger appended = new AtomicInteger();
        killed.onChange(call -> {
            if (call.matches("append .* to log-.*") && appended.incrementAndGet() == 30) {
                killed.failFrom(killed.calls(), FakeDisk.Fault.REFUSED);
            }
        });
        new ScriptedRun(killed, Durability.ALWAYS).run();
        assertThat(killed.names()).contains("checkpoint-00000001");
        return List.of(closed.copy(), killed.copy());
    }

    private static List<String> drain(FakeDisk disk) throws IOException {
        List<String> urls = new ArrayList<>();
        try (DurableSieve frontier = ScriptedRun.open(disk, Durability.PROCESS)) {
            FrontierContract.takeAll(frontier, 0).forEach(lease -> urls.add(lease.url()));
        }
        return urls;
    }

    private static Map<String, List<Byte>> content(FakeDisk disk) {
        Map<String, List<Byte>> content = new TreeMap<>();
        for (String name : disk.names()) {
            List<Byte> bytes = new ArrayList<>();
            for (byte b : disk.bytes(name)) {
                bytes.add(b);
            }
            content.put(name, bytes);
        }
        return content;
    }

    /** Lets each call of a use fail in each way; the check gets the folder after it. */
    private void failEverywhere(FakeDisk folder, Use use, Use check) throws IOException {
        ErrorDisk whole = new ErrorDisk(folder.copy());
        use.of(whole);
        assertThat(whole.calls()).isGreaterThan(5);
        int step = Tier.of(Math.max(1, whole.calls() / 40), 1);
        for (ErrorDisk.Failure failure : ErrorDisk.Failure.values()) {
            for (int call = 0; call < whole.calls(); call += step) {
                for (boolean isOnce : new boolean[] {true, false}) {
                    tried++;
                    FakeDisk disk = folder.copy();
                    ErrorDisk failing = new ErrorDisk(disk);
                    failing.failAt(call, failure, isOnce);
                    String name = failure + " at call " + call + (isOnce ? "" : " and after it");
                    try {
                        requireThrown(failing, use, name);
                        check.of(disk);
                    } catch (AssertionError | IOException | RuntimeException e) {
                        throw new AssertionError(name + ", " + failing.thrown(), e);
                    }
                }
            }
        }
    }

    private static void requireThrown(ErrorDisk failing, Use use, String name) {
        Throwable thrown = null;
        try {
            use.of(failing);
        } catch (IOException | UncheckedIOException e) {
            thrown = e;
        }
        assertThat(thrown).as(name).isNotNull();
        assertThat(thrown).isNotInstanceOf(DamageException.class);
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        assertThat(root).isSameAs(failing.thrown());
        assertThat(thrown.getMessage()).contains(failing.thrown().getMessage());
    }

    @Test
    void anOpenIsRefusedAndChangesNothing() throws IOException {
        for (FakeDisk folder : folders()) {
            Map<String, List<Byte>> content = content(folder);
            List<String> urls = drain(folder.copy());
            failEverywhere(folder, MachineErrorTest::open, disk -> {
                assertThat(content((FakeDisk) disk)).isEqualTo(content);
                assertThat(drain((FakeDisk) disk)).isEqualTo(urls);
            });
        }
    }

    @Test
    void stateAndExportAreRefusedAndChangeNothing() throws IOException {
        for (FakeDisk folder : folders()) {
            Map<String, List<Byte>> content = content(folder);
            failEverywhere(
                    folder,
                    disk -> Inspection.of(disk, inspection -> inspection.state(OptionalLong.empty())),
                    disk -> assertThat(content((FakeDisk) disk)).isEqualTo(content));
            failEverywhere(
                    folder,
                    disk -> Inspection.of(disk).export(Export.ALL, label -> true, url -> {}),
                    disk -> assertThat(content((FakeDisk) disk)).isEqualTo(content));
        }
    }

    @Test
    void aRepairOfAnIntactFolderIsRefusedAndChangesNothing() throws IOException {
        for (FakeDisk folder : folders()) {
            Map<String, List<Byte>> content = content(folder);
            failEverywhere(folder, disk -> Repair.run(disk), disk -> {
                assertThat(content((FakeDisk) disk)).isEqualTo(content);
                assertThat(Repair.run(disk).findings()).isEmpty();
            });
        }
    }

    @Test
    void aRepairOfADamagedFolderIsCompletedByTheNextOne() throws IOException {
        for (FakeDisk folder : folders()) {
            damageUntilSomethingIsLost(folder);
            FakeDisk repaired = folder.copy();
            RepairReport whole = Repair.run(repaired);
            List<String> urls = drain(repaired);
            failEverywhere(folder, disk -> Repair.run(disk), disk -> {
                RepairReport report = Repair.run(disk);
                assertThat(report.lost()).isEqualTo(whole.lost());
                assertThat(report.lostBytes()).isEqualTo(whole.lostBytes());
                assertThat(drain((FakeDisk) disk)).isEqualTo(urls);
            });
        }
    }

    private static void damageUntilSomethingIsLost(FakeDisk folder) throws IOException {
        for (int number : FrontierFiles.list(folder).logs().descendingSet()) {
            String name = FrontierFiles.segment(number);
            for (int at = Segment.HEADER_BYTES; at < folder.bytes(name).length; at += 20) {
                byte[] bytes = folder.bytes(name);
                bytes[at] ^= 1;
                FakeDisk damaged = folder.copy();
                damaged.replace(name, bytes);
                if (Repair.run(damaged).lost() > 0) {
                    folder.replace(name, bytes);
                    return;
                }
            }
        }
        throw new AssertionError("nothing is lost");
    }

    @ParameterizedTest
    @EnumSource(ErrorDisk.Failure.class)
    void aRunLosesNothingAndPutsNothingAside(ErrorDisk.Failure failure) throws IOException {
        ErrorDisk whole = new ErrorDisk(new FakeDisk());
        assertThat(new ScriptedRun(whole, Durability.PROCESS).run().hasFailed()).isFalse();
        int step = Tier.of(3, 1);
        for (int call = 0; call < whole.calls(); call += step) {
            for (boolean isOnce : new boolean[] {true, false}) {
                tried++;
                FakeDisk disk = new FakeDisk();
                ErrorDisk failing = new ErrorDisk(disk);
                failing.failAt(call, failure, isOnce);
                ScriptedRun run = new ScriptedRun(failing, Durability.PROCESS).run();
                FakeDisk left = disk.afterKill();
                try {
                    run.verifyAfterKill(left);
                } catch (AssertionError | IOException | RuntimeException e) {
                    throw new AssertionError(failure + " at call " + call + ", once: " + isOnce, e);
                }
                assertThat(left.names()).noneMatch(name -> name.endsWith(".broken"));
            }
        }
    }
}
