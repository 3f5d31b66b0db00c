package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * Which nodes store the keys: one server, or the primaries of a cluster, as one of its nodes has reported them. The
 * formats are those of <a href="https://valkey.io/commands/cluster-slots/">CLUSTER SLOTS</a> and <a
 * href="https://valkey.io/commands/cluster-nodes/">CLUSTER NODES</a>.
 */
final class Topology {
    private static final int SLOTS = 16_384;

    /** A replica that was away for longer is not elected: ten times the default timeout of a node, and some seconds. */
    static final long ELECTABLE_MILLIS = TimeUnit.MINUTES.toMillis(3);

    /** How many replicas a primary has: present ones, which have not failed, and those that may still take its place. */
    record Replicas(int present, int electable) {
        private static final Replicas NONE = new Replicas(0, 0);

        private Replicas plus(boolean isPresent, boolean isElectable) {
            return new Replicas(present + (isPresent ? 1 : 0), electable + (isElectable ? 1 : 0));
        }
    }

    private final @Nullable Server[] ofSlot;
    private final Map<Server, Replicas> replicas;

    private Topology(@Nullable Server[] ofSlot, Map<Server, Replicas> replicas) {
        this.ofSlot = ofSlot;
        this.replicas = replicas;
    }

    static Topology of(Server server) {
        return new Topology(new Server[] {server}, Map.of(server, Replicas.NONE));
    }

    /** Asks a node of a cluster, which has to be connected to most of it: else its answer may be an old one. */
    static Topology read(Link link) throws IOException {
        link.send("CLUSTER", utf8("INFO"));
        link.send("CLUSTER", utf8("SLOTS"));
        link.send("CLUSTER", utf8("NODES"));
        link.send("TIME");
        try {
            String state = Replies.info(link.receive()).getOrDefault("cluster_state", "");
            List<?> slots = Replies.list(link.receive());
            String nodes = Replies.text(link.receive());
            long now = Replies.millis(link.receive());
            if (!state.equals("ok")) {
                throw new Link.PassingException("the state of the cluster is '" + state + "'" + failed(nodes), null);
            }
            return parse(slots, nodes, now, link.server());
        } catch (ClassCastException | IllegalArgumentException | IndexOutOfBoundsException | NullPointerException e) {
            throw new IOException("its answer to CLUSTER SLOTS is damaged", e);
        }
    }

    private static Topology parse(List<?> slots, String nodes, long now, Server asked) {
        Server[] ofSlot = new Server[SLOTS];
        Map<String, Server> ofId = new HashMap<>();
        for (Object each : slots) {
            List<?> range = Replies.list(each);
            List<?> primary = Replies.list(range.get(2));
            Server server = server(primary, asked);
            ofId.put(Replies.text(primary.get(2)), server);
            Arrays.fill(ofSlot, (int) Replies.number(range.get(0)), (int) Replies.number(range.get(1)) + 1, server);
        }
        return new Topology(ofSlot, replicas(ofId, nodes, now));
    }

    /** Returns which primaries do not respond to the node that was asked. */
    private static String failed(String nodes) {
        String failed = nodes.lines()
                .map(line -> line.split(" ", -1))
                .filter(fields -> fields.length > 2 && fields[2].matches("(?=.*master).*fail.*"))
                .map(fields -> fields[1].replaceAll("@.*", ""))
                .collect(Collectors.joining(", "));
        return failed.isEmpty() ? "" : "; away: " + failed;
    }

    /** Returns the address of a node, which leaves out its host where that is the one that was asked. */
    private static Server server(List<?> node, Server asked) {
        String host = node.get(0) == null ? "" : Replies.text(node.get(0));
        return new Server(host.isEmpty() || host.equals("?") ? asked.host() : host, (int) Replies.number(node.get(1)));
    }

    /** A line is: id, address, flags, id of the primary, when it was asked, when it answered, and more. */
    private static Map<Server, Replicas> replicas(Map<String, Server> ofId, String nodes, long now) {
        Map<Server, Replicas> replicas = new HashMap<>();
        ofId.values().forEach(primary -> replicas.put(primary, Replicas.NONE));
        nodes.lines().map(line -> line.split(" ", -1)).forEach(fields -> {
            Server primary = fields.length < 6 ? null : ofId.get(fields[3]);
            if (primary != null) {
                Set<String> flags = Set.of(fields[2].split(",", -1));
                boolean isPresent = !flags.contains("fail") && !flags.contains("noaddr");
                boolean isElectable = isPresent || now - Replies.count(fields[5]) < ELECTABLE_MILLIS;
                replicas.merge(primary, Replicas.NONE, (before, none) -> before.plus(isPresent, isElectable));
            }
        });
        return replicas;
    }

    boolean isCluster() {
        return ofSlot.length == SLOTS;
    }

    /** Returns the server, or all primaries that store something. */
    Set<Server> primaries() {
        return replicas.keySet();
    }

    Replicas replicas(Server primary) {
        return replicas.getOrDefault(primary, Replicas.NONE);
    }

    Server of(byte[] key) {
        int slot = isCluster() ? JedisClusterCRC16.getSlot(key) : 0;
        Server server = ofSlot[slot];
        if (server == null) {
            throw new EngineException.Away("no node of the cluster stores slot " + slot, false, null);
        }
        return server;
    }
}
