package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.FilterKind;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that works on a frontier until it is killed, and tells on standard output what it is about to do and what it
 * was told: one line each, in one call of the operating system, so that no line is lost but the one that is being written.
 *
 * <pre>
 *   ready
 *   p FIRST COUNT OLD...   is about to push the URLs with the numbers FIRST to FIRST + COUNT - 1, and older ones
 *   a NUMBER...            of the last push of its thread, these were new
 *   t NUMBER               was handed out
 *   d NUMBER               is about to say that it is done; D: has said so
 * </pre>
 *
 * Each line begins with the number of its thread.
 */
final class KillChild {
    private static final int THREADS = 2;
    private static final int MOST_PENDING = 3000;

    private final DurableSieve frontier;
    private final AtomicInteger next;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

    private KillChild(DurableSieve frontier, int first) {
        this.frontier = frontier;
        this.next = new AtomicInteger(first);
    }

    /** Arguments: folder, the first number that was never used, seed. */
    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[2]);
        DurableSieve frontier = open(Path.of(args[0]), seed);
        KillChild child = new KillChild(frontier, Integer.parseInt(args[1]));
        child.tell("0 ready");
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            new Thread(() -> child.work(number, new Random(seed * THREADS + number))).start();
        }
    }

    static DurableSieve open(Path folder, long seed) throws IOException {
        return DurableSieve.builder(folder)
                .capacity(100_000)
                .filter(FilterKind.EXACT)
                .durability(List.of(Durability.values()).get((int) (seed % 3)))
                .segmentBytes(20_000)
                .checkpointBytes(1)
                .open();
    }

    static String url(int number) {
        return "http://host" + number / 8 + ".test/" + "x".repeat(number % 40) + "/" + number;
    }

    static int number(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }

    private void work(int thread, Random random) {
        while (true) {
            int choice = random.nextInt(500);
            if (choice == 0) {
                frontier.checkpoint();
            } else if (choice == 1) {
                frontier.sync();
            } else if (choice < 100 && frontier.pending() < MOST_PENDING) {
                push(thread, random);
            } else {
                take(thread, random);
            }
        }
    }

    private void push(int thread, Random random) {
        int count = 1 + random.nextInt(20);
        int first = next.getAndAdd(count);
        UrlBatch batch = new UrlBatch(1, 0, random.nextBoolean() ? null : url(first));
        StringBuilder line = new StringBuilder()
                .append(thread)
                .append(" p ")
                .append(first)
                .append(' ')
                .append(count);
        for (int i = 0; i < count; i++) {
            batch.add(url(first + i));
        }
        for (int i = random.nextInt(30); i > 0; i--) {
            int old = Math.max(0, next.get() - 1 - random.nextInt(5000));
            batch.add(url(old));
            line.append(' ').append(old);
        }
        tell(line.toString());
        frontier.pushAll(batch);
        StringBuilder answer = new StringBuilder().append(thread).append(" a");
        for (int i = 0; i < batch.size(); i++) {
            if (batch.isNew(i)) {
                answer.append(' ').append(number(batch.url(i)));
            }
        }
        tell(answer.toString());
    }

    private void take(int thread, Random random) {
        Lease lease = frontier.take(System.nanoTime());
        if (lease == null) {
            return;
        }
        int number = number(lease.url());
        tell(thread + " t " + number);
        if (random.nextInt(20) == 0) {
            frontier.retry(lease, System.nanoTime() + random.nextInt(1_000_000));
        } else if (random.nextInt(20) != 0) {
            tell(thread + " d " + number);
            frontier.done(lease);
            tell(thread + " D " + number);
        }
    }

    private synchronized void tell(String line) {
        try {
            out.write((line + "\n").getBytes(US_ASCII));
        } catch (IOException e) {
            Runtime.getRuntime().halt(1);
        }
    }
}
