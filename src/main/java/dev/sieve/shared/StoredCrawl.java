package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static dev.sieve.shared.Replies.count;
import static dev.sieve.shared.Replies.text;

import dev.sieve.shared.EngineAddress.Server;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A crawl on an engine as the tools read it, without becoming a worker of it. */
final class StoredCrawl implements Closeable {
    /** Commands per round trip. */
    private static final int PAGE = 1024;

    /** The owner of the slices that a repair reads. */
    static final String REPAIR = "repair";

    /** The lists that the workers of a crawl share. */
    static final List<String> LISTS = List.of("seeds", "origins");

    private final EngineAddress address;
    private final Engine engine;
    /** Null when the engine has no crawl of this name. */
    private final @Nullable CrawlSettings settings;

    private final CrawlKeys keys;

    private StoredCrawl(EngineAddress address, Engine engine) throws IOException {
        this.address = address;
        this.engine = engine;
        settings = CrawlSettings.read(engine, address.name());
        keys = settings == null ? new CrawlKeys(address.name(), 0, 0) : settings.keys(address.name());
    }

    /** Connects to the engine and reads the settings of the crawl, which has to exist. */
    static StoredCrawl open(EngineAddress address) throws IOException {
        StoredCrawl crawl = openAny(address);
        if (crawl.settings == null) {
            crawl.close();
            throw crawl.absent();
        }
        return crawl;
    }

    IOException absent() {
        return new IOException(address + ": the engine has no crawl of this name");
    }

