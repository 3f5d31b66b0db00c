package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A run of a frontier through several closes, kills and power cuts. Before each call that changes something on its disk, a
 * state is made that a power cut at that moment may leave, and compared with what was promised by then.
 *
 * <p>While a force runs, other threads go on; each gets as far as it can before the run continues, so that the run of a
 * seed is the same each time.
 */
final class PowerCutRun {
    private static final int SESSIONS = 4;
    private static final int ROUNDS = 10;
    private static final int TRACE = 40;

    private final Durability durability;
    private final long seed;
    private final Random random;
    private final boolean keepLog;
    private final FilterKind filter;
    private FakeDisk disk = new FakeDisk();
    private DurableSieve frontier;
    private int capacity = 2000;

    /** All accepted URLs, in the order of the log, and how many of them are promised to survive. */
    private final List<String> accepted = new ArrayList<>();

    private int promised;

    /** What was said to be done, in order, and how many had been accepted by then. */
    private final List<String> done = new ArrayList<>();

    private final List<Integer> acceptedAtDone = new ArrayList<>();
    private int donePromised;

    private final List<Lease> held = new ArrayList<>();
    private final List<Thread> others = new ArrayList<>();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private AssertionError failure;
    private int pushed;
    private int calls;
    private int only = -1;
    private boolean queuesAgain;
    private FakeDisk.Unsynced unsynced = FakeDisk.Unsynced.ANY;
    private int states;

    PowerCutRun(Durability durability, long seed) {
        this.durability = durability;
        this.seed = seed;
        random = new Random(seed);
        keepLog = seed % 3 == 2;
        filter = seed % 2 == 0 ? FilterKind.EXACT : FilterKind.SPLIT_BLOCKS;
    }

    /** Also pushes URLs that are done at once, and queues URLs and ends a lease in one step. */
    PowerCutRun queuingAgain(boolean choice) {
        queuesAgain = choice;
        return this;
    }

    /** Also ends files in zeros, as a file system does that makes a file longer before it writes the bytes. */
    PowerCutRun growing(boolean choice) {
        unsynced = choice ? FakeDisk.Unsynced.GROWN : FakeDisk.Unsynced.ANY;
        return this;
    }

    /** Tries only the state of one call: to repeat a failure. */
    PowerCutRun only(int call) {
        only = call;
        return this;
    }

    /** Runs to the end and returns how many states were tried. */
    int run() {
        try {
            for (int session = 0; session < SESSIONS; session++) {
                session(session);
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            fail(e);
        }
        if (failure != null) {
            throw failure;
        }
        return states;
    }

    private void session(int session) throws IOException {
        disk.onChange(this::beforeCall);
        if (keepLog && session > 0) {
            capacity += 100;
        }
        frontier = open(disk);
        assertThat(frontier.stats().accepted()).isEqualTo(accepted.size());
        for (int round = 0; round < ROUNDS; round++) {
            round();
        }
        end(random.nextInt(3));
    }

    private DurableSieve open(FakeDisk folder) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(capacity)
                .falsePositiveRate(1e-6)
                .filter(filter)
                .seed(3)
                .durability(durability)
                .keepLog(keepLog)
                .segmentBytes(200 + seed % 5 * 300)
                .withoutKeepers()
                .open(folder, () -> {});
    }

    private void round() {
        push();
        for (int i = random.nextInt(12); i > 0; i--) {
            work();
        }
        int choice = random.nextInt(8);
        if (choice == 0) {
            promising(frontier::checkpoint);
        } else if (choice <= 2 && durability != Durability.PROCESS) {
            promising(frontier::sync);
        }
    }

