package dev.sieve.shared;

import dev.sieve.shared.EngineAddress.Server;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A crawl by many workers on a cluster of many nodes, in virtual time: the real frontier and schedule on simulated nodes, whose
 * workers die, are suspended and join, and whose nodes fail over with a loss, restart from a log that lacks its end, freeze,
 * lag and exchange slots.
 */
@SuppressWarnings("EnumOrdinal") // as in SimNode
final class Simulation {
    static final String CRAWL = "sim";
    private static final String WORKER_DIES = "a worker dies";
    private static final long SECOND = 1_000_000_000L;
    private static final long LONGEST = 3_600 * SECOND;

    /**
     * The size of a simulation.
     *
     * @param largest the most pages of a host that is crawled
     * @param killEvery virtual seconds between two deaths of workers; 0: nothing fails
     * @param nodeEvery virtual seconds between two failures of nodes
     */
    record Size(int workers, int nodes, int slices, int hosts, int largest, int killEvery, int nodeEvery, long seed) {}

    final Size size;
    /** Changes how the workers open the frontier. */
    final UnaryOperator<SharedSieve.Builder> options;

    final SimTime time = new SimTime();
    final SimWeb web;
    final SimPromises promises;
    final SimCluster cluster;
    private final Random random;
    private final List<SimWorker> workers = new ArrayList<>();
    /** How often each kind of failure occurred. */
    final Map<String, Integer> failures = new TreeMap<>();

    private boolean hasSeed;
    private int started;
    /** When the first worker found that the crawl is over; 0 before. */
    private long overNanos;

    private final long startNanos = time.now();
    private long endNanos;
    private int ended;
    int mostConnections;
    /** How often a worker without work was told not to wait. */
    long asksInVain;

    Simulation(Size size, UnaryOperator<SharedSieve.Builder> options) {
        this.size = size;
        this.options = options;
        random = new Random(size.seed);
        web = new SimWeb(size.hosts, size.largest);
        promises = new SimPromises(time, web);
        SimNode.Observer observer = new SimNode.Observer() {
            @Override
            public void claimed(int slice, String worker) {
                promises.claimed(slice);
            }

            @Override
            public void lost(Frame frame) {
                promises.takenBack(frame);
            }
        };
        int lossOneIn = size.killEvery == 0 ? 0 : 50_000;
        cluster = new SimCluster(time, random, observer, size.nodes, CRAWL, size.slices, lossOneIn);
    }

    /** Returns an address with some of the nodes, as they are now. */
    EngineAddress address() {
        List<Server> servers = cluster.nodes.stream()
                .filter(node -> node.isUp && !node.isFrozen)
                .limit(3)
                .map(node -> node.server)
                .toList();
        return new EngineAddress("valkey", null, null, servers, 0, CRAWL);
    }

    /** Runs the crawl to its end; throws when a promise is broken. */
    Simulation run() {
        for (int i = 0; i < size.workers; i++) {
            time.at(time.now() + random.nextInt(2000) * 1_000_000L, this::startWorker);
        }
        every(2, () -> {
            cluster.nodes.forEach(node -> node.lag(200_000 + random.nextInt(20_000_000)));
            mostConnections =
                    cluster.nodes.stream().mapToInt(node -> node.links.size()).reduce(mostConnections, Math::max);
        });
        if (size.killEvery > 0) {
            every(size.killEvery, this::failWorker);
            every(size.nodeEvery, this::failNode);
            every(7, this::moveSlot);
            every(30, () -> {
                count("a replica stalls");
                anyNode().lag(random.nextInt(5) * SECOND);
            });
        }
        time.at(startNanos + LONGEST, () -> {
            if (endNanos == 0) {
                throw new AssertionError(
                        "the crawl does not end: " + promises.finished + " of " + web.pages() + " done");
            }
        });
        time.run();
        promises.end();
        if (ended != started - deaths()) {
            throw new AssertionError(ended + " workers ended, of " + started + " without " + deaths() + " that died");
        }
        return this;
    }

