package dev.sieve.shared;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures the scripts: pages of 64 links, one in ten of them new, pushed into one slice; then taken and done.
 *
 * <pre>java ... dev.sieve.shared.ScriptSpeed THREADS PAGES [setting of the engine ...]</pre>
 */
final class ScriptSpeed {
    private static final int LINKS = 64;
    private static final int PER_BUCKET = 160;
    /** Bytes of a URL that it does not have in common with its referrer. */
    private static final int TEXT = 28;

    private ScriptSpeed() {}

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int pages = Integer.parseInt(args[1]);
        String[] settings = List.of(args).subList(2, args.length).toArray(String[]::new);
        try (TestEngine server = TestEngine.start(settings);
                Engine engine =
                        new Engine(server.address("a"), "0123456789abcdef", Duration.ofMinutes(1), System::nanoTime)) {
            System.out.println("engine " + server.info("redis_version") + ", " + threads + " threads, " + pages
                    + " pages of " + LINKS + " links");
            int buckets = Math.max(1, pages * 64 / 10 / PER_BUCKET);
            long memory = Long.parseLong(server.info("used_memory"));
            List<Thread> all = new ArrayList<>();
            AtomicLong accepted = new AtomicLong();
            long log = server.logLength();
            double cpu = cpu(server);
            double load = load();
            long start = System.nanoTime();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                all.add(new Thread(() -> push(engine, thread, pages / threads, buckets, accepted)));
            }
            all.forEach(Thread::start);
            for (Thread thread : all) {
                thread.join();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double used = cpu(server) - cpu;
            long links = (long) (pages / threads) * threads * LINKS;
            double others = load() - load;
            System.out.printf(
                    "push: %,.0f links/s, engine %.2f us/link, all processes %.2f of 2 processors, %d new%n",
                    links / seconds, used / links * 1e6, others / seconds, accepted.get());
            TimeUnit.SECONDS.sleep(2);
            System.out.printf("log: %.1f bytes per new URL%n", (server.logLength() - log) / (double) accepted.get());
            long full = Long.parseLong(server.info("used_memory"));
            take(engine, server);
            long seen = Long.parseLong(server.info("used_memory"));
            System.out.printf(
                    "queue %.1f, seen %.1f bytes per new URL%n",
                    (full - seen) / (double) accepted.get(), (seen - memory) / (double) accepted.get());
        }
    }

    private static void push(Engine engine, int thread, int pages, int buckets, AtomicLong accepted) {
        Random random = new Random(thread);
        engine.call((session, call) -> {
            session.send("HSET", TestSlice.args("{measured}", "id", "1"));
            return session.receive();
        });
        // The fingerprints of what this thread pushed, for links to them.
        long[] known = new long[pages * LINKS / 8 + LINKS];
        int size = 0;
        byte[] blob = new byte[LINKS * TEXT];
        byte[] head = new byte[12];
        byte[] lengths = new byte[LINKS * 4];
        for (int i = 0; i < LINKS; i++) {
            lengths[4 * i + 3] = TEXT;
        }
        byte[][] keys = new byte[LINKS + 4][];
        keys[0] = TestSlice.bytes("{measured}12q");
        keys[1] = TestSlice.bytes("{measured}12r");
        keys[2] = TestSlice.bytes("{measured}12m");
        keys[3] = TestSlice.bytes("{measured}");
        byte[][] args = new byte[LINKS + 7][];
        args[0] = TestSlice.bytes("1");
        args[3] = TestSlice.bytes("0");
        args[4] = head;
        args[5] = blob;
        args[6] = lengths;
        for (int page = 0; page < pages; page++) {
            random.nextBytes(blob);
            for (int i = 0; i < LINKS; i++) {
                long hash;
                if (size < LINKS || random.nextInt(10) == 0) {
                    hash = random.nextLong();
                    known[size++ % known.length] = hash;
                } else {
                    hash = known[random.nextInt(Math.min(size, known.length))];
                }
                keys[i + 4] = TestSlice.bytes("{measured}12s" + (hash >>> 33) % buckets);
                args[i + 7] = TestSlice.bytes((int) hash);
            }
            Object answer = engine.call((session, call) -> {
                args[1] = TestSlice.bytes(session.lane());
                args[2] = TestSlice.bytes(call);
                session.send(Script.PUSH, keys, args);
                return session.receive();
            });
            accepted.addAndGet(
                    TestSlice.mask(answer, LINKS).chars().filter(c -> c == '1').count());
        }
    }

    private static void take(Engine engine, TestEngine server) throws IOException {
        TestSlice slice = new TestSlice(engine.run().id, "0123456789abcdef", "{measured}12");
        long token = engine.call((session, call) -> slice.claim(session));
        double cpu = cpu(server);
        long start = System.nanoTime();
        long urls = 0;
        while (true) {
            List<?> taken = engine.call((session, call) -> (List<?>) slice.take(session, token, call, 16));
            long first = (Long) taken.get(0);
            if (first == 0) {
                break;
            }
            Object[] triples = new Object[3 * (taken.size() - 1)];
            for (int i = 1; i < taken.size(); i++) {
                byte[] frame = (byte[]) taken.get(i);
                int count = ((frame[0] & 0xff) << 8) | (frame[1] & 0xff);
                urls += count;
                triples[3 * i - 3] = first + i - 1;
                triples[3 * i - 2] = "";
                triples[3 * i - 1] = count;
            }
            engine.call((session, call) -> slice.done(session, token, call, triples));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "take and done, frames of a page, 16 per call: %,.0f URLs/s, engine %.2f us/URL, %d URLs%n",
                urls / seconds, (cpu(server) - cpu) / urls * 1e6, urls);
    }

    /** Returns the seconds of a processor that the engine has used. */
    private static double cpu(TestEngine server) {
        return Double.parseDouble(server.info("used_cpu_user")) + Double.parseDouble(server.info("used_cpu_sys"));
    }

    /** Returns the seconds of all processors that all processes have used. */
    private static double load() throws IOException {
        String[] fields = Files.readAllLines(Path.of("/proc/stat")).get(0).split(" +", -1);
        double sum = 0;
        for (int i : new int[] {1, 2, 3, 6, 7}) {
            sum += Long.parseLong(fields[i]) / 100.0;
        }
        return sum;
    }
}
