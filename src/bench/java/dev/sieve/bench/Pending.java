package dev.sieve.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.LeaseCodec;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The memory that pending URLs take: the growth of the heap, after collections, by a million URLs of 68 bytes each. And
 * what ten million of them take, of one host or of a million hosts: heap and processor time, in a frontier, and in the
 * schedule on disk that they are moved to.
 */
final class Pending {
    private static final int MANY = 10_000_000;
    private static final int LEASES_IN_MEMORY_BYTES = 16 << 20;
    private static final int URLS = 1_000_000;
    private static final int LENGTH = 68;

    private Pending() {}

    static void print() {
        Sieve sieve = new Sieve(URLS);
        Queue<String> strings = new ArrayDeque<>();
        Bench.print("a pending URL of %d bytes: %.1f bytes of heap", LENGTH, bytesPerUrl(sieve::push));
        Bench.print("the same in an ArrayDeque<String>: %.1f bytes of heap", bytesPerUrl(strings::add));
        if (sieve.pending() < URLS * 0.999 || strings.size() != URLS) {
            throw new IllegalStateException("pending: " + sieve.pending() + ", " + strings.size());
        }
    }

    /** Prints what many URLs of a number of hosts take. */
    static void printHosts(int hosts) throws IOException {
        try (Sieve sieve = new Sieve(MANY)) {
            printHosts("Sieve", hosts, sieve);
        }
        Path folder = Files.createTempDirectory("bench-");
        try (DurableSieve sieve = DurableSieve.open(folder, MANY)) {
            printHosts("DurableSieve", hosts, sieve);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    private static void printHosts(String name, int hosts, Frontier frontier) throws IOException {
        String many = String.format(Locale.ROOT, "%,d URLs of %,d hosts, %s, ", MANY, hosts, name);
        long empty = usedBytes();
        measure(many + "pushed", empty, () -> {
            for (int i = 0; i < MANY; i++) {
                frontier.push("https://host" + (MANY + i % hosts) + ".example.org/garden/meadow-" + (MANY + i)
                        + "/bridge.html");
            }
        });
        Path folder = Files.createTempDirectory("bench-");
        try (HostSchedule<Lease> schedule = new ScheduleOptions<Lease>()
                .delay(Duration.ZERO)
                .spill(folder, new LeaseCodec(), LEASES_IN_MEMORY_BYTES)
                .build(0)) {
            measure(many + "moved to a schedule on disk", empty, () -> {
                for (Lease lease = frontier.take(0); lease != null; lease = frontier.take(0)) {
                    schedule.add(UrlParts.host(lease.url()), lease);
                }
            });
            measure(many + "polled and ended", empty, () -> {
                for (Lease lease = schedule.poll(0); lease != null; lease = schedule.poll(0)) {
                    frontier.done(lease);
                    schedule.finished(UrlParts.host(lease.url()), 0);
                }
            });
        }
        Files.delete(folder);
        if (frontier.stats().done() < MANY * 0.999) {
            throw new IllegalStateException("done: " + frontier.stats());
        }
    }

    private static void measure(String what, long empty, Runnable step) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = system.getProcessCpuTime();
        step.run();
        long nanos = system.getProcessCpuTime() - before;
        Bench.print(
                "%s: %,d ns of processor time per URL; then %.1f bytes of heap per URL",
                what, nanos / MANY, (double) (usedBytes() - empty) / MANY);
    }

    private static double bytesPerUrl(Consumer<String> queue) {
        long before = usedBytes();
        for (int i = 0; i < URLS; i++) {
            String url = Urls.url(i);
            queue.accept((url + "-".repeat(LENGTH)).substring(0, LENGTH - 8) + String.format("/%07d", i));
        }
        return (double) (usedBytes() - before) / URLS;
    }

    /** The heap in use; collections go on until it shrinks no further. */
    static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        while (true) {
            System.gc();
            long now = runtime.totalMemory() - runtime.freeMemory();
            if (now >= used) {
                return used;
            }
            used = now;
        }
    }
}