    /** Ends a session: with a close, with a kill, or with a power cut. */
    private void end(int how) throws IOException {
        DurableSieve last = frontier;
        frontier = null; // so that no other thread starts
        if (how == 0) {
            promising(last::close);
        }
        held.clear();
        disk.onChange(call -> {});
        boolean isPowerCut = how == 2;
        disk = isPowerCut ? disk.afterPowerCut(unsynced, FakeDisk.Names.SOME, random) : disk.afterKill();
        Found found = verify(disk.afterKill());
        assertThat(isPowerCut || found.kept.equals(accepted))
                .as("a kill loses no URL")
                .isTrue();
        accepted.retainAll(found.kept);
        for (int i = done.size() - 1; i >= 0; i--) {
            if (!found.done.contains(done.get(i))) {
                done.remove(i);
                acceptedAtDone.remove(i);
            }
        }
        if (isPowerCut) {
            promised = accepted.size();
            donePromised = done.size();
        }
    }

    /** Promises all that was accepted and done before, when an action has succeeded. */
    private void promising(Runnable action) {
        int acceptedBefore;
        int doneBefore;
        synchronized (this) {
            acceptedBefore = accepted.size();
            doneBefore = done.size();
        }
        action.run();
        join();
        promise(acceptedBefore, doneBefore);
    }

    private synchronized void promise(int acceptedBefore, int doneBefore) {
        promised = Math.max(promised, acceptedBefore);
        donePromised = Math.max(donePromised, doneBefore);
    }

    private void push() {
        UrlBatch batch = new UrlBatch(1, 0, "http://host/page/" + pushed);
        int count = 1 + random.nextInt(random.nextInt(6) == 0 ? 60 : 10); // at most one append
        boolean isDone = queuesAgain && random.nextInt(3) == 0;
        int acceptedAfter;
        int doneBefore;
        synchronized (this) {
            for (int i = 0; i < count; i++) {
                batch.add("http://host/" + "long/".repeat(pushed % 7) + pushed++);
                accepted.add(batch.url(i));
            }
            for (int i = 0; isDone && i < count; i++) {
                done.add(batch.url(i));
                acceptedAtDone.add(accepted.size());
            }
            if (!accepted.isEmpty() && random.nextBoolean()) {
                batch.add(accepted.get(random.nextInt(accepted.size())));
            }
            acceptedAfter = accepted.size();
            doneBefore = done.size();
        }
        assertThat(isDone ? frontier.pushDone(batch) : frontier.pushAll(batch)).isEqualTo(count);
        if (durability == Durability.ALWAYS) {
            promise(acceptedAfter, doneBefore);
        }
        join();
    }

    private void work() {
        int choice = random.nextInt(10);
        if (choice < 5 || held.isEmpty()) {
            Lease lease = frontier.take(0);
            if (lease != null) {
                held.add(lease);
            }
            return;
        }
        Lease lease = held.remove(random.nextInt(held.size()));
        if (choice == 5) {
            assertThat(frontier.retry(lease, 0)).isTrue();
            return;
        }
        if (queuesAgain && choice == 6) {
            pushAgain(lease);
            return;
        }
        synchronized (this) {
            done.add(lease.url());
            acceptedAtDone.add(accepted.size());
        }
        assertThat(frontier.done(lease)).isTrue();
    }

    private void pushAgain(Lease lease) {
        UrlBatch batch = new UrlBatch(0, 0, null, 1);
        int acceptedAfter;
        int doneAfter;
        synchronized (this) {
            batch.add("http://again/" + pushed++);
            accepted.add(batch.url(0));
            done.add(lease.url());
            acceptedAtDone.add(accepted.size());
            acceptedAfter = accepted.size();
            doneAfter = done.size();
        }
        assertThat(frontier.pushAgain(lease, batch)).isTrue();
        if (durability == Durability.ALWAYS) {
            promise(acceptedAfter, doneAfter);
        }
        join();
    }

