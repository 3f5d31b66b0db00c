package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.polite.Codec;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of a turn when every host has work: on average one host becomes free at each step of the clock, in an order
 * that has nothing to do with where the hosts lie in memory.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(
        value = 3,
        jvmArgs = {"-XX:+UseG1GC", "-Xms3g", "-Xmx3g", "-Xmn200m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HostsBench {
    private static final long STEP = 1000;

    /** How many hosts there are. */
    @Param({"1000", "100000", "1000000"})
    public int hosts;

    /** Whether nine of ten items lie in a spill file. */
    @Param({"false", "true"})
    public boolean spill;

    private Path directory;
    private HostSchedule<String> schedule;
    private long now;

    private static final class Text implements Codec<String> {
        @Override
        public byte[] encode(String item) {
            return item.getBytes(UTF_8);
        }

        @Override
        public String decode(byte[] bytes) {
            return new String(bytes, UTF_8);
        }
    }

    /** Two items for each host; an item is the name of its host. */
    @Setup(Level.Trial)
    public void fill() throws IOException {
        directory = Files.createTempDirectory("bench-");
        ScheduleOptions<String> options = new ScheduleOptions<String>().delay(Duration.ofNanos(STEP * hosts));
        if (spill) {
            options.spill(directory, new Text(), hosts / 5);
        }
        schedule = options.build(0);
        for (int i = 0; i < 2 * hosts; i++) {
            String host = "host" + (int) (i * 2_654_435_761L % hosts) + ".example.org";
            schedule.add(host, host);
        }
    }

    /** Removes the file. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        schedule.close();
        Files.delete(directory);
    }

    /** A turn from beginning to end: waitNanos, poll, add another item, finished. */
    @Benchmark
    public String turn() {
        now += Math.max(STEP, schedule.waitNanos(now));
        String host = schedule.poll(now);
        schedule.add(host, host);
        schedule.finished(host, now);
        return host;
    }
}
