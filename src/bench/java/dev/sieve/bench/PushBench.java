package dev.sieve.bench;

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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time to push a URL while a contender works near its capacity. Between two calls, and not measured, what was queued
 * is taken out, the next URLs are made up, and a contender that is full is replaced by one that is not.
 *
 * <p>A small young generation and a heap that is touched beforehand keep the collector and the first touch of memory out
 * of the figures; with one processor, G1 would not be the default.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 3,
        jvmArgs = {"-XX:+UseG1GC", "-Xms3g", "-Xmx3g", "-Xmn200m", "-XX:+AlwaysPreTouch"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PushBench {
    static final double RATE = 0.01;

    /** Above it, a contender works on its last tenth only: filling it takes long. */
    private static final long LARGE = 50_000_000;

    /** What is measured. */
    @Param
    public Kind kind;

    /** URLs that it is made for. */
    @Param({"1000000", "10000000", "100000000"})
    public long urls;

    private final Round round = new Round();
    private final AtomicLong pushed = new AtomicLong();
    private Mix mix;
    private Contender contender;

    /** Fills a contender to where the measurement begins. */
    @Setup(Level.Trial)
    public void fill() {
        contender = null;
        contender = kind.make(urls, RATE);
        pushed.set(0);
        mix = new Mix(pushed, kind.takesStrings(), 1);
        long start = urls > LARGE ? urls / 10 * 9 : urls / 2;
        while (pushed.get() < start) {
            mix.drawNew(round);
            contender.push(round);
            contender.drain();
        }
    }

    /** Makes up what is pushed next. */
    @Setup(Level.Invocation)
    public void draw() {
        contender.drain();
        if (pushed.get() + Round.URLS > urls) {
            free();
            fill();
        }
        mix.draw(round);
    }

    /** Pushes it. */
    @Benchmark
    @OperationsPerInvocation(Round.URLS)
    public long push() {
        return contender.push(round);
    }

    /** Gives memory back. */
    @TearDown(Level.Trial)
    public void free() {
        contender.free();
    }
}
