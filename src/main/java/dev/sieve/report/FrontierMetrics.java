package dev.sieve.report;

import dev.sieve.Frontier;
import dev.sieve.SieveStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * The meters of a frontier, for Micrometer: how many URLs were accepted, rejected as seen, wait and are done, how full the
 * filter is, and how many pages it has missed.
 *
 * <pre>{@code
 * new FrontierMetrics(frontier).bindTo(registry);
 * }</pre>
 *
 * <p>In Prometheus, the names are {@code sieve_urls_accepted_total}, {@code sieve_filter_fill_ratio},
 * {@code sieve_estimated_missed_pages} and so on. Values are at most a tenth of a second old, and those read together
 * agree with each other. The registry does not keep the frontier in memory. For several frontiers in one registry, add a
 * common tag to each with a {@link io.micrometer.core.instrument.config.MeterFilter MeterFilter} or use a registry per frontier.
 */
public final class FrontierMetrics implements MeterBinder {
    private static final String URLS = "urls";

    private final Frontier frontier;

    public FrontierMetrics(Frontier frontier) {
        this.frontier = frontier;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bind(Meters.of(registry, frontier, Frontier::stats));
    }

    static void bind(Meters<?, SieveStats> meters) {
        meters.counter("sieve.urls.accepted", null, "URLs that were new and were queued.", SieveStats::accepted);
        meters.counter("sieve.urls.seen", null, "URLs that were rejected as seen before.", SieveStats::seen);
        meters.counter("sieve.urls.done", null, "URLs that are done.", SieveStats::done);
        meters.gauge("sieve.urls.pending", null, "URLs that wait to be handed out.", SieveStats::pending);
        meters.gauge(
                "sieve.urls.leased",
                null,
                "URLs that are handed out and not done; in a crawl, most of them wait for their host.",
                SieveStats::inFlight);
        meters.gauge(
                "sieve.filter.fill",
                "ratio",
                "Size of the filter of seen URLs divided by its capacity; above 1 when it is overfull, 0 for an exact set.",
                SieveStats::fill);
        meters.gauge(
                "sieve.filter.size",
                URLS,
                "Distinct URLs in the filter, estimated from its fill.",
                SieveStats::estimatedSize);
        meters.gauge(
                "sieve.filter.capacity", URLS, "Distinct URLs that the filter was made for.", SieveStats::capacity);
        meters.gauge(
                "sieve.filter.memory", "bytes", "Memory of the filter, without the queue.", SieveStats::memoryBytes);
        meters.gauge(
                "sieve.filter.false.positive",
                "ratio",
                "Current share of new URLs that are mistaken for seen ones.",
                SieveStats::falsePositiveRate);
        meters.gauge(
                "sieve.estimated.missed",
                "pages",
                "Estimated number of pages missed so far because of false positives.",
                SieveStats::estimatedMissed);
    }
}
