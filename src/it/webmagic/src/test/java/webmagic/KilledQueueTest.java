package webmagic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import us.codecraft.webmagic.Request;
import us.codecraft.webmagic.Site;
import us.codecraft.webmagic.Task;
import us.codecraft.webmagic.scheduler.FileCacheQueueScheduler;
import us.codecraft.webmagic.scheduler.Scheduler;

/** What remains of requests that were pushed when the process is killed: here, and in WebMagic's own scheduler on disk. */
@Timeout(60)
class KilledQueueTest {
    private static final int PUSHED = 1000;
    private static final int POLLED = 8;

    private static final Task TASK = new Task() {
        @Override
        public String getUUID() {
            return "killed";
        }

        @Override
        public Site getSite() {
            return Site.me();
        }
    };

    @TempDir
    private Path folder;

    /** Pushes requests, takes some of them, and halts. */
    static final class Killed {
        public static void main(String[] args) throws IOException {
            Scheduler scheduler = args[0].equals("sieve")
                    ? new SieveScheduler(DurableSieve.open(Path.of(args[1]), PUSHED))
                    : new FileCacheQueueScheduler(args[1]);
            for (int i = 0; i < PUSHED; i++) {
                scheduler.push(new Request("https://example.org/" + i), TASK);
            }
            for (int i = 0; i < POLLED; i++) {
                scheduler.poll(TASK);
            }
            Runtime.getRuntime().halt(9);
        }
    }

    private static void kill(String kind, String path) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        kind,
                        path)
                .inheritIO()
                .start();
        try {
            assertTrue(process.waitFor(50, TimeUnit.SECONDS));
            assertEquals(9, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static int remaining(Scheduler scheduler) {
        int requests = 0;
        while (scheduler.poll(TASK) != null) {
            requests++;
        }
        return requests;
    }

    @Test
    void allRequestsRemain() throws Exception {
        kill("sieve", folder.toString());

        try (DurableSieve frontier = DurableSieve.open(folder, PUSHED)) {
            assertEquals(PUSHED, remaining(new SieveScheduler(frontier)));
        }
    }

    @Test
    void webMagicsOwnSchedulerLosesRequests() throws Exception {
        // It takes the hash of its path for the capacity of its filter.
        String path = null;
        for (int i = 0; path == null; i++) {
            String candidate = folder.resolve("queue" + i) + "/";
            path = candidate.hashCode() > PUSHED && candidate.hashCode() < 10_000_000 ? candidate : null;
        }
        Files.createDirectories(Path.of(path));
        kill("webmagic", path);

        FileCacheQueueScheduler scheduler = new FileCacheQueueScheduler(path);
        try {
            assertTrue(remaining(scheduler) < PUSHED - POLLED);
        } finally {
            scheduler.close();
        }
    }
}
