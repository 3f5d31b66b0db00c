package dev.sieve.shared;

import static dev.sieve.shared.ClusterRelays.host;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A real cluster of engines on this machine. The first nodes are its primaries, each with an equal range of the slots; then
 * follow the first replica of each primary, the second of each, and so on. {@link #node} connects directly to a node, even
 * when it is cut; clients and other nodes do so by {@link ClusterRelays}.
 */
public final class TestCluster implements TestNodes {
    private static final int SLOTS = 16_384;

    /** What a log may lose: Valkey and Redis sync it each second. */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<TestEngine> nodes = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private final Set<Integer> away = ConcurrentHashMap.newKeySet();
    private final ClusterRelays relays = new ClusterRelays();

    /** What a node knows about a node. */
    private record Seen(int node, List<String> flags, BitSet slots) {}

    /** What a log has lost: so many bytes, and nothing of before a time. */
    public record Cut(long bytes, long sinceNanos) {}

    /** Whether clients and nodes connect to the nodes themselves, so that none can be cut. */
    private final boolean isDirect;

    private TestCluster(boolean isDirect) {
        this.isDirect = isDirect;
    }

    /**
     * Starts it and waits until it is whole.
     *
     * @param settings of the command line of every node, such as {@code "--cluster-node-timeout", "5000"}
     */
    public static TestCluster start(File program, int primaries, int replicasPerPrimary, String... settings) {
        return new TestCluster(false)
                .start(program, primaries, primaries * (1 + replicasPerPrimary), List.of(settings));
    }

    /** Starts primaries without replicas, whose connections are not relayed, to be measured. */
    public static TestCluster startDirect(File program, int primaries, String... settings) {
        return new TestCluster(true).start(program, primaries, primaries, List.of(settings));
    }

    private TestCluster start(File program, int primaries, int all, List<String> settings) {
        try {
            for (int i = 0; i < all; i++) {
                startNode(program, settings);
            }
            form(primaries);
            return this;
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private void startNode(File program, List<String> more) {
        int i = nodes.size();
        Random random = new Random();
        int port;
        do {
            // The system gives neither port to outgoing connections, so that both stay free while the node is down.
            port = 11_000 + random.nextInt(11_000);
        } while (!relays.listen(i, port));
        ports.add(port);
        List<String> settings = new ArrayList<>(List.of("--protected-mode", "no", "--repl-diskless-sync-delay", "0"));
        settings.addAll(List.of("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"));
        settings.addAll(List.of("--cluster-node-timeout", "2000"));
        settings.addAll(List.of("--cluster-announce-ip", isDirect ? host(i) : "127.0.0.1"));
        if (major(program) >= 7) {
            // Before, it was the first address of --bind.
            settings.addAll(List.of("--bind-source-addr", host(i)));
        }
        settings.addAll(more);
        nodes.add(TestEngine.start(program, host(i), port, settings));
        ids.add(node(i).text("CLUSTER", "MYID"));
    }

    private static int major(File program) {
        try {
            Process process = new ProcessBuilder(program.getPath(), "--version").start();
            String version = new String(process.getInputStream().readAllBytes(), UTF_8);
            return Integer.parseInt(version.replaceFirst("(?s).*v=(\\d+)\\..*", "$1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void form(int primaries) {
        for (int i = 0; i < nodes.size(); i++) {
            if (i < primaries) {
                List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
                IntStream.range(i * SLOTS / primaries, (i + 1) * SLOTS / primaries)
                        .forEach(slot -> command.add(String.valueOf(slot)));
                node(i).command(command.toArray(String[]::new));
            }
            node(i).command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
        }
        for (int i = 1; i < nodes.size(); i++) {
            node(0).command("CLUSTER", "MEET", "127.0.0.1", String.valueOf(ports.get(i)));
        }
        await("nodes that know each other", () -> allOfThose(i -> seen(i).size() == nodes.size() && isWell(seen(i))));
        for (int i = primaries; i < nodes.size(); i++) {
            node(i).command("CLUSTER", "REPLICATE", ids.get(i % primaries));
        }
        await("replicas", () -> allOfThose(i -> i < primaries || !isMaster(i)));
        awaitOk();
    }

    @Override
    public EngineAddress address(String name) {
        return node(0).address(name);
    }

    /** The ports of the nodes, on 127.0.0.1. */
    public List<Integer> ports() {
        return List.copyOf(ports);
    }

    /** The host and port of each node, with commas between. */
    public String seeds() {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    public TestEngine node(int i) {
        return nodes.get(i);
    }

    @Override
    public TestEngine nodeOf(String key) {
        return node(owner(JedisClusterCRC16.getSlot(key)));
    }

    @Override
    public String slice(String crawl, int index) {
        return "{" + crawl + ":" + index + "}" + index;
    }

    /** Returns whether a node owns slots, as the cluster sees it now: one that is away does until it is replaced. */
    public boolean isPrimary(int i) {
        return primaries().contains(i);
    }

    public List<Integer> primaries() {
        return view().stream()
                .filter(seen -> !seen.slots.isEmpty())
                .map(Seen::node)
                .sorted()
                .toList();
    }

    /** Returns the node that owns a slot now. */
    public int owner(int slot) {
        return view().stream().filter(seen -> seen.slots.get(slot)).findFirst().orElseThrow().node;
    }

    /** Asks a node that sees a majority of the primaries; any node that runs, if none does. */
    private List<Seen> view() {
        List<Seen> any = null;
        for (int i = 0; i < nodes.size(); i++) {
            try {
                if (!away.contains(i)) {
                    boolean isOk = isOk(i);
                    any = any == null || isOk ? seen(i) : any;
                    if (isOk) {
                        return any;
                    }
                }
            } catch (JedisException e) {
                // It ends or starts just now.
            }
        }
        if (any == null) {
            throw new AssertionError("no node runs");
        }
        return any;
    }

    private boolean isOk(int i) {
        return node(i).text("CLUSTER", "INFO").contains("cluster_state:ok");
    }

    private boolean isMaster(int i) {
        return node(i).info("role").equals("master");
    }

    private List<Seen> seen(int i) {
        List<Seen> all = new ArrayList<>();
        for (String line : node(i).text("CLUSTER", "NODES").lines().toList()) {
            String[] words = line.split(" ", -1);
            BitSet slots = new BitSet();
            for (int word = 8; word < words.length; word++) {
                if (!words[word].startsWith("[")) {
                    String[] range = words[word].split("-", -1);
                    slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1);
                }
            }
            String port = words[1].substring(words[1].indexOf(':') + 1, words[1].indexOf('@'));
            all.add(new Seen(ports.indexOf(Integer.valueOf(port)), List.of(words[2].split(",", -1)), slots));
        }
        return all;
    }

    private boolean isWell(List<Seen> all) {
        return all.stream()
                .filter(seen -> !away.contains(seen.node))
                .allMatch(seen -> seen.flags.stream().noneMatch(flag -> flag.matches("fail\\??|handshake|noaddr")));
    }

    private boolean allOfThose(IntPredicate condition) {
        return IntStream.range(0, nodes.size()).filter(i -> !away.contains(i)).allMatch(condition);
    }

    /**
     * Waits until all nodes that run can reach each other, they agree who owns each slot and none belongs to a node that is
     * away, and every replica of them is connected to its primary.
     */
    public void awaitOk() {
        await("a cluster that is ok", () -> {
            List<Seen> view = view();
            Map<Integer, BitSet> owners = owners(view);
            return away.stream().noneMatch(owners::containsKey)
                    && allOfThose(i -> isOk(i)
                            && isWell(seen(i))
                            && owners(seen(i)).equals(owners)
                            && isMaster(i) == owners.containsKey(i)
                            && (isMaster(i)
                                    || node(i).info("master_link_status").equals("up")));
        });
    }

    private static Map<Integer, BitSet> owners(List<Seen> all) {
        return all.stream().filter(seen -> !seen.slots.isEmpty()).collect(Collectors.toMap(Seen::node, Seen::slots));
    }

    /** Waits until a condition about the cluster is true; one that an engine does not respond to is not. */
    public void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        JedisException last = null;
        while (System.nanoTime() < deadline) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (JedisException e) {
                last = e;
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("no " + what + ", but " + view(), last);
    }

    /** Ends a node as {@code kill -9} does. */
    public void kill(int i) {
        away.add(i);
        node(i).kill();
        relays.stop(i);
    }

    /** Starts a node again after a kill, and returns when it responds; {@link #awaitOk} waits until it is one of them. */
    public void restart(int i) {
        int port = ports.get(i);
        await("free port " + port, () -> relays.listen(i, port));
        node(i).restart();
        away.remove(i);
    }

    /** Stops the process of a node, until {@link #resume}. */
    public void suspend(int i) {
        away.add(i);
        node(i).suspend();
    }

    public void resume(int i) {
        node(i).resume();
        away.remove(i);
    }

    /**
     * Kills a node within the next second and cuts a random part of the end of its log, as a power cut may: nothing that it
     * had written a second before. The log of a replica is not cut: it gets all from its primary again before it can replace
     * one.
     */
    public Cut killAndCut(int i, Random random) {
        try {
            boolean isCut = isPrimary(i);
            BasicFileAttributes safe = log(i);
            long since = System.nanoTime();
            long end = since + (long) (random.nextDouble() * LOST_NANOS);
            await("end of the log", () -> System.nanoTime() - end > 0);
            kill(i);
            BasicFileAttributes last = log(i);
            if (!isCut || !last.fileKey().equals(safe.fileKey())) {
                return new Cut(0, System.nanoTime());
            }
            long bytes = (long) (random.nextDouble() * (last.size() - safe.size() + 1));
            node(i).cutLog(last.size() - bytes);
            return new Cut(bytes, since);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private BasicFileAttributes log(int i) throws IOException {
        return Files.readAttributes(node(i).log(), BasicFileAttributes.class);
    }

    /** Moves a slot with its keys from the primary that owns it to another, while clients go on. */
    public void moveSlot(int slot, int from, int to) {
        String number = String.valueOf(slot);
        await("move of slot " + slot, () -> {
            if (owner(slot) == from) {
                node(to).command("CLUSTER", "SETSLOT", number, "IMPORTING", ids.get(from));
                node(from).command("CLUSTER", "SETSLOT", number, "MIGRATING", ids.get(to));
                while (migrate(slot, from, to)) {}
            }
            List<Integer> told = new ArrayList<>(List.of(to, from));
            primaries().stream().filter(i -> !told.contains(i)).forEach(told::add);
            told.stream()
                    .filter(i -> !away.contains(i) && isMaster(i))
                    .forEach(i -> node(i).command("CLUSTER", "SETSLOT", number, "NODE", ids.get(to)));
            return allOfThose(
                    i -> owners(seen(i)).getOrDefault(to, new BitSet()).get(slot));
        });
    }

    /** Returns whether there was a key to move. */
    private boolean migrate(int slot, int from, int to) {
        List<?> keys = (List<?>) node(from).command("CLUSTER", "GETKEYSINSLOT", String.valueOf(slot), "100");
        List<String> command = new ArrayList<>(List.of("MIGRATE", "127.0.0.1", String.valueOf(ports.get(to)), "", "0"));
        // A key may be there already, from an attempt of which the response was lost.
        command.addAll(List.of("5000", "REPLACE", "KEYS"));
        keys.forEach(key -> command.add(new String((byte[]) key, UTF_8)));
        if (!keys.isEmpty()) {
            node(from).command(command.toArray(String[]::new));
        }
        return !keys.isEmpty();
    }

    /** Cuts all that some nodes and the others send each other, until {@link #heal}; clients reach both sides. */
    public void partition(Set<Integer> side) {
        relays.partition(side);
    }

    /** Cuts what clients and a node send each other, until {@link #heal}; other nodes reach it. */
    public void cutClients(int i) {
        relays.cutClients(i);
    }

    /** Ends all that {@link #partition} and {@link #cutClients} do. */
    public void heal() {
        relays.heal();
    }

    @Override
    public void close() {
        nodes.forEach(TestEngine::close);
        relays.close();
    }
}
