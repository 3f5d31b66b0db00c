package dev.sieve.cli;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.fetch.ProxySettings;
import dev.sieve.fetch.Resolver;
import dev.sieve.fetch.Signer;
import dev.sieve.io.LocalDisk;
import dev.sieve.report.Numbers;
import dev.sieve.stage.CookieStage;
import dev.sieve.stage.SessionStage;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of each request: what is sent, over which network, and for how long. */
@Command(optionListHeading = "%nRequests:%n")
@SameForWorkers
final class RequestOptions {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");
    private static final String KEEP_COOKIES = "--keep-cookies";
    private static final String LOG_OUT = "--log-out";
    private static final String SIGN = "--sign";
    /** Options, one of which is required. */
    private static final String COOKIES = "--cookies or " + KEEP_COOKIES;

    private static final String ARCHIVE_COOKIES = "--archive-cookies";

    /** Its values are secrets. */
    static final String HEADER = "--header";

    @Option(
            names = "--user-agent",
            paramLabel = "NAME",
            description = "User-Agent header; its first word, or the one after 'compatible;', is matched in robots.txt"
                    + " (default: sieve/VERSION).")
    private @Nullable String userAgent;

    @Option(
            names = {"-H", HEADER},
            paramLabel = "'NAME: VALUE'",
            description = "Extra request header, sent only to the seeds' origins; repeatable.")
    private List<String> headers = new ArrayList<>();

    @SameForWorkers(false)
    @Option(
            names = SIGN,
            paramLabel = "FILE",
            description =
                    "Sign each request for its host with this key, which 'sieve key' makes, so that sites can tell"
                            + " who sends it (Web Bot Auth).")
    private @Nullable Path key;

    @SameForWorkers(false)
    @Option(
            names = "--cookies",
            paramLabel = "FILE",
            description =
                    "Send the cookies of this file, as curl and browsers write it, to the URLs in scope to which they"
                            + " belong, and keep those that servers set, as --keep-cookies does.")
    private @Nullable Path cookies;

    @Option(
            names = KEEP_COOKIES,
            description =
                    "Keep the cookies that servers set, as long as the job, and send them to the URLs in scope to which"
                            + " they belong (default: no cookies are sent).")
    private boolean keepsCookies;

    @Option(
            names = LOG_OUT,
            paramLabel = "REGEX",
            description =
                    "With cookies: links that contain a match end the session and are not requested (default: logout,"
                            + " sign-out, abmelden and other words for it).")
    private String logOut = CookieStage.LOG_OUT;

    @SameForWorkers(false)
    @Option(
            names = ARCHIVE_COOKIES,
            description =
                    "With cookies: write them to archives, which leave out the fields Cookie and Set-Cookie otherwise.")
    private boolean archivesCookies;

    @SameForWorkers(false)
    @Option(
            names = "--proxy",
            paramLabel = "URL",
            description =
                    "A proxy, as the URL of its host and port: http, socks5 or socks5h, for http also with a user and a"
                            + " password; env: the proxies of the environment (default: none). An http or socks5h proxy looks"
                            + " up host names itself: the addresses behind them are not checked.")
    private @Nullable String proxy;

    @SameForWorkers(false)
    @Option(
            names = "--resolve",
            paramLabel = "HOST=IP",
            description =
                    "Address of a host, or of all hosts below a .domain, like curl --resolve; repeatable. It need not be"
                            + " public, but is allowed for these hosts only.",
            converter = Converters.HostAddress.class)
    private List<Map.Entry<String, InetAddress>> addresses = new ArrayList<>();

    @SameForWorkers(false)
    @Option(names = "--timeout", paramLabel = "TIME", description = "Time limit per request (default: 30s).")
    private Duration timeout = Duration.ofSeconds(30);

