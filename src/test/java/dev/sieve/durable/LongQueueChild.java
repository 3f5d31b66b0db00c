package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A process that pushes many URLs and only then takes them. It looks at itself {@link #LOOKS} times while it pushes and as
 * often while it takes, and tells what it sees in a line of numbers; their places are the constants below.
 */
final class LongQueueChild {
    static final int LOOKS = 4;

    static final int ACCEPTED = 0;
    static final int SUM_ACCEPTED = 1;
    static final int TAKEN = 2;
    static final int SUM_TAKEN = 3;
    static final int PENDING = 4;
    /** Bytes in use after a collection. */
    static final int HEAP = 5;

    /** Bytes of all files. */
    static final int DISK = 6;

    /** Since the start, without the time of looking. */
    static final int MILLIS = 7;

    private static final int BATCH = 64;

    private final Path folder;
    private final int urls;
    private final DurableSieve frontier;
    private final long[] seen = new long[MILLIS + 1];
    private long startNanos = System.nanoTime();

    private LongQueueChild(Path folder, int urls) throws IOException {
        this.folder = folder;
        this.urls = urls;
        frontier = DurableSieve.open(folder, urls);
    }

    /** Arguments: folder, how many URLs. */
    public static void main(String[] args) throws IOException {
        LongQueueChild child = new LongQueueChild(Path.of(args[0]), Integer.parseInt(args[1]));
        child.push();
        child.take();
        child.frontier.close();
    }

    private void push() throws IOException {
        UrlBatch batch = new UrlBatch();
        int looked = 0;
        for (int first = 0; first < urls; first += BATCH) {
            batch.clear(1, 0, "http://host" + first / 1000 + ".test/");
            for (int number = first; number < Math.min(urls, first + BATCH); number++) {
                batch.add(url(number));
            }
            frontier.pushAll(batch);
            for (int i = 0; i < batch.size(); i++) {
                if (batch.isNew(i)) {
                    seen[ACCEPTED]++;
                    seen[SUM_ACCEPTED] += first + i;
                }
            }
            if ((long) first * LOOKS >= (looked + 1L) * (urls - BATCH)) {
                looked++;
                look();
            }
        }
    }

    /** Hardly like its neighbours, so that the log is long, too. */
    private static String url(int number) {
        return "http://host" + number / 1000 + ".test/" + Long.toHexString(number * 0x9e3779b97f4a7c15L) + "-" + number;
    }

    private void take() throws IOException {
        int last = -1;
        int looked = 0;
        for (Lease lease = frontier.take(0); lease != null; lease = frontier.take(0)) {
            int number = Integer.parseInt(lease.url().substring(lease.url().lastIndexOf('-') + 1));
            if (number <= last) {
                throw new IllegalStateException(number + " comes after " + last);
            }
            last = number;
            seen[TAKEN]++;
            seen[SUM_TAKEN] += number;
            frontier.done(lease);
            if (seen[TAKEN] * LOOKS >= (looked + 1) * seen[ACCEPTED]) {
                looked++;
                look();
            }
        }
    }

    private void look() throws IOException {
        long nanos = System.nanoTime();
        seen[MILLIS] = TimeUnit.NANOSECONDS.toMillis(nanos - startNanos);
        System.gc();
        seen[HEAP] = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        seen[PENDING] = frontier.pending();
        seen[DISK] = 0;
        for (String name : new LocalDisk(folder).names()) {
            seen[DISK] += Files.size(folder.resolve(name));
        }
        StringBuilder line = new StringBuilder();
        for (long value : seen) {
            line.append(line.length() == 0 ? "" : " ").append(value);
        }
        System.out.write((line + "\n").getBytes(US_ASCII));
        System.out.flush();
        startNanos += System.nanoTime() - nanos;
    }
}
