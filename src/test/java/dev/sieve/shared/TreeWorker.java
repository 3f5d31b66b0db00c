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
 *   f NUMBER FROM TO       has read a page, in this time on the clock of the system
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
    private final int requestMillis;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

    private TreeWorker(SharedSieve frontier, int pages, int requestMillis) {
        this.frontier = frontier;
        this.pages = pages;
        this.requestMillis = requestMillis;
    }

    /**
     * Arguments: address, number of pages, seed; more for a cluster: seconds of an ownership, milliseconds of a request,
     * {@code off} (without the barrier).
     */
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[2]);
        int ownership = args.length > 3 ? Integer.parseInt(args[3]) : 2;
        try (SharedSieve frontier = open(EngineAddress.parse(args[0]), ownership, args.length > 5)) {
            TreeWorker worker = new TreeWorker(
                    frontier, Integer.parseInt(args[1]), args.length > 4 ? Integer.parseInt(args[4]) : 0);
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
    static SharedSieve open(EngineAddress address, int ownershipSeconds, boolean isBarrierOff) throws IOException {
        SharedSieve.Builder builder = SharedSieve.builder(address)
                .capacity(100_000)
                .slices(16)
                .ownership(Duration.ofSeconds(ownershipSeconds))
                .patience(Duration.ofMinutes(2));
        if (isBarrierOff) {
            builder.withoutBarrier();
        }
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

    static int host(int number) {
        return Math.floorMod(number * 0x9e3779b9, HOSTS);
    }

    static String url(int number) {
        return "http://host" + host(number) + ".test/" + "x".repeat(number % 40) + "/" + number;
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
        long from = System.nanoTime();
        if (requestMillis > 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(requestMillis));
        }
        if (random.nextInt(20) == 0) {
            frontier.retry(lease, System.nanoTime() + random.nextInt(100_000_000));
            return;
        }
        int number = number(lease.url());
        write("f " + number + " " + from + " " + System.nanoTime());
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
