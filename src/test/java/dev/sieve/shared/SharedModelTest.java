package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Await;
import dev.sieve.Lease;
import dev.sieve.Tier;
import dev.sieve.UrlBatch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random steps of three workers on a web in which nearly each page is found on one page only, so that nothing makes good for
 * a link that is lost. Workers die, come and end, and the engine is killed and loses the end of its log.
 */
@Tag("engine")
class SharedModelTest {
    private static final int STEPS = Tier.of(1000, 2000, 100_000);
    static final int SLICES = 8;
    private static final int WORKERS = 3;
    private static final Duration OWNERSHIP = Duration.ofHours(1);

    private final long seed = Long.getLong("sieve.seed", 12);
    final Random random = new Random(seed);
    private final List<String> steps = new ArrayList<>();

    private TestNodes nodes;
    /** The same, where it is a single one. */
    private TestEngine engine;

    String crawl;
    private final Worker[] workers = new Worker[WORKERS];

    /** Pages that some worker has finished, and was told so. */
    private final Set<Integer> finished = new HashSet<>();
    /** Of these, those that the engine has stored, as far as it has lost nothing since. */
    private final Set<Integer> stored = new HashSet<>();
    /** Pages of which a push has returned that they are new, in this run of the engine. */
    private final Set<Integer> told = new HashSet<>();
    /** When each page was handed out last: the number of disturbances before. */
    private final Map<Integer, Integer> handedOut = new HashMap<>();

    int disturbances;
    private int engineKills;
    /** What is before this position of the log is not lost. */
    private long floor;

    private Path floorFile;

    /** A worker, and the leases that its user has. */
    private final class Worker {
        final SharedSieve frontier;
        long clock;
        final List<Lease> taken = new ArrayList<>();
        final List<Lease> begun = new ArrayList<>();
        final List<Integer> unsent = new ArrayList<>();

        Worker() throws IOException {
            frontier = SharedSieve.builder(nodes.address(crawl))
                    .capacity(10_000)
                    .slices(SLICES)
                    .ownership(OWNERSHIP)
                    .clock(() -> clock)
                    .withoutKeeper()
                    .open();
        }

        int held() {
            return taken.size() + begun.size();
        }
    }

    @Test
    void nothingIsLostAndNothingIsDoneTwiceWithoutACrash() throws Exception {
        try (TestNodes started = start()) {
            nodes = started;
            int crawls = 0;
            while (steps.size() < steps()) {
                crawl("model" + crawls++);
            }
        } catch (Exception | AssertionError e) {
            int from = Math.max(0, steps.size() - 60);
            throw new AssertionError(
                    "with -Dsieve.seed=" + seed + " after " + steps.size() + " steps: "
                            + String.join(", ", steps.subList(from, steps.size())),
                    e);
        }
    }

    int steps() {
        return STEPS;
    }

    int pages() {
        return 200;
    }

    /** Starts the engine. */
    TestNodes start() {
        engine = TestEngine.start();
        return engine;
    }

    private void crawl(String name) throws IOException {
        crawl = name;
        finished.clear();
        stored.clear();
        told.clear();
        handedOut.clear();
        engineKills = 0;
        workers[0] = new Worker();
        push(workers[0], null, List.of(0));
        noteFloor();
        int limit = steps.size() + 20_000;
        while (!isOver()) {
            assertThat(steps.size())
                    .as(() -> "the crawl does not end: " + state())
                    .isLessThan(limit);
            step();
        }
        assertThat(finished).hasSize(pages());
        for (int i = 0; i < WORKERS; i++) {
            if (workers[i] != null) {
                workers[i].clock += OWNERSHIP.toNanos() / 2;
                workers[i].frontier.beat();
                assertThat(workers[i].frontier.isOver(0)).isTrue();
                if (engineKills == 0) {
                    assertThat(workers[i].frontier.stats().accepted()).isEqualTo(pages());
                    assertThat(workers[i].frontier.stats().done()).isEqualTo(pages());
                    assertThat(workers[i].frontier.pending()).isZero();
                }
                workers[i].frontier.close();
                workers[i] = null;
            }
        }
    }

    private boolean isOver() {
        Worker worker = any();
        if (worker == null || worker.held() > 0 || random.nextInt(4) > 0) {
            return false;
        }
        worker.clock += 100_000_000;
        boolean isOver = worker.frontier.isOver(0);
        if (isOver) {
            assertThat(finished).as("pages finished when the crawl is over").hasSize(pages());
        }
        return isOver;
    }

