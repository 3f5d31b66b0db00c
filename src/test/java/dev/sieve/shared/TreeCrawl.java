package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.UrlBatch;
import dev.sieve.durable.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A crawl of a tree of pages by {@link TreeWorker}s, which can be killed, and what they say that they do. */
final class TreeCrawl implements AutoCloseable {
    /** Ownership that moves away and back takes two beats at least. */
    private static final long BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private final EngineAddress address;
    private final int pages;
    private final Random random;
    private final String[] more;
    private final List<Worker> workers = new ArrayList<>();
    private int started;

    // The state below is that of this object's monitor.
    private final int[] reads;
    private final int[] news;
    private final List<Request> requests = new ArrayList<>();
    private int distinct;
    private int late;

    private record Request(int worker, int page, long from, long to) {}

    /** A process, and the thread that reads its lines. */
    private final class Worker {
        final int number = started++;
        final Process process;
        final Thread reader;
        boolean isOver;

        Worker() throws IOException {
            List<String> args = new ArrayList<>(
                    List.of(address.toString(), String.valueOf(pages), String.valueOf(random.nextInt(1_000_000))));
            args.addAll(List.of(more));
            process = ChildJvm.start(
                    List.of("-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                    TreeWorker.class,
                    args.toArray(String[]::new));
            reader = new Thread(this::readAll);
            reader.start();
        }

        /** Reads to its end; a line in which it was killed is cut. */
        private void readAll() {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII))) {
                StringBuilder line = new StringBuilder();
                for (int c = lines.read(); c >= 0; c = lines.read()) {
                    if (c != '\n') {
                        line.append((char) c);
                        continue;
                    }
                    note(this, line.toString());
                    line.setLength(0);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void kill() throws InterruptedException {
            process.toHandle().destroyForcibly();
            reader.join();
        }
    }

    /**
     * Starts no worker yet.
     *
     * @param more arguments of the workers
     */
    TreeCrawl(EngineAddress address, int pages, Random random, String... more) {
        this.address = address;
        this.pages = pages;
        this.random = random;
        this.more = more;
        reads = new int[pages];
        news = new int[pages];
    }

    void startWorker() throws IOException {
        workers.add(new Worker());
    }

    /** Kills a worker and starts another one. */
    void replaceWorker() throws IOException, InterruptedException {
        workers.remove(random.nextInt(workers.size())).kill();
        startWorker();
    }

    private synchronized void note(Worker worker, String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "f" -> {
                int page = Integer.parseInt(words[1]);
                requests.add(new Request(worker.number, page, Long.parseLong(words[2]), Long.parseLong(words[3])));
                if (reads[page]++ == 0) {
                    distinct++;
                    notifyAll();
                }
            }
            case "n" -> Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).forEach(number -> news[number]++);
            case "l" -> late++;
            case "over" -> worker.isOver = true;
            default -> assertThat(words[0]).isIn("ready", "d");
        }
    }

    /** Waits until so many pages were read. */
    synchronized void await(int count) throws InterruptedException {
        while (distinct < count) {
            assertThat(workers).as("%d pages", distinct).anyMatch(worker -> worker.process.isAlive());
            wait(1000);
        }
    }

    synchronized boolean isRunning() {
        return distinct < pages;
    }

    /** Waits until all workers have ended, and returns whether each has found that the crawl is over. */
    boolean awaitEnd() throws InterruptedException {
        boolean isOver = true;
        for (Worker worker : workers) {
            assertThat(worker.process.waitFor(10, TimeUnit.MINUTES)).isTrue();
            worker.reader.join();
            isOver &= worker.process.exitValue() == 0 && worker.isOver;
        }
        return isOver;
    }

    synchronized int readsSince(long nanos) {
        return (int) requests.stream().filter(read -> read.to - nanos > 0).count();
    }

    /** Returns how many pages were read in a time. */
    synchronized int reads(long from, long to) {
        return (int) requests.stream()
                .filter(read -> read.to - from > 0 && read.to - to < 0)
                .count();
    }

    synchronized int readAgain() {
        return Arrays.stream(reads).sum() - distinct;
    }

    /** Returns how many results came after the lease had ended. */
    synchronized int late() {
        return late;
    }

    synchronized int toldNewAgain() {
        return Arrays.stream(news).map(count -> Math.max(0, count - 1)).sum();
    }

    synchronized BitSet lost() {
        BitSet lost = new BitSet();
        for (int page = 0; page < pages; page++) {
            lost.set(page, reads[page] == 0);
        }
        return lost;
    }

    /**
     * Returns how often two workers owned a host: one requested it while the other did, or again right after the other had
     * done so.
     */
    synchronized List<String> doubleOwners() {
        Map<Integer, List<Request>> ofHost = new HashMap<>();
        for (Request request : requests) {
            ofHost.computeIfAbsent(TreeWorker.host(request.page), host -> new ArrayList<>())
                    .add(request);
        }
        List<String> found = new ArrayList<>();
        ofHost.forEach((host, all) -> {
            all.sort(Comparator.comparingLong(Request::from));
            Map<Integer, Request> lastOfWorker = new HashMap<>();
            for (Request request : all) {
                lastOfWorker.forEach((worker, last) -> {
                    if (worker != request.worker && request.from - last.to < 0) {
                        found.add("host " + host + ": " + last + " and " + request);
                    }
                });
                Request own = lastOfWorker.get(request.worker);
                if (own != null
                        && request.from - own.to < BACK_NANOS
                        && lastOfWorker.values().stream()
                                .anyMatch(other -> other.worker != request.worker && other.from - own.to > 0)) {
                    found.add("host " + host + ": " + own + ", another worker, " + request);
                }
                lastOfWorker.put(request.worker, request);
            }
        });
        return found;
    }

    /** Verifies that each page was read, and that the engine stores an empty frontier that has seen all of them. */
    void verifyEnd() throws IOException {
        assertThat(lost()).as("lost").isEqualTo(new BitSet());
        try (SharedSieve frontier = TreeWorker.open(address, 10, false)) {
            assertThat(frontier.isOver(0)).isTrue();
            assertThat(frontier.pending()).isZero();
            UrlBatch all = new UrlBatch();
            for (int page = 0; page < pages; page++) {
                all.add(TreeWorker.url(page));
            }
            assertThat(frontier.pushAll(all)).as("queued, but not seen").isZero();
        }
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.process.toHandle().destroyForcibly());
        // The readers end with their processes.
    }
}
