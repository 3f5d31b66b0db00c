package dev.sieve.cli;

import static dev.sieve.cli.Units.count;
import static dev.sieve.cli.Units.percent;
import static dev.sieve.report.Numbers.text;
import static java.util.stream.Collectors.joining;

import dev.sieve.FilterKind;
import dev.sieve.bloom.BloomSize;
import dev.sieve.bloom.SplitBlockFilter;
import dev.sieve.report.Numbers;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints a table of filters. */
@Command(
        name = "plan",
        sortOptions = false,
        description = "Shows how much memory each filter needs for N URLs, and how many pages it misses.")
final class PlanCommand extends Subcommand {
    private static final long DEFAULT_URLS = 1_000_000;

    @Option(names = "--urls", paramLabel = "N", description = "URLs to remember: 1000000, 1M, 1e6 (default: 1M).")
    private @Nullable Long urls;

    @Parameters(paramLabel = "N", arity = "0..1", description = "The same as --urls N.")
    private @Nullable Long number;

    @Option(
            names = "--miss-rate",
            paramLabel = "P",
            defaultValue = "1e-4",
            description = "Share of new pages that may be missed when full: 0.0001, 1e-4, 0.01%% (default: 1e-4).")
    private Double missRate;

    @Override
    public Integer call() {
        if (urls != null && number != null) {
            throw Checks.wrong(spec, "Give the number of URLs once: " + number + " or --urls " + urls);
        }
        long keys = urls != null ? urls : number != null ? number : DEFAULT_URLS;
        if (keys < 1) {
            throw Checks.invalid(spec, "--urls", "must be at least 1: " + keys);
        }
        new Table(keys, missRate).lines().forEach(this::println);
        return 0;
    }

    /**
     * A table of what each filter needs and misses for a number of URLs at a rate, in lines of at most 100 characters.
     * It is computed by {@link BloomSize}; no filter is filled.
     *
     * <p>A missed key has all its bits set already, so the bits after n distinct keys do not depend on how many were
     * missed, and the pages missed among n are the integral of the rate from 0 to n.
     *
     * @param urls at least 1
     * @param rate from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     */
    record Table(long urls, double rate) {
        /** The bits of a line of a {@link SplitBlockFilter}. */
        private static final int LINE_BITS = 512;

        /** The most bytes per key of an {@link dev.sieve.bloom.ExactSet} with some thousands of keys. */
        private static final int EXACT_BYTES = 23;

        /** With a heap below 32 GB: String 24, its array of 68 characters 88, node 32, share of the table 8. */
        private static final int HASH_SET_BYTES = 152;

        private static final String ROW = "%-21s%10s%7s%8s%9s%9s%9s%9s%9s%9s";

        private static final long BILLION = 1_000_000_000;
        private static final double CLAIMED_RATE = 1e-4;
        private static final long CLAIMED_BYTES = 18_000_000;

        /**
         * A kind of filter.
         *
         * @param bytes its memory once it holds the URLs that it is sized for
         * @param hashes bits set per key, as text
         * @param rate its false-positive rate by the number of distinct keys pushed
         */
        record Kind(String name, double bytes, String hashes, LongToDoubleFunction rate) {
            /** Returns how many of these distinct keys it misses: the integral of the rate, by Simpson's rule. */
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

