package dev.sieve.cli;

import static dev.sieve.cli.Units.count;
import static dev.sieve.cli.Units.percent;

import dev.sieve.FilterKind;
import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.SplitBlockFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What every kind of membership takes and loses when it is made for a number of URLs at a rate, as lines of text of at
 * most 100 characters. All comes from the formulas of {@link BloomSize}; nothing is filled.
 *
 * <p>A key that is taken for an old one has all its bits set already. So the bits after n distinct keys are the same,
 * however many of them were missed, and the pages missed among n are the integral of the rate from 0 to n.
 */
final class Plan {
    /** The bits of a line of a {@link SplitBlockFilter}. */
    private static final int LINE_BITS = 512;

    /** What an {@link dev.sieve.bloom.ExactSet} takes a key at most, once it holds some thousands. */
    private static final int EXACT_BYTES = 23;

    /** A heap below 32 GB: the String 24, its array 88, the node of the table 32, the table's share 8. */
    private static final int HASH_SET_BYTES = 152;

    private static final int HASH_SET_CHARACTERS = 68;
    private static final double MOST_FILTER_BYTES = 16.0 * (1 << 30);
    private static final String ROW = "%-21s%10s%7s%8s%9s%9s%9s%9s%9s%9s";

    private static final long BILLION = 1_000_000_000;
    private static final double CLAIMED_RATE = 1e-4;
    private static final long CLAIMED_BYTES = 18_000_000;

    /**
     * A kind of membership.
     *
     * @param bytes its memory when the URLs that it was made for have been pushed
     * @param hashes bits that a key sets, as text
     * @param rate its rate by the distinct keys that have been pushed
     */
    record Kind(String name, double bytes, String hashes, LongToDoubleFunction rate) {
        /** How many of so many distinct keys it takes for old ones: the integral of the rate, by Simpson's rule. */
        double missed(long keys) {
            int parts = 128;
            double sum = 0;
            for (int i = 0; i <= parts; i++) {
                int weight = i == 0 || i == parts ? 1 : 2 + 2 * (i % 2);
                sum += weight * rate.applyAsDouble(Math.round((double) keys / parts * i));
            }
            return sum / parts / 3 * keys;
        }
    }

    private final long urls;
    private final double rate;

    /**
     * @param urls at least 1
     * @param rate from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     */
    Plan(long urls, double rate) {
        this.urls = urls;
        this.rate = rate;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(Units.grouped(urls) + " URLs; when the filter is full, " + percent(rate)
                + " of new URLs are mistaken for seen ones.");
        lines.add("");
        lines.add(" ".repeat(21) + "                           false-positive rate at            pages missed until");
        lines.add(ROW.formatted("filter", "memory", "B/URL", "hashes", "1x", "2x", "4x", "1x", "2x", "4x"));
        for (Kind kind : kinds()) {
            lines.add(row(kind));
        }
        double least = BloomSize.floorBits(urls, rate) / 8;
        lines.add(ROW.formatted("theoretical minimum", bytes(least), perUrl(least), "", "", "", "", "", "", "")
                .stripTrailing());
        lines.add("");
        lines.addAll(notes());
        lines.add("");
        lines.addAll(claim());
        return lines;
    }

    List<Kind> kinds() {
        List<Kind> layers = layers();
        FilterKind usual = Memberships.create(1, rate, 0) instanceof SplitBlockFilter
                ? FilterKind.SPLIT_BLOCKS
                : FilterKind.CLASSIC;
        return List.of(
                splitBlocks(name(FilterKind.SPLIT_BLOCKS, usual), urls, rate),
                classic(name(FilterKind.CLASSIC, usual), urls, rate, 1),
                new Kind(name(FilterKind.GROWING, usual), layers.get(0).bytes(), "", keys -> rate(layers, keys)),
                classic("counting", urls, rate, 4),
                new Kind(name(FilterKind.EXACT, usual), (double) EXACT_BYTES * urls, "", keys -> keys * 0x1p-128),
                new Kind("HashSet<String>", (double) HASH_SET_BYTES * urls, "", keys -> 0));
    }

    private static String name(FilterKind kind, FilterKind usual) {
        return Converters.name(kind) + (kind == usual ? " *" : "");
    }

    private static Kind classic(String name, long urls, double rate, int bitsEach) {
        long bits = BloomSize.bits(urls, rate);
        int hashes = BloomSize.hashes(rate);
        return new Kind(name, bits / 8.0 * bitsEach, "" + hashes, keys -> BloomSize.rate(keys, bits, hashes));
    }

