package dev.sieve.polite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Judges an {@link AdaptiveDelay} on modelled hosts, beside the rules of two other crawlers, each of which requests 1,000 pages,
 * one at a time: means of three seeds. Time is simulated, in milliseconds.
 *
 * <p>Scrapy's AutoThrottle, by its documentation: the delay between the starts of two requests is the mean of the one before and
 * the response time, not below the latter; target concurrency 1. Heritrix, by the documentation of its politeness parameters:
 * after each response, it waits for 5 times the response time. Both with the bounds of an adaptive delay, and the first with
 * its first delay; Heritrix also with its own bounds, 3 and 30 s. The system property {@code sieve.traces} prints the numbers.
 */
class AdaptiveDelayTracesTest {
    private static final int PAGES = 1000;
    private static final long[] SEEDS = {1, 2, 3};
    private static final double MINUTE = 60_000;
    private static final double HOUR = 60 * MINUTE;
    private static final double SHORTEST = AdaptiveDelay.SHORTEST.toMillis();
    private static final double LONGEST = AdaptiveDelay.LONGEST.toMillis();

    /** Returns when the next request is sent, after one that was sent at a moment and took a time. */
    @FunctionalInterface
    private interface Pace {
        double next(double sent, double took);

        static Pace adaptive() {
            AdaptiveDelay delay = new AdaptiveDelay();
            return (sent, took) -> {
                delay.responded(Duration.ofNanos((long) (took * 1e6)));
                return sent + Math.max(took, (double) delay.delay().toMillis());
            };
        }

        static Pace autoThrottle() {
            double[] delay = {AdaptiveDelay.FIRST.toMillis()};
            return (sent, took) -> {
                double target = Math.max(took, (delay[0] + took) / 2);
                delay[0] = Math.min(LONGEST, Math.max(SHORTEST, target));
                return sent + Math.max(took, delay[0]);
            };
        }

        static Pace heritrix(double shortest, double longest) {
            return (sent, took) -> sent + took + Math.min(longest, Math.max(shortest, 5 * took));
        }
    }

    /** A host, and for how long it has worked for this crawl since a moment. */
    private abstract static class Host {
        double from;
        double worked;

        /** Returns how long it takes to respond with a page. */
        abstract double took(double sent, int page);
    }

    /** A host whose response times do not depend on its load. */
    private static Host drawn(long seed, ToDoubleBiFunction<Random, Integer> draw) {
        Random random = new Random(seed);
        return new Host() {
            @Override
            double took(double sent, int page) {
                double took = draw.applyAsDouble(random, page);
                worked += took;
                return took;
            }
        };
    }

    private static Host drawn(long seed, ToDoubleFunction<Random> draw) {
        return drawn(seed, (random, page) -> draw.applyAsDouble(random));
    }

    private static double logNormal(Random random, double median, double sigma) {
        return median * Math.exp(sigma * random.nextGaussian());
    }

    private static double pareto(Random random, double shortest, double shape) {
        return Math.min(30_000, shortest * Math.pow(1 - random.nextDouble(), -1 / shape));
    }

    /** A queue (M/G/1) that this crawl and others fill; the others do not wait longer than 5 seconds. */
    private static final class Queue extends Host {
        private static final double MOST = 1.6;
        private static final double PATIENCE = 5_000;

        private final Random others;
        private final Random own;
        private final double service;
        private final DoubleUnaryOperator utilisation;
        private double now;
        private double waiting; // work
        private double next;

        /** Creates a queue with a mean service time that others use to a degree, which depends on the time. */
        Queue(long seed, double service, DoubleUnaryOperator utilisation) {
            others = new Random(seed);
            own = new Random(seed + 1);
            this.service = service;
            this.utilisation = utilisation;
        }

        /** Returns a queue that others use to a degree from the second minute on, for an hour, and before and after that to 0.3. */
        static Queue overloaded(long seed, double service, double utilisation) {
            Queue queue = new Queue(seed, service, now -> now < MINUTE || now > MINUTE + HOUR ? 0.3 : utilisation);
            queue.from = MINUTE;
            return queue;
        }

        private double work(Random random) {
            return logNormal(random, service * Math.exp(-0.32), 0.8);
        }

        private void advance(double until) {
            waiting = Math.max(0, waiting - (until - now));
            now = until;
        }

