package dev.sieve.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.sieve.UrlBatch;
import dev.sieve.shared.TestCluster;
import dev.sieve.shared.TestEngine;
import dev.sieve.shared.TestNodes;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * The frontier that crawlers share, beside what scrapy-redis does, on a real engine on this machine whose log is written
 * each second, or on three of a cluster: links per second, and what each link costs the engines and the clients. Then, how
 * many bytes a new URL takes in the memory of one engine and in its log. The ways take turns, so that all of them meet the
 * same noise. Parameters: {@code -p engine=FILE} (the program; default: the last of Redis 6.2 and those on the path), {@code
 * -p ways=ONE_SLICE,...}, {@code -p rounds=5}, {@code -p links=2000000} per round, {@code -p urls=1000000,10000000} for the
 * bytes; 0: leave this part out.
 */
final class SharedBench {
    private static final int PAGES = 4096;
    /** Links in an engine before it is measured: at least one of ten of them is new. */
    private static final long FILL = 300_000;

    private SharedBench() {}

    /** One measurement. */
    private record Result(double linksPerSecond, double engineMicros, double clientMicros, double takenPerSecond) {}

    static void compare(CommandLineOptions line) throws Exception {
        File program = engine(line);
        long links = Long.parseLong(Bench.parameter(line, "links", "2000000"));
        List<SharedWay> ways = line.getParameter("ways").hasValue()
                ? line.getParameter("ways").get().stream()
                        .map(SharedWay::valueOf)
                        .toList()
                : List.of(SharedWay.values());
        // The first round warms up.
        int rounds = links == 0 ? 0 : 1 + Integer.parseInt(Bench.parameter(line, "rounds", "5"));
        Map<SharedWay, List<Result>> results = new EnumMap<>(SharedWay.class);
        for (int round = 0; round < rounds; round++) {
            for (SharedWay way : ways) {
                Result result = measure(program, way, links);
                if (round > 0) {
                    results.computeIfAbsent(way, each -> new ArrayList<>()).add(result);
                }
            }
        }
        results.forEach((way, measured) -> print(way, measured, results.get(SharedWay.SCRAPY_REDIS)));
        for (String urls : line.getParameter("urls").orElse(List.of("1000000"))) {
            for (SharedWay way : List.of(SharedWay.ONE_SLICE_16, SharedWay.TWO_CLIENTS, SharedWay.SCRAPY_REDIS)) {
                if (ways.contains(way) && Long.parseLong(urls) > 0) {
                    bytes(program, way, Long.parseLong(urls));
                }
            }
        }
    }

    /** The engine of the parameter, else the last of Redis 6.2 and those on the path. */
    static File engine(CommandLineOptions line) {
        List<File> all = TestEngine.all();
        return new File(Bench.parameter(line, "engine", all.get(all.size() - 1).getPath()));
    }

    private static void print(SharedWay way, List<Result> results, List<Result> peers) {
        double rate = median(results, Result::linksPerSecond);
        Bench.print(
                "%-18s median of %d: %,9.0f links/s (%,.0f to %,.0f); %5.2f us of the engine and %.2f of the clients per link%s%s",
                way,
                results.size(),
                rate,
                results.stream().mapToDouble(Result::linksPerSecond).min().orElseThrow(),
                results.stream().mapToDouble(Result::linksPerSecond).max().orElseThrow(),
                median(results, Result::engineMicros),
                median(results, Result::clientMicros),
                way.isOurs()
                        ? String.format("; take and done: %,.0f URLs/s", median(results, Result::takenPerSecond))
                        : "",
                peers == null
                        ? ""
                        : String.format(
                                "; %.1f times the links of scrapy-redis",
                                rate / median(peers, Result::linksPerSecond)));
    }

    private static double median(List<Result> results, Function<Result, Double> field) {
        return Bench.median(results.stream().map(field).toList());
    }

    /** One server, or the nodes of a cluster. */
    private record Nodes(TestNodes all, List<TestEngine> each) implements AutoCloseable {
        static Nodes start(File program, int count) {
            String[] settings = {"--auto-aof-rewrite-percentage", "0"};
            if (count == 1) {
                TestEngine engine = TestEngine.start(program, settings);
                return new Nodes(engine, List.of(engine));
            }
            TestCluster cluster = TestCluster.startDirect(program, count, settings);
            return new Nodes(
                    cluster, IntStream.range(0, count).mapToObj(cluster::node).toList());
        }

        @Override
        public void close() {
            all.close();
        }
    }