    /** Repeats an action at random moments while the crawl lasts. */
    private void every(int seconds, Runnable action) {
        long pause = SECOND / 2 * seconds + (long) (SECOND * seconds * random.nextDouble());
        time.at(time.now() + pause, () -> {
            if (overNanos == 0) {
                action.run();
                every(seconds, action);
            }
        });
    }

    private void count(String failure) {
        failures.merge(failure, 1, Integer::sum);
    }

    private void startWorker() {
        if (overNanos == 0) {
            workers.add(new SimWorker(this, String.format("%016x", random.nextLong()), random.nextLong()));
            started++;
        }
    }

    /** A worker has joined; the first one brings the seed. */
    void opened(SharedSieve sieve) {
        if (!hasSeed) {
            hasSeed = true;
            sieve.push(SimWeb.seed());
        }
    }

    /** A worker has found that the crawl is over, and has ended. */
    void over(SimWorker worker) {
        overNanos = overNanos == 0 ? time.now() : overNanos;
        endNanos = time.now();
        ended++;
    }

    // Failures

    private void failWorker() {
        List<SimWorker> present = workers.stream().filter(SimWorker::isAtWork).toList();
        if (present.size() < 2 || time.now() - startNanos < 20 * SECOND) {
            return;
        }
        SimWorker worker = present.get(random.nextInt(present.size()));
        if (random.nextInt(4) == 0) {
            count("a worker is suspended");
            worker.suspend((1 + random.nextInt(30)) * SECOND);
            return;
        }
        count(WORKER_DIES);
        List<Integer> slices = new ArrayList<>();
        cluster.nodes.forEach(node -> node.slices.values().stream()
                .filter(slice -> slice.owner().equals(worker.name()))
                .forEach(slice -> slices.add(slice.index)));
        worker.kill(slices);
        workers.remove(worker);
        time.at(time.now() + random.nextInt(20) * SECOND, this::startWorker);
    }

    private SimNode anyNode() {
        return cluster.nodes.get(random.nextInt(cluster.nodes.size()));
    }

    private void failNode() {
        SimNode node = anyNode();
        if (!cluster.isWhole() || time.now() - startNanos < 20 * SECOND) {
            return;
        }
        boolean asReplica = node.replicas > 0 && random.nextInt(3) > 0;
        if (random.nextInt(3) == 0) {
            node.freeze();
        } else {
            node.stop();
        }
        boolean wasFrozen = node.isUp;
        // The other nodes notice it later.
        time.at(time.now() + SECOND, cluster::changed);
        long away = asReplica || random.nextBoolean() ? (2 + random.nextInt(12)) * SECOND : SECOND / 5;
        time.at(time.now() + away, () -> {
            node.stop();
            int lost = node.restart(asReplica);
            cluster.changed();
            count((wasFrozen ? "a node freezes, and " : "a node dies, and ")
                    + (asReplica ? "its replica takes its place" : "restarts from its log"));
            failures.merge("writes that nodes lost", lost, Integer::sum);
        });
    }

    private void moveSlot() {
        SimNode from = anyNode();
        SimNode to = anyNode();
        if (from != to && cluster.isWhole() && !from.slices.isEmpty()) {
            List<SimSlice> slices = List.copyOf(from.slices.values());
            cluster.move(CRAWL, slices.get(random.nextInt(slices.size())), to);
            count("a slot moves");
        }
    }

    // Results

    /** Returns the virtual seconds until the last worker has ended. */
    double seconds() {
        return (endNanos - startNanos) / 1e9;
    }

    /** Returns how many workers have ended with the crawl, which are all that have not died. */
    int ended() {
        return ended;
    }

    int deaths() {
        return failures.getOrDefault(WORKER_DIES, 0);
    }

    int started() {
        return started;
    }

    /** Returns a sum over all nodes and some kinds of commands. */
    long sum(Function<SimNode, long[]> ofNode, SimNode.Kind... kinds) {
        return cluster.nodes.stream()
                .mapToLong(node -> Arrays.stream(kinds)
                        .mapToLong(kind -> ofNode.apply(node)[kind.ordinal()])
                        .sum())
                .sum();
    }
}
