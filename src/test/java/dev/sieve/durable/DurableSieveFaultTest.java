package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.CapturedLog;
import dev.sieve.Lease;
import dev.sieve.Tier;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The disk fails at each of the calls of a run in turn. */
class DurableSieveFaultTest {
    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    @ParameterizedTest
    @EnumSource(FakeDisk.Fault.class)
    void aCallThatFailsLosesNothingThatWasAccepted(FakeDisk.Fault fault) throws IOException {
        int calls = callsOfWholeRun(Durability.PROCESS);
        for (int call = 0; call < calls; call++) {
            FakeDisk disk = new FakeDisk();
            disk.failAt(call, fault);
            ScriptedRun run = new ScriptedRun(disk, Durability.PROCESS).run();
            if (run.hasFailed()) {
                run.requireStopped();
            }
            assertThat(disk.handles())
                    .as("open files after a failure at call %d", call)
                    .isZero();
            run.verifyAfterKill(disk.afterKill());
        }
    }

    @Test
    void anOpenThatFailsLeavesNoFileOpen() throws IOException {
        FakeDisk disk = new FakeDisk();
        new ScriptedRun(disk, Durability.PROCESS).run();
        boolean isWhole = false;
        for (int call = 0; !isWhole; call++) {
            FakeDisk next = disk.afterKill();
            next.replace("log-00000099", new byte[100]); // to be put aside
            next.failAt(call, FakeDisk.Fault.REFUSED);
            try (DurableSieve frontier = ScriptedRun.open(next, Durability.PROCESS)) {
                isWhole = next.calls() <= call;
                assertThat(frontier.push("http://new/")).isTrue();
            } catch (IOException | UncheckedIOException e) {
                assertThat(e).hasMessageContaining("the disk fails");
            }
            assertThat(next.handles()).isZero();
        }
    }

    @Test
    void whatIsDoneWhileTheFrontierIsClosedIsDone() throws IOException {
        FakeDisk disk = new FakeDisk();
        DurableSieve frontier = ScriptedRun.open(disk, Durability.PROCESS);
        for (int i = 0; i < 20; i++) {
            frontier.push("http://h/" + i);
        }
        AtomicInteger done = new AtomicInteger();
        disk.onChange(call -> {
            Lease next = call.contains("checkpoint") ? frontier.take(0) : null;
            done.addAndGet(next != null && frontier.done(next) ? 1 : 0);
        });
        frontier.close();

        assertThat(done).hasPositiveValue();
        try (DurableSieve again = ScriptedRun.open(disk.afterKill(), Durability.PROCESS)) {
            assertThat(again.pending()).isEqualTo(20 - done.get());
        }
    }