        List<String> lines() {
            List<Kind> layers = layers();
            double twoLayers = layers.get(0).bytes() + layers.get(1).bytes();
            boolean isTooLarge = BloomSize.bits(urls, rate) / 8.0 > FilterKind.MAX_MEMORY_BYTES;
            double least = BloomSize.floorBits(urls, rate) / 8;
            return text(
                            """
                            %,d URLs; when the filter is full, %s of new URLs are mistaken for seen ones.

                            %sfalse-positive rate at            pages missed until
                            %s
                            %s
                            %s

                            * the default at this rate; --filter selects another filter by name.
                            1x, 2x, 4x: with one, two, four times the URLs that the filter is sized for.
                            missed: new pages that are mistaken for seen ones and never fetched, on average.
                            growing: adds layers beyond 1x; %s at 2x, %s at 4x.
                            counting: for programs that remove keys; a crawl never does, so --filter does not offer it.
                            exact: at most %d bytes per URL.
                            HashSet<String>: %d bytes per URL of 68 characters, in a heap below 32 GB.
                            %s%s""",
                            urls,
                            percent(rate),
                            " ".repeat(48),
                            text(ROW, "filter", "memory", "B/URL", "hashes", "1x", "2x", "4x", "1x", "2x", "4x"),
                            kinds().stream().map(this::row).collect(joining("\n")),
                            text(ROW, "theoretical minimum", bytes(least), perUrl(least), "", "", "", "", "", "", "")
                                    .stripTrailing(),
                            bytes(twoLayers),
                            bytes(twoLayers + layers.get(2).bytes()),
                            EXACT_BYTES,
                            HASH_SET_BYTES,
                            isTooLarge
                                    ? "One filter holds at most 17.2 GB: split the URLs, for example by host.\n"
                                    : "",
                            urls < BILLION ? "" : claim())
                    .lines()
                    .toList();
        }

        /** Returns what a known claim about a billion URLs amounts to. */
        private static String claim() {
            double least = BloomSize.floorBits(BILLION, CLAIMED_RATE) / 8;
            long bits = 8 * CLAIMED_BYTES;
            // With so few bits per key, one hash is the best choice.
            double missed = new Kind("", CLAIMED_BYTES, "1", keys -> BloomSize.rate(keys, bits, 1)).missed(BILLION);
            return text(
                    """

                    "A billion URLs at 0.01 %% in 18 MB" is impossible: no data structure needs less than
                    %s, %d times that; a classic Bloom filter needs %s.
                    18 MB is enough for %s URLs at 0.01 %%.
                    Given a billion pages, the best filter of 18 MB accepts %s and misses %s.
                    """,
                    bytes(least),
                    Math.round(least / CLAIMED_BYTES),
                    bytes(BloomSize.bits(BILLION, CLAIMED_RATE) / 8.0),
                    count((double) BloomSize.keys(bits, CLAIMED_RATE)),
                    count(BILLION - missed),
                    count(missed));
        }

        List<Kind> kinds() {
            List<Kind> layers = layers();
            FilterKind usual = FilterKind.SPLIT_BLOCKS.at(rate);
            return List.of(
                    splitBlocks(name(FilterKind.SPLIT_BLOCKS, usual), urls, rate),
                    classic(name(FilterKind.CLASSIC, usual), 1),
                    new Kind(name(FilterKind.GROWING, usual), layers.get(0).bytes(), "", keys -> rate(layers, keys)),
                    classic("counting", 4),
                    new Kind(name(FilterKind.EXACT, usual), (double) EXACT_BYTES * urls, "", keys -> keys * 0x1p-128),
                    new Kind("HashSet<String>", (double) HASH_SET_BYTES * urls, "", keys -> 0));
        }

        private static String name(FilterKind kind, FilterKind usual) {
            return kind + (kind == usual ? " *" : "");
        }

        private Kind classic(String name, int bitsEach) {
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

        /** The rate of layers when all but the newest one in use are full. */
        private double rate(List<Kind> layers, long keys) {
            double logAllNegative = 0;
            long left = keys;
            for (int i = 0; i < layers.size() && left > 0; i++) {
                logAllNegative += Math.log1p(-layers.get(i).rate().applyAsDouble(Math.min(urls << i, left)));
                left -= urls << i;
            }
            return -Math.expm1(logAllNegative);
        }

        private String row(Kind kind) {
            return text(
                    ROW,
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
            return Numbers.bytes(Math.round(bytes));
        }

        private String perUrl(double bytes) {
            return Numbers.significant(bytes / urls, 3);
        }
    }
}
