package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableFolder;
import dev.sieve.url.Seeds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Crawls from seeds: the default command. */
@Command(
        name = "sieve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpWidth = 100,
        customSynopsis = "sieve [crawl] [OPTIONS] SEED...",
        description = "Crawls politely and visits every page once.%n",
        footerHeading = "%nExit codes: ",
        footer = "0 done, or a limit was reached; 1 internal error, or filter full; 2 wrong usage;%n"
                + "3 no page could be fetched; 4 input or output failed; 5 'why': not crawled; 6 see --fail-on;%n"
                + "130 interrupted, 143 terminated.")
class CrawlCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "SEED", description = "A URL, a file with one URL per line, or - for standard input.")
    List<String> seeds = new ArrayList<>();

    @Mixin
    WhereOptions where;

    @Option(names = "--max-pages", paramLabel = "N", description = "Stop after exactly N pages (default: no limit).")
    private Long maxPages;

    @Option(names = "--max-time", paramLabel = "TIME", description = "Stop after this time (default: no limit).")
    private Duration maxTime;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
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

    @Option(names = "--timeout", paramLabel = "TIME", description = "Time limit per request (default: 30s).")
    private Duration timeout;

    @Option(names = "--retries", paramLabel = "N", description = "Retries for temporary errors (default: 2).")
    private Integer retries;

    @Option(
            names = "--user-agent",
            paramLabel = "NAME",
            description = "User-Agent header; its first word, or the one after 'compatible;', is matched in robots.txt"
                    + " (default: sieve/VERSION).")
    private String userAgent;

    @Option(
            names = "-H",
            paramLabel = "'NAME: VALUE'",
            description = "Extra request header, sent only to the seeds' origins; repeatable.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--resolve",
            paramLabel = "HOST=IP",
            description = "Address of a host, or of all hosts below a .domain, like curl --resolve; repeatable.",
            converter = Converters.HostAddress.class)
    private List<Map.Entry<String, InetAddress>> addresses = new ArrayList<>();

    @Option(
            names = "--sitemaps",
            description = "Also crawl the URLs in sitemaps: those named in robots.txt, else /sitemap.xml.")
    private boolean usesSitemaps;

    @Mixin
    private FrontierOptions frontier;

    @Mixin
    private Outputs.Options output;

    @Option(
            names = "--job",
            paramLabel = "DIR",
            description = "Save the crawl in DIR; repeat the same command to resume, even after kill -9.")
    Path job;

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description = "What a job survives: process (kill -9), interval (power cuts, except for the last second; no"
                    + " page is lost) or always (any power cut) (default: process).")
    private Durability durability = Durability.PROCESS;

    @Option(names = "--keep-log", description = "Keep finished URLs in the job, for 'export --done'.")
    private boolean keepsLog;

    @Option(
            names = "--fail-on",
            paramLabel = "WHAT",
            description = "Exit with code 6 on: capacity (the filter missed a page or more) or errors (a URL failed, or"
                    + " responded with a status from 400 on: broken links); repeatable.")
    private Set<FailOn> failOn = EnumSet.noneOf(FailOn.class);

    @Option(names = "-q", description = "Show only warnings: no progress, no summary.")
    private boolean isQuiet;

    @Option(names = "-v", description = "Also log each response and each URL that is not requested.")
    private boolean isVerbose;

    @Override
    public Integer call() throws IOException {
        Logging.set(isQuiet ? Level.WARN : isVerbose ? Level.DEBUG : Level.INFO);
        boolean resumes = job != null && DurableFolder.exists(job);
        if (seeds.isEmpty() && !resumes) {
            throw Checks.wrong(spec, "Missing SEED: a URL, a file of URLs, or - for standard input");
        }
        requireJobFor("--durability");
        requireJobFor("--keep-log");
        CrawlOptions options = options().exchanges(output.hasArchive());
        if (job != null) {
            checkJob();
        }
        output.check(resumes);
        frontier.check(resumes);
        try (StopSignal signal = new StopSignal(isQuiet);
                CrawlStart start = new CrawlStart(options, () -> frontier.open(job, durability, keepsLog))) {
            if (resumes) {
                start.crawler();
            }
            readSeeds(start);
            if (!start.hasUrls()) {
                throw Checks.wrong(spec, "no usable seed in " + String.join(", ", seeds));
            }
            boolean forces = job != null && durability != Durability.PROCESS;
            Outputs outputs = output.open(resumes, forces);
            if (isVerbose) {
                outputs.add(new VisitLog());
            }
            signal.stops(start.crawler());
            return new CrawlRun(start.crawler(), outputs, job, isQuiet, where.ignoresRobots, failOn).run();
        }
    }

    /** Refuses a folder that the job would have to share with other files, before anything is created. */
    private void checkJob() throws IOException {
        if (job.toString().isEmpty()) {
            throw Checks.invalid(spec, "--job", "the name is empty");
        }
        try {
            CrawlDirectory.check(job);
        } catch (IllegalArgumentException e) {
            throw Checks.invalid(spec, "--job", e.getMessage());
        }
    }

    private void requireJobFor(String option) {
        if (job == null && spec.commandLine().getParseResult().hasMatchedOption(option)) {
            throw Checks.wrong(spec, "Option '" + option + "' requires '--job'");
        }
    }

    CrawlOptions options() {
        Map<String, InetAddress> known = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        addresses.forEach(each -> known.put(each.getKey(), each.getValue()));
        CrawlOptions options = new CrawlOptions().sitemaps(usesSitemaps).resolver(host -> resolve(known, host));
        where.apply(options, spec);
        headers.forEach(each -> Checks.check(spec, "-H", () -> addHeader(options, each)));
        addresses.forEach(each -> options.allowPrivate(each.getValue().getHostAddress()));
        Checks.set(spec, "--max-pages", maxPages, options::maxPages);
        Checks.set(spec, "--max-time", maxTime, options::maxTime);
        Checks.set(spec, "--delay", delay, options::delay);
        Checks.set(spec, "--per-host", perHost, options::perHost);
        Checks.set(spec, "--per-domain", perDomain, options::perDomain);
        Checks.set(spec, "--max-per-host", maxPerHost, options::maxPerHost);
        Checks.set(spec, "--max-failures", maxFailures, options::maxFailures);
        Checks.set(spec, "--concurrency", concurrency, options::concurrency);
        Checks.set(spec, "--timeout", timeout, options::timeout);
        Checks.set(spec, "--retries", retries, options::retries);
        Checks.set(spec, "--user-agent", userAgent, options::userAgent);
        return options;
    }

    private static void addHeader(CrawlOptions options, String header) {
        String[] nameAndValue = header.split(":", 2);
        if (nameAndValue.length < 2 || nameAndValue[0].isEmpty()) {
            throw new IllegalArgumentException("not of the form 'Name: value': " + header);
        }
        options.header(nameAndValue[0].strip(), nameAndValue[1].strip());
    }

    /** Returns the known address of a host or of a .domain it belongs to, or else the system's. */
    private static List<InetAddress> resolve(Map<String, InetAddress> known, String host) throws UnknownHostException {
        InetAddress address = known.get(host);
        for (int dot = host.indexOf('.'); address == null && dot >= 0; dot = host.indexOf('.', dot + 1)) {
            address = known.get(host.substring(dot));
        }
        return address == null ? List.of(InetAddress.getAllByName(host)) : List.of(address);
    }

    private void readSeeds(CrawlStart start) {
        try (SeedProblems problems = new SeedProblems()) {
            new Seeds(start::addTyped, start::add, problems).read(seeds, System.in);
        } catch (IOException e) {
            throw Checks.wrong(spec, "Invalid SEED: " + e.getMessage());
        }
    }
}
