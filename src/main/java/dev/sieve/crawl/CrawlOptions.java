package dev.sieve.crawl;

import dev.sieve.OptionalLibrary;
import dev.sieve.fetch.AddressPolicy;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.LocalSource;
import dev.sieve.fetch.Origins;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.fetch.ProxySettings;
import dev.sieve.fetch.Resolver;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.TextForm;
import dev.sieve.polite.AdaptiveDelay;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.Admission;
import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import dev.sieve.scope.TrapGuard;
import dev.sieve.scope.UrlOrder;
import dev.sieve.shared.SharedSieve;
import dev.sieve.url.UrlParts;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The options of a crawl. Changes after a {@link Crawler} was created do not affect it. */
public final class CrawlOptions {
    /**
     * How much heap there has to be per byte of {@link #bodyLimit}, if that is not small: a body is in memory twice while it
     * is read, and parsing it may take sixteen times its size; half of the heap is for everything else.
     */
    public static final int HEAP_PER_BODY = 36;

    /** The default of {@link #bodyLimit}: 8 MiB, which any heap holds. */
    public static final int DEFAULT_BODY_LIMIT = 8 << 20;

    /** The heap that the parts of a page and its links to parts may take, in the objects of the parser and as a line. */
    private static final int PART_BYTES = 16 << 20;

    private Scope.Kind kind = Scope.Kind.HOST;
    private final Scope.Builder scope = Scope.builder(kind);
    private final Map<Trap, Integer> trapLimits = new EnumMap<>(Trap.class);
    int maxDepth = Integer.MAX_VALUE;
    long maxPages = Long.MAX_VALUE;
    Duration maxTime = Duration.ofSeconds(Long.MAX_VALUE);
    Duration delay = Duration.ofSeconds(1);
    boolean adaptsDelay;
    int perHost = 1;
    int perDomain = Integer.MAX_VALUE;
    int perAddress = Short.MAX_VALUE;
    Duration addressDelay = Duration.ZERO;
    int maxPerHost = Integer.MAX_VALUE;
    UrlOrder order = UrlOrder.AS_FOUND;
    private @Nullable LocalSource source;
    int maxFailures = 10;
    int concurrency = 32;
    Duration timeout = Duration.ofSeconds(30);
    int retries = 2;
    private String userAgent = "sieve/" + version();
    private final Map<String, String> headers = new LinkedHashMap<>();
    boolean obeyRobots = true;
    private final Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    private @Nullable TextForm text;
    final List<Stage.Creation> stages = new ArrayList<>();
    final Set<Integer> accepted = new TreeSet<>();
    boolean acceptTypes;
    private Duration minAge = Duration.ofDays(1);
    private Duration maxAge = Duration.ofDays(60);
    private int bodyLimit = DEFAULT_BODY_LIMIT;
    private boolean exchanges;
    private AddressPolicy addresses = AddressPolicy.publicOnly();
    private long memory = Runtime.getRuntime().maxMemory() / 4;
    private ProxySettings proxy = ProxySettings.NONE;
    private Resolver resolver = host -> List.of(InetAddress.getAllByName(host));

    /** Creates the default options: a polite crawl of the hosts of the seeds. */
    public CrawlOptions() {}

    /** Sets which URLs belong to the crawl, relative to its seeds. Default: those on the host of a seed. */
    public CrawlOptions scope(Scope.Kind choice) {
        scope.kind(choice);
        kind = choice;
        return this;
    }

    /**
     * Adds a regular expression; at least one of them has to match some part of a URL. Default: none, all URLs match.
     *
     * @throws IllegalArgumentException when it is not valid
     */
    public CrawlOptions include(String regex) {
        scope.include(regex);
        return this;
    }

