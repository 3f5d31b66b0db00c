package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlParts;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.Origins;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.PageKeys;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlParts;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Shows what a crawl would request first, and under which rules. Requests the robots.txt of the origins of these URLs
 * and nothing else, from each host at most once, and creates no file.
 */
final class DryRun implements AutoCloseable {
    /** How many URLs are shown, and of how many origins robots.txt is requested at most. */
    private static final int MAX_URLS = 10;

    private static final int MAX_RULES = 5;

    private final Fetcher fetcher;
    private final Origins origins;
    /** Null if robots.txt is ignored. */
    private final @Nullable RobotsCache robots;

    private final PageKeys keys;
    /** By their keys. */
    private final Map<String, String> first = new LinkedHashMap<>();

    private final Map<String, RobotsCache.Found> found = new LinkedHashMap<>();
    private final Set<String> requestedHosts = new HashSet<>();
    private long urls;

    DryRun(CrawlOptions options, boolean obeysRobots) {
        CrawlParts parts = new CrawlParts(options.retries(0));
        keys = options.keys();
        fetcher = parts.fetcher();
        origins = parts.origins(fetcher, List.of());
        robots = obeysRobots ? parts.robots(origins, InstantSource.system()) : null;
    }

    /** Adds a URL that the user has typed, see {@link CrawlStart#addTyped}. */
    void addTyped(String url) {
        open(url);
        add(url);
    }

    /** Allows the host and port of a seed of an earlier run, whatever its address. */
    void open(String url) {
        fetcher.open(url);
    }

    /** Adds a URL after those that are requested before it. */
    void add(String url) {
        String key = keys.of(url);
        if (first.containsKey(key)) {
            return;
        }
        urls++;
        if (first.size() < MAX_URLS) {
            first.put(key, url);
            fetcher.sendHeadersTo(url);
        }
    }

    /** Returns how many URLs were added; those that are shown count once each. */
    long urls() {
        return urls;
    }

    /** Requests robots.txt and returns the rows about it and about the first requests. */
    String requests() {
        StringBuilder lines = new StringBuilder();
        if (robots != null) {
            first.values().stream()
                    .filter(origins::isRemote)
                    .forEach(url -> found.computeIfAbsent(UrlParts.origin(url), origin -> find(robots, origin)));
            found.forEach((origin, robots) -> Summary.row(lines, "robots", "%s: %s", origin, rules(robots)));
        }
        Set<String> shown = new LinkedHashSet<>();
        for (String url : first.values()) {
            String problem = problem(url);
            if (robots != null && origins.isRemote(url) && origins.objection(url) == null) {
                shown.add(UrlParts.origin(url) + "/robots.txt");
            }
            shown.add(problem.isEmpty() ? url : url + "  (not requested: " + problem + ")");
        }
        String name = "first";
        for (String url : shown) {
            Summary.row(lines, name, "%s", url);
            name = "";
        }
        if (urls > first.size()) {
            Summary.row(lines, "", "and %,d more", urls - first.size());
        }
        return lines.toString();
    }

    /** Finds what robots.txt allows; no host is requested twice, since there is no delay here. */
    private RobotsCache.Found find(RobotsCache robots, String origin) {
        RobotsCache.Found robotsTxt = robots.find(origin, 0);
        while (robotsTxt.next() != null && requestedHosts.add(UrlParts.host(robotsTxt.next()))) {
            robots.request(robotsTxt.next(), 0);
            robotsTxt = robots.find(origin, 0);
        }
        return robotsTxt;
    }

    private static String rules(RobotsCache.Found robotsTxt) {
        RobotsCache.Access access = robotsTxt.access();
        if (access == null) {
            return "not requested: " + robotsTxt.next() + " is a second request to its host";
        }
        RobotsRules known = access.rules();
        if (known == null) {
            return "unavailable: " + access.problem();
        }
        List<String> rules = known.lines(MAX_RULES + 1);
        String shown = Printable.of(String.join(", ", rules.subList(0, Math.min(MAX_RULES, rules.size()))));
        Duration delay = known.crawlDelay().orElse(Duration.ZERO);
        return (delay.isZero() ? "" : "Crawl-delay " + Summary.clock(delay) + ", ")
                + (rules.isEmpty() ? "everything is allowed" : shown)
                + (rules.size() > MAX_RULES ? ", and more" : "");
    }

    /** Returns why a URL is not requested; empty if it is. */
    private String problem(String url) {
        Refused objection = origins.objection(url);
        if (objection != null) {
            return objection.reason().text();
        }
        RobotsCache.Found robotsTxt = found.get(UrlParts.origin(url));
        RobotsCache.Access access = robotsTxt == null ? null : robotsTxt.access();
        SkipReason reason = access == null ? null : access.skipReason(url);
        if (reason != null) {
            return reason.text();
        }
        return access == null || access.isKnown() ? "" : text("robots.txt is unavailable: %s", access.problem());
    }

    @Override
    public void close() {
        fetcher.close();
    }
}
