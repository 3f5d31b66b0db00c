package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import ch.qos.logback.classic.Level;
import dev.sieve.FrontierSettings;
import dev.sieve.SieveStats;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.durable.Export;
import dev.sieve.fetch.FolderSite;
import dev.sieve.fetch.LocalSource;
import dev.sieve.job.CrawlPlace;
import dev.sieve.report.LiveServer;
import dev.sieve.report.Numbers;
import dev.sieve.report.SummaryFile;
import dev.sieve.scope.Scope;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Crawls from seeds: the default command. */
@Command(
        name = "sieve",
        sortOptions = false,
        customSynopsis = "sieve [crawl] [OPTIONS] SEED...",
        description = "Crawls politely and visits every page once.",
        optionListHeading = CrawlCommand.PROGRAM,
        footerHeading = "%nExit codes: ",
        footer = "0 done, or a limit was reached; 1 internal error, or filter full;%n"
                + "2 wrong usage; 3 no page could be fetched; 4 input or output failed;%n"
                + "5 'why': not crawled; 6 see --fail-on; 130 interrupted, 143 terminated.")
@SameForWorkers(false)
class CrawlCommand extends Subcommand {
    static final String PROGRAM = "%nProgram:%n";

    @Parameters(
            paramLabel = "SEED",
            description =
                    "A URL, a file with one URL per line, - for standard input, a folder: its files are crawled from"
                            + " index.html, as the site http://localhost/; or an archive (.warc, .warc.gz), whose"
                            + " responses are crawled again without the network.")
    List<String> seeds = new ArrayList<>();

    @Mixin
    WhereOptions where = new WhereOptions();

    @Mixin
    private PaceOptions pace = new PaceOptions();

    @Mixin
    private RequestOptions requests = new RequestOptions();

    @Mixin
    RenderOptions rendering = new RenderOptions();

    @Mixin
    private FrontierOptions frontier = new FrontierOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Mixin
    PlaceOptions kept = new PlaceOptions();

    @Option(
            names = "--fail-on",
            paramLabel = "WHAT",
            description = "Exit with code 6 on: broken (a URL responded with a status of 400 or above, or with the"
                    + " wrong type, or failed, a fragment is missing, or the session has ended), error (a URL failed: no"
                    + " usable response, or the session has ended), capacity (the filter missed a page or more), redirected (a"
                    + " link leads to a URL that has moved for good: status 301 or 308), with --again, changed or gone (a"
                    + " page has another body, or has disappeared), or, with --again or with --job and a folder,"
                    + " newly-broken (broken, and not so in the round or run before); repeatable.")
    private Set<FailOn> failOn = EnumSet.noneOf(FailOn.class);

    @Option(
            names = "--accept",
            paramLabel = "STATUS",
            split = ",",
            converter = Converters.Statuses.class,
            description =
                    "Statuses that are not failures, such as 403,429, which many servers send to every crawler; also"
                            + " ranges, such as 500-504, and classes, such as 4xx; repeatable.")
    private List<Converters.Statuses.Range> accepted = new ArrayList<>();

    @Option(
            names = "--accept-types",
            description =
                    "With --check-resources: an HTML page in place of an image, a script or a style sheet is not a"
                            + " failure.")
    private boolean acceptsTypes;

    @Option(
            names = "--summary",
            paramLabel = "FILE",
            description =
                    "Write the summary when the crawl ends: as Markdown with the broken links if the name ends in .md,"
                            + " otherwise as JSON. Replaces that of an earlier crawl (default: none).")
    private @Nullable Path summary;

    @SameForWorkers(false)
    @Option(
            names = Seeding.BASE_PATH,
            paramLabel = "PATH",
            description = "Where the folder of SEED will be on its site: /project/ (default: /).")
    private String basePath = "/";

    @SameForWorkers(false)
    @Option(
            names = Seeding.BASE_URL,
            paramLabel = "URL",
            description = "The address of the site for which the folder of SEED was built, such as"
                    + " https://example.org/docs/: what it has there is read from the folder; --scope is then prefix,"
                    + " unless given.")
    private @Nullable String baseUrl;

    @SameForWorkers(false)
    @Option(
            names = Seeding.CLEAN_URLS,
            description = "In the folder of SEED, /about is about.html, as on many hosts of built sites.")
    private boolean hasCleanUrls;