    private static Result measure(File program, SharedWay way, long links) throws Exception {
        try (Nodes nodes = Nodes.start(program, way.nodes);
                Clients clients = new Clients(way, nodes.all, 10_000_000)) {
            HostLinks pages = new HostLinks(PAGES);
            for (long filled = 0; filled < FILL; filled += pages.size()) {
                pages.draw();
                clients.push(pages);
            }
            long pushed = 0;
            long nanos = 0;
            double engines = 0;
            double process = 0;
            while (pushed < links) {
                pages.draw();
                engines -= cpuSeconds(nodes.each);
                process -= cpuSeconds();
                nanos += clients.push(pages);
                process += cpuSeconds();
                engines += cpuSeconds(nodes.each);
                pushed += pages.size();
            }
            long start = System.nanoTime();
            long taken = clients.isNew();
            clients.take(taken);
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Result(pushed * 1e9 / nanos, engines * 1e6 / pushed, process * 1e6 / pushed, taken / seconds);
        }
    }

    /** Of all threads of the engines, with the time in the system. */
    private static double cpuSeconds(List<TestEngine> engines) {
        return Stream.of("used_cpu_user", "used_cpu_sys")
                .flatMap(field -> engines.stream().map(engine -> engine.info(field)))
                .mapToDouble(Double::parseDouble)
                .sum();
    }

    /** Of this process, in which the clients are. */
    private static double cpuSeconds() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e9;
    }

    private static void bytes(File program, SharedWay way, long urls) throws Exception {
        try (Nodes nodes = Nodes.start(program, way.nodes);
                Clients clients = new Clients(way, nodes.all, urls)) {
            TestEngine engine = nodes.each.get(0);
            double memory = memory(engine);
            long log = engine.logLength();
            long length = 0;
            HostLinks pages = new HostLinks(PAGES);
            while (clients.isNew() < urls) {
                pages.drawNew();
                clients.push(pages);
                length += pages.length();
            }
            double stored = clients.isNew();
            double queue = 0;
            for (String key : keys(engine)) {
                if (key.endsWith("q") || key.endsWith(":requests")) {
                    queue += Long.parseLong(engine.text("MEMORY", "USAGE", key, "SAMPLES", "0"));
                }
            }
            double seen = memory(engine) - memory - queue;
            // What is still in a buffer is written within a second.
            engine.stop();
            Bench.print(
                    "%-18s %,11.0f URLs of %.1f bytes: seen %5.1f, queue %5.1f, log %5.1f bytes per URL",
                    way, stored, length / stored, seen / stored, queue / stored, (engine.logLength() - log) / stored);
        }
    }

    private static List<String> keys(TestEngine engine) {
        String script = "local all = redis.call('KEYS', ARGV[1]) return table.concat(all, ' ')";
        List<String> keys = new ArrayList<>();
        for (String pattern : List.of("*q", "*:requests")) {
            keys.addAll(List.of(engine.text("EVAL", script, "0", pattern).split(" ", -1)));
        }
        return keys;
    }

    private static double memory(TestEngine engine) {
        return Double.parseDouble(engine.info("used_memory_dataset"));
    }

    /** The workers of a way, and their threads. */
    private static final class Clients implements AutoCloseable {
        private final List<SharedWay.Client> clients = new ArrayList<>();
        private final ExecutorService threads;
        private final int perClient;
        private long isNew;

        Clients(SharedWay way, TestNodes engine, long urls) throws IOException {
            perClient = way.threads;
            threads = Executors.newFixedThreadPool(way.clients * way.threads);
            for (int i = 0; i < way.clients; i++) {
                clients.add(way.open(engine, urls));
            }
        }

        long isNew() {
            return isNew;
        }

        /** Pushes all pages, and returns how many nanoseconds that took. */
        long push(HostLinks pages) throws Exception {
            AtomicInteger next = new AtomicInteger();
            CountDownLatch ready = new CountDownLatch(clients.size() * perClient);
            CountDownLatch go = new CountDownLatch(1);
            List<Future<Long>> results = new ArrayList<>();
            for (SharedWay.Client client : clients) {
                for (int i = 0; i < perClient; i++) {
                    results.add(threads.submit(() -> {
                        ready.countDown();
                        go.await();
                        return push(client, pages, next);
                    }));
                }
            }
            ready.await();
            long start = System.nanoTime();
            go.countDown();
            for (Future<Long> result : results) {
                isNew += result.get();
            }
            return System.nanoTime() - start;
        }

        private static long push(SharedWay.Client client, HostLinks pages, AtomicInteger next) {
            UrlBatch batch = new UrlBatch();
            long isNew = 0;
            for (int page = next.getAndIncrement(); page < pages.pages(); page = next.getAndIncrement()) {
                pages.fill(batch, page);
                isNew += client.push(batch);
            }
            return isNew;
        }

        /** Takes and finishes so many URLs. */
        void take(long urls) throws Exception {
            AtomicLong left = new AtomicLong(urls);
            List<Future<?>> results = new ArrayList<>();
            for (SharedWay.Client client : clients) {
                results.add(threads.submit(() -> client.take(left)));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }

        @Override
        public void close() {
            threads.shutdownNow();
            clients.forEach(SharedWay.Client::close);
        }
    }
}
