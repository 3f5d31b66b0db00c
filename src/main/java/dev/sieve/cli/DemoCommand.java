package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.Sieve;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoWeb;
import dev.sieve.job.MemoryPlace;
import dev.sieve.output.FileEnds;
import dev.sieve.output.OutputFormat;
import dev.sieve.output.OutputFormats;
import dev.sieve.report.LiveServer;
import dev.sieve.report.Numbers;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves a generated web on loopback and crawls it, with a filter that is a little too small. */
@Command(
        name = "demo",
        sortOptions = false,
        description = "Crawls a generated web on this machine, in a few seconds and without a network. The filter is"
                + " deliberately a little too small, so you see the capacity warnings.")
final class DemoCommand extends Subcommand {
    /** The share of the web's URLs that the filter is sized for: enough to warn, and to miss next to nothing. */
    private static final double CAPACITY_SHARE = 0.9;

    @Option(names = "--hosts", paramLabel = "N", description = "Number of hosts (default: 200).")
    private int hosts = 200;

    @Option(names = "--pages", paramLabel = "N", description = "Number of pages (default: 5000).")
    private int pages = 5000;

    @Option(
            names = "--serve",
            arity = "0..1",
            fallbackValue = "0",
            paramLabel = "PORT",
            description =
                    "Only serve the web, until interrupted, and print how to crawl it (default port: a free one).")
    private @Nullable Integer port;

    @Option(
            names = "--delay",
            paramLabel = "TIME",
            description = "Minimum time between requests to the same host (default: 0s).")
    private Duration delay = Duration.ZERO;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write ${bundle:formats}; repeatable.")
    private List<Path> outputs = new ArrayList<>();

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a report at the end: one HTML file, for a browser (default: none).")
    private @Nullable Path report;

    @Mixin
    private LiveOptions live = new LiveOptions();

    @Option(names = "--force", description = "Overwrite existing output files.")
    private boolean isForced;

    @Override
    public Integer call() throws IOException, InterruptedException {
        OutputChecks checks = new OutputChecks(spec, new MemoryPlace());
        checks.outputs(outputs, null, null, how());
        if (report != null) {
            checks.report("--report", report, isForced);
        }
        live.check(checks);
        try (DemoWeb web = open()) {
            return port == null ? crawl(web) : serve(web);
        }
    }

    private StandardOpenOption how() {
        return isForced ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.CREATE_NEW;
    }

    private DemoWeb open() throws IOException {
        DemoWeb.Builder web = DemoWeb.builder().pages(pages);
        Checks.set(spec, "--hosts", hosts, web::hosts);
        Checks.set(spec, "--serve", port, web::port);
        try {
            return web.open();
        } catch (IllegalArgumentException e) {
            throw Checks.invalid(spec, "--pages", e.getMessage());
        }
    }

    private int serve(DemoWeb web) throws InterruptedException {
        Terminal.print(
                spec.commandLine().getOut(),
                text(
                        "%s. To crawl them: sieve %s --scope any --delay 0 --resolve .test=127.0.0.1%n"
                                + "To view a page, use the server as HTTP proxy: curl -x 127.0.0.1:%d %2$s",
                        size(web), web.start(), web.port()));
        new CountDownLatch(1).await();
        return 0;
    }

    private static String size(DemoWeb web) {
        return Numbers.count(web.pages(), "page") + " on " + Numbers.count(web.hosts(), "host");
    }

    private int crawl(DemoWeb web) throws IOException {
        try (LiveServer server = live.open()) {
            return crawl(
                    web,
                    new Recording(
                            report,
                            server,
                            live.metricsFile,
                            new MemoryPlace(),
                            OutputFormats.any(outputs, OutputFormat::takesReferrers),
                            false));
        }
    }

    private int crawl(DemoWeb web, Recording recording) throws IOException {
        long urls = web.expected().count();
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .exchanges(OutputFormats.any(outputs, OutputFormat::takesExchanges))
                .delay(delay)
                .allowPrivate("127.0.0.0/8")
                .resolver(host -> List.of(DemoWeb.resolve(host)));
        Sieve sieve = Sieve.builder()
                .capacity(Math.max(1, (long) (urls * CAPACITY_SHARE)))
                .onCapacity(recording::capacityOfDemo)
                .build();
        Terminal.println(text(
                "Serving %s at 127.0.0.1:%d. With redirects and dead links there are %s; the filter is sized for %,d.",
                size(web), web.port(), Numbers.count(urls, "URL"), sieve.stats().capacity()));
        try (StopSignal signal = new StopSignal(false);
                CrawlJob job = CrawlJob.inMemory(sieve);
                Crawler crawler = new Crawler(options, job, AllStages::of)) {
            crawler.seed(web.start());
            Recording.Run recorded = recording.start(crawler, job);
            Outputs files = Outputs.open(outputs, null, null, how(), false, FileEnds.NONE);
            recorded.addTo(files);
            signal.stops(crawler);
            int exitCode = new CrawlRun(crawler, files, new MemoryPlace(), false, false, Set.of(), recorded).run();
            long found = crawler.report().count(Counter.PAGES, "2xx");
            String why = found == web.pages() ? "" : "; the others were missed because the filter is too small";
            Terminal.println(text("Found %,d of the %s%s.", found, Numbers.count(web.pages(), "page"), why));
            return exitCode;
        }
    }
}
