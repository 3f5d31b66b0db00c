package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.shared.EngineAddress.Server;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Confirms that what was written to the nodes of a cluster cannot be lost by the death of a node. A single engine needs
 * no confirmation: what its log loses is all that came last, on whichever page.
 *
 * <p>On each node in question, a write is made, and its replication and the synchronization of its log are
 * awaited. Whatever any worker wrote to the node before is as safe then, since both go on in the order of the writes.
 */
final class Barrier {
    private static final Logger LOG = LoggerFactory.getLogger(Barrier.class);

    /** How long a node may take to confirm. */
    private static final byte[] WAIT_MILLIS = utf8(2500);
    /** Long enough to be asked, and no longer: the replicas had their time in the wait before. */
    private static final byte[] ASK_MILLIS = utf8(1);
    /**
     * The wait for replicas that do not exist: the engine itself measures the time in which it has its log
     * synchronized, two seconds at most. WAITAOF would tell earlier, but only from 7.2 on, and Valkey 8.0 tells too
     * early.
     */
    private static final byte[] TOO_MANY = utf8(1000);

    private static final byte[] LOG_MILLIS = utf8(3000);

    private final Worker worker;
    private final boolean isOff;
    private final Set<Server> behind = ConcurrentHashMap.newKeySet();

    Barrier(Worker worker, boolean isOff) {
        this.worker = worker;
        this.isOff = isOff;
    }

    /** Returns whether what was written is not safe by itself. */
    boolean isNeeded() {
        return worker.engine().isCluster() && !isOff;
    }

    /** Returns whether nothing can take back what was written to any node before; false when a node is away or behind. */
    boolean isStored() {
        List<byte[]> keys = allKeys();
        return safe(true, keys, key -> key).size() == keys.size();
    }

    /** Returns those of some slices on whose nodes nothing takes back what was written before. */
    List<Slice> stored(List<Slice> slices) {
        return safe(true, slices, slice -> slice.keys.crawl);
    }

    /**
     * Returns those of some slices on whose nodes the present replicas have what was written before: enough for what
     * ends by itself, such as a renewal.
     */
    List<Slice> replicated(List<Slice> slices) {
        return safe(false, slices, slice -> slice.keys.crawl);
    }

    private List<byte[]> allKeys() {
        List<byte[]> keys = new ArrayList<>(List.of(worker.keys().settings()));
        for (int i = 0; i < worker.keys().sliceCount(); i++) {
            keys.add(worker.keys().slice(i).crawl);
        }
        return keys;
    }

    /** Returns those on whose nodes it is replicated or, if {@code isStored}, in the logs and in each electable replica. */
    private <T> List<T> safe(boolean isStored, List<T> all, Function<T, byte[]> key) {
        if (!isNeeded() || all.isEmpty()) {
            return all;
        }
        List<T> safe = worker.engine().tryCall((session, number) -> {
            session.refresh(number);
            Set<Server> nodes = pass(session, isStored, all.stream().map(key).toList());
            return all.stream()
                    .filter(each -> nodes.contains(session.topology().of(key.apply(each))))
                    .toList();
        });
        return safe == null ? List.of() : safe;
    }

    /** Waits until all nodes accept writes: one may respond to other commands before. */
    void awaitNodes() {
        worker.engine().call((session, number) -> {
            Map<Server, byte[]> nodes = sendSync(session, allKeys());
            nodes.keySet().forEach(node -> session.receive());
            return true;
        });
    }

    /** Sends a write to each node that stores one of some keys; returns these, each with such a key. */
    private Map<Server, byte[]> sendSync(Session session, List<byte[]> keys) {
        Map<Server, byte[]> nodes = new LinkedHashMap<>();
        keys.forEach(key -> nodes.putIfAbsent(session.topology().of(key), key));
        byte[][] id = {utf8(worker.settings().id())};
        nodes.values().forEach(key -> session.send(Script.SYNC, new byte[][] {key}, id));
        return nodes;
    }

    /** Returns the nodes that have confirmed. */
    private Set<Server> pass(Session session, boolean isStored, List<byte[]> keys) {
        Map<Server, byte[]> nodes = sendSync(session, keys);
        nodes.keySet().forEach(node -> {
            Topology.Replicas replicas = session.topology().replicas(node);
            session.sendTo(node, "WAIT", utf8(replicas.present()), WAIT_MILLIS);
            if (isStored) {
                session.sendTo(node, "WAIT", utf8(replicas.electable()), ASK_MILLIS);
                session.sendTo(node, "WAIT", TOO_MANY, session.syncsAlways(node) ? ASK_MILLIS : LOG_MILLIS);
            }
            session.sendTo(node, "INFO", utf8("replication"));
        });
        nodes.keySet().forEach(node -> session.receive());
        Set<Server> safe = new HashSet<>();
        for (Server node : nodes.keySet()) {
            Topology.Replicas replicas = session.topology().replicas(node);
            boolean isSafe = Replies.number(session.receive()) >= replicas.present();
            if (isStored) {
                isSafe &= Replies.number(session.receive()) >= replicas.electable();
                session.receive();
            }
            // A node that was a replica in between, however briefly, has another history.
            String history = Replies.info(session.receive()).get("master_replid");
            if (!session.history(node).equals(history)) {
                throw new EngineException.Away("another node has taken its place", false, null);
            }
            if (isSafe) {
                safe.add(node);
            }
            report(node, isStored, isSafe);
        }
        return safe;
    }

    private void report(Server node, boolean isStored, boolean isSafe) {
        if (!isSafe && behind.add(node)) {
            LOG.warn(
                    "the replicas or the log of {} are behind: finished pages are stored when they have caught up, and"
                            + " the slices on this node are given up if that takes long",
                    node);
        } else if (isSafe && isStored && behind.remove(node)) {
            LOG.warn("the replicas and the log of {} have caught up", node);
        }
    }
}
