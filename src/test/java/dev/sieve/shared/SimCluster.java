package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.shared.EngineAddress.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.util.JedisClusterCRC16;

/** The simulated cluster: which node has which slots, and what happens on the network. */
final class SimCluster {
    private static final int SLOTS = 16_384;

    /** What becomes of what is sent together on one connection. */
    enum Fate {
        ARRIVES,
        NEVER_ARRIVES,
        NO_RESPONSE
    }

    final SimTime time;
    final List<SimNode> nodes = new ArrayList<>();
    private final Random random;
    private final SimNode[] ofSlot = new SimNode[SLOTS];
    /** One of so many batches is lost; 0: none. */
    private final int lossOneIn;

    private boolean isWhole = true;
    private @Nullable Object slots;

    SimCluster(
            SimTime time,
            Random random,
            SimNode.Observer observer,
            int nodeCount,
            String crawl,
            int slices,
            int lossOneIn) {
        this.time = time;
        this.random = random;
        this.lossOneIn = lossOneIn;
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(new SimNode(this, time, observer, i));
        }
        for (int i = 0; i < SLOTS; i++) {
            ofSlot[i] = nodes.get((int) ((long) i * nodeCount / SLOTS));
        }
        for (int i = 0; i < slices; i++) {
            ofSlot[slotOf(crawl, i)].slices.put(i, new SimSlice(i));
        }
    }

    static int slotOf(String crawl, int slice) {
        return JedisClusterCRC16.getSlot("{" + crawl + ":" + slice + "}");
    }

    /** Returns half the time of a round trip. */
    long halfTrip() {
        return 150_000L + random.nextInt(300_000);
    }

    Fate fate() {
        int dice = lossOneIn == 0 ? 2 : random.nextInt(lossOneIn);
        return dice == 0 ? Fate.NEVER_ARRIVES : dice == 1 ? Fate.NO_RESPONSE : Fate.ARRIVES;
    }

    /** Returns the node at an address; at an earlier one its replica answers, which knows the nodes too. */
    SimNode node(Server server) {
        return nodes.get(Integer.parseInt(server.host().substring(1)));
    }

    boolean isWhole() {
        return isWhole;
    }

    /** Notes whether all nodes are there, as the nodes see it, and that their addresses may have changed. */
    void changed() {
        isWhole = nodes.stream().allMatch(node -> node.isUp && !node.isFrozen);
        slots = null;
    }

    /** Moves a slice with its slot to another node. */
    void move(String crawl, SimSlice slice, SimNode to) {
        int slot = slotOf(crawl, slice.index);
        SimNode from = ofSlot[slot];
        from.settle();
        to.settle();
        from.slices.values().removeIf(each -> {
            boolean isMoved = slotOf(crawl, each.index) == slot;
            if (isMoved) {
                to.slices.put(each.index, each);
            }
            return isMoved;
        });
        ofSlot[slot] = to;
        slots = null;
    }

    /** Returns the answer to a command CLUSTER. */
    Object describe(String what) {
        if (what.equals("INFO")) {
            return utf8("cluster_state:" + (isWhole ? "ok" : "fail") + "\r\n");
        }
        if (what.equals("SLOTS")) {
            slots = slots == null ? slots() : slots;
            return slots;
        }
        return utf8(lines());
    }

    private Object slots() {
        List<Object> ranges = new ArrayList<>();
        for (int from = 0, to; from < SLOTS; from = to) {
            SimNode node = ofSlot[from];
            for (to = from; to < SLOTS && ofSlot[to] == node; to++) {}
            List<Object> primary =
                    List.of(utf8(node.server.host()), (long) node.server.port(), utf8("id" + node.number));
            ranges.add(List.of((long) from, (long) to - 1, primary));
        }
        return ranges;
    }

    private String lines() {
        StringBuilder lines = new StringBuilder();
        for (SimNode node : nodes) {
            String id = "id" + node.number;
            lines.append(id).append(" a master - 0 0 1 connected\n");
            if (node.replicas > 0) {
                lines.append("re").append(id).append(" a slave ").append(id).append(" 0 0 1 connected\n");
            }
        }
        return lines.toString();
    }
}
