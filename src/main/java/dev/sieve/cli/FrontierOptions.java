package dev.sieve.cli;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.OnFull;
import dev.sieve.Sieve;
import dev.sieve.bloom.BloomSize;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.SharedJob;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.report.Numbers;
import dev.sieve.shared.EngineAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of the frontier. */
final class FrontierOptions {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");

    /** The rest is for the queue, the pages in progress and the program itself. */
    private static final double SHARE_OF_HEAP = 0.8;

    private static final long DEFAULT_CAPACITY = 1_000_000;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

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
            paramLabel = "NAME",
            description = "Filter type: split-blocks, classic, growing or exact; 'plan' compares them"
                    + " (default: split-blocks).")
    private @Nullable FilterKind filter;

    @Option(names = "--exact", description = "Short for --filter exact: no page missed, at least 16 bytes per URL.")
    private boolean isExact;

    @Option(
            names = "--on-full",
            paramLabel = "ACTION",
            description = "When the filter is full: warn, grow or fail (default: warn).")
    private @Nullable OnFull onFull;

    /**
     * Refuses contradictory options, and a filter that does not fit into the heap, before anything is created.
     *
     * @param resumes whether the job exists; options that are not given then keep its settings
     */
    void check(boolean resumes) {
        FilterKind kind = filter();
        if (isExact && filter != null && filter != FilterKind.EXACT) {
            throw contradiction("--exact", "'--filter " + Converters.name(filter) + "'");
        }
        if (kind == FilterKind.EXACT && (missRate != null || onFull != null)) {
            throw contradiction(isExact ? "--exact" : "--filter exact", "'--miss-rate' or '--on-full'");
        }
        if (kind != null && onFull != null && !kind.supports(onFull)) {
            throw contradiction("--filter " + Converters.name(kind), "'--on-full " + Converters.name(onFull) + "'");
        }
        if (capacity != null || !resumes) {
            checkCapacity(spec, kind(), urls(), rate());
        }
    }

    /** As {@link #check}, for a frontier on an engine, which needs no heap. */
    void checkShared() {
        checkPositive(spec, urls());
    }

    private static void checkPositive(CommandSpec spec, long urls) {
        if (urls < 1) {
            throw Checks.invalid(spec, "--capacity", "must be at least 1: " + urls);
        }
    }

    private ParameterException contradiction(String option, String others) {
        return Checks.wrong(spec, "Option '" + option + "' cannot be combined with " + others);
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

    /**
     * Creates a frontier in memory, or opens or creates the directory of a job. In an existing job, only the settings
     * for which an option is given change.
     *
     * @param job null for a frontier in memory
     * @param listener receives each capacity event
     * @throws UncheckedIOException when the job cannot be opened
     */
    CrawlJob open(@Nullable Path job, Durability durability, boolean keepsLog, Consumer<CapacityEvent> listener) {
        if (job == null) {
            Sieve.Builder builder = Sieve.builder().capacity(urls()).onCapacity(listener);
            Checks.set(spec, "--filter", filter(), builder::filter);
            Checks.set(spec, "--miss-rate", missRate, builder::falsePositiveRate);
            Checks.set(spec, "--on-full", onFull, builder::onFull);
            return CrawlJob.inMemory(builder.build());
        }
        try {
            return CrawlDirectory.open(job, builder -> {
                builder.durability(durability).keepLog(keepsLog).onCapacity(listener);
                if (capacity != null || !DurableFolder.exists(job)) {
                    builder.capacity(urls());
                }
                Checks.set(spec, "--filter", filter(), builder::filter);
                Checks.set(spec, "--miss-rate", missRate, builder::falsePositiveRate);
                Checks.set(spec, "--on-full", onFull, builder::onFull);
            });
        } catch (IllegalArgumentException e) {
            throw Checks.invalid(spec, capacity == null ? "--job" : "--capacity", e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Joins the crawl on an engine, or starts it there. In an existing crawl, the settings for which an option is given have
     * to be those that are stored.
     *
     * @param exists whether the crawl exists
     * @param listener receives each capacity event
     * @throws UncheckedIOException when the engine cannot be used
     */
    CrawlJob openShared(
            EngineAddress address,
            boolean exists,
            CrawlOptions options,
            SharedOptions shared,
            Consumer<CapacityEvent> listener) {
        try {
            SharedJob job = SharedJob.open(address, options, builder -> {
                builder.onCapacity(listener);
                shared.apply(builder);
                if (capacity != null || !exists) {
                    builder.capacity(urls());
                }
                Checks.set(spec, "--on-full", onFull, builder::onFull);
            });
            for (String warning : job.frontier().warnings()) {
                LOG.warn("{}: {}", address.server(), warning);
            }
            try {
                shared.compare(job.frontier());
            } catch (ParameterException e) {
                job.close();
                throw e;
            }
            return job;
        } catch (IllegalArgumentException e) {
            String problem = String.valueOf(e.getMessage())
                    .replace("capacity is", "--capacity is")
                    .replace("onFull is", "--on-full is")
                    .replace("groups is", "the rule of --per-domain is");
            throw Checks.invalid(spec, "--frontier", problem);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Null if no filter was chosen. */
    private @Nullable FilterKind filter() {
        return isExact ? FilterKind.EXACT : filter;
    }

    /** The type of the filter in a new frontier. */
    private FilterKind kind() {
        return filter() != null ? filter() : FilterKind.forOnFull(onFull);
    }

    private double rate() {
        return missRate == null ? Sieve.DEFAULT_FALSE_POSITIVE_RATE : missRate;
    }

    /** Describes the filter of a new frontier: {@code split-blocks, 1,000,000 URLs at 0.01 %, 2.61 MB}. */
    @Override
    public String toString() {
        FilterKind kind = kind();
        return Converters.name(kind)
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
