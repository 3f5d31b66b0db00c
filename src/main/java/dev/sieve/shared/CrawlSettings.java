package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.FilterKind;
import dev.sieve.FrontierSettings;
import dev.sieve.OnFull;
import dev.sieve.SieveStats;
import dev.sieve.bloom.Memberships;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a crawl, which all workers read from the engine. They are stored once, by its first worker.
 *
 * @param id a random identity of this crawl, so that another one under the same name is not mistaken for it
 * @param slices the number of slices
 * @param buckets the number of sets of fingerprints
 * @param isSpread whether each slice has as many of them for itself, and all its keys on one node of a cluster
 * @param capacity distinct URLs that the crawl is made for
 * @param seed of the hash
 * @param group the name of the rule by which hosts are grouped
 */
record CrawlSettings(
        String id, int slices, long buckets, boolean isSpread, long capacity, OnFull onFull, long seed, String group) {
    static final String ID = "id";

    private static final String FORMAT = "sieve";

    private static final String PRESENT_FORMAT = "4";

    /** The field that says that all slices know the identity of the crawl. */
    private static final String COMPLETE = "complete";

    /** The start of the fields with options. */
    private static final String OPTION = "opt.";

    static final int MAX_SLICES = 4096;
    private static final int DEFAULT_SLICES = 64;
    private static final long MAX_BUCKETS = 1L << 32;

    /** With this many per set when the crawl has its capacity, a set keeps its small form up to seven times of that. */
    private static final int FINGERPRINTS_PER_BUCKET = 64;

    /**
     * Reads the settings of a crawl, or stores those of a new one; null ones are not compared, and have a default in a
     * new crawl.
     *
     * @throws IllegalArgumentException when the stored ones differ, or there are none and the capacity is null
     * @throws IOException when what is stored is not of this program, or of another version of it; nothing was changed
     */
    static CrawlSettings open(
            Engine engine, String name, @Nullable Integer slices, FrontierSettings requested, String group)
            throws IOException {
        CrawlSettings stored = read(engine, name);
        if (stored == null) {
            stored = fresh(engine.isCluster(), slices == null ? DEFAULT_SLICES : slices, requested, group)
                    .create(engine, name);
        }
        List<String> differences = new ArrayList<>();
        compare(differences, "slices", slices, stored.slices);
        compare(differences, "capacity", requested.capacity(), stored.capacity);
        compare(differences, "action when full", requested.onFull(), stored.onFull);
        if (requested.seed(stored.seed) != stored.seed) {
            differences.add("another seed");
        }
        if (!group.equals(stored.group)) {
            differences.add("delays are per " + stored.group + ", not per " + group);
        }
        if (!differences.isEmpty()) {
            throw new IllegalArgumentException("the crawl has other settings: " + String.join(", ", differences));
        }
        if (stored.isSpread) {
            stored.complete(engine, stored.keys(name));
        }
        return stored;
    }

    private static CrawlSettings fresh(boolean isSpread, int slices, FrontierSettings requested, String group) {
        long capacity = requested.requireCapacity();
        long buckets = Math.max(1, capacity / FINGERPRINTS_PER_BUCKET);
        if (buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException("capacity is too large: " + capacity);
        }
        return new CrawlSettings(
                Long.toHexString(Memberships.randomSeed()),
                slices,
                isSpread ? (buckets + slices - 1) / slices * slices : buckets,
                isSpread,
                capacity,
                requested.onFull(FilterKind.SPLIT_BLOCKS),
                requested.seed(Memberships.randomSeed()),
                group);
    }

    /** Stores the identity of a new crawl with each slice, so that a node that has lost its slices is noticed. */
    void complete(Engine engine, CrawlKeys keys) throws IOException {
        boolean isComplete = engine.one("HGET", keys.settings(), utf8(COMPLETE)) != null;
        List<byte[]> missing = engine.call((session, number) -> {
            List<byte[]> without = new ArrayList<>();
            for (int i = 0; i < slices; i++) {
                byte[] tag = keys.slice(i).crawl;
                if (!isComplete) {
                    session.send("HSETNX", tag, utf8(ID), utf8(id));
                }
                session.send("HGET", tag, utf8(ID));
            }
            for (int i = 0; i < slices; i++) {
                if (!isComplete) {
                    session.receive();
                }
                if (!id.equals(Replies.textOrNull(session.receive()))) {
                    without.add(keys.slice(i).crawl);
                }
            }
            return without;
        });
        if (!missing.isEmpty()) {
            throw new IOException("the cluster has lost " + missing.size() + " of the " + slices
                    + " slices of the crawl " + keys.name() + ", such as " + Replies.text(missing.get(0))
                    + " ('sieve repair' keeps the others)");
        }
    }

    /** Notes that no failure of a node can take back the identities: a slice without one was lost. */
    void markComplete(Engine engine, CrawlKeys keys) {
        if (isSpread) {
            engine.tryCall((session, number) -> session.ask("HSETNX", keys.settings(), utf8(COMPLETE), utf8("1")));
        }
    }

    CrawlKeys keys(String name) {
        return new CrawlKeys(name, slices, isSpread ? buckets / slices : 0);
    }

    /** Returns the bucket of a URL, given its slice and the first word of its hash. */
    long bucket(int slice, long hash) {
        long ofSlice = buckets / slices;
        return isSpread ? slice * ofSlice + (hash >>> 1) % ofSlice : (hash >>> 1) % buckets;
    }

    /** Stores the options of a worker, unless the crawl has some that it may not replace; returns the stored ones. */
    static Map<String, String> storeOptions(
            Session session, CrawlKeys keys, Map<String, String> options, boolean replaces) {
        List<byte[]> args = new ArrayList<>(List.of(utf8(replaces ? 1 : 0)));
        options.forEach((name, value) -> {
            args.add(utf8(OPTION + name));
            args.add(utf8(value));
        });
        Object reply = session.ask(Script.OPTIONS, new byte[][] {keys.settings()}, args.toArray(byte[][]::new));
        Map<String, String> stored = new TreeMap<>();
        Replies.map(reply).forEach((field, value) -> {
            if (field.startsWith(OPTION)) {
                stored.put(field.substring(OPTION.length()), value);
            }
        });
        return stored;
    }

    /** Stores these settings, unless the crawl has some; returns those that are stored. */
    private CrawlSettings create(Engine engine, String name) throws IOException {
        byte[][] fields = {
            utf8(FORMAT), utf8(PRESENT_FORMAT),
            utf8(ID), utf8(id),
            utf8("slices"), utf8(slices),
            utf8("buckets"), utf8(buckets),
            utf8("spread"), utf8(isSpread ? 1 : 0),
            utf8("capacity"), utf8(capacity),
            utf8("on-full"), utf8(onFull.name()),
            utf8("seed"), utf8(seed),
            utf8("group"), utf8(group)
        };
        return Objects.requireNonNull(read(engine, name, fields));
    }

    /**
     * Reads the settings of a crawl, null without one, after these were stored if it has none; throws if another
     * program or version has written them.
     */
    static @Nullable CrawlSettings read(Engine engine, String name, byte[]... made) throws IOException {
        Object reply = engine.one(Script.CREATE, new byte[][] {CrawlKeys.settings(name)}, made);
        if (!(reply instanceof List)) {
            throw foreign(name);
        }
        Map<String, String> fields = Replies.map(reply);
        if (fields.isEmpty()) {
            return null;
        }
        String format = fields.get(FORMAT);
        if (format == null || !format.matches("[0-9]{1,9}")) {
            throw foreign(name);
        }
        if (!format.equals(PRESENT_FORMAT)) {
            throw new IOException("the crawl " + name + " was made by another version of Sieve: its format is " + format
                    + ", this version reads " + PRESENT_FORMAT);
        }
        try {
            return new CrawlSettings(
                    text(fields, ID),
                    (int) number(fields, "slices", 1, MAX_SLICES),
                    number(fields, "buckets", 1, MAX_BUCKETS + MAX_SLICES),
                    number(fields, "spread", 0, 1) == 1,
                    number(fields, "capacity", 1, Long.MAX_VALUE),
                    onFull(text(fields, "on-full")),
                    number(fields, "seed", Long.MIN_VALUE, Long.MAX_VALUE),
                    text(fields, "group"));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the settings of the crawl " + name + " on the engine are damaged: " + e.getMessage(), e);
        }
    }

    private static IOException foreign(String name) {
        return new IOException(
                "the engine stores data of another program under {" + name + "}: choose another name for the crawl");
    }

    private static String text(Map<String, String> fields, String field) {
        String value = fields.get(field);
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return value;
    }

    private static long number(Map<String, String> fields, String field, long least, long most) {
        String value = text(fields, field);
        try {
            long number = Long.parseLong(value);
            if (least <= number && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below.
        }
        throw new IllegalArgumentException(field + " is " + value);
    }

    private static OnFull onFull(String name) {
        return Arrays.stream(OnFull.values())
                .filter(choice -> choice.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("on-full is " + name));
    }

    private static void compare(List<String> differences, String name, @Nullable Object requested, Object stored) {
        if (requested != null && !requested.equals(stored)) {
            differences.add(name + " is " + stored + ", not " + requested);
        }
    }

    /** Returns the failure of a worker that finds this crawl replaced, or not stored any more. */
    static UncheckedIOException isGone(String name) {
        return new UncheckedIOException(new IOException(
                "the crawl " + name + " is not on the engine any more, or was replaced by another one"));
    }

    /** Returns the share of new URLs that are mistaken for seen ones, given how many are stored. */
    double falsePositiveRate(long accepted) {
        return accepted / ((double) buckets * (1L << 32));
    }

    /** Returns how many new URLs were mistaken for seen ones, on average, until so many were stored. */
    double missed(long accepted) {
        return falsePositiveRate(accepted) * accepted / 2;
    }

    /** Returns the counters of a crawl, given how much memory its fingerprints take. */
    SieveStats stats(long accepted, long seen, long inFlight, long done, long memoryBytes) {
        return new SieveStats(
                null,
                accepted,
                seen,
                Math.max(0, accepted - done - inFlight),
                inFlight,
                done,
                accepted,
                capacity,
                falsePositiveRate(accepted),
                missed(accepted),
                memoryBytes);
    }
}
