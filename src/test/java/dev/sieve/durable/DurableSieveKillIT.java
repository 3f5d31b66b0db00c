package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.Tier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that works on a frontier is killed by SIGKILL, again and again, each time at a random moment.
 */
@Tag("process")
class DurableSieveKillIT {
    private static final int KILLS = Tier.of(10, 40, 1000);
    private static final long SEED = 20261120;
    private static final int MOST_LINES = 2500;

    @TempDir
    Path folder;

    private final KillRecord record = new KillRecord();

    @Test
    void noKillLosesInventsOrRevivesAUrl() throws Exception {
        Random random = new Random(SEED);
        Path directory = folder.resolve("frontier");
        for (int kill = 0; kill < KILLS; kill++) {
            runAndKill(directory, kill, 1 + random.nextInt(MOST_LINES));
            BitSet found = new BitSet();
            DurableFolder.export(directory, Export.PENDING, label -> true, url -> {
                int number = KillChild.number(url);
                assertThat(found.get(number)).as("%d is there twice", number).isFalse();
                found.set(number);
            });
            record.killed(found);
        }
        verifyEnd(directory);
        assertThat(record.accepted()).isGreaterThan(10 * KILLS);
        System.out.printf(
                "seed %d: %d kills, %d URLs accepted, %d done once more%n",
                SEED, KILLS, record.accepted(), record.redone());
    }

    private void runAndKill(Path directory, long seed, int atLine) throws Exception {
        Process child = ChildJvm.start(
                List.of("-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                KillChild.class,
                directory.toString(),
                Integer.toString(record.next()),
                Long.toString(seed));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(child.getInputStream(), US_ASCII))) {
            String first = lines.readLine();
            assertThat(first).isEqualTo("0 ready");
            readAll(lines, atLine, child);
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertThat(child.exitValue()).isEqualTo(128 + 9);
    }

    /** Kills the process when it has told so much, and reads on to its end; the line in which that happened is cut. */
    private void readAll(BufferedReader lines, int atLine, Process child) throws IOException {
        int toGo = atLine;
        StringBuilder line = new StringBuilder();
        for (int c = lines.read(); c >= 0; c = lines.read()) {
            if (c != '\n') {
                line.append((char) c);
                continue;
            }
            record.line(line.toString());
            line.setLength(0);
            if (--toGo == 0) {
                child.toHandle().destroyForcibly();
            }
        }
    }

    /** All that is left comes out once, and all that was ever accepted is known. */
    private void verifyEnd(Path directory) throws IOException {
        BitSet left = new BitSet();
        DurableFolder.export(directory, Export.PENDING, label -> true, url -> left.set(KillChild.number(url)));
        try (DurableSieve frontier = KillChild.open(directory, 0)) {
            BitSet found = new BitSet();
            for (Lease lease : FrontierContract.takeAll(frontier, 0)) {
                found.set(KillChild.number(lease.url()));
            }
            assertThat(found).isEqualTo(left);
            for (int number = 0; number < record.next(); number++) {
                assertThat(frontier.push(KillChild.url(number))).isEqualTo(!record.isAccepted(number));
            }
        }
    }
}