    /** Tries one state; then, while a force is in progress, lets other threads work. */
    private void beforeCall(String call) {
        boolean isLogForced = call.startsWith("force log");
        if (!isLogForced) {
            join(); // those that waited for the end of a force
        }
        synchronized (this) {
            calls++;
            boolean isOfCheckpoint = call.startsWith("append") && call.endsWith(".tmp"); // many, all alike
            trace.addLast(calls + " " + call + (others.contains(Thread.currentThread()) ? ", other thread" : ""));
            if (trace.size() > TRACE) {
                trace.removeFirst();
            }
            if (failure == null && (only < 0 ? !isOfCheckpoint || calls % 32 == 0 : calls == only)) {
                trySomeState();
            }
        }
        if (others.isEmpty() && frontier != null && isLogForced && random.nextInt(3) == 0) {
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                goOn(random.nextBoolean() ? this::push : this::work);
            }
        }
    }

    private void goOn(Runnable action) {
        Thread thread = new Thread(() -> {
            try {
                action.run();
            } catch (RuntimeException | AssertionError e) {
                fail(e);
            }
        });
        others.add(thread);
        thread.start();
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    private synchronized void fail(Throwable cause) {
        if (failure == null) {
            failure = new AssertionError(
                    "new PowerCutRun(Durability." + durability + ", " + seed + ").queuingAgain(" + queuesAgain
                            + ").growing(" + (unsynced == FakeDisk.Unsynced.GROWN) + ").only("
                            + calls + ").run(): "
                            + cause.getMessage() + "\nthe last calls: " + String.join("; ", trace),
                    cause);
        }
    }

    /** Waits for the other threads, unless this is one of them. */
    private void join() {
        if (others.contains(Thread.currentThread())) {
            return;
        }
        boolean interrupted = false;
        for (Thread thread : others) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        others.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void trySomeState() {
        states++;
        Random choice = new Random(31 * seed + calls);
        List<FakeDisk.Names> all = List.of(FakeDisk.Names.values());
        FakeDisk.Names names = all.get(choice.nextInt(all.size()));
        try {
            verify(disk.afterPowerCut(unsynced, names, choice));
        } catch (IOException | RuntimeException | AssertionError e) {
            fail(e);
        }
    }

    /** Which of the accepted URLs were found, in their order, and which of them were done. */
    private record Found(List<String> kept, Set<String> done) {}

    /** Opens a folder, compares it with what was promised, works on it, and opens it again. */
    private synchronized Found verify(FakeDisk folder) throws IOException {
        Found found;
        List<String> open = new ArrayList<>();
        try (DurableSieve next = open(folder)) {
            List<Lease> leases = FrontierContract.takeAll(next, 0);
            leases.forEach(lease -> open.add(lease.url()));
            long count = next.stats().accepted();
            List<String> kept = new ArrayList<>(accepted);
            kept.removeIf(next::push);
            assertThat(kept).hasSize((int) count);
            found = compare(kept, open);
            next.push("http://later/");
            for (Lease lease : leases.subList(0, leases.size() / 2)) {
                next.done(lease);
            }
            if (calls % 2 == 0) {
                next.checkpoint();
            }
        }
        try (DurableSieve last = open(folder)) {
            List<String> expected = new ArrayList<>(open.subList(open.size() / 2, open.size()));
            List<String> again = new ArrayList<>(accepted);
            again.removeAll(found.kept);
            expected.addAll(again);
            expected.add("http://later/");
            assertThat(FrontierContract.takeAll(last, 0)).extracting(Lease::url).isEqualTo(expected);
            assertThat(accepted.stream().anyMatch(last::push)).isFalse();
        }
        return found;
    }

    /** Whole URLs behind a hole that a power cut left are kept as well. */
    private Found compare(List<String> kept, List<String> open) {
        assertThat(kept.subList(0, Math.min(promised, kept.size())))
                .as("accepted")
                .isEqualTo(accepted.subList(0, promised));
        Set<String> gone = new LinkedHashSet<>(kept);
        gone.removeAll(new HashSet<>(open));
        List<String> expected = new ArrayList<>(kept);
        expected.removeIf(gone::contains);
        assertThat(open).isEqualTo(expected);
        assertThat(gone).as("done").containsAll(done.subList(0, donePromised));
        for (String url : gone) {
            assertThat(done).contains(url);
            int before = acceptedAtDone.get(done.indexOf(url));
            assertThat(kept.subList(0, Math.min(before, kept.size())))
                    .as("accepted before %s was done", url)
                    .isEqualTo(accepted.subList(0, before));
        }
        return new Found(kept, gone);
    }
}
