package dev.sieve.report;

import dev.sieve.SieveStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a server of frontiers: those of {@link FrontierMetrics} for each crawl, with its name in the label
 * {@code crawl}, its queues and URLs in process, and those of the process.
 *
 * <p>Clients choose the names of crawls, so only the first hundred have metrics of their own; all others are counted.
 */
public final class ServedMetrics {
    private static final int MAX_LISTED = 100;
    private static final String CRAWLS = "sieve.serve.crawls";
    private static final String CRAWLS_HELP =
            "Crawls, and whether they are in the other metrics: the first 100 by name, if their disk has not failed.";

    private final Supplier<List<String>> names;
    private final Function<String, @Nullable Crawl> reader;

    /**
     * The numbers of a crawl.
     *
     * @param queues queues that have, or had, URLs
     * @param inProcess URLs that were handed to clients, and whose time to be reported is not over
     */
    public record Crawl(SieveStats frontier, long queues, long inProcess) {}

    /**
     * Creates the metrics of a server.
     *
     * @param names returns the present crawls, in order
     * @param reader returns the present numbers of a crawl; null when there are none
     */
    public ServedMetrics(Supplier<List<String>> names, Function<String, @Nullable Crawl> reader) {
        this.names = names;
        this.reader = reader;
    }

    /** Returns the present values, by a registry of their own, so that crawls that were deleted are gone. */
    public String text() {
        List<String> all = names.get();
        Map<String, Crawl> listed = new LinkedHashMap<>();
        all.stream().limit(MAX_LISTED).forEach(name -> listed.computeIfAbsent(name, reader));
        MetricsText metrics = new MetricsText();
        listed.forEach((name, crawl) -> metrics.add(
                registry -> bind(Meters.of(registry, this, each -> crawl).tagged("crawl", name))));
        metrics.add(registry -> {
            Meters<?, Integer> count = Meters.of(registry, this, each -> listed.size());
            count.gauge(CRAWLS, null, CRAWLS_HELP, own -> own, "listed", "true");
            count.gauge(CRAWLS, null, CRAWLS_HELP, own -> all.size() - own, "listed", "false");
        });
        return metrics.text();
    }

    private static void bind(Meters<?, Crawl> meters) {
        FrontierMetrics.bind(meters.part(Crawl::frontier));
        meters.gauge("sieve.serve.queues", null, "Queues that have, or had, URLs.", Crawl::queues);
        meters.gauge(
                "sieve.serve.in.process",
                "urls",
                "URLs that were handed to clients, and whose time to be reported is not over.",
                Crawl::inProcess);
    }
}
