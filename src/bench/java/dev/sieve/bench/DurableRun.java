package dev.sieve.bench;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One process of {@link DurableTable}: a frontier on the disk and one in memory are pushed the same links, in turns. The
 * time of making them up does not count, and what the background threads of the frontier do meanwhile does.
 */
final class DurableRun {
    /** Calls until the code is compiled. */
    private static final int WARM_UP = 100;

    private static final int REPLAYS = 3;
    private static final long SEED = 0x5eed;

    private final Path folder;
    private final Links links;
    private final long urls;
    private long pushed;
    private long length;

    private DurableRun(Path folder, long urls, boolean mixed) {
        this.folder = folder;
        this.urls = urls;
        links = new Links(mixed);
    }

    /** Arguments: folder, how many URLs, whether hosts are mixed. Prints what {@link DurableTable} reads. */
    public static void main(String[] args) throws IOException {
        DurableRun run = new DurableRun(Path.of(args[0]), Long.parseLong(args[1]), Boolean.parseBoolean(args[2]));
        System.out.println(run.pushes());
        System.out.println(run.replay() + " " + run.openNanos());
    }

    private DurableSieve open() throws IOException {
        return DurableSieve.builder(folder).expectedUrls(urls).seed(SEED).open();
    }

    /** Nanoseconds a URL, new ones on the disk and in memory, seen ones likewise; bytes of log a byte of URL. */
    private String pushes() throws IOException {
        Sieve memory = Sieve.builder(urls).seed(SEED).build();
        try (DurableSieve durable = open()) {
            pushNew(durable, memory, (long) WARM_UP * Links.COUNT);
            double[] isNew = pushNew(durable, memory, urls);
            durable.checkpoint();
            pushSeen(durable, memory);
            double[] seen = pushSeen(durable, memory);
            double bytes = (double) bytes("log-") / length;
            return Stream.of(isNew[0], isNew[1], seen[0], seen[1], bytes)
                    .map(String::valueOf)
                    .collect(Collectors.joining(" "));
        }
    }

    private double[] pushNew(DurableSieve durable, Sieve memory, long until) {
        long[] nanos = new long[2];
        long before = pushed;
        while (pushed < until) {
            links.drawNew(pushed);
            nanos[0] += nanos(durable);
            nanos[1] += nanos(memory);
            drain(memory);
            pushed += Links.COUNT;
            length += links.length();
        }
        return each(nanos, pushed - before);
    }

    private double[] pushSeen(DurableSieve durable, Sieve memory) {
        long[] nanos = new long[2];
        long rounds = pushed / Links.COUNT;
        for (long round = 0; round < rounds; round++) {
            links.drawSeen(pushed, round);
            nanos[0] += nanos(durable);
            nanos[1] += nanos(memory);
        }
        return each(nanos, pushed);
    }

    private long nanos(Frontier frontier) {
        long start = System.nanoTime();
        links.push(frontier);
        return System.nanoTime() - start;
    }

    private static double[] each(long[] nanos, long count) {
        return new double[] {(double) nanos[0] / count, (double) nanos[1] / count};
    }

    /** A queue in memory is not what is measured. */
    private static void drain(Sieve memory) {
        for (long left = memory.pending(); left > 0; left--) {
            memory.pop();
        }
    }

    private long bytes(String prefix) throws IOException {
        long bytes = 0;
        for (Path file : files(prefix)) {
            bytes += Files.size(file);
        }
        return bytes;
    }

    private List<Path> files(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList();
        }
    }

    /** Nanoseconds a URL to open the frontier without a checkpoint. */
    private double replay() throws IOException {
        double[] nanos = new double[REPLAYS];
        for (int i = 0; i < REPLAYS; i++) {
            for (Path checkpoint : files("checkpoint-")) {
                Files.delete(checkpoint);
            }
            nanos[i] = openNanos() / pushed;
        }
        return Table.median(nanos);
    }

    private double openNanos() throws IOException {
        long start = System.nanoTime();
        try (DurableSieve durable = open()) {
            long nanos = System.nanoTime() - start;
            Lease first = durable.take(0);
            if (first == null) {
                throw new IllegalStateException("the queue is empty");
            }
            return nanos;
        }
    }
}
