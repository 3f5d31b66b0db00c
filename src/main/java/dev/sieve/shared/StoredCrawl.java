package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A crawl on an engine as the tools read it, without becoming a worker of it. */
final class StoredCrawl implements Closeable {
    /** Commands per round trip. */
    private static final int PAGE = 1024;

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
        keys = new CrawlKeys(address.name(), settings == null ? 0 : settings.slices());
    }

    /**
     * Connects to the engine and reads the settings of the crawl.
     *
     * @throws IOException when the engine does not respond, or has no such crawl
     */
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
        Engine engine = new Engine(address, "tools", Duration.ZERO, System::nanoTime);
        try {
            return new StoredCrawl(address, engine);
        } catch (IOException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** Returns whether the engine has anything under the name of a crawl. */
    static boolean exists(EngineAddress address, Duration patience) throws IOException {
        try (Engine engine = new Engine(address, "tools", patience, System::nanoTime)) {
            return engine.call((session, number) -> {
                session.send("EXISTS", CrawlKeys.settings(address.name()));
                return number(session.receive()) > 0;
            });
        } catch (EngineException e) {
            throw new IOException(address + ": " + e.reason, e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
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

    /** Returns the names of the live workers. */
    List<String> workers() throws IOException {
        long now = now();
        long[] longest = new long[1];
        all(
                keys.sliceCount(),
                i -> new Command("HGET", keys.slice((int) i).owner, CrawlKeys.utf8("ttl")),
                response -> longest[0] = Math.max(longest[0], number(response)));
        // What is further in the future was stored before the clock of the engine was set back.
        byte[] latest = CrawlKeys.utf8(longest[0] == 0 ? "+inf" : String.valueOf(now + longest[0]));
        List<?> names = (List<?>) one("ZRANGEBYSCORE", keys.workers(), CrawlKeys.utf8(now), latest);
        return names.stream().map(StoredCrawl::text).toList();
    }

    /** Refuses a crawl that is running. */
    void requireNoWorkers() throws IOException {
        List<String> workers = workers();
        if (!workers.isEmpty()) {
            throw new IOException(address + ": " + workers.size() + " live "
                    + (workers.size() == 1 ? "worker" : "workers")
                    + "; stop them first (one that was killed counts for some seconds)");
        }
    }

    /** Returns the present time of the engine in epoch milliseconds. */
    long now() throws IOException {
        List<?> time = (List<?>) one("TIME");
        return number(time.get(0)) * 1000 + number(time.get(1)) / 1000;
    }

    /** Does work on a connection once; it is not repeated when the engine does not respond. */
    <T> T call(Engine.Work<T> work) throws IOException {
        try {
            return engine.call(work);
        } catch (EngineException e) {
            throw new IOException(address + ": " + e.reason, e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Sends one command and returns its response. */
    Object one(String command, byte[]... arguments) throws IOException {
        return call((session, number) -> {
            session.send(command, arguments);
            return session.receive();
        });
    }

    /** Sends one command, and returns its response; null when the engine refuses it. */
    @Nullable
    Object optional(String command, byte[]... arguments) throws IOException {
        return call((session, number) -> {
            session.send(command, arguments);
            return receive(session);
        });
    }

    /** Returns what the engine reports of itself. */
    Map<String, String> info() throws IOException {
        Map<String, String> info = new HashMap<>();
        for (String line : text(one("INFO")).split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                info.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return info;
    }

    /**
     * A key that is not of the type that a crawl stores under it.
     *
     * @param type what it is
     */
    record WrongKey(String key, String type, String expected) {
        @Override
        public String toString() {
            return "the key " + key + " is a " + type + ", not a " + expected;
        }
    }

    /** Returns the keys of a wrong type. */
    List<WrongKey> wrongKeys() throws IOException {
        List<byte[]> all = new ArrayList<>(List.of(keys.workers(), keys.events()));
        List<String> types = new ArrayList<>(List.of("zset", "hash"));
        for (String list : LISTS) {
            all.add(keys.lines(list));
            types.add("list");
        }
        for (int i = 0; i < keys.sliceCount(); i++) {
            for (byte[] hash : keys.slice(i).hashes()) {
                all.add(hash);
                types.add("hash");
            }
            for (byte[] list : keys.slice(i).lists()) {
                all.add(list);
                types.add("list");
            }
        }
        int fixed = all.size();
        List<WrongKey> wrong = new ArrayList<>();
        long[] next = new long[1];
        all(
                fixed + settings().buckets(),
                i -> new Command("TYPE", i < fixed ? all.get((int) i) : keys.bucket(i - fixed)),
                response -> {
                    long i = next[0]++;
                    byte[] key = i < fixed ? all.get((int) i) : keys.bucket(i - fixed);
                    String expected = i < fixed ? types.get((int) i) : "set";
                    String type = text(response);
                    if (!type.equals("none") && !type.equals(expected)) {
                        wrong.add(new WrongKey(text(key), type, expected));
                    }
                });
        return wrong;
    }

    /** Returns how many fingerprints the crawl has. */
    long fingerprints() throws IOException {
        long[] sum = new long[1];
        all(
                settings().buckets(),
                bucket -> new Command("SCARD", keys.bucket(bucket)),
                response -> sum[0] += number(response));
        return sum[0];
    }

    /** A command and its arguments. */
    static final class Command {
        private final String name;
        private final byte[][] arguments;

        Command(String name, byte[]... arguments) {
            this.name = name;
            this.arguments = arguments;
        }
    }

    /**
     * Sends many commands, and passes on their responses in the same order; null for those that the engine refuses.
     *
     * @param commands returns the command at an index
     */
    void all(long count, Commands commands, Consumer<Object> responses) throws IOException {
        for (long from = 0; from < count; from += PAGE) {
            long start = from;
            long end = Math.min(count, from + PAGE);
            List<Object> page = call((session, number) -> {
                for (long i = start; i < end; i++) {
                    Command command = commands.at(i);
                    session.send(command.name, command.arguments);
                }
                List<Object> received = new ArrayList<>();
                for (long i = start; i < end; i++) {
                    received.add(receive(session));
                }
                return received;
            });
            page.forEach(responses);
        }
    }

    /** Returns the command at an index. */
    interface Commands {
        /** Returns the command at an index. */
        Command at(long index);
    }

    private static @Nullable Object receive(Session session) {
        try {
            return session.receive();
        } catch (EngineException e) {
            // Such as a command that the user may not use: what it measures is left out.
            return null;
        }
    }

    static String text(@Nullable Object response) {
        return response == null ? "" : new String((byte[]) response, UTF_8);
    }

    /** Returns an integer, or decimal digits; 0 for anything else. */
    static long number(@Nullable Object response) {
        if (response instanceof Long number) {
            return number;
        }
        String text = response instanceof byte[] bytes ? new String(bytes, US_ASCII) : String.valueOf(response);
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }

    @Override
    public void close() {
        engine.close();
    }
}
