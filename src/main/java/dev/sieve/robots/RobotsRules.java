package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules that the robots.txt of one origin sets for one crawler, by RFC 9309.
 *
 * <p>All groups that name the crawler's product token apply together or, without one, all groups for {@code *}. Of the
 * rules that match a path the longest applies, {@code Allow} if two are equally long; a path that no rule matches is
 * allowed. In a rule {@code *} matches any characters, and {@code $} at its end matches the end of the path.
 *
 * <p>Rules are compared byte by byte with the path as it is sent (as Google does), and once more with the escapes of
 * unreserved characters decoded on both sides (RFC 9309, section 2.2.2). A path is allowed only if both comparisons
 * allow it, so that another spelling of a path never evades a rule. In a rule, {@code %2A} and {@code %24} match a star
 * and a dollar sign of the path (section 2.2.3).
 *
 * <p>Hostile content makes neither parsing nor matching slow: at most {@link #MAX_BYTES} are parsed, in linear time,
 * and matching takes a bounded number of steps, after which the path is disallowed. The rules take at most about twice
 * the memory of the file. Immutable.
 */
public final class RobotsRules {
    /** How many bytes of a robots.txt are parsed: the least that RFC 9309, section 2.5, permits. */
    public static final int MAX_BYTES = RobotsParser.MAX_BYTES;

    /** The longest Crawl-delay; longer ones are reduced to it. */
    public static final Duration MAX_CRAWL_DELAY = RobotsParser.MAX_CRAWL_DELAY;

    /** Allows every URL. */
    public static final RobotsRules ALLOW_ALL = parse(new byte[0], "");

    /** The User-Agent of a crawler that is served like a browser, up to the name of the crawler. */
    private static final Pattern COMPATIBLE =
            Pattern.compile("Mozilla/[^(]*(?:\\([^)]*\\bcompatible; *([^;)]+))", Pattern.CASE_INSENSITIVE);

    /** The names of the lines of a robots.txt, and of header fields, that say how content may be used. */
    public static final Set<String> SIGNALS = RobotsParser.SIGNALS;

    private final RuleList sent;
    /** The rules with unreserved escapes decoded. */
    private final RuleList decoded;

    private final Optional<Duration> crawlDelay;
    private final List<Signal> signals;
    private final List<String> sitemaps;
    private final int sitemapsLeftOut;

    private RobotsRules(RobotsParser parser) {
        RobotsParser.Group group = parser.group();
        sent = new RuleList(group.rules, false);
        RuleList alternative = new RuleList(group.rules, true);
        decoded = alternative.isSame(sent) ? sent : alternative;
        crawlDelay = group.crawlDelay;
        signals = List.copyOf(group.signals);
        sitemaps = List.copyOf(parser.sitemaps);
        sitemapsLeftOut = parser.sitemapsLeftOut;
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
     * only characters that a robots.txt can name (RFC 9309, section 2.2.1). In one that begins like that of a browser,
     * they are those after {@code compatible;}. If it is empty, only groups for {@code *} apply.
     */
    public static String productToken(String userAgent) {
        Matcher compatible = COMPATIBLE.matcher(userAgent);
        return RobotsParser.productToken(compatible.lookingAt() ? compatible.group(1) : userAgent);
    }

    /**
     * Returns whether a URL, or its path and query, percent-encoded as it will be sent, may be fetched. Not meant for
     * {@code /robots.txt} itself, which may always be fetched.
     */
    public boolean allows(String url) {
        byte[] path = pathAndQuery(url).getBytes(UTF_8);
        return sent.allows(PathSpelling.ofPath(path, false)) && decoded.allows(PathSpelling.ofPath(path, true));
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

    /** Returns the rules for the crawler as lines of a robots.txt, at most so many, in the order of their precedence. */
    public List<String> lines(int most) {
        return sent.lines(most);
    }

    /**
     * Returns how the content of a URL may be used, by the names of the lines that say so: {@code ai-train=no} by
     * {@code content-signal}. Nothing is decided by it.
     */
    public Map<String, String> signals(String url) {
        return signals.isEmpty()
                ? Map.of()
                : Signal.of(signals, PathSpelling.ofPath(pathAndQuery(url).getBytes(UTF_8), false));
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
        return 96
                + sent.memoryBytes()
                + (decoded == sent ? 0 : decoded.memoryBytes())
                + signals.stream().mapToLong(Signal::memoryBytes).sum()
                + sitemaps.stream().mapToLong(url -> 64 + 2L * url.length()).sum();
    }
}
