package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.SieveFullException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data that the workers of a crawl share besides URLs: lists of lines, pauses and counts of hosts, and options.
 * Obtained from {@link SharedSieve#notes}. A call waits while the engine is away, up to the patience of the frontier.
 * Safe for use by many threads.
 */
public final class SharedNotes {
    private static final Logger LOG = LoggerFactory.getLogger(SharedNotes.class);

    /** Lines that are added in one command. */
    private static final int MAX_LINES = 1024;

    /** Workers whose reports the engine keeps. */
    private static final int MAX_SHARES = 1000;

    private final Worker worker;
    private final HostSlices hosts;
    private final Ownership ownership;
    private final RepeatableWrites writes;

    SharedNotes(Worker worker, HostSlices hosts, Ownership ownership, RepeatableWrites writes) {
        this.worker = worker;
        this.hosts = hosts;
        this.ownership = ownership;
        this.writes = writes;
    }

    /**
     * Appends lines to a list that all workers share, and returns its length after the last of them; 0 without any.
     * After an outage of the engine a line may be there twice. Throws {@link SieveFullException} when the engine has no
     * memory left.
     */
    public long add(String list, List<String> lines) {
        byte[] key = worker.keys().lines(list);
        long length = 0;
        for (int from = 0; from < lines.size(); from += MAX_LINES) {
            List<byte[]> texts = lines.subList(from, Math.min(lines.size(), from + MAX_LINES)).stream()
                    .map(CrawlKeys::utf8)
                    .toList();
            long[] end = new long[1];
            writes.make(
                    texts.size(),
                    texts.stream().mapToLong(text -> text.length).sum(),
                    () -> end[0] = store(key, texts),
                    () -> end[0] == 0 ? List.of() : texts,
                    again -> end[0] = hasLines(key, again, end[0]) ? end[0] : store(key, again));
            length = end[0];
        }
        return length;
    }

    private long store(byte[] key, List<byte[]> lines) {
        try {
            Object length = worker.engine()
                    .call((session, number) ->
                            store(session, worker.keys().settings(), key, "RPUSH", lines.toArray(byte[][]::new)));
            return Replies.number(worker.requireStored(length));
        } catch (EngineException.Full e) {
            throw new SieveFullException(e.getMessage());
        }
    }

    /** Makes a command store something, unless the crawl was replaced by another one; returns the response. */
    private Object store(Session session, byte[] crawl, byte[] key, String command, byte[]... args) {
        Stream<byte[]> all = Stream.concat(Stream.of(utf8(command)), Stream.of(args));
        byte[] id = utf8(worker.settings().id());
        return session.ask(Script.STORE, new byte[][] {crawl, key}, CrawlKeys.with(id, all));
    }

    /** Returns whether a list has lines where they were added; if not, it has lost them, and all after them. */
    private boolean hasLines(byte[] key, List<byte[]> lines, long end) {
        List<?> found = Replies.list(worker.engine().one("LRANGE", key, utf8(end - lines.size()), utf8(end - 1)));
        return found.size() == lines.size()
                && IntStream.range(0, found.size()).allMatch(i -> Arrays.equals(lines.get(i), (byte[]) found.get(i)));
    }

    /** Returns the lines of a shared list from an index on, at most 1,024; none at its end. */
    public List<String> lines(String list, long from) {
        Object reply = worker.engine().one("LRANGE", worker.keys().lines(list), utf8(from), utf8(from + MAX_LINES - 1));
        return Replies.list(reply).stream().map(Replies::text).toList();
    }

    /**
     * Stores how long a host has to rest after a request, and for how long that holds, for the worker that owns the
     * host next. An engine without memory does not store it.
     */
    public void pause(String host, Duration pause, Duration use) {
        byte[] field = utf8(host);
        CrawlKeys.OfSlice slice = worker.keys().slice(hosts.ofHost(host));
        Engine.Work<Object> work = (session, number) -> {
            long now = Replies.millis(session.askOf(session.topology().of(slice.pauses), "TIME"));
            byte[] stored = utf8(pause.toMillis() + " " + (now + use.toMillis()));
            return store(session, slice.crawl, slice.pauses, "HSET", field, stored);
        };
        try {
            worker.engine().call(work);
        } catch (EngineException.Full e) {
            LOG.debug("the pause of {} is not stored: {}", host, e.getMessage());
        }
    }

    /** Returns a secret number that all workers of the crawl have, for hashes that they share. */
    public long seed() {
        return worker.settings().seed();
    }

    /**
     * Stores a count of a host's URLs, by its key, such as a hash, for the worker that owns the host next, unless a
     * higher one is stored. An engine without memory does not store it.
     */
    public void count(String host, long key, int count) {
        CrawlKeys.OfSlice slice = worker.keys().slice(hosts.ofHost(host));
        byte[][] args = {
            utf8(Long.toString(key, Character.MAX_RADIX)),
            utf8(count),
            utf8(worker.settings().id())
        };
        try {
            worker.engine().one(Script.COUNT, new byte[][] {slice.counts, slice.crawl}, args);
        } catch (EngineException.Full e) {
            LOG.debug("a count of {} is not stored: {}", host, e.getMessage());
        }
    }

    /**
     * Stores what this worker has done, in place of what it has stored before; see {@link SharedTools#shares}. Does not
     * wait: while the engine is away, refuses it or has no memory, and when 1,000 workers have stored something, it
     * stores nothing.
     */
    public void share(byte[] share) {
        byte[] key = worker.keys().shares();
        byte[] field = utf8(worker.name());
        Engine.Work<Boolean> work = (session, number) -> {
            session.send("HLEN", key);
            session.send("HEXISTS", key, field);
            boolean hasRoom = Replies.number(session.receive()) < MAX_SHARES;
            if (Replies.number(session.receive()) == 1 || hasRoom) {
                store(session, worker.keys().settings(), key, "HSET", field, share);
            }
            return true;
        };
        try {
            worker.engine().tryCall(work);
        } catch (EngineException e) {
            // The crawl goes on: it needs no report.
            LOG.debug("the share of this worker is not stored: {}", e.getMessage());
        }
    }

    /** Stores options of the crawl when no other worker is alive; else returns those stored that differ, with null for one that is not. */
    public Map<String, @Nullable String> options(Map<String, String> mine) {
        boolean mayStore = ownership.workers() == 1;
        Map<String, String> stored = worker.engine()
                .call((session, number) -> CrawlSettings.storeOptions(session, worker.keys(), mine, mayStore));
        Map<String, @Nullable String> different = new TreeMap<>();
        Stream.concat(mine.keySet().stream(), stored.keySet().stream())
                .filter(name -> !Objects.equals(mine.get(name), stored.get(name)))
                .forEach(name -> different.put(name, stored.get(name)));
        return different;
    }
}