    @Option(
            names = "--annotations",
            paramLabel = "WHEN",
            description =
                    "Print a line for each broken link that GitHub shows as an error: auto (in its workflows), always or"
                            + " never (default: auto).")
    private Annotations.When annotations = Annotations.When.AUTO;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Read options from FILE, one per line: 'delay = 2s', 'sitemaps = true', 'seed = URL'; the"
                    + " command line takes precedence.")
    @Nullable
    Path config;

    @Option(
            names = "--dry-run",
            description = "Only show what would be requested first, with which delays, filter and files. Requests only"
                    + " robots.txt, writes nothing.")
    private boolean isDryRun;

    /** Set when the options are applied. */
    private @Nullable Seeding seeding;

    @Option(
            names = {"-q", "--quiet"},
            description = "Show only warnings: no progress, no summary.")
    private boolean isQuiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "Also log each response and each URL that is not requested.")
    private boolean isVerbose;

    @Override
    public Integer call() throws IOException {
        Logging.set(isQuiet ? Level.WARN : isVerbose ? Level.DEBUG : Level.INFO);
        // No worker of a shared crawl reads all pages.
        Checks.exclude(spec, "--check-fragments", "--frontier");
        Checks.exclude(spec, "-q", "-v");
        CrawlPlace place = kept.place(Seeding.hasFolder(seeds));
        boolean resumes = place.exists() && !place.beginsAnew();
        if (seeds.isEmpty() && !resumes) {
            throw Checks.wrong(
                    spec,
                    (place.isSaved()
                                    ? "There is no " + place.kind() + " in " + place + "; to begin one, name seeds"
                                    : "Missing SEED")
                            + ": a URL, a file of URLs, or - for standard input");
        }
        CrawlOptions options = options().exchanges(output.takeExchanges());
        OutputChecks checks = new OutputChecks(spec, place);
        output.check(checks, resumes);
        failOn.forEach(each -> each.check(spec, kept.isAgain(), kept.comparesRuns()));
        live.check(checks);
        checks.replaced("--summary", summary, SummaryFile::check);
        frontier.check(place, resumes);
        if (isDryRun) {
            return dryRun(options, place, resumes);
        }
        rendering.check(spec);
        try (LiveServer server = live.open()) {
            boolean listsBroken = annotations.isNow() || (summary != null && SummaryFile.isMarkdown(summary));
            return crawl(options, place, resumes, output.recording(server, live.metricsFile, place, listsBroken));
        }
    }

    private int crawl(CrawlOptions options, CrawlPlace place, boolean resumes, Recording recording) throws IOException {
        FrontierSettings settings = frontier.settings(resumes, recording::capacity);
        try (StopSignal signal = new StopSignal(isQuiet);
                CrawlStart start =
                        new CrawlStart(() -> kept.open(place, options, settings), job -> kept.crawler(options, job))) {
            if (resumes) {
                start.crawler();
                requests.compareCookies(kept.job);
            }
            readSeeds(seeds, start::addTyped, start::add);
            // Another process may have accepted the seeds a moment ago, and the counters are as old as that.
            if (place.isShared() ? !start.hasSeeds() : !start.hasUrls()) {
                throw Seeding.none(spec, seeds);
            }
            recording.command(spec, seeds);
            Recording.Run recorded = recording.start(start.crawler(), start.job());
            Outputs outputs = open(start.job(), resumes, place.forces());
            if (isVerbose) {
                outputs.sinks.add(new Logging.VisitLog());
            }
            recorded.addTo(outputs);
            signal.stops(start.crawler());
            FolderSite folder = seeding().source instanceof FolderSite site ? site : null;
            if (folder != null && baseUrl == null && output.hasSitemap()) {
                Terminal.println("The sitemap will have URLs of " + FolderSite.ORIGIN
                        + ": replace that by the origin of your site before you publish it.");
            }
            if (!isQuiet) {
                Terminal.print(opening(start, options, place, resumes));
                if (place.isShared() && output.hasReport()) {
                    Terminal.println(
                            "The report shows the requests of this worker; for that of all: sieve report --frontier "
                                    + place + ".");
                }
            }
            CrawlRun run =
                    new CrawlRun(start.crawler(), outputs, place, isQuiet, where.ignoresRobots, failOn, recorded);
            try {
                int exitCode = run.run();
                if (summary != null) {
                    SummaryFile.write(start.crawler().report(), exitCode, recording.brokenLinks(), summary);
                }
                if (annotations.isNow()) {
                    Terminal.print(Annotations.of(
                            recording.brokenLinks(),
                            folder,
                            Path.of(Objects.requireNonNullElse(System.getenv("GITHUB_WORKSPACE"), ""))));
                }
                return exitCode;
            } catch (IOException | RuntimeException | Error e) {
                start.crawler().fail(e);
                throw e;
            }
        }
    }

    private Outputs open(CrawlJob job, boolean resumes, boolean forces) throws IOException {
        try {
            return output.open(job, resumes, forces);
        } catch (IllegalArgumentException e) {
            throw Checks.wrong(spec, e.getMessage());
        }
    }

    /** Whether there are seeds on the command line, so that those of a configuration file are not used. */
    boolean hasSeeds() {
        return !seeds.isEmpty();
    }

    CrawlOptions options() {
        CrawlOptions options = new CrawlOptions();
        where.apply(options, spec);
        if (baseUrl != null && where.scope == null) {
            options.scope(Scope.Kind.PREFIX);
        }
        pace.apply(options, spec);
        // First, so that documents are requested with cookies.
        rendering.apply(options, spec, requests.maxBody);
        requests.apply(options, spec);
        seeding = new Seeding(spec, seeds, basePath, baseUrl, hasCleanUrls, output.takeExchanges());
        LocalSource source = seeding.source;
        if (source != null) {
            options.source(source);
        }
        output.apply(options);
        accepted.forEach(each -> Checks.check(
                spec,
                "--accept",
                () -> IntStream.rangeClosed(each.first(), each.last()).forEach(options::accept)));
        options.with(Capability.LIST_MOVED, failOn.contains(FailOn.REDIRECTED));
        return options.acceptTypes(acceptsTypes);
    }

    private Seeding seeding() {
        return Objects.requireNonNull(seeding);
    }

    /** Passes on the URLs of words as {@link Seeding} does. */
    void readSeeds(List<String> words, Consumer<String> typed, Consumer<String> listed) {
        seeding().read(words, typed, listed);
    }

    private String opening(CrawlStart start, CrawlOptions options, CrawlPlace place, boolean resumes) {
        CrawlReport report = start.crawler().report();
        SieveStats stats = report.sieve();
        String seeds = Numbers.count(report.count(Counter.LINKS, Counter.NEW), "new seed");
        String queued =
                resumes ? Numbers.count(report.pending().before(), "URL") + " of the " + place.kind() + " and " : "";
        String second = place.isShared()
                ? text(
                        "Frontier %s: %s, %,d accepted = %,d done + %,d pending",
                        place,
                        Numbers.count(start.job().sharing().processes(), "worker"),
                        stats.accepted(),
                        stats.done(),
                        stats.pending() + stats.inFlight())
                : "Filter: "
                        + (resumes
                                ? Summary.size(stats) + ", " + Numbers.bytes(stats.memoryBytes())
                                : frontier.toString());
        return text("Crawling %s%s: %s.%n%s; heap %s.%n", queued, seeds, options, second, heap());
    }

    private static String heap() {
        return Numbers.bytes(Runtime.getRuntime().maxMemory());
    }

    private int dryRun(CrawlOptions options, CrawlPlace place, boolean resumes) throws IOException {
        try (DryRun dryRun = new DryRun(options, !where.ignoresRobots)) {
            if (resumes) {
                place.seeds(dryRun::open);
                place.export(Export.PENDING, dryRun::add);
            }
            long pending = dryRun.urls();
            readSeeds(seeds, dryRun::addTyped, dryRun::add);
            if (dryRun.urls() == 0) {
                throw Seeding.none(spec, seeds);
            }
            StringBuilder lines = new StringBuilder(text("Dry run: requests only robots.txt, writes nothing.%n"));
            Summary.row(lines, "seeds", "%,d", dryRun.urls() - pending);
            Summary.row(lines, "crawl", "%s", options);
            boolean hasFilter = resumes || place.isShared();
            Summary.row(lines, "filter", "%s", hasFilter ? "that of the " + place.kind() : frontier);
            Summary.row(lines, "memory", "heap %s, of this %s for responses", heap(), Numbers.bytes(options.memory()));
            Summary.row(lines, "files", "%s", output.names());
            if (place.isSaved()) {
                String state = resumes ? Numbers.count(pending, "URL") + " left" : "new";
                Summary.row(lines, place.kind(), "%s: %s", place, state);
            }
            lines.append(dryRun.requests());
            Terminal.print(spec.commandLine().getOut(), lines.toString());
            return 0;
        }
    }
}
