package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.OptionalLibrary;
import dev.sieve.bloom.Murmur3;
import dev.sieve.shared.EngineAddress.Server;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of an engine: lends connections to threads, and repeats their work when the engine was away.
 *
 * <p>A call that fails is repeated once at once, since a connection may have ended while it was idle. After that the
 * engine is away, until work succeeds again: one thread at a time tries to reach it, each 100 ms to 1 s.
 */
final class Engine implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final int MAX_SESSIONS = 64;
    private static final long FIRST_DELAY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LAST_DELAY = TimeUnit.SECONDS.toNanos(1);
    /** Firewalls and the engine itself may drop a connection that was idle for longer, without a notice. */
    private static final long MAX_IDLE = TimeUnit.SECONDS.toNanos(60);
    /** A slot that moves to another node makes the engine wait for a moment, which is not worth a warning. */
    private static final long MOVE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String CHANGED = "was restarted or replaced; work that it lost will be repeated";

    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})");
    static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

    /** Work that the engine does for a caller. It may run several times until its result is received: repeating it must be safe. */
    interface Work<T> {
        /** Sends commands and receives their responses; the number is the same in each repetition, and of no other call. */
        @Nullable
        T run(Session session, long callNumber);
    }

    private final Network network;
    private final EngineAddress address;
    private final Duration patience;
    private final Duration responseTimeout;
    private final LongSupplier nanoClock;
    private final List<String> warnings;
    private final AtomicLong calls = new AtomicLong();
    private final Semaphore permits = new Semaphore(MAX_SESSIONS);

    private final List<Session> sessions = new ArrayList<>();
    private final Deque<Session> idle = new ArrayDeque<>();
    private volatile Session.@Nullable Run run;
    private volatile @Nullable Outage outage;
    private volatile boolean inNewRun;
    private boolean impatient;
    /** The data of a replica becomes that of its primary, even if it is a primary again before it restarts. */
    private volatile boolean replaced;

    private volatile boolean isCluster;
    /** The nodes of the newest connection. */
    private List<Server> nodes = List.of();

    private volatile boolean closed;

    /** A time in which the engine does not respond. Guarded by the monitor of the engine. */
    private static final class Outage {
        final long since;

        @Nullable
        String reason;

        boolean isLogged;
        long nextAttempt;
        long delay = FIRST_DELAY;

        Outage(long now) {
            since = now;
        }

        void postpone(long now) {
            nextAttempt = now + delay;
            delay = Math.min(2 * delay, LAST_DELAY);
        }
    }

    /**
     * Connects to an engine.
     *
     * @param patience how long calls wait for an engine that is away
     * @param nanoClock as {@link System#nanoTime}
     * @throws IOException when the engine does not respond, or cannot be used; the message says why
     */
    Engine(EngineAddress address, Duration patience, LongSupplier nanoClock) throws IOException {
        this(Network.REAL, address, patience, RESPONSE_TIMEOUT, nanoClock);
    }

    Engine(Network network, EngineAddress address, Duration patience, Duration responseTimeout, LongSupplier nanoClock)
            throws IOException {
        OptionalLibrary.require("redis.clients.jedis.Connection", "redis.clients:jedis");
        this.network = network;
        this.address = address;
        this.patience = patience;
        this.responseTimeout = responseTimeout;
        this.nanoClock = nanoClock;
        Session session = borrow();
        try {
            warnings = connectFirst(session);
            succeeded();
        } catch (IOException | EngineException.Away | UncheckedIOException e) {
            session.disconnect();
            throw new IOException("cannot use the engine " + address.server() + ": " + e.getMessage(), e);
        } finally {
            giveBack(session);
        }
    }

    /**
     * Runs work on a session. When the engine is away, waits for it and repeats the work.
     *
     * @throws UncheckedIOException when the engine was away for longer than the patience, or after {@link #impatient}
     * @throws EngineException when the engine refuses a command
     */
    @SuppressWarnings("NullAway") // null only when the work returns null, since it waits
    <T> T call(Work<T> work) {
        return call(work, true);
    }

    /** Sends one command and returns its response, as {@link #call}. */
    Object one(String command, byte[]... args) {
        return call((session, number) -> session.ask(command, args));
    }

    /** Runs one script and returns its response, as {@link #call}. */
    Object one(Script script, byte[][] keys, byte[]... args) {
        return call((session, number) -> session.ask(script, keys, args));
    }

    /** As {@link #call}, but returns null when the engine is away. */
    <T> @Nullable T tryCall(Work<T> work) {
        return call(work, false);
    }

    private <T> @Nullable T call(Work<T> work, boolean waits) {
        long number = calls.incrementAndGet();
        Session session = borrow();
        try {
            boolean repeated = false;
            while (prepare(session, waits)) {
                try {
                    T result = work.run(session, number);
                    succeeded();
                    return result;
                } catch (EngineException.Away e) {
                    session.disconnect();
                    if (repeated || e.silent) {
                        failed(e.getMessage(), e.moving);
                    }
                    repeated = true;
                }
            }
            return null;
        } finally {
            giveBack(session);
        }
    }

    private Session borrow() {
        try {
            permits.acquire();
        } catch (InterruptedException e) {
            throw interrupted();
        }
        try {
            synchronized (this) {
                Session session = idle.pollLast();
                if (session == null) {
                    session = new Session(network, address, responseTimeout);
                    sessions.add(session);
                }
                return session;
            }
        } catch (OutOfMemoryError e) {
            permits.release();
            throw e;
        }
    }

    private void giveBack(Session session) {
        if (session.pending() > 0 || closed) {
            session.disconnect();
        }
        session.usedNanos = nanoClock.getAsLong();
        synchronized (this) {
            idle.addLast(session);
        }
        permits.release();
    }

    /** Connects a session when needed; returns false when the engine is away and the caller does not wait. */
    private boolean prepare(Session session, boolean waits) {
        while (awaitAttempt(waits)) {
            if (session.isOf(run) && nanoClock.getAsLong() - session.usedNanos < MAX_IDLE) {
                return true;
            }
            try {
                connect(session);
                return true;
            } catch (IOException e) {
                failed(e.getMessage(), false);
            }
        }
        return false;
    }

    private boolean awaitAttempt(boolean waits) {
        return (outage == null && !closed) || awaitEnd(waits);
    }

    private synchronized boolean awaitEnd(boolean waits) {
        while (outage != null && !closed) {
            long now = nanoClock.getAsLong();
            if (now - outage.nextAttempt >= 0) {
                outage.postpone(now);
                return true;
            }
            if (!waits) {
                return false;
            }
            long left = outage.since + patience.toNanos() - now;
            if (left <= 0 || impatient) {
                throw new UncheckedIOException(new IOException("the engine " + address.server()
                        + " has not responded for " + text(now - outage.since) + " (" + outage.reason + ")"));
            }
            try {
                long nanos = Math.min(left, outage.nextAttempt - now);
                if (!network.await(this, nanos)) {
                    TimeUnit.NANOSECONDS.timedWait(this, nanos);
                }
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }
        requireOpen();
        return true;
    }

    /** Throws when this client is closed. */
    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
    }

    static UncheckedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new UncheckedIOException(new InterruptedIOException("interrupted while waiting for the engine"));
    }

    private Map<Server, Map<String, String>> connect(Session session) throws IOException {
        try {
            Map<Server, Map<String, String>> infos = session.connect(candidates());
            for (Map.Entry<Server, Map<String, String>> node : infos.entrySet()) {
                try {
                    check(node.getValue(), session.topology().isCluster());
                } catch (Link.PassingException e) {
                    throw e;
                } catch (IOException e) {
                    throw infos.size() == 1 ? e : new IOException(node.getKey() + ": " + e.getMessage(), e);
                }
            }
            enter(session, infos);
            if (closed) {
                throw new IOException("closed");
            }
            return infos;
        } catch (IOException | EngineException.Away e) {
            session.disconnect();
            throw e instanceof IOException checked ? checked : new Link.PassingException(e.getMessage(), e);
        }
    }

    /** Returns the nodes that may be asked for the others: those that were there last come first. */
    private synchronized List<Server> candidates() {
        return Stream.concat(nodes.stream(), address.servers().stream())
                .distinct()
                .toList();
    }

    /** Connects to an engine that may be usable before long, but not to one that may have another address; returns warnings. */
    private List<String> connectFirst(Session session) throws IOException {
        while (true) {
            try {
                return EngineWarnings.of(session, connect(session));
            } catch (Link.PassingException | EngineException.Away e) {
                if (patience.isZero()) {
                    throw e;
                }
                session.disconnect();
                failed(e.getMessage(), false);
                awaitAttempt(true);
            }
        }
    }

    private void check(Map<String, String> info, boolean isInCluster) throws IOException {
        Matcher version = VERSION.matcher(info.getOrDefault("redis_version", ""));
        if (info.get("run_id") == null || !version.lookingAt()) {
            throw new IOException("it is neither Valkey nor Redis: INFO has no run_id and redis_version");
        }
        int major = Integer.parseInt(version.group(1));
        if (major < 6 || (major == 6 && Integer.parseInt(version.group(2)) < 2)) {
            throw new IOException("its version is " + version.group() + "; Redis 6.2 or later, or Valkey, is required");
        }
        if ("slave".equals(info.get("role"))) {
            replaced = true;
            String reason = "it is a read-only replica of another engine";
            // The nodes of a cluster say which one is the primary: one that is not is about to be, or its place was
            // taken.
            throw isInCluster ? new Link.PassingException(reason, null) : new IOException(reason);
        }
    }

    private void enter(Session session, Map<Server, Map<String, String>> infos) {
        boolean isNew;
        synchronized (this) {
            String id = runId(session.topology().isCluster(), infos.values());
            isNew = run == null || replaced || !run.id.equals(id);
            replaced = false;
            if (isNew) {
                inNewRun = calls.get() > 0;
                run = new Session.Run(id);
            }
            session.setRun(run());
            isCluster = session.topology().isCluster();
            nodes = List.copyOf(infos.keySet());
        }
        if (isNew) {
            infos.forEach((node, info) -> {
                if ("1".equals(info.get("aof_enabled"))
                        && "-1".equals(info.get("aof_last_rewrite_time_sec"))
                        && "0".equals(info.get("aof_rewrite_in_progress"))
                        && "0".equals(info.get("aof_rewrite_scheduled"))) {
                    rewriteLog(session, node);
                }
            });
        }
    }

    /**
     * Returns the identity of a server's run; that of a cluster is made of those of all nodes that store something, and
     * of the histories of what they store, so that it changes when a replica takes the place of one.
     */
    private static String runId(boolean isCluster, Collection<Map<String, String>> infos) {
        List<String> all = infos.stream()
                .map(info -> info.get("run_id") + (isCluster ? info.get("master_replid") : ""))
                .sorted()
                .toList();
        return isCluster ? String.format("%016x", Murmur3.hash(String.join(" ", all), 0)[0]) : all.get(0);
    }

    /**
     * Makes the engine rewrite its log: one that ended inside a transaction keeps the first half of it, which the
     * engine would run at its next start.
     *
     * <p>The engine begins another log file with it, and does not start any more when it is killed before the end of
     * the rewriting while the file before ends inside a transaction. So a transaction that changes nothing goes first.
     */
    private void rewriteLog(Session session, Server node) {
        byte[] key = keyOn(session.topology(), node);
        byte[] field = utf8(session.run().id);
        if (tryCommand(session, node, "MULTI") != null) {
            tryCommand(session, node, "HSET", key, field, utf8("1"));
            tryCommand(session, node, "HDEL", key, field);
            if (tryCommand(session, node, "EXEC") != null) {
                tryCommand(session, node, "BGREWRITEAOF");
            }
        }
    }

    /** Returns a key of the crawl that is stored nowhere, but would be on a node. */
    private byte[] keyOn(Topology topology, Server node) {
        return LongStream.iterate(0, i -> i + 1)
                .mapToObj(i -> utf8("{" + address.name() + (i == 0 ? "" : ":-" + i) + "}e"))
                .filter(key -> topology.of(key).equals(node))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the response to a command that a user of the engine may not have the right to send, or null. */
    private static @Nullable Object tryCommand(Session session, Server node, String command, byte[]... args) {
        try {
            return session.askOf(node, command, args);
        } catch (EngineException e) {
            LOG.debug("{} is not possible: {}", command, e.getMessage());
            return null;
        }
    }

    private synchronized void failed(@Nullable String reason, boolean isMoving) {
        long now = nanoClock.getAsLong();
        if (closed) {
            return;
        }
        if (outage == null) {
            outage = new Outage(now);
            outage.postpone(now);
            idle.forEach(Session::disconnect);
        }
        outage.reason = reason;
        if (!outage.isLogged && (!isMoving || now - outage.since > MOVE_NANOS)) {
            outage.isLogged = true;
            LOG.warn(
                    "the engine {} does not respond ({}); waiting up to {}",
                    address.server(),
                    reason,
                    text(patience.toNanos()));
        }
    }

    private void succeeded() {
        if (outage == null && !inNewRun) {
            return;
        }
        synchronized (this) {
            if (outage != null && outage.isLogged) {
                LOG.warn(
                        "the engine {} is back after {}{}",
                        address.server(),
                        text(nanoClock.getAsLong() - outage.since),
                        inNewRun ? "; it " + CHANGED : "");
            } else if (inNewRun) {
                LOG.warn("the engine {} {}", address.server(), CHANGED);
            }
            outage = null;
            inNewRun = false;
            notifyAll();
        }
    }

    private static String text(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        if (seconds < 10) {
            return Math.round(nanos / 1e8) / 10.0 + " s";
        }
        return seconds < 180 ? seconds + " s" : seconds / 60 + " min";
    }

    /** Returns the run of the newest connection. */
    Session.Run run() {
        return Objects.requireNonNull(run, "no connection yet");
    }

    /** Returns whether it is a cluster, whose nodes can fail one without the others. */
    boolean isCluster() {
        return isCluster;
    }

    /** Returns whether the engine did not respond to the newest attempt. */
    boolean isAway() {
        return outage != null;
    }

    /** Makes calls throw instead of waiting, from now on. */
    synchronized void impatient() {
        impatient = true;
        notifyAll();
    }

    /** Returns what in the settings of the engine can lose URLs, as it was when this client was opened. */
    List<String> warnings() {
        return warnings;
    }

    /** Closes all connections, also those in use. */
    @Override
    public synchronized void close() {
        closed = true;
        sessions.forEach(Session::abort);
        notifyAll();
    }
}
