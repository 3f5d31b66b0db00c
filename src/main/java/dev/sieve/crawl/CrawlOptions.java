package dev.sieve.crawl;

import dev.sieve.OptionalLibrary;
import dev.sieve.fetch.AddressPolicy;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.LocalSource;
import dev.sieve.fetch.ProxySettings;
import dev.sieve.fetch.Resolver;
import dev.sieve.fetch.Signer;
import dev.sieve.parse.TextForm;
import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import dev.sieve.scope.TrapGuard;
import dev.sieve.scope.UrlOrder;
import dev.sieve.url.PageKeys;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.time.Duration;
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
public final class CrawlOptions extends PaceOptions<CrawlOptions> {
    /**
     * How much heap there has to be per byte of {@link #bodyLimit}, if that is not small: a body is in memory twice
     * while it is read, and parsing it may take sixteen times its size; half of the heap is for everything else.
     */
    public static final int HEAP_PER_BODY = 36;

    /** The default of {@link #bodyLimit}: 8 MiB, which any heap holds. */
    public static final int DEFAULT_BODY_LIMIT = 8 << 20;

    private Scope.Kind kind = Scope.Kind.HOST;
    final Scope.Builder scope = Scope.builder(kind);
    final Map<Trap, Integer> trapLimits = new EnumMap<>(Trap.class);
    int maxDepth = Integer.MAX_VALUE;
    UrlOrder order = UrlOrder.AS_FOUND;
    private PageKeys keys = PageKeys.ALL;

    @Nullable
    LocalSource source;

    private String userAgent = "sieve/" + version();
    final Map<String, String> headers = new LinkedHashMap<>();
    boolean obeyRobots = true;
    private final Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
    private @Nullable TextForm text;
    final List<Stage.Creation> stages = new ArrayList<>();
    final Set<Integer> accepted = new TreeSet<>();
    boolean acceptTypes;
    private Duration minAge = Duration.ofDays(1);
    private Duration maxAge = Duration.ofDays(60);
    int bodyLimit = DEFAULT_BODY_LIMIT;
    boolean exchanges;
    AddressPolicy addresses = AddressPolicy.publicOnly();
    private long memory = Runtime.getRuntime().maxMemory() / 4;
    ProxySettings proxy = ProxySettings.NONE;

    @Nullable
    Signer signer;

