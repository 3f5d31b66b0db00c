package dev.sieve.cli;

import dev.sieve.crawl.CrawlOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options that select how much a crawl requests, and how fast. */
@Command(optionListHeading = "%nLimits and speed:%n")
@SameForWorkers
final class PaceOptions {
    @Option(names = "--max-pages", paramLabel = "N", description = "Stop after exactly N pages (default: no limit).")
    private @Nullable Long maxPages;

    @Option(names = "--max-time", paramLabel = "TIME", description = "Stop after this time (default: no limit).")
    private @Nullable Duration maxTime;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            description = "Minimum time between requests to the same host, in seconds or with a unit: 500ms, 2m"
                    + " (default: 1s). 'auto' adapts it to how fast each host responds, from 200ms to 60s.")
    private Delay delay = new Delay(Duration.ofSeconds(1));

    @Option(names = "--per-host", paramLabel = "N", description = "Concurrent requests per host (default: 1).")
    private int perHost = 1;

    @Option(
            names = "--per-domain",
            paramLabel = "N",
            description = "Concurrent requests per domain (default: no limit).")
    private @Nullable Integer perDomain;

    @SameForWorkers(false)
    @Option(
            names = "--per-address",
            paramLabel = "N",
            description = "Concurrent requests per public address, for hosts that share a server (default: no limit).")
    private int perAddress = Short.MAX_VALUE;

    @SameForWorkers(false)
    @Option(
            names = "--address-delay",
            paramLabel = "TIME",
            description = "Minimum time between requests to the same public address, of all its hosts (default: none).")
    private Duration addressDelay = Duration.ZERO;

    @Option(
            names = "--max-per-host",
            paramLabel = "N",
            description = "Maximum URLs per host and run (default: no limit).")
    private @Nullable Integer maxPerHost;

    @SameForWorkers(false)
    @Option(
            names = "--first",
            paramLabel = "REGEX",
            description =
                    "Request the URLs of a host in which REGEX matches before its others; repeatable: those of the"
                            + " first one come first.")
    private List<String> first = List.of();

    @SameForWorkers(false)
    @Option(
            names = "--max-failures",
            paramLabel = "N",
            description = "Give up on a host after N consecutive failures, at most 127 (default: 10).")
    private int maxFailures = 10;

    @SameForWorkers(false)
    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Concurrent requests in total, besides those that"
                    + " wait for hosts without a response (default: 32).")
    private int concurrency = 32;

    void apply(CrawlOptions options, CommandSpec spec) {
        Checks.set(spec, "--max-pages", maxPages, options::maxPages);
        Checks.set(spec, "--max-time", maxTime, options::maxTime);
        Checks.set(spec, "--delay", delay, choice -> choice.apply(options));
        Checks.set(spec, "--per-host", perHost, options::perHost);
        Checks.set(spec, "--per-domain", perDomain, options::perDomain);
        Checks.set(spec, "--per-address", perAddress, requests -> options.perAddress(requests, Duration.ZERO));
        Checks.set(spec, "--address-delay", addressDelay, time -> options.perAddress(perAddress, time));
        Checks.set(spec, "--max-per-host", maxPerHost, options::maxPerHost);
        first.forEach(regex -> Checks.set(spec, "--first", regex, options::first));
        Checks.set(spec, "--max-failures", maxFailures, options::maxFailures);
        Checks.set(spec, "--concurrency", concurrency, options::concurrency);
    }

    /** What {@code --delay} takes: a fixed delay, or null if it adapts to each host. */
    record Delay(@Nullable Duration fixed) {
        @Override
        public String toString() {
            return fixed == null ? "auto" : fixed.toString();
        }

        private void apply(CrawlOptions options) {
            if (fixed == null) {
                options.adaptiveDelay();
            } else {
                options.delay(fixed);
            }
        }
    }
}
