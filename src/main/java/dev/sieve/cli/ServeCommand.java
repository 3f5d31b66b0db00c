package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import ch.qos.logback.classic.Level;
import dev.sieve.FilterKind;
import dev.sieve.FrontierSettings;
import dev.sieve.OnFull;
import dev.sieve.OptionalLibrary;
import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.durable.Durability;
import dev.sieve.report.LiveServer;
import dev.sieve.report.MetricsText;
import dev.sieve.serve.CrawlStats;
import dev.sieve.serve.FrontierServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves frontiers on disk to crawlers of other programs, by the protocol URLFrontier. */
@Command(
        name = "serve",
        sortOptions = false,
        description =
                "Serves frontiers to other crawlers, such as StormCrawler, with the gRPC protocol URLFrontier, until"
                        + " interrupted. Each crawl of a client has a folder in DIR.")
final class ServeCommand extends Subcommand {
    private static final String LISTEN = "--listen";
    private static final String METRICS = "--metrics";
    private static final String CERTIFICATES = "--tls-cert";
    private static final String KEY = "--tls-key";

    private static final String DEFAULT_PORT = "" + FrontierServer.DEFAULT_PORT;

    /**
     * The log of gRPC. Each call that a client cancels, and each message that is too long, would be a warning with a
     * stack trace. Only serving loads it: logging of the JDK takes a while to start.
     */
    private static final class Network {
        private static final Logger LOG = Logger.getLogger("io.grpc.netty");
    }

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            description = "Directory with one folder per crawl. Reuse it to continue, even after kill -9.")
    private Path dir;

    @Option(
            names = LISTEN,
            paramLabel = "[ADDRESS:]PORT",
            description = "Where to listen; port 0 selects a free one. An address that is not loopback requires TLS"
                    + " (default: 127.0.0.1:" + DEFAULT_PORT + ").",
            defaultValue = DEFAULT_PORT,
            converter = LiveOptions.EndpointConverter.class)
    private LiveOptions.Endpoint endpoint;

    @Option(
            names = METRICS,
            paramLabel = "[ADDRESS:]PORT",
            description =
                    "Show metrics for Prometheus at http://127.0.0.1:PORT/metrics. Port 0 selects a free one. With an"
                            + " address, other machines can read them, without TLS and a password (default: off).",
            converter = LiveOptions.EndpointConverter.class)
    private LiveOptions.@Nullable Endpoint metrics;

    @Option(
            names = CERTIFICATES,
            paramLabel = "FILE",
            description =
                    "Use TLS with the certificate chain in FILE (PEM). Clients are not authenticated (default: none).")
    private @Nullable Path certificates;

    @Option(
            names = KEY,
            paramLabel = "FILE",
            description = "The private key of the certificate (PEM, PKCS #8, not encrypted).")
    private @Nullable Path key;

    @Option(
            names = "--capacity",
            paramLabel = "N",
            description = "Number of URLs to size the filter of each crawl for (default: as stored, or 10M).")
    private @Nullable Long capacity;

    @Option(
            names = "--miss-rate",
            paramLabel = "P",
            description = "Share of new URLs that each filter may miss when full (default: as stored, or 1e-4).")
    private @Nullable Double missRate;

    @Option(
            names = "--on-full",
            paramLabel = "ACTION",
            description = "When the filter is full: warn, grow or fail (default: warn).")
    private @Nullable OnFull onFull;

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description =
                    "What an acknowledged URL survives: process (kill -9), interval (power cuts, except for the last"
                            + " second) or always (any power cut) (default: process).")
    private Durability durability = Durability.PROCESS;

    @Option(
            names = "--forget-done",
            description = "Delete log segments once all their URLs are done. Saves disk; ListURLs, CountURLs and"
                    + " GetURLStatus no longer find these URLs.")
    private boolean forgetsDone;

    @Option(
            names = {"-q", "--quiet"},
            description = "Show only warnings.")
    private boolean isQuiet;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Logging.set(isQuiet ? Level.WARN : Level.INFO);
        Network.LOG.setLevel(java.util.logging.Level.SEVERE);
        if (dir.toString().isEmpty()) {
            throw Checks.invalid(spec, "--dir", "the name is empty");
        }
        checkFilter();
        InetSocketAddress address = address();
        requireLibraries();
        CountDownLatch stopped = new CountDownLatch(1);
        try (StopSignal signal = new StopSignal(isQuiet);
                LiveServer live = metrics == null ? null : LiveOptions.open(metrics, METRICS);
                FrontierServer server = open(address)) {
            signal.stops(stopped::countDown, () -> "received URLs are stored, then all files are closed.");
            if (live != null) {
                live.showMetrics(() -> new MetricsText(server.crawls(), name -> numbers(server.stats(name))).text());
                Terminal.println("Metrics: " + live.url() + "metrics");
            }
            if (!isQuiet) {
                Terminal.println(text(
                        "Serving URLFrontier at %s%s; crawls are in %s.",
                        server.address(), certificates == null ? ", this machine only" : " with TLS", dir));
            }
            stopped.await();
        }
        return 0;
    }

    private static MetricsText.@Nullable Served numbers(@Nullable CrawlStats crawl) {
        return crawl == null ? null : new MetricsText.Served(crawl.frontier(), crawl.queues(), crawl.inProcess());
    }

    private void checkFilter() {
        FrontierOptions.checkCapacity(
                spec,
                FilterKind.forOnFull(onFull),
                capacity == null ? FrontierServer.DEFAULT_CAPACITY : capacity,
                missRate == null ? Sieve.DEFAULT_FALSE_POSITIVE_RATE : missRate);
    }

    /** Returns where to listen. Refuses addresses that other machines can reach without TLS, before anything is created. */
    private InetSocketAddress address() throws IOException {
        Checks.requires(spec, CERTIFICATES, KEY);
        Checks.requires(spec, KEY, CERTIFICATES);
        if (metrics != null && metrics.port() != 0 && metrics.port() == endpoint.port()) {
            throw Checks.invalid(spec, METRICS, "needs another port than '" + LISTEN + "': " + metrics.port());
        }
        InetAddress address;
        try {
            address = InetAddress.getByName(endpoint.host());
        } catch (UnknownHostException e) {
            throw new IOException("cannot listen on " + endpoint.host() + ":" + endpoint.port() + ": unknown host", e);
        }
        if (certificates == null && !address.isLoopbackAddress()) {
            throw Checks.invalid(
                    spec,
                    LISTEN,
                    "other machines can reach " + endpoint.host() + ", which requires '" + CERTIFICATES + "' and '"
                            + KEY + "'");
        }
        return new InetSocketAddress(address, endpoint.port());
    }

    /** The libraries of the server are in a jar of their own, which the manifest of the program's jar refers to. */
    private static void requireLibraries() throws IOException {
        try {
            OptionalLibrary.require("io.grpc.netty.NettyServerBuilder", "io.grpc:grpc-netty");
        } catch (NoClassDefFoundError e) {
            throw new IOException(
                    text(
                            "'serve' requires sieve-%s-serve.jar: put it into the folder of the jar of the program, or on the"
                                    + " class path",
                            CrawlOptions.version()),
                    e);
        }
    }

    private FrontierServer open(InetSocketAddress address) throws IOException {
        FrontierServer.Builder builder = FrontierServer.builder(dir)
                .address(address)
                .settings(new FrontierSettings(capacity, null, missRate, onFull, null, event -> {}))
                .durability(durability)
                .forgetDone(forgetsDone);
        if (certificates != null && key != null) {
            builder.tls(certificates, key);
        }
        try {
            return builder.open();
        } catch (IllegalArgumentException e) {
            throw Checks.wrong(spec, e.getMessage());
        }
    }
}
