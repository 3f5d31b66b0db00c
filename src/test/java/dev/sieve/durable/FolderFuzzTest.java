package dev.sieve.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sieve.FilterKind;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.fuzz.Fuzzer;
import dev.sieve.io.DiskFiles;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * A folder with damaged files is refused or opened, and hands out no other URLs than were pushed; where the checksums were
 * corrected after the damage, it is refused or opened without other exceptions.
 *
 * <p>An input describes the damage: its first byte whether checksums are corrected, then four bytes for each change.
 */
@Tag("hostile")
public class FolderFuzzTest {
    private static final int URLS = 60;
    private static final Map<String, byte[]> FILES = files();
    private static final List<String> NAMES = List.copyOf(FILES.keySet());

    private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.sieve");

    /** Each input is reported, as it should be. */
    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void endSilence() {
        LOG.setLevel(null);
    }

    @Test
    void everyFolderIsRefusedOrOpened() {
        Fuzzer.run(FolderFuzzTest::fuzzerTestOneInput, 600, "0", "1");
    }

    private static DurableSieve open(FakeDisk disk) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(100)
                .filter(FilterKind.CLASSIC)
                .seed(3)
                .segmentBytes(700)
                .checkpointBytes(2000)
                .withoutKeepers()
                .open(disk, () -> {});
    }

    private static Map<String, byte[]> files() {
        FakeDisk disk = new FakeDisk();
        try {
            for (int run = 0; run < 2; run++) {
                try (DurableSieve frontier = open(disk)) {
                    for (int i = 0; i < URLS / 2; i++) {
                        UrlBatch batch = new UrlBatch(i, 0, i % 3 == 0 ? null : url(i - 1), i % 5 == 0 ? 7 : 0);
                        batch.add(url(run * URLS / 2 + i), "key " + (run * URLS / 2 + i));
                        frontier.pushAll(batch);
                        Lease lease = frontier.take(0);
                        if (i % 4 == 0) {
                            frontier.retry(lease, 0);
                        } else if (i % 2 == 0) {
                            frontier.done(lease);
                        }
                    }
                }
            }
            Map<String, byte[]> files = new TreeMap<>();
            for (String name : disk.names()) {
                files.put(name, DiskFiles.bytes(disk, name));
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String url(int i) {
        return "http://h/" + "x".repeat(i % 7) + i;
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        boolean isSealed = input.length > 0 && (input[0] & 1) == 1;
        FakeDisk disk = damaged(input, isSealed);
        try (DurableSieve frontier = open(disk)) {
            Set<String> pushed = new HashSet<>();
            for (int i = 0; i < URLS; i++) {
                pushed.add(url(i));
            }
            List<String> others = new ArrayList<>();
            Lease lease = frontier.take(0);
            for (int taken = 0; taken < 10 * URLS && lease != null; taken++) {
                if (!pushed.remove(lease.url())) {
                    others.add(lease.url());
                }
                frontier.done(lease);
                lease = frontier.take(0);
            }
            if (!isSealed && !others.isEmpty()) {
                throw new AssertionError("handed out: " + others);
            }
        } catch (IOException | UncheckedIOException e) {
            if (e.getMessage() == null) {
                throw new AssertionError("no message", e);
            }
        }
    }

    private static FakeDisk damaged(byte[] input, boolean isSealed) throws IOException {
        Map<String, byte[]> files = new TreeMap<>(FILES);
        for (int i = 1; i + 4 <= input.length && i < 25; i += 4) {
            String name = NAMES.get((input[i] & 0xff) % NAMES.size());
            byte[] bytes = files.get(name).clone();
            // A checkpoint is mostly a bitmap, so many changes are near its beginning.
            int limit = (input[i + 3] & 1) == 0 ? bytes.length : Math.min(bytes.length, 300);
            int at = limit == 0 ? 0 : ((input[i + 1] & 0xff) << 8 | (input[i + 2] & 0xff)) % limit;
            if (input[i] < -120) {
                bytes = Arrays.copyOf(bytes, at);
            } else if (bytes.length > 0) {
                bytes[at] = input[i + 3];
            }
            files.put(name, bytes);
        }
        FakeDisk disk = new FakeDisk();
        for (String name : files.keySet()) {
            byte[] bytes = files.get(name);
            boolean isLog = name.startsWith("log-");
            boolean isCheckpoint = name.startsWith("checkpoint-");
            byte[] sealed = isLog ? Sealed.segment(bytes) : isCheckpoint ? Sealed.frames(bytes, 8) : bytes;
            DiskFiles.write(disk, name, isSealed ? sealed : bytes);
        }
        return disk;
    }
}