    /** As {@link #open}, but also opens what is left of a crawl whose settings are gone. */
    static StoredCrawl openAny(EngineAddress address) throws IOException {
        Engine engine = new Engine(address, Duration.ZERO, System::nanoTime);
        try {
            return new StoredCrawl(address, engine);
        } catch (IOException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** Returns whether the engine has anything under the name of a crawl. */
    static boolean exists(EngineAddress address, Duration patience) throws IOException {
        try (Engine engine = new Engine(address, patience, System::nanoTime)) {
            byte[] key = CrawlKeys.settings(address.name());
            return call(address, engine, (session, number) -> count(session.ask("EXISTS", key)) > 0);
        }
    }

    EngineAddress address() {
        return address;
    }

    CrawlKeys keys() {
        return keys;
    }

    List<String> warnings() {
        return engine.warnings();
    }

    CrawlSettings settings() {
        return Objects.requireNonNull(settings);
    }

    /** The last owner of a slice, whose time may be over. */
    record Owner(String worker, String run, long until, long ttl) {
        boolean isLive(long now) {
            // A time further in the future was stored before the clock of the engine was set back.
            return until > now && until - now <= ttl;
        }
    }

    List<Owner> owners() throws IOException {
        byte[][] fields = {utf8("worker"), utf8("run"), utf8("until"), utf8("ttl")};
        List<Owner> owners = new ArrayList<>();
        all(
                keys.sliceCount(),
                (session, i) -> session.send("HMGET", CrawlKeys.with(keys.slice((int) i).owner, Stream.of(fields))),
                (reply, i) -> {
                    List<?> owner = reply == null ? Collections.nCopies(fields.length, null) : Replies.list(reply);
                    owners.add(new Owner(
                            String.valueOf(Replies.textOrNull(owner.get(0))),
                            String.valueOf(Replies.textOrNull(owner.get(1))),
                            count(owner.get(2)),
                            count(owner.get(3))));
                });
        return owners;
    }

    /** Returns the names of the live workers, given the owners of the slices. */
    List<String> workers(List<Owner> owners) throws IOException {
        long now = now();
        long longest = owners.stream().mapToLong(Owner::ttl).max().orElse(0);
        byte[] latest = utf8(longest == 0 ? "+inf" : String.valueOf(now + longest));
        List<?> names = (List<?>) one("ZRANGEBYSCORE", keys.workers(), utf8(now), latest);
        return names.stream().map(Replies::text).toList();
    }

    /** Refuses a crawl that is running; with a list of workers that cannot be read, by the owners of its slices. */
    void requireNoWorkers(boolean isListed) throws IOException {
        long now = now();
        List<Owner> owners = owners();
        Set<String> workers = owners.stream()
                .filter(owner -> owner.isLive(now))
                .map(Owner::worker)
                .collect(Collectors.toCollection(HashSet::new));
        workers.remove(REPAIR);
        workers.addAll(isListed ? workers(owners) : List.of());
        if (!workers.isEmpty()) {
            throw new IOException(address + ": " + workers.size() + " live "
                    + (workers.size() == 1 ? "worker" : "workers")
                    + "; stop them first (one that was killed counts for some seconds)");
        }
    }

    /** Returns the present time of the engine in epoch milliseconds. */
    long now() throws IOException {
        return Replies.millis(atHome("TIME"));
    }

    /** Does work on a connection once; it is not repeated when the engine does not respond. */
    <T> T call(Engine.Work<T> work) throws IOException {
        return call(address, engine, work);
    }

    private static <T> T call(EngineAddress address, Engine engine, Engine.Work<T> work) throws IOException {
        try {
            return engine.call(work);
        } catch (EngineException e) {
            throw new IOException(address + ": " + e.reason, e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    Object one(String command, byte[]... arguments) throws IOException {
        return call((session, number) -> session.ask(command, arguments));
    }

    Object one(Script script, byte[][] scriptKeys, byte[]... arguments) throws IOException {
        return call((session, number) -> session.ask(script, scriptKeys, arguments));
    }

    /** Sends a command without a key to the node that stores the settings. */
    private Object atHome(String command) throws IOException {
        return call((session, number) -> session.askOf(session.topology().of(keys.settings()), command));
    }

    /** Returns the number with which the engine responds to a command; 0 when it refuses it. */
    long optional(Consumer<Session> command) throws IOException {
        long[] number = new long[1];
        all(1, (session, i) -> command.accept(session), (reply, i) -> number[0] = count(reply));
        return number[0];
    }

    /** Returns the slices that the nodes of a cluster do not store any more, with these nodes. */
    Map<Integer, Server> lostSlices() throws IOException {
        Map<Integer, Server> lost = new TreeMap<>();
        if (!keys.isSpread()) {
            return lost;
        }
        Server[] nodes = new Server[keys.sliceCount()];
        all(
                keys.sliceCount(),
                (session, i) -> {
                    byte[] key = keys.slice((int) i).crawl;
                    nodes[(int) i] = session.topology().of(key);
                    session.send("HGET", key, utf8(CrawlSettings.ID));
                },
                (id, i) -> {
                    if (!settings().id().equals(Replies.textOrNull(id))) {
                        lost.put((int) i, nodes[(int) i]);
                    }
                });
        return lost;
    }

    /** Returns the nodes that store something. */
    List<Server> nodes() throws IOException {
        return call((session, number) -> List.copyOf(session.topology().primaries()));
    }

    /** Returns the identity of the present run of the engine. */
    String run() {
        return engine.run().id;
    }

    /** Returns what the engine reports of itself. */
    Map<String, String> info() throws IOException {
        return Replies.info(atHome("INFO"));
    }

    /** Returns the values of fields of a hash; null for one that it does not have. */
    byte[][] fields(byte[] hash, List<byte[]> fields) throws IOException {
        return Replies.list(one("HMGET", CrawlKeys.with(hash, fields.stream()))).toArray(byte[][]::new);
    }

    /** A key of another type than the one that a crawl stores under it. */
    record WrongKey(String key, String type, String expected) {
        @Override
        public String toString() {
            return "the key " + key + " is a " + type + ", not a " + expected;
        }
    }

    List<WrongKey> wrongKeys() throws IOException {
        List<byte[]> all = new ArrayList<>(List.of(keys.workers(), keys.events(), keys.budget(), keys.shares()));
        List<String> types = new ArrayList<>(List.of("zset", "hash", "hash", "hash"));
        for (String list : LISTS) {
            all.add(keys.lines(list));
            types.add("list");
        }
        for (int i = 0; i < keys.sliceCount(); i++) {
            List<byte[]> hashes = keys.slice(i).hashes();
            List<byte[]> lists = keys.slice(i).lists();
            all.addAll(hashes);
            all.addAll(lists);
            types.addAll(Collections.nCopies(hashes.size(), "hash"));
            types.addAll(Collections.nCopies(lists.size(), "list"));
        }
        int fixed = all.size();
        List<WrongKey> wrong = new ArrayList<>();
        all(
                fixed + settings().buckets(),
                (session, i) -> session.send("TYPE", i < fixed ? all.get((int) i) : keys.bucket(i - fixed)),
                (response, i) -> {
                    byte[] key = i < fixed ? all.get((int) i) : keys.bucket(i - fixed);
                    String expected = i < fixed ? types.get((int) i) : "set";
                    String type = response == null ? "none" : text(response);
                    if (!type.equals("none") && !type.equals(expected)) {
                        wrong.add(new WrongKey(text(key), type, expected));
                    }
                });
        return wrong;
    }

    /** Returns how many fingerprints the crawl has, and passes on each bucket and how many it has. */
    long fingerprints(BiConsumer<byte[], Long> buckets) throws IOException {
        long[] sum = new long[1];
        all(settings().buckets(), (session, i) -> session.send("SCARD", keys.bucket(i)), (response, i) -> {
            sum[0] += count(response);
            buckets.accept(keys.bucket(i), count(response));
        });
        return sum[0];
    }

    /** Sends the commands with these indexes, and passes on the responses in order; null for those that are refused. */
    void all(long count, ObjLongConsumer<Session> command, ObjLongConsumer<@Nullable Object> responses)
            throws IOException {
        for (long from = 0; from < count; from += PAGE) {
            long start = from;
            long end = Math.min(count, from + PAGE);
            List<@Nullable Object> page = call((session, number) -> {
                for (long i = start; i < end; i++) {
                    command.accept(session, i);
                }
                List<@Nullable Object> received = new ArrayList<>();
                for (long i = start; i < end; i++) {
                    received.add(receive(session));
                }
                return received;
            });
            for (long i = start; i < end; i++) {
                responses.accept(page.get((int) (i - start)), i);
            }
        }
    }

    private static @Nullable Object receive(Session session) {
        try {
            return session.receive();
        } catch (EngineException e) {
            // Such as a command that the user may not use: what it measures is left out.
            return null;
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
