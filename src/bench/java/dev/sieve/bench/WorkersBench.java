package dev.sieve.bench;

import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.durable.ChildJvm;
import dev.sieve.shared.TestEngine;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Crawlers in processes of their own that share a crawl of the demo web, whose pages take 250 ms each, with 8 requests at
 * once per crawler and a delay of a second per host: pages per second of one to four of them, and how long it takes until
 * the slices have moved when one joins, ends or is killed. Parameters: {@code -p engine=FILE}, {@code -p pages=3000},
 * {@code -p workers=1,2,3,4}; 0: only the moves.
 */
final class WorkersBench {
    private static final int SLICES = 64;
    private static final Duration RESPONSE_TIME = Duration.ofMillis(250);
    private static final Duration OWNERSHIP = Duration.ofSeconds(15);
    private static final long POLL_NANOS = Duration.ofMillis(10).toNanos();

    private WorkersBench() {}

    static void run(CommandLineOptions line) throws Exception {
        File program = SharedBench.engine(line);
        int pages = Integer.parseInt(Bench.parameter(line, "pages", "3000"));
        double one = 0;
        for (String count : line.getParameter("workers").orElse(List.of("1", "2", "3", "4"))) {
            int workers = Integer.parseInt(count);
            if (workers == 0) {
                continue;
            }
            double rate = rate(program, workers, pages);
            one = workers == 1 ? rate : one;
            Bench.print("%d workers: %6.1f pages/s, %.2f times those of one", workers, rate, rate / one);
        }
        for (int i = 0; i < 3; i++) {
            moves(program);
        }
    }

    private static DemoWeb web(int pages) throws IOException {
        return DemoWeb.builder()
                .hosts(400)
                .pages(pages)
                .even(true)
                .pageBytes(2000)
                .responseTime(RESPONSE_TIME)
                .slowPages(RESPONSE_TIME)
                .recorded(1_000_000)
                .open();
    }

    private static Process start(TestEngine engine, DemoWeb web) throws IOException {
        return ChildJvm.start(
                List.of("-Xmx200m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                CrawlWorker.class,
                engine.address("bench").toString(),
                web.start(),
                OWNERSHIP.toString());
    }

    /** Pages per second between the first and the last fifth of the requests. */
    private static double rate(File program, int count, int pages) throws Exception {
        List<Process> workers = new ArrayList<>();
        try (DemoWeb web = web(pages);
                TestEngine engine = TestEngine.start(program)) {
            for (int i = 0; i < count; i++) {
                workers.add(start(engine, web));
            }
            for (Process worker : workers) {
                worker.waitFor();
                if (worker.exitValue() != 0) {
                    throw new IOException("a worker ended with exit code " + worker.exitValue());
                }
            }
            long[] starts = web.requests().stream()
                    .filter(request -> !request.target().equals("/robots.txt"))
                    .mapToLong(DemoRequest::startNanos)
                    .sorted()
                    .toArray();
            int from = starts.length / 5;
            int to = starts.length * 4 / 5;
            return (to - from) * 1e9 / (starts[to] - starts[from]);
        } finally {
            workers.forEach(Process::destroyForcibly);
        }
    }

    private static void moves(File program) throws Exception {
        List<Process> workers = new ArrayList<>();
        try (DemoWeb web = web(100_000);
                TestEngine engine = TestEngine.start(program)) {
            workers.add(start(engine, web));
            workers.add(start(engine, web));
            await(engine, owned -> owned.size() == 2 && sum(owned) == SLICES && isShared(owned));
            Set<String> before = owners(engine).keySet();
            long requests = web.requestCount();

            workers.add(start(engine, web));
            // It is at work once it has said so.
            new BufferedReader(new InputStreamReader(workers.get(2).getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            long start = System.nanoTime();
            await(engine, owned -> owned.size() == 3 && sum(owned) == SLICES && isShared(owned));
            Bench.print("a worker that joined had its share of %d slices after %.1f s", SLICES, seconds(start));
            String third = owners(engine).keySet().stream()
                    .filter(owner -> !before.contains(owner))
                    .findFirst()
                    .orElseThrow();

            start = System.nanoTime();
            workers.get(2).destroy();
            await(engine, owned -> !owned.containsKey(third) && sum(owned) == SLICES);
            Bench.print("the slices of a worker that was ended had other owners after %.1f s", seconds(start));
            workers.get(2).waitFor();
            Bench.print("  and its process was gone after %.1f s", seconds(start));

            Set<String> both = owners(engine).keySet();
            start = System.nanoTime();
            workers.get(1).destroyForcibly();
            await(engine, owned -> owned.size() == 1 && sum(owned) == SLICES && both.containsAll(owned.keySet()));
            Bench.print(
                    "the slices of a worker that was killed had other owners after %.1f s, with leases of %d s; %,d"
                            + " requests meanwhile",
                    seconds(start), OWNERSHIP.toSeconds(), web.requestCount() - requests);
        } finally {
            for (Process worker : workers) {
                worker.destroyForcibly().waitFor();
            }
        }
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static int sum(Map<String, Integer> owned) {
        return owned.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Whether none has more than its share. */
    private static boolean isShared(Map<String, Integer> owned) {
        int share = (SLICES + owned.size() - 1) / owned.size();
        return owned.values().stream().allMatch(slices -> slices <= share);
    }

    private static void await(TestEngine engine, Predicate<Map<String, Integer>> condition) {
        while (!condition.test(owners(engine))) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** The workers that own slices, and how many. */
    private static Map<String, Integer> owners(TestEngine engine) {
        String script = "local all = {} for i = 0, ARGV[1] - 1 do"
                + " all[i + 1] = redis.call('HGET', '{bench}' .. i .. 'o', 'worker') or '' end"
                + " return table.concat(all, ' ')";
        Map<String, Integer> owned = new HashMap<>();
        Arrays.stream(engine.text("EVAL", script, "0", String.valueOf(SLICES)).split(" ", -1))
                .filter(owner -> !owner.isEmpty())
                .forEach(owner -> owned.merge(owner, 1, Integer::sum));
        return owned;
    }
}
