package dev.sieve.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time to push a URL while two threads push to one contender at once. What each of them pushes was made up before,
 * and both begin together; the contender stays between half and all of its capacity. The figure is a thread's time, so both
 * together push twice as many URLs in it.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(2)
@Fork(
        value = 3,
        jvmArgs = {"-XX:+UseG1GC", "-Xms3g", "-Xmx3g", "-Xmn200m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 20)
@Measurement(iterations = 20)
public class ThreadsBench {
    private static final int ROUNDS = 64;

    /** What both threads push to. */
    @State(Scope.Benchmark)
    public static class Shared {
        /** What is measured; one that is safe for use by many threads. */
        @Param({"SIEVE_STRINGS", "SIEVE_BYTES", "SIEVE_SINGLE", "GUAVA"})
        public Kind kind;

        /** URLs that it is made for. */
        @Param("20000000")
        public long urls;

        private final AtomicLong pushed = new AtomicLong();
        private Contender contender;

        /** Fills half of the contender. */
        @Setup(Level.Trial)
        public void fill() {
            contender = kind.make(urls, PushBench.RATE);
            Mix mix = new Mix(pushed, kind.takesStrings(), 1);
            Round round = new Round();
            while (pushed.get() < urls / 2) {
                mix.drawNew(round);
                contender.push(round);
                contender.drain();
            }
        }

        /** Takes out what was queued. */
        @Setup(Level.Iteration)
        public void drain() {
            contender.drain();
            if (pushed.get() > urls) {
                throw new IllegalStateException("more were pushed than it is made for: " + pushed);
            }
        }
    }

    /** What one thread pushes. */
    @State(Scope.Thread)
    public static class Own {
        private static final AtomicLong SEEDS = new AtomicLong(1);
        private final List<Round> rounds = new ArrayList<>();
        private Mix mix;

        /** Makes room. */
        @Setup(Level.Trial)
        public void open(Shared shared) {
            mix = new Mix(shared.pushed, shared.kind.takesStrings(), SEEDS.getAndIncrement() << 40);
            for (int i = 0; i < ROUNDS; i++) {
                rounds.add(new Round());
            }
        }

        /** Makes up what is pushed next. */
        @Setup(Level.Iteration)
        public void draw() {
            rounds.forEach(mix::draw);
        }
    }

    /** Pushes it. */
    @Benchmark
    @OperationsPerInvocation(ROUNDS * Round.URLS)
    public long push(Shared shared, Own own) {
        long any = 0;
        for (Round round : own.rounds) {
            any += shared.contender.push(round);
        }
        return any;
    }
}
