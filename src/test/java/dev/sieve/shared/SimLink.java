package dev.sieve.shared;

import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a simulated node. What is sent arrives after half of a round trip, and now and then the connection ends
 * before that, or before the responses arrive.
 */
final class SimLink extends Link {
    private static final byte[][] NONE = {};
    private static final long GRID_NANOS = 500_000;
    private static final long TIMEOUT_NANOS = 10_000_000_000L;

    /** A command and its response. */
    static final class Command {
        final String name;
        final @Nullable Script script;
        final byte[][] keys;
        final byte[][] args;
        final SimNode.Kind kind;
        long waitUntil;
        private @Nullable Object reply;
        private long readyNanos = Long.MAX_VALUE;

        Command(String name, @Nullable Script script, byte[][] keys, byte[][] args) {
            this.name = name;
            this.script = script;
            this.keys = keys;
            this.args = args;
            kind = kind(name, script);
        }

        private static SimNode.Kind kind(String name, @Nullable Script script) {
            if (script == null) {
                return name.equals("WAIT") ? SimNode.Kind.BARRIER : SimNode.Kind.OTHER;
            }
            return switch (script) {
                case LOOK -> SimNode.Kind.LOOK;
                case RENEW -> SimNode.Kind.RENEW;
                case TAKE -> SimNode.Kind.TAKE;
                case DONE -> SimNode.Kind.DONE;
                case PUSH -> SimNode.Kind.PUSH;
                case CLAIM, RELEASE -> SimNode.Kind.CLAIM;
                case SYNC -> SimNode.Kind.BARRIER;
                case BEAT -> SimNode.Kind.BEAT;
                default -> SimNode.Kind.OTHER;
            };
        }

        /** Returns about how many bytes it takes on the network. */
        long bytes() {
            long sum = script == null ? 20 : 70;
            for (byte[] key : keys) {
                sum += key.length + 6;
            }
            for (byte[] arg : args) {
                sum += arg.length + 6;
            }
            return sum;
        }
    }

    private final SimCluster cluster;
    private final SimTime time;
    private final Runnable settle;
    private final Server server;
    private @Nullable SimNode node;
    private List<Command> unsent = new ArrayList<>();
    private final ArrayDeque<Command> awaited = new ArrayDeque<>();
    /** What the node has to run. */
    final ArrayDeque<Command> arrived = new ArrayDeque<>();

    private SimTime.@Nullable Fiber waiting;
    private long backNanos;
    private boolean isBroken;
    private boolean isSilent;
    /** Whether the node has ended it, so that nothing arrives any more. */
    private boolean isReset;

    /**
     * Creates a connection.
     *
     * @param settle called by the thread of the worker after each wait
     */
    SimLink(SimCluster cluster, EngineAddress address, Server server, Duration timeout, Runnable settle) {
        super(address, server, timeout);
        this.cluster = cluster;
        this.server = server;
        this.settle = settle;
        time = cluster.time;
    }

    @Override
    Map<String, String> connect() throws IOException {
        time.sleepUntil(time.now() + 2 * cluster.halfTrip());
        settle.run();
        node = cluster.node(server);
        if (!node.isUp) {
            throw new IOException("connection refused");
        }
        if (node.isFrozen) {
            time.sleepUntil(time.now() + TIMEOUT_NANOS);
            settle.run();
            throw new IOException("no response in time");
        }
        node.links.add(this);
        return new java.util.HashMap<>(node.info());
    }

    @Override
    void send(Script script, byte[][] keys, byte[][] args) {
        add(new Command("EVALSHA", script, keys, args));
    }

    @Override
    void send(String command, byte[]... args) {
        add(new Command(command, null, NONE, args));
    }

    private void add(Command command) {
        requireOpen();
        unsent.add(command);
        awaited.add(command);
    }

    private SimNode requireOpen() {
        if (isBroken || node == null) {
            throw new EngineException.Away(
                    isSilent ? "no response in time" : "the connection was closed", isSilent, null);
        }
        return node;
    }

    @Override
    void flush() {
        SimNode to = requireOpen();
        if (unsent.isEmpty()) {
            return;
        }
        List<Command> batch = unsent;
        unsent = new ArrayList<>();
        SimCluster.Fate fate = cluster.fate();
        backNanos = cluster.halfTrip();
        time.at(time.now() + cluster.halfTrip(), () -> {
            if (isReset) {
                return;
            }
            if (fate == SimCluster.Fate.NEVER_ARRIVES) {
                breakOff(false);
            } else if (to.isFrozen) {
                time.at(time.now() + TIMEOUT_NANOS, () -> breakOff(true));
            } else if (to.isUp) {
                // Also when the worker has died in the meantime.
                arrived.addAll(batch);
                to.run(this);
                if (fate == SimCluster.Fate.NO_RESPONSE) {
                    breakOff(false);
                }
            } else {
                breakOff(false);
            }
        });
    }

    /** Notes the response to a command that the node ends to run at a moment. */
    void answered(Command command, @Nullable Object reply, long nanos) {
        command.reply = reply;
        // Responses arrive in packets, those of several nodes often at the same time.
        command.readyNanos = (nanos + backNanos + GRID_NANOS) / GRID_NANOS * GRID_NANOS;
        if (waiting != null) {
            wake(command.readyNanos);
        }
    }

    private void wake(long nanos) {
        if (waiting != null) {
            waiting.wake(nanos);
            waiting = null;
        }
    }

    @Override
    Object receive() {
        if (!unsent.isEmpty()) {
            flush();
        }
        requireOpen();
        Command next = awaited.remove();
        while (next.readyNanos > time.now()) {
            if (next.readyNanos == Long.MAX_VALUE) {
                waiting = time.current();
                time.sleep();
            } else {
                time.sleepUntil(next.readyNanos);
            }
            settle.run();
            requireOpen();
        }
        if (next.reply instanceof EngineException.Away e) {
            throw e;
        }
        return next.reply;
    }

    /** Ends the connection from the side of the network. */
    void breakOff(boolean silent) {
        isReset = true;
        isBroken = true;
        isSilent = silent;
        arrived.clear();
        wake(time.now());
        disconnect();
    }

    @Override
    void disconnect() {
        isBroken = true;
        if (node != null) {
            node.links.remove(this);
        }
    }
}
