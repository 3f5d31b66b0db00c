package dev.sieve.crawl;

import dev.sieve.fetch.AddressPolicy;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.Resolver;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.Admission;
import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import dev.sieve.scope.TrapGuard;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The options of a crawl, which a {@link Crawler} copies. */
public final class CrawlOptions implements Cloneable {
    /** No limit of time. */
    static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    Scope.Kind scope = Scope.Kind.HOST;
    List<String> includes = new ArrayList<>();
    List<String> excludes = new ArrayList<>();
    int maxDepth = Integer.MAX_VALUE;
    Set<Trap> allowedTraps = EnumSet.noneOf(Trap.class);
    long maxPages = Long.MAX_VALUE;
    Duration maxTime = FOR_EVER;
    Duration delay = Duration.ofSeconds(1);
    int perHost = 1;
    int perDomain = Integer.MAX_VALUE;
    int maxPerHost = Integer.MAX_VALUE;
    int maxFailures = 10;
    int concurrency = 32;
    Duration timeout = Duration.ofSeconds(30);
    int retries = 2;
    String userAgent = "sieve/" + version();
    Map<String, String> headers = new LinkedHashMap<>();
    boolean obeyRobots = true;
    boolean sitemaps;
    int bodyLimit = 8 << 20;
    boolean allBodies;
    AddressPolicy addresses = AddressPolicy.publicOnly();
    Resolver resolver = host -> List.of(InetAddress.getAllByName(host));

    /** The defaults: a polite crawl of the hosts of the seeds. */
    public CrawlOptions() {}

    /** Which URLs belong to the crawl, relative to its seeds. Default: those on the host of a seed. */
    public CrawlOptions scope(Scope.Kind kind) {
        scope = Objects.requireNonNull(kind, "scope");
        return this;
    }

    /**
     * Adds a regular expression; at least one of them has to be found in a URL. Default: none.
     *
     * @throws IllegalArgumentException when it cannot be read
     */
    public CrawlOptions include(String regex) {
        Scope.builder(scope).include(regex);
        includes.add(regex);
        return this;
    }

    /**
     * Adds a regular expression that must not be found in a URL, whatever includes it. Default: none.
     *
     * @throws IllegalArgumentException when it cannot be read
     */
    public CrawlOptions exclude(String regex) {
        Scope.builder(scope).exclude(regex);
        excludes.add(regex);
        return this;
    }

    /** How many links are followed from a seed, at least 0. Default: no limit. */
    public CrawlOptions maxDepth(int links) {
        maxDepth = atLeast(0, links, "maxDepth");
        return this;
    }

    /** Takes no URL for this trap, see {@link TrapGuard}; may be called several times. Default: all traps are avoided. */
    public CrawlOptions allowTrap(Trap trap) {
        allowedTraps.add(trap);
        return this;
    }

    /** After how many pages, of whatever status, the crawl ends, at least 1. Default: no limit. */
    public CrawlOptions maxPages(long pages) {
        maxPages = atLeast(1, pages, "maxPages");
        return this;
    }