        @Override
        double took(double sent, int page) {
            while (next <= sent) {
                advance(next);
                double work = work(others);
                waiting += others.nextDouble() * MOST < utilisation.applyAsDouble(now) && waiting < PATIENCE ? work : 0;
                next -= Math.log(1 - others.nextDouble()) * service / MOST;
            }
            advance(sent);
            double work = work(own);
            worked += sent >= from ? work : 0;
            waiting += work;
            return waiting;
        }
    }

    /**
     * What a crawl has cost.
     *
     * @param seconds how long 1,000 pages took
     * @param load for which share of that time the host worked for it; if it is overloaded, of the hour
     */
    private record Result(double seconds, double load) {}

    private static Result run(Host host, Pace pace) {
        double now = 0;
        double seconds = 0;
        double load = 0;
        boolean isWatched = host.from > 0;
        for (int page = 0; page < PAGES || (isWatched && now < MINUTE + HOUR); page++) {
            double took = host.took(now, page);
            seconds = page < PAGES ? (now + took) / 1000 : seconds;
            now = pace.next(now, took);
            if (isWatched ? now < MINUTE + HOUR : page < PAGES) {
                load = host.worked / (isWatched ? HOUR : seconds * 1000);
            }
        }
        return new Result(seconds, load);
    }

    /** Returns the mean results of this crawler and of the others. */
    private static List<Result> compare(String name, LongFunction<Host> host) {
        List<Result> results = Stream.<Supplier<Pace>>of(
                        Pace::adaptive,
                        Pace::autoThrottle,
                        () -> Pace.heritrix(SHORTEST, LONGEST),
                        () -> Pace.heritrix(3_000, 30_000))
                .map(pace -> {
                    List<Result> runs = LongStream.of(SEEDS)
                            .mapToObj(seed -> run(host.apply(seed), pace.get()))
                            .toList();
                    return new Result(mean(runs, Result::seconds), mean(runs, Result::load));
                })
                .toList();
        if (Boolean.getBoolean("sieve.traces")) {
            StringBuilder line = new StringBuilder(name);
            results.forEach(each -> line.append(String.format(" | %.0f s, %.2f %%", each.seconds, 100 * each.load)));
            System.out.println(line);
        }
        return results;
    }

    private static double mean(List<Result> results, ToDoubleFunction<Result> measure) {
        return results.stream().mapToDouble(measure).average().orElseThrow();
    }

    private static Map<String, LongFunction<Host>> steady() {
        Map<String, LongFunction<Host>> traces = new LinkedHashMap<>();
        for (int millis : new int[] {1, 5, 20, 50, 100, 200, 350, 500}) {
            traces.put(
                    "steady, " + millis + " ms",
                    seed -> drawn(seed, random -> millis * (0.95 + random.nextDouble() / 10)));
        }
        for (double sigma : new double[] {0.2, 0.4, 0.6, 0.8, 1}) {
            for (int median : new int[] {50, 300}) {
                traces.put(
                        "log-normal, " + median + " ms, sigma " + sigma,
                        seed -> drawn(seed, random -> logNormal(random, median, sigma)));
            }
        }
        for (double shape : new double[] {1.2, 1.5, 2.5}) {
            traces.put("Pareto, shape " + shape, seed -> drawn(seed, random -> pareto(random, 60, shape)));
        }
        traces.put("exponential", seed -> drawn(seed, random -> -150 * Math.log(1 - random.nextDouble())));
        traces.put("50 to 500 ms", seed -> drawn(seed, random -> 50 + 450 * random.nextDouble()));
        for (int slower : new int[] {3, 10}) {
            traces.put(
                    "1 of 9 takes " + slower + " times as long",
                    seed -> drawn(seed, random -> logNormal(random, 80 * (random.nextInt(9) == 0 ? slower : 1), 0.2)));
            traces.put(
                    "8 of 9 take " + slower + " times as long",
                    seed -> drawn(seed, random -> logNormal(random, 50 * (random.nextInt(9) == 0 ? 1 : slower), 0.2)));
        }
        traces.put(
                "half from a cache",
                seed -> drawn(seed, random -> logNormal(random, random.nextBoolean() ? 6 : 300, 0.3)));
        traces.put(
                "first slow, then from a cache",
                seed -> drawn(seed, (random, page) -> logNormal(random, page < 100 ? 400 : 30, 0.3)));
        traces.put("proportional to size", seed -> drawn(seed, random -> 40 + logNormal(random, 60, 1.2)));
        traces.put(
                "slow drift to 1.5 times",
                seed -> drawn(seed, (random, page) -> logNormal(random, 100 * Math.pow(1.5, page / 1e3), 0.2)));
        traces.put(
                "daily load",
                seed -> drawn(
                        seed,
                        (random, page) -> logNormal(random, 100 * (1.5 - Math.cos(page * Math.PI / 1500) / 2), 0.2)));
        for (double utilisation : new double[] {0.3, 0.5}) {
            traces.put("queue, others " + utilisation, seed -> new Queue(seed, 30, now -> utilisation));
        }
        return traces;
    }

