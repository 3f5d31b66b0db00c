package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A crawl in virtual time: workers that make requests of a fixed length to hosts with a given number of URLs each, which
 * come in random order. Fails when a host is requested within its delay or its URLs come out in another order than they went
 * in.
 */
final class VirtualCrawl {
    static final long SECOND = 1_000_000_000L;
    static final long DELAY = SECOND;

    private static final Codec<String> TEXT = new Codec<>() {
        @Override
        public byte[] encode(String item) {
            return item.getBytes(ISO_8859_1);
        }

        @Override
        public String decode(byte[] bytes) {
            return new String(bytes, ISO_8859_1);
        }
    };

    private final int[] sizes;
    private final int workers;
    private final long requestNanos;
    private final int[] given;
    private final long[] lastStart;
    private final long[] lastEnd;

    VirtualCrawl(int[] sizes, int workers, long requestNanos) {
        this.sizes = sizes;
        this.workers = workers;
        this.requestNanos = requestNanos;
        given = new int[sizes.length];
        lastStart = new long[sizes.length];
        lastEnd = new long[sizes.length];
        Arrays.fill(lastStart, -DELAY);
    }

    private record End(long nanos, int host) {}

    /** The least time that any order of requests takes: what the workers can do, and what the largest host allows. */
    long idealNanos() {
        long requests = Arrays.stream(sizes).asLongStream().sum();
        long largest = Arrays.stream(sizes).max().orElse(0);
        long byWorkers = (long) Math.ceil((double) requests * requestNanos / workers);
        return Math.max(byWorkers, (largest - 1) * Math.max(DELAY, requestNanos) + requestNanos);
    }

    /** When the last URL of a host was fetched. */
    long endOf(int host) {
        return lastEnd[host];
    }

    /** Crawls with items spilled to a directory, and returns when the last request ended. */
    long run(Path directory, int itemsInMemory, long seed) throws IOException {
        try (HostSchedule<String> schedule = new ScheduleOptions<String>()
                .delay(Duration.ofNanos(DELAY))
                .spill(directory, TEXT, itemsInMemory)
                .build(0)) {
            fill(schedule, new SplittableRandom(seed));
            return crawl(schedule);
        }
    }

    private void fill(HostSchedule<String> schedule, SplittableRandom random) {
        int[] toCome = sizes.clone();
        int[] alive = new int[sizes.length];
        Arrays.setAll(alive, host -> host);
        int[] added = new int[sizes.length];
        int left = sizes.length;
        while (left > 0) {
            int at = random.nextInt(left);
            int host = alive[at];
            for (int burst = Math.min(toCome[host], 1 + random.nextInt(Math.max(1, sizes[host] / 8)));
                    burst > 0;
                    burst--) {
                schedule.add(name(host), item(host, added[host]++));
                toCome[host]--;
            }
            if (toCome[host] == 0) {
                alive[at] = alive[--left];
            }
        }
    }

    private static String name(int host) {
        return "host" + host + ".example.org";
    }

    private static String item(int host, int number) {
        return host + " http://" + name(host) + "/a/path/of/ordinary/length/page.html?number= " + number;
    }

    private long crawl(HostSchedule<String> schedule) {
        PriorityQueue<End> ends = new PriorityQueue<>((a, b) -> Long.compare(a.nanos, b.nanos));
        long now = 0;
        while (schedule.size() > 0 || !ends.isEmpty()) {
            for (String item = null; ends.size() < workers && (item = schedule.poll(now)) != null; ) {
                ends.add(new End(now + requestNanos, start(item, now)));
            }
            long nextEnd = ends.isEmpty() ? Long.MAX_VALUE : ends.peek().nanos;
            long wait = ends.size() < workers ? schedule.waitNanos(now) : Long.MAX_VALUE;
            now = wait == Long.MAX_VALUE ? nextEnd : Math.min(nextEnd, now + wait);
            while (!ends.isEmpty() && ends.peek().nanos <= now) {
                int host = ends.remove().host;
                lastEnd[host] = now;
                schedule.finished(name(host), now);
            }
        }
        return now;
    }

    private int start(String item, long now) {
        int host = Integer.parseInt(item.substring(0, item.indexOf(' ')));
        int number = Integer.parseInt(item.substring(item.lastIndexOf(' ') + 1));
        if (number != given[host]++) {
            throw new AssertionError(
                    "URL " + number + " of host " + host + " came when it was the turn of " + (given[host] - 1));
        }
        if (now - lastStart[host] < DELAY) {
            throw new AssertionError("host " + host + " was asked at " + lastStart[host] + " and at " + now);
        }
        lastStart[host] = now;
        return host;
    }

    /** Hosts of power-law size: the one of rank r has largest / r^exponent URLs, at least one. */
    static int[] powerLaw(int hosts, double largest, double exponent) {
        int[] sizes = new int[hosts];
        Arrays.setAll(sizes, rank -> (int) Math.max(1, largest / Math.pow(rank + 1.0, exponent)));
        return sizes;
    }

    /** Crawls the given number of hosts with ten URLs each, 100,000 URLs in memory for each million hosts. */
    public static void main(String[] args) throws IOException {
        int hosts = Integer.parseInt(args[0]);
        int[] sizes = new int[hosts];
        Arrays.fill(sizes, 10);
        Path directory = Files.createTempDirectory("crawl-");
        long began = System.nanoTime();
        VirtualCrawl crawl = new VirtualCrawl(sizes, 200, SECOND / 10);
        double speed = (double) crawl.idealNanos() / crawl.run(directory, hosts / 10, 1);
        Files.delete(directory);
        System.out.printf(
                "%,d hosts, %,d URLs, at most %,d MB of heap: %.1f %% of the ideal speed, %.1f s%n",
                hosts,
                10L * hosts,
                Runtime.getRuntime().maxMemory() >> 20,
                100 * speed,
                (System.nanoTime() - began) / 1e9);
    }
}
