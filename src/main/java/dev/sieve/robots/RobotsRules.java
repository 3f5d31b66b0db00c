package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The rules that the robots.txt of one origin sets for one crawler, by RFC 9309.
 *
 * <p>All groups that name the crawler's product token apply together or, without one, all groups for {@code *}. Of the
 * rules that match a path the longest applies, {@code Allow} if two are equally long; a path that no rule matches is
 * allowed. In a rule {@code *} matches any characters, and {@code $} at its end matches the end of the path.
 *
 * <p>Rules are compared byte by byte with the path as it is sent (as Google does), and once more with the escapes of
 * unreserved characters decoded on both sides (RFC 9309, section 2.2.2). A path is allowed only if both comparisons
 * allow it, so that another spelling of a path never evades a rule.
 *
 * <p>Hostile content makes neither parsing nor matching slow: at most {@link #MAX_BYTES} are parsed, in linear time, and
 * matching takes a bounded number of steps, after which the path is disallowed. Immutable.
 */
public final class RobotsRules {
    /** How many bytes of a robots.txt are parsed: the least that RFC 9309, section 2.5, permits. */
    public static final int MAX_BYTES = RobotsParser.MAX_BYTES;

    /** The longest Crawl-delay; longer ones are reduced to it. */
    public static final Duration MAX_CRAWL_DELAY = RobotsParser.MAX_CRAWL_DELAY;

    private static final Comparator<RobotsParser.Rule> BY_PRECEDENCE = Comparator.comparingInt(
                    (RobotsParser.Rule rule) -> -rule.pattern().length())
            .thenComparing(rule -> !rule.allow());

    /** Allows every URL. */
    public static final RobotsRules ALLOW_ALL = parse(new byte[0], "");

    // The rules in order of precedence, as they are sent and with unreserved escapes decoded.
    private final List<Rule> sent;
    private final List<Rule> decoded;
    private final Optional<Duration> crawlDelay;
    private final List<String> sitemaps;
    private final int sitemapsLeftOut;

    private record Rule(PathPattern pattern, boolean allow) {}

    private RobotsRules(RobotsParser parser) {
        RobotsParser.Group group = parser.group();
        List<RobotsParser.Rule> decodedRules =
                group.rules.stream().map(RobotsParser.Rule::decoded).toList();
        sent = compile(group.rules);
        decoded = decodedRules.equals(group.rules) ? sent : compile(decodedRules);
        crawlDelay = group.crawlDelay;
        sitemaps = List.copyOf(parser.sitemaps);
        sitemapsLeftOut = parser.sitemapsLeftOut;
    }

    private static List<Rule> compile(List<RobotsParser.Rule> rules) {
        return new LinkedHashSet<>(rules)
                .stream()
                        .sorted(BY_PRECEDENCE)
                        .map(rule -> new Rule(new PathPattern(rule.pattern()), rule.allow()))
                        .toList();
    }

    /**
     * Parses a robots.txt for one crawler. Any content yields rules: lines that cannot be parsed are skipped.
     *
     * @param content the file as it was received; at most {@link #MAX_BYTES} are parsed
     * @param productToken the name of the crawler in robots.txt, in any case; see {@link #productToken}
     */
    public static RobotsRules parse(byte[] content, String productToken) {
        return new RobotsRules(new RobotsParser(content, Objects.requireNonNull(productToken, "productToken")));
    }

    /**
     * Returns the product token at the start of a User-Agent header: its leading letters, hyphens and underscores, the
     * only characters that a robots.txt can name (RFC 9309, section 2.2.1). If it is empty, only groups for {@code *}
     * apply.
     */
    public static String productToken(String userAgent) {
        return RobotsParser.productToken(userAgent);
    }

    /**
     * Returns whether a URL may be fetched. Not meant for {@code /robots.txt} itself, which may always be fetched.
     *
     * @param url a URL or its path and query, percent-encoded as it will be sent; a fragment is ignored
     */
    public boolean allows(String url) {
        String path = PathSpelling.ofPath(pathAndQuery(url).getBytes(UTF_8));
        if (!allows(sent, path)) {
            return false;
        }
        String decodedPath = PathSpelling.decoded(path);
        return (decoded == sent && decodedPath.equals(path)) || allows(decoded, decodedPath);
    }

    /** Whether the first rule that matches allows the path, or no rule matches; false when the steps are used up. */
    private static boolean allows(List<Rule> rules, String text) {
        PathPattern.Path path = new PathPattern.Path(text);
        for (Rule rule : rules) {
            if (rule.pattern.matches(path)) {
                return rule.allow;
            }
        }
        return !path.isExhausted();
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

    /** Returns the longest Crawl-delay for the crawler, at most {@link #MAX_CRAWL_DELAY}. */
    public Optional<Duration> crawlDelay() {
        return crawlDelay;
    }

    /**
     * Returns the sitemaps that the robots.txt names, as they are written there and without duplicates: the first 1,000
     * of those that are not longer than 2,048 bytes, the limit of the sitemaps.org protocol.
     */
    public List<String> sitemaps() {
        return sitemaps;
    }

    /** Returns how many sitemap lines exceed the limits and are missing from {@link #sitemaps}. */
    public int sitemapsLeftOut() {
        return sitemapsLeftOut;
    }

    /** Returns the approximate heap size of these rules in bytes, for caches of bounded size. */
    public long memoryBytes() {
        long bytes = 96 + memoryBytes(sent) + (decoded == sent ? 0 : memoryBytes(decoded));
        for (String sitemap : sitemaps) {
            bytes += 64 + 2L * sitemap.length();
        }
        return bytes;
    }

    private static long memoryBytes(List<Rule> rules) {
        return rules.stream().mapToLong(rule -> 28 + rule.pattern.memoryBytes()).sum();
    }
}