    private String state() {
        StringBuilder state = new StringBuilder(finished.size() + " finished;");
        for (Worker worker : workers) {
            if (worker != null) {
                state.append(" worker ")
                        .append(worker.frontier.self().name())
                        .append(" holds ")
                        .append(worker.held())
                        .append(" leases and owns ")
                        .append(worker.frontier.self().holdings().owned())
                        .append(", in flight ")
                        .append(worker.frontier.inFlight())
                        .append(", ")
                        .append(worker.frontier.stats());
            }
        }
        for (int i = 0; i < SLICES; i++) {
            String slice = nodes.slice(crawl, i);
            TestEngine node = nodes.nodeOf(slice);
            state.append("\nslice ").append(i);
            for (String field : List.of("worker", "run", "until", "idle")) {
                state.append(' ').append(field).append(' ').append(node.text("HGET", slice + "o", field));
            }
            state.append(" queued ").append(node.text("LLEN", slice + "q"));
            state.append(" taken ").append(node.text("HLEN", slice + "f"));
        }
        return state.toString();
    }

    private Worker any() {
        return workers[random.nextInt(WORKERS)];
    }

    private void step() throws IOException {
        int slot = random.nextInt(WORKERS);
        Worker worker = workers[slot];
        if (worker == null) {
            if (random.nextInt(6) == 0) {
                note("join " + slot);
                disturbances++;
                workers[slot] = new Worker();
            }
            return;
        }
        int dice = random.nextInt(1000);
        if (dice < 300) {
            take(slot, worker);
        } else if (dice < 450) {
            begin(slot, worker);
        } else if (dice < 720) {
            finish(slot, worker);
        } else if (dice < 770) {
            retry(slot, worker);
        } else if (dice < 820) {
            note("push again " + slot);
            push(
                    worker,
                    0,
                    List.of(random.nextInt(pages() / 4)).stream()
                            .filter(page -> finished.contains(parent(page)))
                            .toList());
        } else if (dice < 970) {
            beat(slot, worker);
        } else if (dice < 976) {
            note("kill " + slot);
            worker.frontier.abandon();
            expire(worker);
            gone(slot, worker);
        } else if (dice < 980) {
            note("stopped " + slot);
            expire(worker);
            worker.clock += OWNERSHIP.toNanos();
            worker.unsent.clear(); // refused, if another worker has claimed the slice
            disturbances++;
        } else if (dice < 986) {
            note("close " + slot);
            worker.frontier.close();
            stored(worker);
            gone(slot, worker);
        } else if (dice < 989) {
            failEngine();
        } else {
            worker.clock += Duration.ofSeconds(2).toNanos();
        }
    }

    void note(String step) {
        steps.add(step);
    }

    private void take(int slot, Worker worker) {
        Lease lease = worker.frontier.take(worker.clock);
        if (lease == null) {
            note("take nothing " + slot);
            return;
        }
        int page = page(lease.url());
        note("take " + slot + " " + page);
        assertThat(stored).as("handed out again, though it is done").doesNotContain(page);
        Integer before = handedOut.put(page, disturbances);
        if (before != null && before == disturbances) {
            assertThat(lease.attempt())
                    .as("page " + page + " is handed out twice")
                    .isPositive();
        }
        if (engineKills == 0) {
            for (Worker other : workers) {
                if (other != null && other != worker) {
                    assertThat(other.begun.stream()
                                    .filter(theirs -> theirs.url().equals(lease.url()))
                                    .filter(other.frontier::begin))
                            .as("two workers work on it")
                            .isEmpty();
                }
            }
        }
        worker.taken.add(lease);
    }

    private void begin(int slot, Worker worker) {
        if (worker.taken.isEmpty()) {
            return;
        }
        Lease lease = worker.taken.remove(random.nextInt(worker.taken.size()));
        boolean isMine = worker.frontier.begin(lease);
        note("begin " + slot + " " + page(lease.url()) + " " + isMine);
        if (isMine) {
            worker.begun.add(lease);
        }
    }

    private void finish(int slot, Worker worker) {
        if (worker.begun.isEmpty()) {
            return;
        }
        Lease lease = worker.begun.remove(random.nextInt(worker.begun.size()));
        int page = page(lease.url());
        push(worker, page, links(page));
        boolean isDone = worker.frontier.done(lease);
        note("done " + slot + " " + page + " " + isDone);
        if (isDone) {
            finished.add(page);
            worker.unsent.add(page);
        }
    }

    private void retry(int slot, Worker worker) {
        if (worker.begun.isEmpty()) {
            return;
        }
        Lease lease = worker.begun.remove(random.nextInt(worker.begun.size()));
        note("retry " + slot + " " + page(lease.url()) + " "
                + worker.frontier.retry(lease, worker.clock + random.nextInt(1000)));
        worker.clock += 500;
    }

