package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The names of a crawl's keys on the engine. The part in braces, the tag, decides on which node of a cluster a key is
 * stored: all keys of a slice are on one node.
 */
final class CrawlKeys {
    /** The field of the counters with the number of accepted URLs; short, since the log of the engine has it with each push. */
    static final String ACCEPTED = "a";

    private static final byte[] DIGITS = utf8("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private final String name;
    private final byte[] settings;
    private final OfSlice[] slices;
    private final long bucketsOfSlice;

    /** Names the keys of a crawl; without buckets of their own (0), the slices share buckets and the tag of the crawl. */
    CrawlKeys(String name, int sliceCount, long bucketsOfSlice) {
        this.name = name;
        this.bucketsOfSlice = bucketsOfSlice;
        settings = settings(name);
        slices = new OfSlice[sliceCount];
        for (int i = 0; i < sliceCount; i++) {
            slices[i] = new OfSlice("{" + name + (isSpread() ? ":" + i : "") + "}", i);
        }
    }

    /** Returns whether the slices have tags of their own, so that the nodes of a cluster can share them. */
    boolean isSpread() {
        return bucketsOfSlice > 0;
    }

    String name() {
        return name;
    }

    /** Returns the hash of settings. */
    static byte[] settings(String name) {
        return utf8("{" + name + "}");
    }

    byte[] settings() {
        return settings;
    }

    /** Returns the sorted set of live workers. */
    byte[] workers() {
        return utf8("{" + name + "}w");
    }

    /** Returns the hash of events. */
    byte[] events() {
        return utf8("{" + name + "}e");
    }

    /** Returns the hash of pages that the workers have begun. */
    byte[] budget() {
        return utf8("{" + name + "}b");
    }

    /** Returns the hash of what each worker has done. */
    byte[] shares() {
        return utf8("{" + name + "}n");
    }

    /** Returns a list of lines that the workers share. */
    byte[] lines(String list) {
        return utf8("{" + name + "}l:" + list);
    }

    /** Returns a set of fingerprints. */
    byte[] bucket(long number) {
        return isSpread()
                ? bucket(slices[(int) (number / bucketsOfSlice)].crawl, number % bucketsOfSlice)
                : bucket(settings, number);
    }

    /**
     * The number is written with the fewest digits, since the log of the engine has it with each URL; these are
     * capital, and all other keys end with a small letter.
     */
    private static byte[] bucket(byte[] tag, long number) {
        int digits = 1;
        for (long rest = number / DIGITS.length; rest > 0; rest /= DIGITS.length) {
            digits++;
        }
        byte[] key = Arrays.copyOf(tag, tag.length + digits);
        long rest = number;
        for (int i = key.length - 1; i >= tag.length; i--) {
            key[i] = DIGITS[(int) (rest % DIGITS.length)];
            rest /= DIGITS.length;
        }
        return key;
    }

    int sliceCount() {
        return slices.length;
    }

    OfSlice slice(int index) {
        return slices[index];
    }

    static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }

    static byte[] utf8(long number) {
        return utf8(Long.toString(number));
    }

    /** Returns a key and more arguments of a command. */
    static byte[][] with(byte[] key, Stream<byte[]> more) {
        return Stream.concat(Stream.of(key), more).toArray(byte[][]::new);
    }

    /** The names of a slice's keys. */
    static final class OfSlice {
        final int index;
        /** The hash with the identity of the crawl, on the node of the slice. */
        final byte[] crawl;
        /** The hash of counters. */
        final byte[] counters;
        /** The hash of the owner. */
        final byte[] owner;
        /** The list of frames that were not taken. */
        final byte[] queue;
        /** The hash of taken frames. */
        final byte[] taken;
        /** The hash of the URLs that are done in taken frames. */
        final byte[] done;
        /** The hash of hosts that have to pause. */
        final byte[] pauses;
        /** The hash of hosts with URLs that are done in a run. */
        final byte[] hosts;
        /** The hash of counts that move with the slice. */
        final byte[] counts;
        /** The list of damaged frames that a repair has put aside. */
        final byte[] aside;

        private OfSlice(String tag, int index) {
            this.index = index;
            crawl = utf8(tag);
            String prefix = tag + index;
            counters = utf8(prefix + "m");
            owner = utf8(prefix + "o");
            queue = utf8(prefix + "q");
            taken = utf8(prefix + "f");
            done = utf8(prefix + "d");
            pauses = utf8(prefix + "p");
            hosts = utf8(prefix + "h");
            counts = utf8(prefix + "t");
            aside = utf8(prefix + "x");
        }

        List<byte[]> hashes() {
            return List.of(counters, owner, taken, done, pauses, hosts, counts);
        }

        List<byte[]> lists() {
            return List.of(queue, aside);
        }
    }
}
