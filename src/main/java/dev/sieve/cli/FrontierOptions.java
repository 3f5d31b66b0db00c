package dev.sieve.cli;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.FrontierSettings;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.bloom.BloomSize;
import dev.sieve.job.CrawlPlace;
import dev.sieve.report.Numbers;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of the frontier. */
@Command(optionListHeading = "%nFilter of seen URLs:%n")
@SameForWorkers(false)
final class FrontierOptions extends Subcommand.Mixed {
    /** Largest share of the heap for the filter; the rest holds queue, pages and program. */
    private static final double SHARE_OF_HEAP = 0.8;

    private static final long DEFAULT_CAPACITY = 1_000_000;

    @Option(
            names = "--capacity",
            paramLabel = "N",
            description = "Number of URLs to size the filter for (default: 1M).")
    private @Nullable Long capacity;

    @Option(
            names = "--miss-rate",
            paramLabel = "P",
            description = "Share of new pages the filter may miss when full (default: 1e-4).")
    private @Nullable Double missRate;

    @Option(
            names = "--filter",
            paramLabel = "FILTER",
            description = "Filter type: split-blocks, classic, growing, or exact, which misses no page but takes at"
                    + " least 16 bytes per URL; 'plan' compares them (default: split-blocks).")
    private @Nullable FilterKind filter;

    @Option(
            names = "--on-full",
            paramLabel = "ACTION",
            description = "When the filter is full: warn, grow or fail (default: warn).")
    private @Nullable OnFull onFull;

    /**
     * Refuses contradictory options, and a filter that does not fit into the heap, before anything is created. A crawl
     * that resumes keeps the settings that are not given.
     */
    void check(CrawlPlace place, boolean resumes) {
        if (place.isShared()) {
            // Its filter needs no heap.
            checkPositive(spec, urls());
            if (onFull == OnFull.GROW) {
                throw Checks.invalid(spec, "--on-full", "a shared frontier does not grow; use warn");
            }
            return;
        }
        if (filter == FilterKind.EXACT && (missRate != null || onFull != null)) {
            throw contradiction(filter, missRate != null ? "--miss-rate" : "--on-full", "");
        }
        if (filter != null && onFull != null && !filter.supports(onFull)) {
            throw contradiction(filter, "--on-full", " " + onFull);
        }
        if (capacity != null || !resumes) {
            checkCapacity(spec, kind(), urls(), rate());
        }
    }

    private static void checkPositive(CommandSpec spec, long urls) {
        if (urls < 1) {
            throw Checks.invalid(spec, "--capacity", "must be at least 1: " + urls);
        }
    }

    private ParameterException contradiction(FilterKind kind, String other, String value) {
        String message = "Option '--filter " + kind + "' cannot be combined with '" + other + value + "'";
        return Checks.wrong(spec, message, "--filter", other);
    }

    /** Refuses a filter that does not fit into the heap. */
    static void checkCapacity(CommandSpec spec, FilterKind kind, long urls, double rate) {
        checkPositive(spec, urls);
        Checks.check(spec, "--miss-rate", () -> BloomSize.hashes(rate));
        long bytes = kind.memoryBytes(urls, rate);
        long heap = Runtime.getRuntime().maxMemory();
        String needs = Numbers.text(
                "a filter for %s at %s takes %s, but ",
                Numbers.count(urls, "URL"), Units.percent(rate), Numbers.bytes(bytes));
        if (bytes > FilterKind.MAX_MEMORY_BYTES) {
            throw Checks.invalid(
                    spec,
                    "--capacity",
                    Numbers.text(
                            "%sa filter is limited to %s, less than %s URLs at this rate: use a higher --miss-rate, or split the"
                                    + " URLs, for example by host",
                            needs,
                            Numbers.bytes(FilterKind.MAX_MEMORY_BYTES),
                            Units.count((double) FilterKind.MAX_MEMORY_BYTES / bytes * urls)));
        }
        if (bytes > heap * SHARE_OF_HEAP) {
            throw Checks.invalid(
                    spec,
                    "--capacity",
                    Numbers.text(
                            "%sthe heap is limited to %s: run java with -Xmx%dm",
                            needs, Numbers.bytes(heap), (long) (bytes / SHARE_OF_HEAP) / (1 << 20) + 1));
        }
    }

    /** Returns the settings of the frontier. In an existing crawl, only those change for which an option is given. */
    FrontierSettings settings(boolean resumes, Consumer<CapacityEvent> listener) {
        return new FrontierSettings(resumes ? capacity : (Long) urls(), filter, missRate, onFull, null, listener);
    }

    private FilterKind kind() {
        return filter != null ? filter : FilterKind.forOnFull(onFull);
    }

    private double rate() {
        return missRate == null ? Sieve.DEFAULT_FALSE_POSITIVE_RATE : missRate;
    }

    /** Describes the filter of a new frontier: {@code split-blocks, 1,000,000 URLs at 0.01 %, 2.61 MB}. */
    @Override
    public String toString() {
        FilterKind kind = kind();
        return kind
                + (kind == FilterKind.EXACT
                        ? ", about 20 bytes per URL"
                        : Numbers.text(
                                ", %s at %s, %s",
                                Numbers.count(urls(), "URL"),
                                Units.percent(rate()),
                                Numbers.bytes(kind.memoryBytes(urls(), rate()))));
    }

    private long urls() {
        return capacity == null ? DEFAULT_CAPACITY : capacity;
    }
}