    private static Stream<DynamicTest> each(
            Map<String, LongFunction<Host>> traces, Function<List<Result>, Boolean> rule) {
        return traces.entrySet().stream()
                .map(trace -> DynamicTest.dynamicTest(trace.getKey(), () -> {
                    List<Result> results = compare(trace.getKey(), trace.getValue());
                    assertThat(rule.apply(results)).as("%s", results).isTrue();
                }));
    }

    private static double best(List<Result> results, ToDoubleFunction<Result> measure) {
        return results.stream().skip(1).mapToDouble(measure).min().orElseThrow();
    }

    @TestFactory
    Stream<DynamicTest> hostThatIsAsFastAsEverIsNotSlowed() {
        return each(steady(), all -> all.get(0).seconds <= 1.15 * best(all, Result::seconds));
    }

    /** From the second minute on, for an hour. */
    @TestFactory
    Stream<DynamicTest> overloadedHostIsLeftAlone() {
        Map<String, LongFunction<Host>> traces = new LinkedHashMap<>();
        for (double utilisation : new double[] {1.05, 1.3}) {
            for (int service : new int[] {30, 100}) {
                traces.put(
                        "overloaded, others " + utilisation + ", " + service + " ms",
                        seed -> Queue.overloaded(seed, service, utilisation));
            }
        }
        return each(traces, all -> all.get(0).load <= best(all, Result::load));
    }

    /** Neither as fast as the one that takes all that is left, nor as slow as the one that takes a sixth of it. */
    @TestFactory
    Stream<DynamicTest> busyHostIsSharedWithOthers() {
        Map<String, LongFunction<Host>> traces = new LinkedHashMap<>();
        traces.put("busy, others 0.7", seed -> new Queue(seed, 30, now -> 0.7));
        traces.put("busy, others 0.5, 100 ms", seed -> new Queue(seed, 100, now -> 0.5));
        return each(traces, all -> all.get(0).load < all.get(1).load && all.get(0).seconds < all.get(2).seconds);
    }

    @ParameterizedTest
    @CsvSource({"1.5, 0.05", "1.5, 0.2", "2, 0.05", "2, 0.2", "2, 0.4", "3, 0.4", "10, 0.4", "10, 0.8"})
    void hostThatBecomesSlowerIsNoticedWithin20Responses(double factor, double sigma) {
        double mean = LongStream.range(0, 20)
                .mapToDouble(seed -> {
                    Random random = new Random(seed);
                    AdaptiveDelay delay = new AdaptiveDelay();
                    respond(delay, 300, () -> logNormal(random, 100, sigma));
                    int count = 0;
                    // A quarter is more than the noise of an average response time.
                    for (Duration first = delay.delay(); delay.delay().toMillis() < 1.4 * first.toMillis(); count++) {
                        respond(delay, 1, () -> logNormal(random, factor * 100, sigma));
                    }
                    return count;
                })
                .average()
                .orElseThrow();
        assertThat(mean).isLessThan(20);
    }

    @Test
    void hostThatRecoversIsRequestedAsBefore() {
        Random random = new Random(17);
        AdaptiveDelay delay = new AdaptiveDelay();
        respond(delay, 300, () -> logNormal(random, 100, 0.3));
        respond(delay, 100, () -> logNormal(random, 1000, 0.3));
        assertThat(delay.delay()).isGreaterThan(Duration.ofSeconds(6));
        respond(delay, 150, () -> logNormal(random, 100, 0.3));
        assertThat(delay.delay()).isEqualTo(AdaptiveDelay.SHORTEST);
    }

    private static void respond(AdaptiveDelay delay, int count, Supplier<Double> millis) {
        for (int i = 0; i < count; i++) {
            delay.responded(Duration.ofNanos((long) (millis.get() * 1e6)));
        }
    }
}