    private static Kind splitBlocks(String name, long urls, double rate) {
        long bits = BloomSize.splitBlockBits(urls, rate);
        int hashes = BloomSize.splitBlockHashes(rate);
        double lines = (double) bits / LINE_BITS;
        return new Kind(name, bits / 8.0, "" + hashes, keys -> BloomSize.splitBlockRate(keys / lines, hashes));
    }

    /** The layers of a {@link dev.sieve.bloom.GrowingBloomFilter} after four times its URLs: their sizes double. */
    private List<Kind> layers() {
        return IntStream.range(0, 3)
                .mapToObj(i -> splitBlocks("", urls << i, Math.max(BloomSize.MIN_RATE, rate / ((i + 1) * (i + 2)))))
                .toList();
    }

    /** The rate of layers of which all are full but the newest that is needed. */
    private double rate(List<Kind> layers, long keys) {
        double logAllSayNo = 0;
        long left = keys;
        for (int i = 0; i < layers.size() && left > 0; i++) {
            logAllSayNo += Math.log1p(-layers.get(i).rate().applyAsDouble(Math.min(urls << i, left)));
            left -= urls << i;
        }
        return -Math.expm1(logAllSayNo);
    }

    private String row(Kind kind) {
        return ROW.formatted(
                kind.name(),
                bytes(kind.bytes()),
                perUrl(kind.bytes()),
                kind.hashes(),
                percent(kind.rate().applyAsDouble(urls)),
                percent(kind.rate().applyAsDouble(2 * urls)),
                percent(kind.rate().applyAsDouble(4 * urls)),
                count(kind.missed(urls)),
                count(kind.missed(2 * urls)),
                count(kind.missed(4 * urls)));
    }

    private static String bytes(double bytes) {
        return Units.bytes(Math.round(bytes));
    }

    private String perUrl(double bytes) {
        return Units.significant(bytes / urls, 3);
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        List<Kind> layers = layers();
        notes.add("* the default at this rate; --filter selects another filter by name.");
        notes.add("1x, 2x, 4x: with one, two, four times the URLs that the filter is sized for.");
        notes.add("missed: new pages that are mistaken for seen ones and never fetched, on average.");
        notes.add("growing: adds layers beyond 1x; "
                + bytes(layers.get(0).bytes() + layers.get(1).bytes()) + " at 2x, "
                + bytes(layers.stream().mapToDouble(Kind::bytes).sum()) + " at 4x.");
        notes.add("counting: for programs that remove keys; a crawl never does, so --filter does not offer it.");
        notes.add("exact: at most " + EXACT_BYTES + " bytes per URL.");
        notes.add("HashSet<String>: " + HASH_SET_BYTES + " bytes per URL of " + HASH_SET_CHARACTERS
                + " characters, in a heap below 32 GB.");
        if (BloomSize.bits(urls, rate) / 8.0 > MOST_FILTER_BYTES) {
            notes.add(
                    "One filter holds at most " + bytes(MOST_FILTER_BYTES) + ": split the URLs, for example by host.");
        }
        return notes;
    }

    /** Why what is told of Bloom filters here and there cannot be. */
    private static List<String> claim() {
        double least = BloomSize.floorBits(BILLION, CLAIMED_RATE) / 8;
        // One hash is the best that can be made of so few bits.
        long bits = 8 * CLAIMED_BYTES;
        double missed = new Kind("", CLAIMED_BYTES, "1", keys -> BloomSize.rate(keys, bits, 1)).missed(BILLION);
        String size = CLAIMED_BYTES / 1_000_000 + " MB";
        String percent = percent(CLAIMED_RATE);
        return List.of(
                "\"A billion URLs at " + percent + " in " + size
                        + "\" is impossible: no data structure needs less than",
                bytes(least) + ", " + Math.round(least / CLAIMED_BYTES) + " times that; a classic Bloom filter needs "
                        + bytes(BloomSize.bits(BILLION, CLAIMED_RATE) / 8.0) + ".",
                size + " is enough for " + count((double) BloomSize.keys(bits, CLAIMED_RATE)) + " URLs at " + percent
                        + ".",
                "Given a billion pages, the best filter of " + size + " accepts " + count(BILLION - missed)
                        + " and misses " + count(missed) + ".");
    }
}