    /** After which time the crawl ends, above 0. Default: no limit. */
    public CrawlOptions maxTime(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("maxTime must be above 0: " + time);
        }
        maxTime = time;
        return this;
    }

    /** The time between the starts of two requests to one host, at least 0. Default: 1 second. */
    public CrawlOptions delay(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative: " + time);
        }
        delay = time;
        return this;
    }

    /** Requests to one host that are under way at a time, at least 1. Default: 1. */
    public CrawlOptions perHost(int requests) {
        perHost = atLeast(1, requests, "perHost");
        return this;
    }

    /**
     * Requests to all hosts of a registrable domain together that are under way at a time, from 1 to 32,767. An address,
     * and a host that is a public suffix, is a domain by itself. Default: no limit.
     */
    public CrawlOptions perDomain(int requests) {
        perDomain = atLeast(1, requests, "perDomain");
        if (requests > Short.MAX_VALUE) {
            throw new IllegalArgumentException("perDomain > 32767: " + requests);
        }
        return this;
    }

    /**
     * How many URLs of one host are requested, at least 1. The others are refused, and are done. A crawl that continues
     * after a restart counts anew. Default: no limit.
     */
    public CrawlOptions maxPerHost(int urls) {
        maxPerHost = atLeast(1, urls, "maxPerHost");
        return this;
    }

    /**
     * After how many unanswered requests in a row a host is given up, from 1 to 127. Its other URLs count as failed
     * without being requested, but they are not done: a durable frontier hands them out again when the crawl continues
     * later. Default: 10, which takes about nine minutes and the time of the requests.
     */
    public CrawlOptions maxFailures(int requests) {
        maxFailures = atLeast(1, requests, "maxFailures");
        if (requests > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("maxFailures > 127: " + requests);
        }
        return this;
    }

    /** Requests that are under way at a time in all, from 1 to 10,000, each with a thread. Default: 32. */
    public CrawlOptions concurrency(int requests) {
        concurrency = atLeast(1, requests, "concurrency");
        if (requests > 10_000) {
            throw new IllegalArgumentException("concurrency > 10000: " + requests);
        }
        return this;
    }

    /** The deadline of a whole request, above 0. Default: 30 seconds. */
    public CrawlOptions timeout(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("timeout must be above 0: " + time);
        }
        timeout = time;
        return this;
    }

    /** How often a URL is requested again when that may help, at least 0. Default: 2. */
    public CrawlOptions retries(int times) {
        retries = atLeast(0, times, "retries");
        return this;
    }

    /** The name of the crawler; its first word is looked for in robots.txt. Default: "sieve/VERSION". */
    public CrawlOptions userAgent(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("userAgent must not be blank");
        }
        userAgent = name;
        return this;
    }

    /**
     * Adds a header field that is sent with every request to the origin of a seed, and to no other, since it may hold a
     * password; when the seed is http without a port, also to the same host by https. Default: none.
     */
    public CrawlOptions header(String name, String value) {
        Fetcher.Options.checkHeader(name, value);
        headers.put(name, value);
        return this;
    }

    /** Whether robots.txt is requested and obeyed. Default: true. */
    public CrawlOptions obeyRobots(boolean choice) {
        obeyRobots = choice;
        return this;
    }

    /**
     * Whether to request the sitemaps that the robots.txt of an origin names, on whatever host they are, or for a seed
     * whose origin names none, {@code /sitemap.xml}; what they list counts as links of a seed. When robots.txt is not
     * requested, none is named. Default: false.
     */
    public CrawlOptions sitemaps(boolean choice) {
        sitemaps = choice;
        return this;
    }

    /** Bytes of a body that are read at most, counted after decoding, at least 1. Default: 8 MiB. */
    public CrawlOptions bodyLimit(int bytes) {
        bodyLimit = atLeast(1, bytes, "bodyLimit");
        return this;
    }

    /** Whether bodies of all types are read, or only documents. Default: only documents. */
    public CrawlOptions allBodies(boolean choice) {
        allBodies = choice;
        return this;
    }

    /**
     * Adds a block of addresses that may be requested although they are not public, such as {@code 10.0.0.0/8} or {@code
     * ::1}. See {@link Crawler#open} for a single host and port. Default: none.
     */
    public CrawlOptions allowPrivate(String cidr) {
        addresses = addresses.allowing(cidr);
        return this;
    }

    /** Finds the addresses of hosts. Default: the resolver of the system. */
    public CrawlOptions resolver(Resolver choice) {
        resolver = Objects.requireNonNull(choice, "resolver");
        return this;
    }

    /** These options as they are at this moment. */
    CrawlOptions copy() {
        try {
            CrawlOptions copy = (CrawlOptions) clone();
            copy.includes = List.copyOf(includes);
            copy.excludes = List.copyOf(excludes);
            copy.allowedTraps = Set.copyOf(allowedTraps);
            copy.headers = Map.copyOf(headers);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** What a crawl with these options admits, as long as it has no seed. */
    public Admission newAdmission() {
        Scope.Builder builder = Scope.builder(scope).maxDepth(maxDepth);
        includes.forEach(builder::include);
        excludes.forEach(builder::exclude);
        TrapGuard.Builder traps = TrapGuard.builder();
        allowedTraps.forEach(traps::off);
        return new Admission(builder.build(), traps.build());
    }

    /** A fetcher as a crawl with these options has one, with no place opened; the caller's to close. */
    public Fetcher newFetcher() {
        return new Fetcher(new Fetcher.Options(
                userAgent, headers, timeout, bodyLimit, allBodies, concurrency, resolver, addresses));
    }

    String productToken() {
        return RobotsRules.productToken(userAgent);
    }

    private static int atLeast(int least, int value, String name) {
        return (int) atLeast(least, (long) value, name);
    }

    private static long atLeast(long least, long value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(name + " < " + least + ": " + value);
        }
        return value;
    }

    /** The version of this crawler, from its jar. */
    public static String version() {
        String version = CrawlOptions.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
