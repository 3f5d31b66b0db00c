package dev.sieve.shared;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures a frontier on an engine: pages of 64 links, 80 % of them on the host of the page, one in ten new; then take and
 * done.
 *
 * <pre>java ... dev.sieve.shared.FrontierSpeed WORKERS THREADS SLICES CACHE_BYTES PAGES [setting of the engine ...]</pre>
 */
final class FrontierSpeed {
    private static final int LINKS = 64;
    private static final int HOSTS = 500;

    private FrontierSpeed() {}

    public static void main(String[] args) throws Exception {
        int workers = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        int slices = Integer.parseInt(args[2]);
        long cacheBytes = Long.parseLong(args[3]);
        int pages = Integer.parseInt(args[4]);
        String[] settings = List.of(args).subList(5, args.length).toArray(String[]::new);
        try (TestEngine engine = TestEngine.start(settings)) {
            List<SharedSieve> frontiers = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                frontiers.add(SharedSieve.builder(engine.address("speed"))
                        .capacity((long) pages * LINKS)
                        .slices(slices)
                        .cacheBytes(cacheBytes)
                        .open());
            }
            push(frontiers, threads, 0, pages / 10);
            double cpu = cpu(engine);
            long start = System.nanoTime();
            long accepted = push(frontiers, threads, pages / 10, pages);
            double seconds = (System.nanoTime() - start) / 1e9;
            double links = (pages - pages / 10.0) * LINKS;
            System.out.printf(
                    Locale.ROOT,
                    "push: %,.0f links/s, %.2f us of the engine per link, %.1f %% new%n",
                    links / seconds,
                    (cpu(engine) - cpu) * 1e6 / links,
                    100 * accepted / links);
            cpu = cpu(engine);
            start = System.nanoTime();
            long done = 0;
            for (int idle = 0; idle < 3; idle++) {
                for (SharedSieve frontier : frontiers) {
                    for (Lease lease = frontier.take(System.nanoTime());
                            lease != null;
                            lease = frontier.take(System.nanoTime())) {
                        frontier.done(lease);
                        done++;
                        idle = 0;
                    }
                }
            }
            seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "take and done: %,d URLs, %,.0f URLs/s, %.2f us of the engine per URL%n",
                    done,
                    done / seconds,
                    (cpu(engine) - cpu) * 1e6 / done);
            frontiers.forEach(SharedSieve::close);
        }
    }

    private static double cpu(TestEngine engine) {
        return Double.parseDouble(engine.info("used_cpu_user")) + Double.parseDouble(engine.info("used_cpu_sys"));
    }

    private static long push(List<SharedSieve> frontiers, int threads, int from, int to) throws InterruptedException {
        AtomicInteger next = new AtomicInteger(from);
        AtomicLong accepted = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            SharedSieve frontier = frontiers.get(t % frontiers.size());
            all.add(new Thread(() -> {
                UrlBatch batch = new UrlBatch();
                for (int page = next.getAndIncrement(); page < to; page = next.getAndIncrement()) {
                    fill(batch, page);
                    accepted.addAndGet(frontier.pushAll(batch));
                }
            }));
        }
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
        return accepted.get();
    }

    /** Each page brings new URLs of its host, and repeats earlier ones, four of five of its host. */
    private static void fill(UrlBatch batch, int page) {
        Random random = new Random(page);
        int perPage = LINKS / 10;
        batch.clear(1, 0, url(page, 0));
        for (int i = 0; i < LINKS; i++) {
            if (i < perPage) {
                batch.add(url(page, i));
            } else if (i % 5 > 0) {
                int before = skewed(random, page / HOSTS + 1);
                batch.add(url(page - before * HOSTS, random.nextInt(perPage)));
            } else {
                batch.add(url(skewed(random, page + 1), random.nextInt(perPage)));
            }
        }
    }

    private static String url(int page, int number) {
        return "http://host" + page % HOSTS + ".example.org/section/page-" + page + "-" + number + ".html";
    }

    /** Half of the links lead to few pages, as menus do. */
    private static int skewed(Random random, int bound) {
        return random.nextInt(random.nextBoolean() ? Math.min(bound, 20) : bound);
    }
}
