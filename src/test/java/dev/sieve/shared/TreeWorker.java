package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that crawls a tree of pages: page n links to the pages 2n + 1 and 2n + 2, so each page but the first is found
 * on one page only, and nothing makes good for a link that is lost. It writes to standard output what it does, one line
 * each, in one call of the operating system:
 *
 * <pre>
 *   ready
 *   f NUMBER               has read a page
 *   n NUMBER...            of its links, these were new
 *   d NUMBER               has finished it; l: was told that its lease had ended before
 *   over                   the crawl is over
 * </pre>
 */
final class TreeWorker {
    private static final int THREADS = 2;
    private static final int LEASES = 20;
    private static final int HOSTS = 200;
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final SharedSieve frontier;
    private final int pages;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

    private TreeWorker(SharedSieve frontier, int pages) {
        this.frontier = frontier;
        this.pages = pages;
    }

    /** Arguments: address, number of pages, seed. */
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[2]);
        try (SharedSieve frontier = open(EngineAddress.parse(args[0]))) {
            TreeWorker worker = new TreeWorker(frontier, Integer.parseInt(args[1]));
            worker.write("ready");
            frontier.push(url(0));
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed * THREADS + i);
                threads.add(new Thread(() -> worker.work(random)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            worker.write("over");
        }
    }

    /** Opens the frontier; an engine that has just been killed refuses that until it has read its log. */
    static SharedSieve open(EngineAddress address) throws IOException {
        SharedSieve.Builder builder = SharedSieve.builder(address)
                .capacity(100_000)
                .slices(16)
                .ownership(Duration.ofSeconds(2))
                .patience(Duration.ofMinutes(2));
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (true) {
            try {
                return builder.open();
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LockSupport.parkNanos(LONGEST_WAIT_NANOS);
            }
        }
    }

    static String url(int number) {
        return "http://host" + Math.floorMod(number * 0x9e3779b9, HOSTS) + ".test/" + "x".repeat(number % 40) + "/"
                + number;
    }

    static int number(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }

    /** Works as a crawler does: takes more than it works on, and picks from that. */
    private void work(Random random) {
        List<Lease> leases = new ArrayList<>();
        while (true) {
            long now = System.nanoTime();
            Lease taken = leases.size() < LEASES ? frontier.take(now) : null;
            if (taken != null) {
                leases.add(taken);
            } else if (!leases.isEmpty()) {
                visit(leases.remove(random.nextInt(leases.size())), random);
            } else if (frontier.isOver(0)) {
                return;
            } else {
                LockSupport.parkNanos(Math.min(frontier.waitNanos(now), LONGEST_WAIT_NANOS));
            }
        }
    }

    private void visit(Lease lease, Random random) {
        if (!frontier.begin(lease)) {
            return;
        }
        if (random.nextInt(20) == 0) {
            frontier.retry(lease, System.nanoTime() + random.nextInt(100_000_000));
            return;
        }
        int number = number(lease.url());
        write("f " + number);
        UrlBatch links = new UrlBatch(lease.depth() + 1, 0, lease.url());
        for (int child = 2 * number + 1; child <= 2 * number + 2 && child < pages; child++) {
            links.add(url(child));
        }
        frontier.pushAll(links);
        StringBuilder line = new StringBuilder("n");
        for (int i = 0; i < links.size(); i++) {
            if (links.isNew(i)) {
                line.append(' ').append(number(links.url(i)));
            }
        }
        write(line.toString());
        write((frontier.done(lease) ? "d " : "l ") + number);
    }

    private synchronized void write(String line) {
        try {
            out.write((line + "\n").getBytes(US_ASCII));
        } catch (IOException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
