package dev.sieve.bench;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs a benchmark in a process of its own. */
final class Forks {
    /** Without them, the first touch of memory is measured, and the collector at work; with one processor there is no G1. */
    static final List<String> JVM = List.of("-XX:+UseG1GC", "-Xms3g", "-Xmx3g", "-Xmn200m", "-XX:+AlwaysPreTouch");

    private Forks() {}

    /**
     * The median of the iterations of one fork, in nanoseconds a URL.
     *
     * @param seconds how long an iteration takes; 0 where it is a single call
     */
    static double run(Class<?> benchmark, Kind kind, long urls, int warmups, int iterations, double seconds) {
        Map<String, String> parameters = Map.of("kind", kind.name(), "urls", String.valueOf(urls));
        return run(benchmark, parameters, warmups, iterations, seconds);
    }

    /** The median of the iterations of one fork, in nanoseconds; as above. */
    static double run(Class<?> benchmark, Map<String, String> parameters, int warmups, int iterations, double seconds) {
        OptionsBuilder options = new OptionsBuilder();
        parameters.forEach(options::param);
        options.include(benchmark.getName())
                .forks(1)
                .warmupIterations(warmups)
                .measurementIterations(iterations)
                .jvmArgs(JVM.toArray(String[]::new))
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        if (seconds > 0) {
            TimeValue time = TimeValue.milliseconds((long) (1000 * seconds));
            options.warmupTime(time).measurementTime(time);
        }
        try {
            Collection<RunResult> results = new Runner(options.build()).run();
            return Table.median(results.iterator().next().getBenchmarkResults().stream()
                    .flatMap(fork -> fork.getIterationResults().stream())
                    .map(IterationResult::getPrimaryResult)
                    .mapToDouble(result -> result.getScore())
                    .toArray());
        } catch (RunnerException e) {
            throw new IllegalStateException("the benchmark failed: " + parameters, e);
        }
    }
}
