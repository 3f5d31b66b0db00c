package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What the robots.txt of one origin lets one crawler do, by RFC 9309.
 *
 * <p>Groups that name the crawler's product token hold, all of them together; where there is none, the groups for
 * {@code *}. Of the rules that match a path the longest decides, {@code Allow} where two are equally long, and a path
 * that no rule matches is allowed. {@code *} stands for any characters and a {@code $} at the end for the end.
 *
 * <p>Rules are compared byte by byte with the path as it is spelled (Google's reading), and once more with the escapes
 * of unreserved characters decoded on both sides (the reading of RFC 9309, section 2.2.2). Only what both allow is
 * allowed, so that no rule is passed by through a change of spelling.
 *
 * <p>No content, however hostile, makes parsing or asking slow: {@link #MAX_BYTES} are read, in linear time, and asking
 * takes a bounded number of steps, after which the answer is no. Immutable.
 */
public final class RobotsRules {
    /** How much of a robots.txt counts, in bytes; what RFC 9309, section 2.5, demands at the least. */
    public static final int MAX_BYTES = 500 * 1024;

    /** The longest Crawl-delay that is passed on; longer ones are cut to it. */
    public static final Duration MAX_CRAWL_DELAY = Duration.ofHours(24);

    /** How many sitemaps of a robots.txt count. */
    public static final int MAX_SITEMAPS = 1000;

    /** The longest name of a sitemap that counts, in bytes: what the protocol of sitemaps.org allows a URL. */
    public static final int MAX_SITEMAP_LENGTH = 2048;

    /** Everything may be fetched. */
    public static final RobotsRules ALLOW_ALL = new RobotsRules(RuleSet.of(List.of()), Optional.empty(), List.of(), 0);

    /** Nothing may be fetched. */
    public static final RobotsRules DENY_ALL =
            new RobotsRules(RuleSet.of(List.of(new RuleSet.Rule("/", false))), Optional.empty(), List.of(), 0);

    private final RuleSet rules;
    private final Optional<Duration> crawlDelay;
    private final List<String> sitemaps;
    private final int sitemapsLeftOut;

    RobotsRules(RuleSet rules, Optional<Duration> crawlDelay, List<String> sitemaps, int sitemapsLeftOut) {
        this.rules = rules;
        this.crawlDelay = crawlDelay;
        this.sitemaps = List.copyOf(sitemaps);
        this.sitemapsLeftOut = sitemapsLeftOut;
    }

    /**
     * Reads a robots.txt for one crawler. Whatever the content is, rules come of it: lines that are not understood are
     * passed over.
     *
     * @param content the file as it was received, of which at most {@link #MAX_BYTES} count
     * @param productToken what the crawler is called in robots.txt, upper and lower case alike; see
     *     {@link #productToken}
     */
    public static RobotsRules parse(byte[] content, String productToken) {
        return RobotsParser.parse(content, Objects.requireNonNull(productToken, "productToken"));
    }

    /**
     * The product token that a User-Agent header begins with: its leading letters, hyphens and underscores, which are
     * all that a robots.txt can name (RFC 9309, section 2.2.1). Empty when there are none; then only groups for
     * {@code *} hold.
     */
    public static String productToken(String userAgent) {
        return RobotsParser.productToken(userAgent);
    }

    /**
     * Whether a URL may be fetched. Do not ask for {@code /robots.txt} itself, which may always be.
     *
     * @param url a URL or its path and query, percent-encoded as it will be sent; a fragment is ignored
     */
    public boolean allows(String url) {
        return rules.allows(pathAndQuery(url).getBytes(UTF_8));
    }

    /**
     * The least time between two requests that the robots.txt asks for, the longest one where there are several; at
     * most {@link #MAX_CRAWL_DELAY}.
     */
    public Optional<Duration> crawlDelay() {
        return crawlDelay;
    }

    /**
     * The sitemaps that the robots.txt names for any crawler, as they are written there, each once; the first
     * {@link #MAX_SITEMAPS} of those that are not longer than {@link #MAX_SITEMAP_LENGTH}.
     */
    public List<String> sitemaps() {
        return sitemaps;
    }

    /** How many lines name sitemaps that are left out of {@link #sitemaps}, being too many or too long. */
    public int sitemapsLeftOut() {
        return sitemapsLeftOut;
    }

    /** About how many bytes of heap these rules take, so that a cache of them can be bounded. */
    public long memoryBytes() {
        long bytes = 64 + rules.memoryBytes();
        for (String sitemap : sitemaps) {
            bytes += 64 + 2L * sitemap.length();
        }
        return bytes;
    }

    private static String pathAndQuery(String url) {
        int end = url.indexOf('#') < 0 ? url.length() : url.indexOf('#');
        int start = 0;
        if (!url.startsWith("/")) {
            int scheme = url.indexOf("://");
            start = scheme < 0 ? 0 : scheme + 3;
            while (start < end && url.charAt(start) != '/' && url.charAt(start) != '?') {
                start++;
            }
        }
        String path = url.substring(start, Math.max(start, end));
        return path.startsWith("/") ? path : "/" + path;
    }
}
