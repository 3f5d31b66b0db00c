package dev.sieve.bench;

import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The frontier on the disk beside the one in memory, on one processor, in batches of 64 links: nanoseconds per URL to push
 * new links and seen ones, and milliseconds to open the frontier without a checkpoint. What the background threads of the
 * frontier do meanwhile counts. The folder for temporary files decides which disk it is:
 * {@code -jvmArgsAppend -Djava.io.tmpdir=DIR}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 3,
        jvmArgs = {"-XX:+UseG1GC", "-Xms600m", "-Xmx600m", "-Xmn200m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DurableBench {
    private static final long SEED = 0x5eed;

    /** A frontier with links in it. */
    @State(Scope.Benchmark)
    public static class Filled {
        /** Whether it is on the disk. */
        @Param({"true", "false"})
        public boolean disk;

        /** Whether each link leads to another host; else four of five lead to the host of their page. */
        @Param({"false", "true"})
        public boolean mixed;

        /** URLs that it is made for. */
        @Param("10000000")
        public long urls;

        private Path folder;
        private Links links;
        private Frontier frontier;
        private long pushed;
        private long length;
        private long round;

        /** Makes an empty frontier. */
        @Setup(Level.Trial)
        public void make() throws IOException, InterruptedException {
            Bench.pin(0);
            folder = Files.createTempDirectory("sieve-bench");
            links = new Links(mixed);
            pushed = 0;
            length = 0;
            open();
        }

        void open() throws IOException {
            frontier = disk
                    ? DurableSieve.builder(folder).capacity(urls).seed(SEED).open()
                    : Sieve.builder().capacity(urls).seed(SEED).build();
        }

        void drawNew() {
            links.drawNew(pushed);
            pushed += Links.COUNT;
            length += links.length();
            // A queue in memory is not what is measured.
            for (long left = frontier instanceof Sieve sieve ? sieve.pending() : 0; left > 0; left--) {
                ((Sieve) frontier).pop();
            }
        }

        boolean isFull() {
            return pushed + Links.COUNT > urls;
        }

        void fill() {
            while (!isFull()) {
                drawNew();
                links.push(frontier);
            }
        }

        /** Removes its folder. */
        @TearDown(Level.Trial)
        public void remove() throws IOException {
            frontier.close();
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }

        List<Path> files(String prefix) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                        .toList();
            }
        }
    }

    /** Links that are new; a frontier that is full is replaced by an empty one. */
    @State(Scope.Benchmark)
    public static class NewLinks {
        /** Makes them up. */
        @Setup(Level.Invocation)
        public void draw(Filled to) throws IOException, InterruptedException {
            if (to.isFull()) {
                to.remove();
                to.make();
            }
            to.drawNew();
        }
    }

    /** Links that were pushed before. */
    @State(Scope.Benchmark)
    public static class SeenLinks {
        /** Fills the frontier, and prints the size of its log. */
        @Setup(Level.Trial)
        public void fill(Filled to) throws IOException {
            to.fill();
            long bytes = 0;
            for (Path file : to.files("log-")) {
                bytes += Files.size(file);
            }
            Bench.print("bytes on the disk per byte of URL: %.2f", (double) bytes / to.length);
        }

        /** Draws them. */
        @Setup(Level.Invocation)
        public void draw(Filled to) {
            to.links.drawSeen(to.pushed, to.round++);
        }
    }

    /** A frontier that was closed and has lost its checkpoints. */
    @State(Scope.Benchmark)
    public static class Closed {
        /** Fills the frontier. */
        @Setup(Level.Trial)
        public void fill(Filled to) {
            to.fill();
        }

        /** Closes it. */
        @Setup(Level.Invocation)
        public void close(Filled to) throws IOException {
            if (to.disk) {
                to.frontier.close();
                for (Path checkpoint : to.files("checkpoint-")) {
                    Files.delete(checkpoint);
                }
            }
        }
    }

    /** Pushes new links. */
    @Benchmark
    @OperationsPerInvocation(Links.COUNT)
    public long pushNew(Filled to, NewLinks unused) {
        return to.links.push(to.frontier);
    }

    /** Pushes seen links. */
    @Benchmark
    @OperationsPerInvocation(Links.COUNT)
    public long pushSeen(Filled to, SeenLinks unused) {
        return to.links.push(to.frontier);
    }

    /** Reads the whole log; in memory, makes an empty frontier. */
    @Benchmark
    @BenchmarkMode(Mode.SingleShotTime)
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public Frontier open(Filled to, Closed unused) throws IOException {
        to.open();
        return to.frontier;
    }
}
