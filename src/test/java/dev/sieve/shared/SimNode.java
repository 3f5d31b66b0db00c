package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.shared.EngineAddress.Server;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A primary of the simulated cluster, with its replica and its log, both of which lag behind. It runs one command at a
 * time, each for as long as {@link #costNanos} says, and counts them.
 */
@SuppressWarnings("EnumOrdinal") // counters in arrays, since each call counts
final class SimNode {
    /** What the simulation learns from the nodes. */
    interface Observer {
        void claimed(int slice, String worker);

        /** A push was taken back. */
        void lost(Frame frame);
    }

    private record Write(long nanos, Runnable undo) {}

    /** What commands are counted as. */
    enum Kind {
        LOOK,
        RENEW,
        TAKE,
        DONE,
        PUSH,
        CLAIM,
        BARRIER,
        BEAT,
        OTHER
    }

    private static final long SECOND = 1_000_000_000L;

    final Observer observer;
    private final SimCluster cluster;
    private final SimTime time;
    final int number;
    Server server;
    final Set<SimLink> links = new LinkedHashSet<>();
    final Map<Integer, SimSlice> slices = new TreeMap<>();
    /** Of the node that stores them: settings, events, and the workers that are alive. */
    final Map<String, String> settings = new TreeMap<>();

    private final Map<String, String> events = new TreeMap<>();
    private final Map<String, Long> workers = new TreeMap<>();

    private final ArrayDeque<Write> writes = new ArrayDeque<>();
    String runId;
    String history;
    boolean isUp = true;
    boolean isFrozen;
    int replicas = 1;
    private long lagNanos = 1_000_000;
    private long replicatedNanos;
    private long lastWriteNanos;
    private long busyUntil;
    /** Until when the writes of a node that has ended were safe. */
    private long keptByReplica;

    private long keptByLog;

    long bytes;
    /** How long each kind of commands took. */
    final long[] nanos = new long[Kind.values().length];

    final long[] calls = new long[Kind.values().length];

    SimNode(SimCluster cluster, SimTime time, Observer observer, int number) {
        this.cluster = cluster;
        this.time = time;
        this.observer = observer;
        this.number = number;
        server = new Server("n" + number, 7000);
        runId = "run" + number + ".0";
        history = "history" + number + ".0";
    }

    long millis() {
        return time.now() / 1_000_000;
    }

    // What is written and not safe yet

    void wrote(Runnable undo) {
        lastWriteNanos = time.now();
        long safe = Math.min(replicated(), synced());
        while (!writes.isEmpty() && writes.peek().nanos <= safe) {
            writes.remove();
        }
        writes.add(new Write(time.now(), undo));
    }

    void lag(long nanos) {
        replicated();
        lagNanos = nanos;
    }

    /** Returns until when the replica has all. */
    private long replicated() {
        replicatedNanos = Math.max(replicatedNanos, time.now() - lagNanos);
        return replicas == 0 ? time.now() : replicatedNanos;
    }

    /** Returns until when the log is synchronized: each second, at another moment on each node. */
    private long synced() {
        long phase = number * 77_777_777L % SECOND;
        return (time.now() - phase) / SECOND * SECOND + phase;
    }

    /** Runs nothing any more, without an end of its connections. */
    void freeze() {
        keptByReplica = replicated();
        keptByLog = synced();
        isFrozen = true;
    }

    /** Ends, with all connections. */
    void stop() {
        if (!isFrozen) {
            freeze();
        }
        isUp = false;
        List.copyOf(links).forEach(link -> link.breakOff(false));
    }

    /** Comes back as its replica, which it must have, or from its own log; returns how many writes were lost. */
    int restart(boolean asReplica) {
        long kept = asReplica ? keptByReplica : keptByLog;
        int lost = 0;
        for (; !writes.isEmpty() && writes.peekLast().nanos > kept; lost++) {
            writes.removeLast().undo.run();
        }
        writes.clear();
        int life = Integer.parseInt(runId.substring(runId.indexOf('.') + 1)) + 1;
        runId = "run" + number + "." + life;
        history = "history" + number + "." + life;
        if (asReplica) {
            server = new Server(server.host(), server.port() + 1);
        }
        isUp = true;
        isFrozen = false;
        replicas = 0;
        time.at(time.now() + 5 * SECOND, () -> {
            replicas = 1;
            lagNanos = 1_000_000;
            replicatedNanos = time.now();
        });
        return lost;
    }

    /** Makes all writes safe, as the move of a slot does before it ends. */
    void settle() {
        writes.clear();
    }

    // Commands

    /** What a node reports about itself. */
    Map<String, String> info() {
        return Map.of(
                "redis_version",
                "8.0.0",
                "run_id",
                runId,
                "role",
                "master",
                "cluster_enabled",
                "1",
                "aof_enabled",
                "1",
                "aof_last_rewrite_time_sec",
                "0",
                "master_replid",
                history,
                Link.APPENDFSYNC,
                "everysec");
    }

    /** Runs the commands of a connection that have arrived, until one of them waits. */
    void run(SimLink link) {
        for (SimLink.Command next = link.arrived.peek();
                next != null && isUp && !isFrozen;
                next = link.arrived.peek()) {
            if (next.name.equals("WAIT") && !mayAnswer(next)) {
                boolean isInVain = number(next.args[0]) > replicas;
                long again = isInVain ? next.waitUntil : Math.max(time.now() + 1_000_000, lastWriteNanos + lagNanos);
                time.at(Math.min(again, next.waitUntil), () -> run(link));
                return;
            }
            link.arrived.remove();
            Object reply;
            if (next.kind != Kind.OTHER && next.kind != Kind.BEAT && !cluster.isWhole()) {
                reply = new EngineException.Away("CLUSTERDOWN", false, null);
            } else {
                reply = reply(next);
            }
            long cost = costNanos(next);
            busyUntil = Math.max(busyUntil, time.now()) + cost;
            nanos[next.kind.ordinal()] += cost;
            calls[next.kind.ordinal()]++;
            bytes += next.bytes() + bytes(reply);
            link.answered(next, reply, busyUntil);
        }
    }

    private boolean mayAnswer(SimLink.Command wait) {
        if (wait.waitUntil == 0) {
            wait.waitUntil = time.now() + number(wait.args[1]) * 1_000_000;
        }
        return number(wait.args[0]) <= confirming() || time.now() >= wait.waitUntil;
    }

    private int confirming() {
        return replicas > 0 && replicated() >= lastWriteNanos ? replicas : 0;
    }

    /** Assumed: about what Lua scripts take on one thread of a server, see docs/speed.md for pushes. */
    static long costNanos(SimLink.Command command) {
        return switch (command.kind) {
            case PUSH -> 8_000 + 2_000L * (command.keys.length - 3);
            default -> command.script == null ? 1_500 : 8_000;
        };
    }

    private Object reply(SimLink.Command command) {
        byte[][] keys = command.keys;
        byte[][] args = command.args;
        Script script = command.script;
        byte[] key = script != null ? keys[0] : args.length > 0 ? args[0] : new byte[0];
        int index = sliceOf(key);
        if (index >= 0 && !slices.containsKey(index)) {
            return new EngineException.Away("a slot is on another node now", false, null);
        }
        SimSlice slice = index < 0 ? null : slices.get(index);
        if (script == null) {
            return plain(command, slice);
        }
        return switch (script) {
            case LOOK -> slice.look(this, args);
            case PUSH -> slice.push(this, keys, args);
            case TAKE -> slice.take(this, args);
            case DONE -> slice.done(this, args);
            case CLAIM -> slice.claim(this, args);
            case RENEW -> slice.renew(this, args);
            case RELEASE -> slice.release(this, args);
            case SYNC -> {
                if (slice != null && !Arrays.equals(slice.id, args[0])) {
                    yield 0L;
                }
                wrote(() -> {});
                yield 1L;
            }
            case BEAT -> beat(args);
            case CREATE -> {
                if (settings.isEmpty()) {
                    for (int i = 0; i < args.length; i += 2) {
                        settings.put(text(args[i]), text(args[i + 1]));
                    }
                }
                yield pairs(settings);
            }
            case MARK -> mark(args);
            case BUDGET -> List.of(0L, 0L, 0L);
            default -> throw new AssertionError(script);
        };
    }

    private Object beat(byte[][] args) {
        long now = millis();
        String worker = text(args[0]);
        Long before = args[2][0] == '1' ? workers.remove(worker) : workers.put(worker, now + number(args[1]));
        // Those that are not alive any more would be removed again.
        wrote(() -> workers.compute(worker, (name, until) -> before));
        workers.values().removeIf(until -> until <= now);
        return (long) workers.size();
    }

    private Object mark(byte[][] args) {
        String before = put(events, text(args[0]), text(args[1]));
        return text(args[1]).equals(before) ? 0L : 1L;
    }

    private @Nullable String put(Map<String, String> map, String field, String value) {
        String before = map.put(field, value);
        wrote(() -> {
            if (before == null) {
                map.remove(field);
            } else {
                map.put(field, before);
            }
        });
        return before;
    }

    private @Nullable Object plain(SimLink.Command command, @Nullable SimSlice slice) {
        byte[][] args = command.args;
        String field = args.length > 1 ? text(args[1]) : "";
        switch (command.name) {
            case "HGET", "HMGET" -> {
                if (slice == null) {
                    String value = (isEvents(args[0]) ? events : settings).get(field);
                    return value == null ? null : utf8(value);
                }
                if (field.equals("pages")) {
                    return null;
                }
                List<Object> frames = field.equals("id") ? List.of() : slice.frames(args);
                return field.equals("id") ? slice.id : command.name.equals("HGET") ? frames.get(0) : frames;
            }
            case "HSETNX" -> {
                if (slice == null) {
                    put(settings, field, text(args[2]));
                    return 1L;
                }
                slice.id = slice.id == null ? args[2] : slice.id;
                return 1L;
            }
            case "HSET" -> {
                put(settings, field, text(args[2]));
                return 1L;
            }
            case "HDEL" -> {
                events.remove(field);
                return 1L;
            }
            case "WAIT" -> {
                return (long) confirming();
            }
            case "ZRANGE" -> {
                return workers.keySet().stream().map(CrawlKeys::utf8).toList();
            }
            case "INFO" -> {
                return utf8("role:master\r\nmaster_replid:" + history + "\r\n");
            }
            case "TIME" -> {
                return List.of(utf8(millis() / 1000), utf8(millis() % 1000 * 1000));
            }
            case "CONFIG" -> {
                return List.of(args[1], utf8("yes"));
            }
            case "CLUSTER" -> {
                return cluster.describe(text(args[0]));
            }
            default -> throw new AssertionError(command.name);
        }
    }

    private static boolean isEvents(byte[] key) {
        return key[key.length - 1] == 'e';
    }

    private static Object pairs(Map<String, String> map) {
        List<Object> pairs = new ArrayList<>();
        map.forEach((field, value) -> {
            pairs.add(utf8(field));
            pairs.add(utf8(value));
        });
        return pairs;
    }

    // Texts

    /** Returns the index of the slice of a key, {@code {NAME:INDEX}...}; -1 when it is not one of a slice. */
    private static int sliceOf(byte[] key) {
        int at = 0;
        while (at < key.length && key[at] != ':') {
            at++;
        }
        if (at == key.length || key[0] != '{') {
            return -1;
        }
        int index = 0;
        for (at++; key[at] != '}'; at++) {
            index = 10 * index + key[at] - '0';
        }
        return index;
    }

    /** Returns the number of a bucket, which stands after the tag of its key. */
    static long lastNumber(byte[] key) {
        long number = 0;
        for (int i = 0, from = key.length; i < key.length; i++) {
            from = key[i] == '}' ? i + 1 : from;
            number = i < from ? 0 : number * Character.MAX_RADIX + Character.digit(key[i], Character.MAX_RADIX);
        }
        return number;
    }

    static long number(byte[] digits) {
        return digits[0] == '-' ? -number(digits, 1) : number(digits, 0);
    }

    private static long number(byte[] digits, int from) {
        long number = 0;
        for (int i = from; i < digits.length; i++) {
            number = 10 * number + digits[i] - '0';
        }
        return number;
    }

    private static String text(byte[] ascii) {
        return new String(ascii, US_ASCII);
    }

    /** Returns about how many bytes a reply takes on the network. */
    private static long bytes(@Nullable Object reply) {
        if (reply instanceof byte[] text) {
            return text.length + 7L;
        }
        if (reply instanceof List<?> list) {
            long sum = 5;
            for (Object each : list) {
                sum += bytes(each);
            }
            return sum;
        }
        return 5;
    }
}
