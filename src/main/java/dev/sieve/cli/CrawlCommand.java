package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.url.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Crawls from seeds; what the program does when no other command is named. */
@Command(
        name = "sieve",
        mixinStandardHelpOptions = true,
        versionProvider = CrawlCommand.Version.class,
        sortOptions = false,
        usageHelpWidth = 100,
        customSynopsis = "sieve [crawl] [OPTIONS] SEED...",
        description = "Crawls politely and visits every page once.%n",
        footerHeading = "%nExit codes: ",
        footer = "0 done, or a limit was reached; 1 internal error, or filter full; 2 wrong usage;%n"
                + "3 no page could be fetched; 4 output failed; 130 interrupted, 143 terminated.")
final class CrawlCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SEED", description = "A URL, a file with one URL per line, or - for standard input.")
    private List<String> seeds = new ArrayList<>();

    @Mixin
    private WhereOptions where;

    @Option(
            names = "--max-pages",
            paramLabel = "N",
            converter = Converters.Quantity.class,
            description = "Stop after exactly N pages (default: no limit).")
    private Long maxPages;

    @Option(
            names = "--max-time",
            paramLabel = "TIME",
            converter = Converters.TimeSpan.class,
            description = "Stop after this time (default: no limit).")
    private Duration maxTime;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            converter = Converters.TimeSpan.class,
            description = "Minimum time between requests to the same host (default: 1s).")
    private Duration delay;

    @Option(names = "--per-host", paramLabel = "N", description = "Concurrent requests per host (default: 1).")
    private Integer perHost;

    @Option(
            names = "--per-domain",
            paramLabel = "N",
            description = "Concurrent requests per domain (default: no limit).")
    private Integer perDomain;

    @Option(
            names = "--max-per-host",
            paramLabel = "N",
            description = "Maximum URLs per host and run (default: no limit).")
    private Integer maxPerHost;

    @Option(
            names = "--max-failures",
            paramLabel = "N",
            description = "Give up on a host after N consecutive failures (default: 10).")
    private Integer maxFailures;

    @Option(names = "--concurrency", paramLabel = "N", description = "Concurrent requests in total (default: 32).")
    private Integer concurrency;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Converters.TimeSpan.class,
            description = "Time limit per request (default: 30s).")
    private Duration timeout;

    @Option(names = "--retries", paramLabel = "N", description = "Retries for temporary errors (default: 2).")
    private Integer retries;

    @Option(
            names = "--user-agent",
            paramLabel = "NAME",
            description = "User-Agent header; its first word is matched in robots.txt (default: sieve/VERSION).")
    private String userAgent;

    @Option(
            names = "-H",
            paramLabel = "'NAME: VALUE'",
            description = "Extra request header, sent only to the seeds' origins; repeatable.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--resolve",
            paramLabel = "HOST=IP",
            description = "Address of a host, or of all hosts below a .domain, like curl --resolve; repeatable.")
    private List<String> addresses = new ArrayList<>();

    @Option(
            names = "--sitemaps",
            description = "Also crawl the URLs in sitemaps: those named in robots.txt, else /sitemap.xml.")
    private boolean usesSitemaps;

    @Mixin
    private FrontierOptions sieve;

    @Mixin
    private OutputOptions output;

    @Option(
            names = "--job",
            paramLabel = "DIR",
            description = "Save the crawl in DIR; repeat the same command to resume, even after kill -9.")
    private Path job;

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description = "What a job survives: process (kill -9), interval (power cuts, except for the last second; no"
                    + " page is lost) or always (any power cut) (default: process).")
    private Durability durability = Durability.PROCESS;

    @Option(names = "--keep-log", description = "Keep finished URLs in the job, for 'export --done'.")
    private boolean keepsLog;

    @Option(names = "-q", description = "Show only warnings: no progress, no summary.")
    private boolean isQuiet;

    @Option(names = "-v", description = "Verbose logging.")
    private boolean isVerbose;

    /** Tells the version that stands in the jar. */
    static final class Version implements picocli.CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"sieve " + CrawlOptions.version()};
        }
    }

    @Override
    public Integer call() throws IOException {
        Logging.set(isQuiet ? Level.WARN : isVerbose ? Level.DEBUG : Level.INFO);
        boolean goesOn = job != null && DurableFolder.exists(job);
        if (seeds.isEmpty() && !goesOn) {
            throw wrong("Missing SEED: a URL, a file of URLs, or - for standard input");
        }
        CrawlOptions options = options();
        output.check(job != null);
        sieve.check(goesOn);
        try (CrawlStart start = new CrawlStart(options, this::openDirectory)) {
            if (goesOn) {
                start.crawler();
            }
            readSeeds(start);
            if (!start.hasUrls()) {
                throw wrong("no usable seed in " + String.join(", ", seeds));
            }
            return new CrawlRun(start.crawler(), output.open(job != null), System.err, isQuiet, where.ignoresRobots())
                    .run();
        }
    }

    private CrawlOptions options() {
        CrawlOptions options = new CrawlOptions().sitemaps(usesSitemaps);
        where.apply(options, spec);
        headers.forEach(each -> check("-H", () -> addHeader(options, each)));
        check("--resolve", () -> options.resolver(Addresses.of(addresses)));
        addresses.forEach(each -> options.allowPrivate(Addresses.address(each).getHostAddress()));
        set("--max-pages", maxPages, options::maxPages);
        set("--max-time", maxTime, options::maxTime);
        set("--delay", delay, options::delay);
        set("--per-host", perHost, options::perHost);
        set("--per-domain", perDomain, options::perDomain);
        set("--max-per-host", maxPerHost, options::maxPerHost);
        set("--max-failures", maxFailures, options::maxFailures);
        set("--concurrency", concurrency, options::concurrency);
        set("--timeout", timeout, options::timeout);
        set("--retries", retries, options::retries);
        set("--user-agent", userAgent, options::userAgent);
        return options;
    }

    private static void addHeader(CrawlOptions options, String header) {
        int colon = header.indexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("not of the form 'Name: value': " + header);
        }
        options.header(
                header.substring(0, colon).strip(), header.substring(colon + 1).strip());
    }

    private <T> void set(String option, T value, Consumer<T> setter) {
        Checks.set(spec, option, value, setter);
    }

    private void check(String option, Runnable use) {
        Checks.check(spec, option, use);
    }

    private ParameterException wrong(String message) {
        return Checks.wrong(spec, message);
    }

    private CrawlDirectory openDirectory() throws IOException {
        return job == null ? CrawlDirectory.none(sieve.open()) : sieve.open(job, durability, keepsLog);
    }

    private void readSeeds(CrawlStart start) {
        Seeds reader = new Seeds(start::named, start::seed, problem -> LOG.warn("{}", problem));
        try {
            reader.read(seeds, System.in);
        } catch (IOException e) {
            throw wrong("Invalid SEED: " + e.getMessage());
        }
    }
}