    @ParameterizedTest
    @EnumSource(FakeDisk.Fault.class)
    void aDiskThatFailsAtAnyCallLosesNothingAccepted(FakeDisk.Fault fault) throws IOException {
        int calls = callsOfWholeRun(Durability.PROCESS);
        for (int call = 0; call < calls; call++) {
            FakeDisk disk = new FakeDisk();
            disk.failFrom(call, fault);
            ScriptedRun run = new ScriptedRun(disk, Durability.PROCESS).run();
            assertThat(run.hasFailed()).isTrue();
            run.requireStopped();
            run.verifyAfterKill(disk.afterKill());
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(Durability.class)
    void aPowerCutAtAnyCallKeepsWhatWasForced(Durability durability) throws IOException {
        int calls = callsOfWholeRun(durability);
        // All calls in a proof, else each of them with one of the durabilities.
        int step = Tier.of(3, 1);
        for (int call = List.of(Durability.values()).indexOf(durability) % step; call < calls; call += step) {
            FakeDisk disk = new FakeDisk();
            disk.failFrom(call, FakeDisk.Fault.SHORT);
            ScriptedRun run = new ScriptedRun(disk, durability).run();
            Random random = new Random(call);
            // Where nothing is left to be forced, most cuts leave the same.
            Set<Map<String, ByteBuffer>> verified = new HashSet<>();
            for (FakeDisk.Unsynced unsynced : FakeDisk.Unsynced.values()) {
                for (FakeDisk.Names names : FakeDisk.Names.values()) {
                    FakeDisk left = disk.afterPowerCut(unsynced, names, random);
                    if (verified.add(left.contents())) {
                        run.verifyAfterPowerCut(left);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aForceThatFailsIsNotTriedAgain(Durability durability) throws IOException {
        int calls = callsOfWholeRun(durability);
        for (int call = 0; call < calls; call++) {
            FakeDisk disk = new FakeDisk();
            disk.failAt(call, FakeDisk.Fault.REFUSED);
            ScriptedRun run = new ScriptedRun(disk, durability).run();
            run.verifyAfterPowerCut(
                    disk.afterPowerCut(FakeDisk.Unsynced.DROPPED, FakeDisk.Names.KEPT, new Random(call)));
        }
    }

    @ParameterizedTest
    @EnumSource(FakeDisk.Fault.class)
    void aCheckpointThatCannotBeWrittenLeavesNothingBehind(FakeDisk.Fault fault) throws IOException {
        FakeDisk disk = new FakeDisk();
        DurableSieve frontier = ScriptedRun.open(disk, Durability.PROCESS);
        frontier.push("http://a/");
        disk.onChange(call -> {
            if (call.startsWith("append") && call.endsWith("checkpoint.tmp")) {
                disk.failAt(disk.calls(), fault);
            }
        });

        assertThatThrownBy(frontier::checkpoint).isInstanceOf(UncheckedIOException.class);

        assertThat(disk.names()).doesNotContain("checkpoint.tmp");
        assertThat(frontier.push("http://b/")).isTrue();
    }

    @Test
    void anUnfinishedCheckpointIsRemovedByTheNextOpen() throws IOException {
        FakeDisk disk = new FakeDisk();
        ScriptedRun.open(disk, Durability.PROCESS).close();
        disk.replace("checkpoint.tmp", new byte[100]);

        ScriptedRun.open(disk, Durability.PROCESS).close();

        assertThat(disk.names()).doesNotContain("checkpoint.tmp");
    }

    @Test
    void aReadErrorStopsTheFrontier() throws IOException {
        FakeDisk disk = new FakeDisk();
        DurableSieve frontier = ScriptedRun.open(disk, Durability.PROCESS);
        frontier.push("http://a/");
        disk.replace(FrontierFiles.segment(1), new byte[Segment.HEADER_BYTES]);

        assertThatThrownBy(() -> frontier.take(0)).isInstanceOf(UncheckedIOException.class);

        assertThatThrownBy(() -> frontier.take(0)).hasMessageContaining("log-00000001: damaged");
        assertThatThrownBy(() -> frontier.push("http://a/")).hasMessageContaining("log-00000001: damaged");
        assertThatThrownBy(() -> frontier.push("http://b/")).hasMessageContaining("log-00000001: damaged");
        assertThatThrownBy(frontier::sync).hasMessageContaining("log-00000001: damaged");
        assertThatThrownBy(frontier::close).hasMessageContaining("log-00000001: damaged");
    }

    @Test
    void aSecondCloseWaitsForTheFirst() throws Exception {
        FakeDisk disk = new FakeDisk();
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        DurableSieve frontier = DurableSieve.builder(Path.of("fake"))
                .capacity(100)
                .withoutKeepers()
                .open(disk, () -> order.add("released"));
        Thread second = new Thread(() -> {
            frontier.close();
            order.add("second");
        });
        disk.onChange(call -> {
            if (call.equals("force checkpoint.tmp")) {
                second.start();
                Await.until(() -> second.getState() == Thread.State.WAITING || !second.isAlive());
            }
        });

        frontier.close();
        second.join();

        assertThat(order).containsExactly("released", "second");
    }

    private static int callsOfWholeRun(Durability durability) {
        FakeDisk disk = new FakeDisk();
        assertThat(new ScriptedRun(disk, durability).run().hasFailed()).isFalse();
        assertThat(disk.calls()).isGreaterThan(60);
        return disk.calls();
    }
}