    private void beat(int slot, Worker worker) {
        note("beat " + slot);
        Session.Run run = worker.frontier.self().engine().run();
        int owned = worker.frontier.self().holdings().owned();
        worker.frontier.beat();
        // A slice that was given back takes leases with it that were not begun.
        disturbances += worker.frontier.self().holdings().owned() == owned ? 0 : 1;
        if (run == worker.frontier.self().engine().run()) {
            stored(worker);
        }
        worker.unsent.clear();
    }

    private void stored(Worker worker) {
        if (engineKills == 0) {
            stored.addAll(worker.unsent);
        }
        worker.unsent.clear();
    }

    private void gone(int slot, Worker worker) {
        disturbances++;
        workers[slot] = null;
        worker.taken.clear();
    }

    private void push(Worker worker, Integer referrer, List<Integer> pages) {
        UrlBatch batch = referrer == null ? new UrlBatch() : new UrlBatch(1, 0, url(referrer));
        pages.forEach(page -> batch.add(url(page)));
        worker.frontier.pushAll(batch);
        for (int i = 0; i < pages.size(); i++) {
            if (batch.isNew(i)) {
                assertThat(told.add(pages.get(i)))
                        .as("told new twice: " + pages.get(i))
                        .isTrue();
            }
        }
    }

    /** Ends what a worker owns by the clock of the engine. */
    private void expire(Worker worker) {
        nodes.nodeOf("{" + crawl + "}")
                .command("ZREM", "{" + crawl + "}w", worker.frontier.self().name());
        for (int i = 0; i < SLICES; i++) {
            String owner = nodes.slice(crawl, i) + "o";
            if (worker.frontier.self().name().equals(nodes.nodeOf(owner).text("HGET", owner, "worker"))) {
                nodes.nodeOf(owner).command("HSET", owner, "until", "0");
            }
        }
    }

    /** Makes the engine fail. */
    void failEngine() throws IOException {
        long length = engine.logLength();
        if (!engine.log().equals(floorFile) || length < floor) {
            return;
        }
        engine.kill();
        long kept = floor + (long) ((engine.logLength() - floor) * Math.sqrt(random.nextDouble()));
        note("kill the engine, cut " + (engine.logLength() - kept));
        engine.cutLog(kept);
        engine.restart();
        engineKills++;
        disturbances++;
        stored.clear();
        told.clear();
        removeDeadWorkers();
        noteNewRun();
        noteFloor();
    }

    /** Lets all workers learn that the engine was restarted. */
    void noteNewRun() {
        for (Worker worker : workers) {
            if (worker != null) {
                // Seeds of a worker that dies before this are lost with the log.
                worker.frontier.beat();
                worker.unsent.clear();
            }
        }
    }

    /**
     * Removes dead workers again where the engine has lost that they are dead, and ends what those before owned that do not
     * claim it again; else they would be waited for an hour.
     */
    void removeDeadWorkers() {
        Set<String> dead = new HashSet<>();
        String all = "{" + crawl + "}w";
        for (Object name : (List<?>) nodes.nodeOf(all).command("ZRANGE", all, "0", "-1")) {
            dead.add(Replies.text(name));
        }
        for (Worker worker : workers) {
            if (worker != null) {
                dead.remove(worker.frontier.self().name());
            }
        }
        dead.forEach(name -> nodes.nodeOf(all).command("ZREM", all, name));
        for (int i = 0; i < SLICES; i++) {
            nodes.nodeOf(nodes.slice(crawl, i)).command("HSET", nodes.slice(crawl, i) + "o", "until", "0");
        }
    }

    /** Waits until the engine has written its log anew, which it does once in each run. */
    void noteFloor() {
        Await.until(() -> engine.info("aof_rewrite_in_progress").equals("0")
                && engine.info("aof_rewrite_scheduled").equals("0"));
        floorFile = engine.log();
        floor = engine.logLength();
    }

    // The web: a tree, and a few links to pages near the root

    private static int parent(int page) {
        return page == 0 ? 0 : (page - 1) / 3;
    }

    private List<Integer> links(int page) {
        List<Integer> links = new ArrayList<>();
        for (int child = 3 * page + 1; child <= 3 * page + 3 && child < pages(); child++) {
            links.add(child);
        }
        links.add(parent(page));
        return links;
    }

    private static String url(int page) {
        return "http://host" + page % 23 + "/" + page;
    }

    private static int page(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }
}