    /**
     * Crawls in rounds: when all pages of the job are done, a crawl with this option begins the next round, which visits each
     * of them once more. Requests are conditional, and each {@link dev.sieve.output.Visit} says what has changed. An
     * interrupted round continues, with this option or without. The first round must have it. Default: false.
     */
    public CrawlOptions again(boolean choice) {
        return set(Capability.ROUNDS, choice);
    }

    /**
     * Lets a round visit only the pages that are due: an unchanged page rests half as long again as before, a changed one half
     * as long, between two {@linkplain #ages bounds}; a longer max-age applies up to the upper one. Default: false.
     */
    public CrawlOptions onlyDue(boolean choice) {
        return set(Capability.ONLY_DUE, choice);
    }

    /**
     * Sets the shortest and the longest time between two visits of a page that is {@linkplain #onlyDue due}. Default: 1 and 60
     * days.
     *
     * @throws IllegalArgumentException when min is shorter than a second, or longer than max
     */
    public CrawlOptions ages(Duration min, Duration max) {
        if (min.toSeconds() <= 0 || max.compareTo(min) < 0) {
            throw new IllegalArgumentException("minAge must be at least 1 s, and not above the longest one: "
                    + min.toSeconds() + " s and " + max.toSeconds() + " s");
        }
        minAge = min;
        maxAge = max;
        return this;
    }

    /** Adds a regular expression that must not match any part of a URL; wins over includes. Default: none. */
    public CrawlOptions exclude(String regex) {
        scope.exclude(regex);
        return this;
    }

    /**
     * Sets how many links are followed from a seed, at least 0; a redirect is not a link. With a limit, a page is requested
     * after all pages of a smaller depth, so a slow host delays the others at each level; in return, every page within the
     * limit is found, whatever the order of responses. The depth of a page that was queued before does not change when
     * another run adds a seed that is nearer to it, and when a sitemap lists it. Where several processes share a crawl, they
     * do not wait for each other, so that the depth of a page may be that of a longer path. Default: no limit.
     */
    public CrawlOptions maxDepth(int links) {
        scope.maxDepth(links);
        maxDepth = links;
        return this;
    }

    /**
     * Sets whether the links of a page are skipped whose visible text an earlier page of the same host has, as the pages of
     * a session or of a calendar do. The page itself is visited. Default: false.
     */
    public CrawlOptions skipDuplicates(boolean choice) {
        return set(Capability.SKIP_DUPLICATES, choice);
    }

    /** Sets in which form the visible text of pages, up to a million characters, is in their records. Default: none. */
    public CrawlOptions text(TextForm form) {
        text = Objects.requireNonNull(form, "form");
        return this;
    }

    /** Sets whether the records of pages have their language, author, dates, Open Graph and JSON-LD. Default: false. */
    public CrawlOptions meta(boolean choice) {
        return set(Capability.META, choice);
    }

    /** Switches the check for a trap off, see {@link TrapGuard}; may be called several times. Default: none. */
    public CrawlOptions allowTrap(Trap trap) {
        return trapLimit(trap, Integer.MAX_VALUE);
    }

    /** Sets the limit of a trap; see {@link TrapGuard}. */
    CrawlOptions trapLimit(Trap trap, int limit) {
        trapLimits.put(trap, limit);
        return this;
    }

    /** Sets after how many pages, of any status, the crawl ends, at least 1. Default: no limit. */
    public CrawlOptions maxPages(long pages) {
        maxPages = check("maxPages", pages, 1, Long.MAX_VALUE);
        return this;
    }

