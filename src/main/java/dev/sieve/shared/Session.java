package dev.sieve.shared;

import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A connection to the engine, used by one thread at a time: one to each of its nodes. A command goes to the node that
 * stores its key. It is opened again after a failure.
 */
final class Session {
    private static final byte[] NO_KEY = {};

    private final Network network;
    private final EngineAddress address;
    private final Duration timeout;
    /** Closed by another thread too. */
    private final Map<Server, Link> links = new ConcurrentHashMap<>();
    /** The links that owe a response, in the order of the commands. */
    private final Queue<Link> awaited = new ArrayDeque<>();

    private Topology topology;
    private Map<Server, Map<String, String>> infos = Map.of();
    private boolean isFlushed = true;
    private @Nullable Run run;

    /** When it was used last, by the clock of the engine's client. */
    long usedNanos;

    Session(Network network, EngineAddress address, Duration timeout) {
        this.network = network;
        this.address = address;
        this.timeout = timeout;
        topology = Topology.of(address.servers().get(0));
    }

    /** Returns the run of the engine that this connection was opened in. */
    Run run() {
        return Objects.requireNonNull(run, "not connected");
    }

    void setRun(Run run) {
        this.run = run;
    }

    /** Returns whether it is connected, and was in a run of the engine. */
    boolean isOf(@Nullable Run other) {
        return isConnected() && run == other;
    }

    boolean isConnected() {
        return !links.isEmpty();
    }

    /** Returns how many responses are outstanding. */
    int pending() {
        return awaited.size();
    }

    Topology topology() {
        return topology;
    }

    /**
     * Opens a connection to each node, and returns what these report; asks the candidates for the others, the best
     * first. A {@link Link.PassingException} says that the engine can be used before long.
     */
    Map<Server, Map<String, String>> connect(Collection<Server> candidates) throws IOException {
        disconnect();
        IOException failure = new IOException("no node to ask");
        for (Server candidate : candidates) {
            try {
                infos = connect(candidate);
                return infos;
            } catch (IOException e) {
                disconnect();
                failure = failure instanceof Link.PassingException ? failure : e;
            }
        }
        throw failure;
    }

    private Map<Server, Map<String, String>> connect(Server asked) throws IOException {
        Map<String, String> first = open(asked, false);
        if (!"1".equals(first.get("cluster_enabled"))) {
            if (address.servers().size() > 1) {
                throw new IOException("the address has several servers, but " + asked + " is not a node of a cluster");
            }
            topology = Topology.of(asked);
            return Map.of(asked, first);
        }
        try {
            topology = Topology.read(link(asked));
            Map<Server, Map<String, String>> all = new LinkedHashMap<>();
            for (Server node : topology.primaries()) {
                all.put(node, node.equals(asked) ? first : open(node, true));
            }
            return all;
        } catch (EngineException e) {
            throw new IOException(e.reason, e);
        } catch (EngineException.Away e) {
            throw new Link.PassingException(e.getMessage(), e);
        }
    }

    /** Returns the identity of the history of a node's data when it was connected to; a replica has that of its primary. */
    String history(Server node) {
        return info(node, "master_replid");
    }

    /** Returns whether a node has each write in its log before it responds. */
    boolean syncsAlways(Server node) {
        return info(node, Link.APPENDFSYNC).equals("always");
    }

    /** Returns a setting of a node, without other commands at the same time; an empty text when the user may not read it. */
    String setting(Server node, String name) {
        Link link = link(node);
        return named(link, () -> link.setting(name));
    }

    private String info(Server node, String field) {
        return infos.getOrDefault(node, Map.of()).getOrDefault(field, "");
    }

    /** Asks one of the nodes, chosen by a number, which of them store the keys, and how many replicas they have. */
    void refresh(long which) {
        List<Server> all = List.copyOf(topology.primaries());
        Server asked = all.get((int) (which % all.size()));
        try {
            Topology present = Topology.read(link(asked));
            if (!present.primaries().equals(topology.primaries())) {
                throw new EngineException.Away("other nodes store the keys now", false, null);
            }
            topology = present;
        } catch (IOException | EngineException e) {
            throw new EngineException.Away(asked + ": " + e.getMessage(), false, e);
        }
    }

    private Map<String, String> open(Server node, boolean isNodeOfCluster) throws IOException {
        Link link = network.link(address, node, timeout);
        links.put(node, link);
        try {
            return link.connect();
        } catch (Link.PassingException e) {
            throw e;
        } catch (IOException e) {
            boolean isAway =
                    e.getCause() instanceof JedisConnectionException || e.getCause() instanceof EngineException.Away;
            if (isAway && isNodeOfCluster) {
                // The others have not noticed yet that it has died.
                throw new Link.PassingException(node + ": " + e.getMessage(), e);
            }
            throw node.equals(address.servers().get(0)) ? e : new IOException(node + ": " + e.getMessage(), e);
        }
    }

    private Link link(Server node) {
        Link link = links.get(node);
        if (link == null) {
            throw new EngineException.Away("the connection was closed", false, null);
        }
        return link;
    }

    /** Sends a script; several may be sent before as many responses are received, in the same order. */
    void send(Script script, byte[][] keys, byte[][] args) {
        on(topology.of(keys[0]), link -> link.send(script, keys, args));
    }

    /** Sends a command whose first argument is a key; one without arguments goes to any node. */
    void send(String command, byte[]... args) {
        on(topology.of(args.length == 0 ? NO_KEY : args[0]), link -> link.send(command, args));
    }

    void sendTo(Server node, String command, byte[]... args) {
        on(node, link -> link.send(command, args));
    }

    /** Sends a script while nothing else is outstanding, and returns its response. */
    Object ask(Script script, byte[][] keys, byte[]... args) {
        send(script, keys, args);
        return receive();
    }

    /** Sends a command in the same way. */
    Object ask(String command, byte[]... args) {
        send(command, args);
        return receive();
    }

    Object askOf(Server node, String command, byte[]... args) {
        sendTo(node, command, args);
        return receive();
    }

    private void on(Server node, Consumer<Link> step) {
        Link link = link(node);
        named(link, step);
        awaited.add(link);
        isFlushed = false;
    }

    Object receive() {
        if (!isFlushed) {
            isFlushed = true;
            // Before the first response of one node, so that all of them work at the same time.
            if (links.size() > 1) {
                links.values().forEach(link -> named(link, Link::flush));
            }
        }
        Link next = awaited.poll();
        if (next == null) {
            throw new EngineException.Away("the connection was closed", false, null);
        }
        return named(next, next::receive);
    }

    private void named(Link link, Consumer<Link> step) {
        named(link, () -> {
            step.accept(link);
            return link;
        });
    }

    /** Does something on a connection; of several nodes, the one that is away is named. */
    @SuppressWarnings("NullAway") // null where the supplier returns null
    private <T> T named(Link link, Supplier<T> step) {
        try {
            return step.get();
        } catch (EngineException.Away e) {
            throw topology.isCluster()
                    ? new EngineException.Away(link.server() + ": " + e.getMessage(), e.silent, e.moving, e)
                    : e;
        }
    }

    /** Closes the connections from another thread. */
    void abort() {
        links.values().forEach(Link::disconnect);
    }

    /** Closes the connections; the next use opens others. */
    void disconnect() {
        abort();
        links.clear();
        awaited.clear();
    }

    /** One life of an engine, from its start to its end. Compared by identity: a run that comes again is another one. */
    static final class Run {
        /** The identity that the engine reports. */
        final String id;

        Run(String id) {
            this.id = id;
        }

        @Override
        public String toString() {
            return id;
        }
    }
}