    @Option(names = "--retries", paramLabel = "N", description = "Retries for temporary errors (default: 2).")
    private int retries = 2;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            description = "Read at most this much of a page, such as 512KiB or 16MiB (default: 8MiB).",
            converter = Converters.Size.class)
    int maxBody = CrawlOptions.DEFAULT_BODY_LIMIT;

    void apply(CrawlOptions options, CommandSpec spec) {
        Checks.set(spec, "--user-agent", userAgent, options::userAgent);
        headers.forEach(each -> Checks.check(spec, "-H", () -> addHeader(options, each)));
        Checks.set(spec, SIGN, key, file -> options.signer(signer(file)));
        applyCookies(options, spec);
        Map<String, InetAddress> known = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        addresses.forEach(each -> known.put(each.getKey(), each.getValue()));
        options.resolver(new KnownAddresses(known));
        Checks.set(spec, "--proxy", proxy, each -> options.proxy(proxy(each)));
        Checks.set(spec, "--timeout", timeout, options::timeout);
        Checks.set(spec, "--retries", retries, options::retries);
        Checks.set(spec, "--max-body", maxBody, size -> setBodyLimit(options, size));
    }

    private void applyCookies(CrawlOptions options, CommandSpec spec) {
        boolean hasSession = headers.stream().anyMatch(each -> each.matches("(?i)cookie\\s*:.*"));
        if (hasSession || keepsCookies || cookies != null) {
            Checks.check(spec, LOG_OUT, () -> options.logOut(logOut));
        } else {
            Checks.requires(spec, COOKIES, LOG_OUT);
        }
        boolean hasLogin = headers.stream().anyMatch(each -> each.matches("(?i)(cookie|authorization)\\s*:.*"));
        if (!keepsCookies && cookies == null) {
            if (hasLogin) {
                options.stage(new SessionStage.Creation());
            }
            Checks.requires(spec, COOKIES, ARCHIVE_COOKIES);
            return;
        }
        Checks.check(spec, "--cookies", () -> {
            try {
                options.stage(CookieStage.of(cookies, archivesCookies));
                if (hasLogin || cookies != null) {
                    options.stage(new SessionStage.Creation());
                }
            } catch (IOException e) {
                throw new IllegalArgumentException(Checks.message(e), e);
            }
        });
    }

    /** Warns that a job has been crawled with cookies so far, since without them its pages may be others. */
    void compareCookies(@Nullable Path job) {
        if (!keepsCookies && cookies == null && job != null && CookieStage.wasIn(job)) {
            LOG.warn("earlier runs sent cookies, this one sends none (--cookies, --keep-cookies)");
        }
    }

    /** Refuses bodies that the heap could not hold while they are read and parsed; the default holds in any heap. */
    private static void setBodyLimit(CrawlOptions options, int bytes) {
        long heap = Runtime.getRuntime().maxMemory();
        long needed = (long) bytes * CrawlOptions.HEAP_PER_BODY;
        if (bytes > CrawlOptions.DEFAULT_BODY_LIMIT && needed > heap) {
            throw new IllegalArgumentException(Numbers.text(
                    "%s may need %s of heap, but it is limited to %s: run java with -Xmx%dm",
                    Numbers.bytes(bytes), Numbers.bytes(needed), Numbers.bytes(heap), 1 + (needed >> 20)));
        }
        options.bodyLimit(bytes);
    }

    private static Signer signer(Path file) {
        try {
            return Signer.read(file, InstantSource.system());
        } catch (IOException e) {
            throw new IllegalArgumentException(Checks.message(e), e);
        }
    }

    private static ProxySettings proxy(String choice) {
        return choice.equals("env") ? ProxySettings.ofEnvironment(System.getenv()) : ProxySettings.of(choice);
    }

    private static void addHeader(CrawlOptions options, String header) {
        String[] nameAndValue = header.split(":", 2);
        if (nameAndValue.length < 2 || nameAndValue[0].isEmpty()) {
            // Not shown: it may be a password whose name was forgotten.
            throw new IllegalArgumentException("not of the form 'Name: value'");
        }
        options.header(nameAndValue[0].strip(), nameAndValue[1].strip());
    }

    /** Makes the key of {@code --sign}, and shows what its owner publishes. */
    @Command(
            name = "key",
            description = {
                "Makes a key for --sign, if an ADDRESS is given, and prints the directory of the key: the file that"
                        + " sites read at the address. The header fields with which it is to be served are written to stderr."
            })
    static final class Key extends Subcommand {
        private static final Duration VALIDITY = Duration.ofDays(365);

        @Parameters(
                index = "0",
                paramLabel = "FILE",
                description = "The file of the key; a new one, which only you can read, with ADDRESS.")
        private Path file;

        @Parameters(
                index = "1",
                paramLabel = "ADDRESS",
                arity = "0..1",
                description = "The site that publishes the directory, such as https://bot.example.org.")
        private @Nullable String address;

        @Override
        public Integer call() throws IOException {
            try {
                if (address != null) {
                    String text = Signer.create(address);
                    Files.writeString(LocalDisk.createPrivate(file), text);
                }
                Signer signer = signer(file);
                PrintWriter err = spec.commandLine().getErr();
                Terminal.println(
                        err, "To be served as " + signer.directoryUrl() + " with these fields, valid for a year:");
                signer.directoryFields(VALIDITY).forEach((name, value) -> Terminal.println(err, name + ": " + value));
                Terminal.print(spec.commandLine().getOut(), signer.directory());
                return 0;
            } catch (IllegalArgumentException e) {
                throw Checks.wrong(spec, e.getMessage());
            }
        }
    }

    /** Returns the known address of a host or of a .domain it belongs to, or else the system's. */
    private record KnownAddresses(Map<String, InetAddress> known) implements Resolver {
        @Override
        public List<InetAddress> addresses(String host) throws UnknownHostException {
            InetAddress address = address(host);
            return address == null ? List.of(InetAddress.getAllByName(host)) : List.of(address);
        }

        @Override
        public boolean isFixed(String host) {
            return address(host) != null;
        }

        private @Nullable InetAddress address(String host) {
            InetAddress address = known.get(host);
            for (int dot = host.indexOf('.'); address == null && dot >= 0; dot = host.indexOf('.', dot + 1)) {
                address = known.get(host.substring(dot));
            }
            return address;
        }
    }
}