    /**
     * Sets after which time the crawl ends, above 0, counted from {@link Crawler#run}. Requests in progress then have ten
     * seconds to finish, as after {@link Crawler#stop}. Default: no limit.
     */
    public CrawlOptions maxTime(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("maxTime must be above 0");
        }
        maxTime = time;
        return this;
    }

    /** Sets the minimum time between the starts of two requests to one host, at least 0. Default: 1 second. */
    public CrawlOptions delay(Duration time) {
        delay = notNegative("delay", time);
        adaptsDelay = false;
        return this;
    }

    /**
     * Lets the delay of each host follow its response times, as {@link AdaptiveDelay} describes, in place of a fixed {@link
     * #delay(Duration)}. It begins with 1 second; a Crawl-delay and a Retry-After that are longer apply.
     */
    public CrawlOptions adaptiveDelay() {
        delay = AdaptiveDelay.FIRST;
        adaptsDelay = true;
        return this;
    }

    /** Sets the concurrent requests per host, from 1 to 32,767. Default: 1. */
    public CrawlOptions perHost(int requests) {
        perHost = check("perHost", requests, 1, Short.MAX_VALUE);
        return this;
    }

    /**
     * Sets the concurrent requests per registrable domain, from 1 to 32,767. An address, and a host that is a public
     * suffix, is a domain by itself. Default: no limit.
     */
    public CrawlOptions perDomain(int requests) {
        perDomain = check("perDomain", requests, 1, Short.MAX_VALUE);
        return this;
    }

    /**
     * Sets limits that the hosts on one public address share: the concurrent requests, from 1 to 32,767, and the minimum time
     * between the starts of two, at least 0. Each process has its own. Default: no limits.
     */
    public CrawlOptions perAddress(int requests, Duration time) {
        perAddress = check("perAddress", requests, 1, Short.MAX_VALUE);
        addressDelay = notNegative("addressDelay", time);
        return this;
    }

    /**
     * Requests the URLs of a host in which an expression matches before its others; a further call adds an expression that
     * comes after those before. To find these URLs early, all URLs of the frontier that this process may take are taken at
     * once, and wait in memory and in a temporary file. With a limit of depth, a URL is still requested after those of a
     * smaller depth. Default: the order in which URLs were found.
     *
     * @throws IllegalArgumentException when the expression is not valid; the message has the expression and the position
     */
    public CrawlOptions first(String regex) {
        order = order.then(regex);
        return this;
    }

    /**
     * Sets how many URLs per host are requested, at least 1. The others are refused, but they are not done: a crawl that
     * continues later counts from zero and requests them. Default: no limit.
     */
    public CrawlOptions maxPerHost(int urls) {
        maxPerHost = check("maxPerHost", urls, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets after how many requests without a response in a row a host is given up, from 1 to 127. Its other URLs count
     * as failed without being requested, but they are not done: a durable frontier hands them out again when the crawl
     * continues later. Default: 10, which takes about nine minutes and the time of the requests.
     */
    public CrawlOptions maxFailures(int requests) {
        maxFailures = check("maxFailures", requests, 1, Byte.MAX_VALUE);
        return this;
    }

    /**
     * Sets the concurrent requests in all, from 1 to 10,000, each with a thread. Eight times as many, at most 256, may wait in
     * addition for hosts that have not responded for half a second. Default: 32.
     */
    public CrawlOptions concurrency(int requests) {
        concurrency = check("concurrency", requests, 1, 10_000);
        return this;
    }

    /** Sets the deadline of a whole request, from 1 millisecond to 24 days. Default: 30 seconds. */
    public CrawlOptions timeout(Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(Duration.ofDays(24)) > 0) {
            throw new IllegalArgumentException("timeout must be from 1 ms to 24 days");
        }
        timeout = time;
        return this;
    }

    /** Sets how often a URL is requested again after a temporary error, at least 0. Default: 2. */
    public CrawlOptions retries(int times) {
        retries = check("retries", times, 0, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets the User-Agent of all requests. The groups of robots.txt apply that name its product token: the letters, hyphens
     * and underscores at its beginning, {@code mybot} in {@code mybot/1.0 (+https://example.org/bot)}. If it begins like
     * that of a browser, they are those after {@code compatible;}, as in {@code Mozilla/5.0 (compatible; mybot/1.0)}.
     * Default: "sieve/VERSION".
     *
     * @throws IllegalArgumentException when it is blank, or cannot be sent in a header
     */
    public CrawlOptions userAgent(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("userAgent must not be blank");
        }
        checkHeader("User-Agent", name);
        userAgent = name;
        return this;
    }

    /** Returns the User-Agent of all requests. */
    public String userAgent() {
        return userAgent;
    }

    /**
     * Adds a header field that is sent only to the origins of the seeds, since it may contain a password; for a seed
     * that is http without a port, also to the same host by https. A crawl with a directory sends its fields to the seeds
     * of earlier runs as well, but it does not store them. Default: none.
     *
     * @throws IllegalArgumentException when it cannot be sent, or is the User-Agent, which {@link #userAgent} sets, because
     *     robots.txt is obeyed under that name
     */
    public CrawlOptions header(String name, String value) {
        checkHeader(name, value);
        if (name.equalsIgnoreCase("User-Agent")) {
            throw new IllegalArgumentException("use userAgent() for the User-Agent: robots.txt is matched against it");
        }
        headers.put(name, value);
        return this;
    }

    private static void checkHeader(String name, String value) {
        OptionalLibrary.requireOkHttp();
        Fetcher.Options.checkHeader(name, value);
    }

    /**
     * Sets a regular expression for links that end a session: URLs of which some part matches are skipped, unless they are
     * seeds. Default: none.
     *
     * @throws IllegalArgumentException when it is not valid
     */
    public CrawlOptions logOut(String regex) {
        scope.logOut(regex);
        return this;
    }

    /** Adds a stage before those of the {@link StageFactory}, so that it sees each request as it is sent. Default: none. */
    public CrawlOptions stage(Stage.Creation creation) {
        stages.add(creation);
        return this;
    }

    /** Sets whether robots.txt is requested and obeyed. Default: true. */
    public CrawlOptions obeyRobots(boolean choice) {
        obeyRobots = choice;
        return this;
    }

    /**
     * Sets whether sitemaps are requested: those that the robots.txt of an origin names, on any host, or for a seed whose
     * origin names none, {@code /sitemap.xml}. What they list counts as links of a seed. Default: false.
     */
    public CrawlOptions sitemaps(boolean choice) {
        return set(Capability.SITEMAPS, choice);
    }

    /**
     * Sets whether links outside of the crawl are checked: those that are out of scope, too deep, or not included. Each is
     * requested once, by all rules for requests, and so is the target if it redirects; its body is not read, and nothing that
     * it links to is followed. Excluded URLs and traps are not checked. Default: false.
     */
    public CrawlOptions checkLinks(boolean choice) {
        return set(Capability.CHECK_LINKS, choice);
    }

    /**
     * Sets whether what pages need is checked: images, scripts, style sheets and what these name, icons, media, frames and
     * embedded objects, on any host. Each is requested once, by all rules for requests; only the bodies of style sheets are
     * read. One that is an HTML page in scope is crawled, and is a failure besides, unless it may be a page, as in a frame, or
     * {@link #acceptTypes} is set. Excluded URLs and traps are not checked. Default: false.
     */
    public CrawlOptions checkResources(boolean choice) {
        return set(Capability.CHECK_RESOURCES, choice);
    }

    /**
     * Sets whether links to a part of a page are checked, such as {@code page#part}, by the rules of the HTML standard. A page
     * of the crawl has to have an element with that id, or an {@code a} element with that name. A {@link Crawler} that several
     * processes share cannot do that. Fragments that begin with {@code /} or {@code !} are counted and left out, unless {@link
     * #checkRoutes} includes them. Default: false.
     */
    public CrawlOptions checkFragments(boolean choice) {
        return set(Capability.CHECK_FRAGMENTS, choice);
    }

    /** Sets whether an HTML page in place of an image, a script or a style sheet is not a failure. Default: false. */
    public CrawlOptions acceptTypes(boolean choice) {
        acceptTypes = choice;
        return this;
    }

    /**
     * Sets whether {@link #checkFragments} also checks fragments such as {@code /users} and {@code !jobs}, which are most often
     * places in a program in the browser and not parts of its page. Default: false.
     */
    public CrawlOptions checkRoutes(boolean choice) {
        return set(Capability.CHECK_ROUTES, choice);
    }

    /**
     * Adds a status from 400 to 999 that is not a failure, of pages and of links that are checked: some servers respond with
     * it to every crawler. Back-off and retries are the same as without it. Default: none.
     */
    public CrawlOptions accept(int status) {
        accepted.add(check("status", status, 400, 999));
        return this;
    }

    /**
     * Sets how many bytes of a body are read, counted after decoding, at least 1. The heap should be {@link #HEAP_PER_BODY}
     * times as large. Default: {@link #DEFAULT_BODY_LIMIT}.
     */
    public CrawlOptions bodyLimit(int bytes) {
        bodyLimit = check("bodyLimit", bytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets how many bytes of heap are shared by the bodies of responses, the rules of robots.txt, links that are being
     * queued, URLs whose hosts have to wait, and the origins of sitemaps; at least 1 MiB. The page {@code docs/memory.md} lists
     * what each may take, and what else a server can influence. Default: a quarter of the heap.
     */
    public CrawlOptions memory(long bytes) {
        memory = check("memory", bytes, 1 << 20, Long.MAX_VALUE);
        return this;
    }

    /**
     * Sets whether the sink receives {@linkplain dev.sieve.output.PageSink#exchanged what is sent and received}. Then
     * bodies of every type and status are read, up to the limit, and bodies take twice the memory. Default: false.
     */
    public CrawlOptions exchanges(boolean choice) {
        exchanges = choice;
        return this;
    }

    /**
     * Allows requests to a block of addresses that are not public: {@code 10.0.0.0/8} or {@code ::1}. See
     * {@link Crawler#open} for a single host and port. Default: none.
     */
    public CrawlOptions allowPrivate(String cidr) {
        addresses = addresses.allowing(cidr);
        return this;
    }

    /** Sets what finds the addresses of hosts. Default: the resolver of the system. */
    public CrawlOptions resolver(Resolver choice) {
        resolver = Objects.requireNonNull(choice, "resolver");
        return this;
    }

    /**
     * Sets through which proxy requests are sent, those for robots.txt included. {@link ProxySettings} describes what is
     * checked of the addresses of hosts then. Default: no proxy, whatever the environment names.
     */
    public CrawlOptions proxy(ProxySettings choice) {
        proxy = Objects.requireNonNull(choice, "proxy");
        return this;
    }

    /** Returns the admission of a crawl with these options, without seeds. */
    public Admission newAdmission() {
        return new Admission(scope.build(), new TrapGuard(trapLimits));
    }

    /** Sets what decides how processes with these options share a crawl. */
    public void applyTo(SharedSieve.Builder builder) {
        builder.rest(delay);
        if (maxPerHost != Integer.MAX_VALUE) {
            builder.perHost(maxPerHost);
        }
        if (perDomain != Integer.MAX_VALUE) {
            builder.groups("domain", UrlParts::domainOfHost);
        }
    }

    /** Returns the guard of the traps that the processes of a crawl with these options count together. */
    public TrapGuard newSharedTraps(long seed) {
        return TrapGuard.ofHosts(trapLimits, seed);
    }

    /**
     * Takes the responses for the URLs of a source from it, without delays and without robots.txt; seeds are added as for other
     * crawls. Default: none.
     */
    public CrawlOptions source(LocalSource choice) {
        source = Objects.requireNonNull(choice, "source");
        return this;
    }

    /** Returns a fetcher with these options, to be closed by the caller. */
    public Fetcher newFetcher() {
        return new Fetcher(new Fetcher.Options(
                userAgent,
                headers,
                timeout,
                bodyLimit,
                concurrency
                        * (1 + stages.stream().mapToInt(Stage.Creation::parts).sum()),
                resolver,
                addresses,
                bodyMemory(),
                proxy,
                exchanges));
    }

    /** Returns what responds to the requests of a crawl with these options: the {@linkplain #source source}, or else a network. */
    public Origins origins(Fetcher network) {
        return new Origins(network, source);
    }

    /** Returns an empty cache of robots.txt as a crawl with these options has it. */
    public RobotsCache newRobots(PageFetcher fetcher, InstantSource dates) {
        return new RobotsCache(fetcher, productToken(), Math.max(retries, 1 + retries), dates, robotsMemory());
    }

    /** Returns the main options for people, without secrets: {@code scope host, delay 1 s per host, 32 requests at a time}. */
    @Override
    public String toString() {
        String seconds =
                BigDecimal.valueOf(delay.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
        return "scope " + kind
                + ", delay " + (adaptsDelay ? "adaptive" : seconds) + " per host, "
                + concurrency + (concurrency == 1 ? " request" : " requests") + " at a time"
                + (proxy == ProxySettings.NONE ? "" : ", proxy " + proxy)
                + (obeyRobots ? "" : ", robots.txt ignored");
    }

    long bodyMemory() {
        return memory / 2;
    }

    long robotsMemory() {
        return memory / 16 * 3;
    }

    /** Returns how many bytes of heap {@link #memory(long)} has set. */
    public long memory() {
        return memory;
    }

    /** Returns of how many documents the links may be in memory at the same time. */
    int documents() {
        return (int) Math.max(1, Math.min(concurrency, memory / 16 * 3 / documentBytes()));
    }

    /** Returns the heap that the links of a document may take, its parts if they are checked, and its text if it is kept. */
    long documentBytes() {
        return (long) LinkExtractor.DOCUMENT_BYTES
                + (has(Capability.CHECK_FRAGMENTS) ? PART_BYTES : 0)
                + (text == null ? 0 : text.bytes());
    }

    int leaseMemory() {
        return (int) Math.min(Integer.MAX_VALUE, memory / 16);
    }

    /** Returns how many bytes of heap the origins and sites of sitemaps may take. */
    public long sitemapMemory() {
        return memory / 16;
    }

    private static Duration notNegative(String name, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative");
        }
        return time;
    }

    private CrawlOptions set(Capability capability, boolean choice) {
        if (choice) {
            capabilities.add(capability);
        } else {
            capabilities.remove(capability);
        }
        return this;
    }

    /** Returns in which form the texts of pages are recorded; null when they are not. */
    public @Nullable TextForm text() {
        return text;
    }

    /** Returns whether the crawl is to have a capability. */
    public boolean has(Capability capability) {
        return capabilities.contains(capability);
    }

    /** Returns the shortest time between two visits of a page, see {@link #ages}. */
    public Duration minAge() {
        return minAge;
    }

    /** Returns the longest time between two visits of a page, see {@link #ages}. */
    public Duration maxAge() {
        return maxAge;
    }

    boolean hasHeaders() {
        return !headers.isEmpty();
    }

    String productToken() {
        return RobotsRules.productToken(userAgent);
    }

    /** Returns under which names a crawl with these options requests pages, for the log. */
    String names() {
        String token = productToken().isEmpty() ? "any crawler (*)" : productToken();
        return userAgent + (obeyRobots ? ", in robots.txt as " + token : ", without robots.txt");
    }

    private static int check(String name, int value, int least, int most) {
        return (int) check(name, value, least, (long) most);
    }

    private static long check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            String limit = value < least ? "least " + least : "most " + most;
            throw new IllegalArgumentException(name + " must be at " + limit + ": " + value);
        }
        return value;
    }

    /** Returns the version of this crawler, from its jar. */
    public static String version() {
        return Objects.requireNonNullElse(CrawlOptions.class.getPackage().getImplementationVersion(), "dev");
    }
}