    Resolver resolver = host -> List.of(InetAddress.getAllByName(host));

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
     * Sets the shortest and the longest time between two visits of a page that is {@linkplain Capability#ONLY_DUE due}.
     * Default: 1 and 60 days.
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
     * Leaves a parameter out of the keys of URLs, so that two URLs which differ by nothing else are one page, requested
     * by the URL that was found first. Default: none.
     *
     * @param name as it is spelled in URLs; a {@code *} at its end stands for any further characters: {@code utm_*}
     * @throws IllegalArgumentException when no parameter can have such a name
     */
    public CrawlOptions ignoreParameter(String name) {
        keys = keys.ignoring(name);
        return this;
    }

    /**
     * Sets how many links are followed from a seed, at least 0; a redirect is not a link. With a limit, a page is
     * requested after all pages of a smaller depth, so a slow host delays the others at each level; in return, every
     * page within the limit is found, whatever the order of responses. The depth of a page that was queued before does
     * not change when another run adds a seed that is nearer to it, and when a sitemap lists it. Where several
     * processes share a crawl, they do not wait for each other, so that the depth of a page may be that of a longer
     * path. Default: no limit.
     */
    public CrawlOptions maxDepth(int links) {
        scope.maxDepth(links);
        maxDepth = links;
        return this;
    }

    /** Sets in which form the visible text of pages, up to a million characters, is in their records. Default: none. */
    public CrawlOptions text(TextForm form) {
        text = Objects.requireNonNull(form, "form");
        return this;
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

    /**
     * Requests the URLs of a host in which an expression matches before its others; a further call adds an expression
     * that comes after those before. To find these URLs early, all URLs of the frontier that this process may take are
     * taken at once, and wait in memory and in a temporary file. With a limit of depth, a URL is still requested after
     * those of a smaller depth. Default: the order in which URLs were found.
     *
     * @throws IllegalArgumentException when the expression is not valid; the message has the expression and the
     *     position
     */
    public CrawlOptions first(String regex) {
        order = order.then(regex);
        return this;
    }

    /**
     * Sets the User-Agent of all requests. The groups of robots.txt apply that name its product token: the letters,
     * hyphens and underscores at its beginning, {@code mybot} in {@code mybot/1.0 (+https://example.org/bot)}. If it
     * begins like that of a browser, they are those after {@code compatible;}, as in {@code Mozilla/5.0 (compatible;
     * mybot/1.0)}. Default: "sieve/VERSION".
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
     * that is http without a port, also to the same host by https. A crawl with a directory sends its fields to the
     * seeds of earlier runs as well, but it does not store them. Default: none.
     *
     * @throws IllegalArgumentException when it cannot be sent, or is the User-Agent, which {@link #userAgent} sets,
     *     because robots.txt is obeyed under that name
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
     * Sets a regular expression for links that end a session: URLs with a matching part are skipped, unless they are
     * seeds. Default: none.
     *
     * @throws IllegalArgumentException when it is not valid
     */
    public CrawlOptions logOut(String regex) {
        scope.logOut(regex);
        return this;
    }

    /** Sets whether the crawl does what a capability describes. Default: false for each. */
    public CrawlOptions with(Capability capability, boolean choice) {
        if (choice) {
            capabilities.add(capability);
        } else {
            capabilities.remove(capability);
        }
        return this;
    }

    /** Adds a stage before those of the crawler, so that it sees each request as it is sent. Default: none. */
    public CrawlOptions stage(Stage.Creation creation) {
        stages.add(creation);
        return this;
    }

    /** Sets whether robots.txt is requested and obeyed. Default: true. */
    public CrawlOptions obeyRobots(boolean choice) {
        obeyRobots = choice;
        return this;
    }

    /** Sets whether an HTML page in place of an image, a script or a style sheet is not a failure. Default: false. */
    public CrawlOptions acceptTypes(boolean choice) {
        acceptTypes = choice;
        return this;
    }

    /**
     * Adds a status from 400 to 999 that is not a failure, of pages and of links that are checked: some servers respond
     * with it to every crawler. Back-off and retries are the same as without it. Default: none.
     */
    public CrawlOptions accept(int status) {
        accepted.add(check("status", status, 400, 999));
        return this;
    }

    /**
     * Sets how many bytes of a body are read, counted after decoding, at least 1. The heap should be {@link
     * #HEAP_PER_BODY} times as large. Default: {@link #DEFAULT_BODY_LIMIT}.
     */
    public CrawlOptions bodyLimit(int bytes) {
        bodyLimit = check("bodyLimit", bytes, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sets how many bytes of heap are shared by the bodies of responses, the rules of robots.txt, links that are being
     * queued, URLs whose hosts have to wait, and the origins of sitemaps; at least 1 MiB. The page {@code
     * docs/memory.md} lists what each may take, and what else a server can influence. Default: a quarter of the heap.
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
     * Sets through which proxy requests are sent, those for robots.txt included. {@link ProxySettings} describes what
     * is checked of the addresses of hosts then. Default: no proxy, whatever the environment names.
     */
    public CrawlOptions proxy(ProxySettings choice) {
        proxy = Objects.requireNonNull(choice, "proxy");
        return this;
    }

    /** Sets what signs each request for its host, those for robots.txt included. Default: nothing. */
    public CrawlOptions signer(Signer choice) {
        signer = Objects.requireNonNull(choice, "signer");
        return this;
    }

    /**
     * Takes the responses for the URLs of a source from it, without delays and without robots.txt; seeds are added as
     * for other crawls. Default: none.
     */
    public CrawlOptions source(LocalSource choice) {
        source = Objects.requireNonNull(choice, "source");
        return this;
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
                + (obeyRobots ? "" : ", robots.txt ignored")
                + (keys == PageKeys.ALL ? "" : ", parameters ignored: " + keys);
    }

    /** Returns how many bytes of heap {@link #memory(long)} has set. */
    public long memory() {
        return memory;
    }

    /** Returns the keys of the URLs of the crawl. */
    public PageKeys keys() {
        return keys;
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

    /** Returns the version of this crawler, from its jar. */
    public static String version() {
        return Objects.requireNonNullElse(CrawlOptions.class.getPackage().getImplementationVersion(), "dev");
    }
}
