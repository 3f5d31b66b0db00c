package dev.sieve.robots;

import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.NotSent;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.io.LruMap;
import dev.sieve.polite.BackOff;
import dev.sieve.scope.SkipReason;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.UrlParts;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches and caches robots.txt by RFC 9309: each document for a day, whichever origins it applies to.
 *
 * <p>{@link #find} returns what may be requested from an origin, or the URL of the document that has to be requested
 * first with {@link #request}: the robots.txt of the origin, or the target of its redirect. The caller makes this
 * request when the host of that URL may be requested. {@link RobotsStatus} defines the meaning of a response.
 *
 * <p>An origin whose robots.txt is unavailable is closed: it is requested again a few times, with pauses, and then not
 * for hours. An origin that must not be requested at all is refused with all its URLs; if only a redirect of its
 * robots.txt leads to a forbidden address, or to a URL that robots.txt disallows, it is closed.
 *
 * <p>Safe for use by many threads. The memory of all documents is limited; the least recently used are dropped. Large
 * rules have a half of it for themselves, so that they do not displace the many others.
 */
public final class RobotsCache {
    /** Larger rules, of which ordinary sites have none, are kept separately. */
    private static final int LARGE = 32 << 10;

    /** A document is at most five redirects away, and before each the rules of another origin may have to be read. */
    private static final int REQUESTS_PER_TRY = 2 * (RobotsStatus.MAX_REDIRECTS + 1);

    /** The pause before a robots.txt is requested again that could not be received. */
    public static final Duration UNREACHABLE_FOR = Duration.ofSeconds(2);
    /** Those of a server that responds, but cannot say what is allowed, unless it requests longer ones. */
    private static final BackOff PAUSES = new BackOff(Duration.ofMinutes(1), Duration.ofMinutes(10));

    private static final long CLOSED_NANOS = Duration.ofHours(6).toNanos();
    /** Why a URL that the rules forbid is skipped. */
    public static final SkipReason FORBIDDEN = SkipRule.ROBOTS.reason();

    /** The access to an origin that allows everything. */
    public static final Access OPEN = new Access(RobotsRules.ALLOW_ALL, "", null);

    /** The access to an origin that is closed since its robots.txt was requested too often. */
    public static final Access DROPPED = closed("dropped from the cache");

    private final PageFetcher fetcher;
    private final String productToken;
    private final int tries;
    private final InstantSource time;
    private final LruMap<Document> documents;
    private final LruMap<Document> largeDocuments;

    /** Held while a file is parsed: this may take some megabytes, and there may be many workers. */
    private final Object parsing = new Object();

    /**
     * What may be requested from an origin.
     *
     * @param rules the rules; null while robots.txt is unavailable
     * @param problem why robots.txt is unavailable, in a word or two, perhaps with a detail after a colon; empty
     *     otherwise
     * @param refused why the origin must not be requested at all; null otherwise
     */
    public record Access(
            @Nullable RobotsRules rules,
            String problem,
            @Nullable SkipReason refused) {
        /** Returns whether the rules are known; a missing robots.txt allows everything. */
        public boolean isKnown() {
            return rules != null;
        }

        /** Returns why a URL of the origin must not be requested; null if it may, or if robots.txt is unavailable. */
        public @Nullable SkipReason skipReason(String url) {
            return refused == null && rules != null && !rules.allows(url) ? FORBIDDEN : refused;
        }
    }

    /** What is known of an origin: its access, or the URL to {@link #request} next to find it out. */
    public record Found(@Nullable Access access, @Nullable String next) {}

    /**
     * The response to the last request for a URL: the access that it grants, or the target of its redirect.
     *
     * @param untilNanos until when this holds
     * @param failures how many consecutive requests have failed
     */
    private record Document(
            @Nullable Access access, @Nullable String target, long untilNanos, int failures) {
        long memoryBytes() {
            RobotsRules rules = access == null ? null : access.rules;
            return 256
                    + (access == null ? 0 : 2L * access.problem.length())
                    + (target == null ? 0 : target.length())
                    + (rules == null ? 0 : rules.memoryBytes());
        }
    }

    /**
     * Creates an empty cache.
     *
     * @param productToken the name whose groups apply
     * @param tries how many consecutive requests are made for an unavailable robots.txt, at least 1
     * @param time the date, for a {@code Retry-After} with a date
     * @param maxBytes the heap that all documents may take
     */
    public RobotsCache(PageFetcher fetcher, String productToken, int tries, InstantSource time, long maxBytes) {
        documents = new LruMap<>(maxBytes / 2, Document::memoryBytes);
        largeDocuments = new LruMap<>(maxBytes / 2, Document::memoryBytes);
        this.fetcher = fetcher;
        this.productToken = productToken;
        this.tries = tries;
        this.time = time;
    }

    /** Returns the access to an origin or, if it is not known, what to request next. */
    public Found find(String origin, long nowNanos) {
        Found found = follow(origin, nowNanos);
        String target = found.next;
        if (target == null || isOwn(target, origin)) {
            return found;
        }
        String other = UrlParts.origin(target);
        if (target.equals(start(other))) {
            return found;
        }
        Found rules = follow(other, nowNanos);
        if (rules.next != null) {
            return isOwn(rules.next, other) ? rules : new Found(closedBy(other, "is redirected, too"), null);
        }
        Access access = Objects.requireNonNull(rules.access);
        if (!access.isKnown()) {
            boolean isRefused = access.refused != null;
            return new Found(isRefused ? closed(access.problem) : closedBy(other, "is unavailable"), null);
        }
        return access.skipReason(target) == null ? found : new Found(closedBy(other, "forbids it"), null);
    }

    private static boolean isOwn(String url, String origin) {
        return UrlParts.origin(url).equals(origin);
    }

    private static Access closedBy(String origin, String problem) {
        return closed("redirect: to " + origin + ", whose robots.txt " + problem);
    }

    /** Follows the redirects that are known. */
    private Found follow(String origin, long nowNanos) {
        String url = start(origin);
        for (int redirects = 0; redirects <= RobotsStatus.MAX_REDIRECTS; redirects++) {
            Document document = document(url);
            if (document == null || document.untilNanos - nowNanos <= 0) {
                return new Found(null, url);
            }
            if (document.target == null) {
                Access access = Objects.requireNonNull(document.access);
                boolean isRefusedElsewhere = redirects > 0 && access.refused != null;
                return new Found(isRefusedElsewhere ? closed(access.problem) : access, null);
            }
            url = document.target;
        }
        return new Found(OPEN, null);
    }

    /**
     * Requests a URL that {@link #find} has returned. Returns how long its host has to pause now: as long as it
     * requests, and a while before the same URL is requested again.
     */
    public Duration request(String url, long nowNanos) {
        return request(url, nowNanos, FetchRequest.Watch.NONE, exchange -> {});
    }

    /** Does as {@link #request(String, long)} unless the watch prevents it, and passes on the exchange, if there is one. */
    public Duration request(String url, long nowNanos, FetchRequest.Watch watch, Consumer<Exchange> exchanges) {
        // One byte more than is parsed, so that the parser can see whether the last line is complete.
        FetchRequest.Body body = FetchRequest.Body.upTo(RobotsRules.MAX_BYTES + 1);
        FetchResult result = fetcher.fetch(new FetchRequest(url).reading(body).watchedBy(watch));
        try {
            Duration pause = keep(url, nowNanos, result);
            Optional.ofNullable(result.exchange()).ifPresent(exchanges);
            return pause;
        } finally {
            fetcher.release(result);
        }
    }

    /** Notes that a URL that {@link #find} has returned cannot be requested. */
    public void close(String url, String problem, long nowNanos) {
        keep(url, nowNanos, closed(problem));
    }

    private Duration keep(String url, long nowNanos, FetchResult result) {
        RobotsStatus status = RobotsStatus.of(result.status());
        if (status == RobotsStatus.FOLLOW && result instanceof Redirect redirect) {
            long until = nowNanos + RobotsStatus.MAX_AGE.toNanos();
            keep(url, new Document(null, redirect.target(), until, 0));
        } else if (status == RobotsStatus.READ && result instanceof Page page && page.problem() == null) {
            keep(url, nowNanos, new Access(parse(page), "", null));
        } else if (status == RobotsStatus.OPEN) {
            keep(url, nowNanos, OPEN);
        } else if (result instanceof Refused refused) {
            keep(url, nowNanos, new Access(null, refused.error(), refused.reason()));
        } else if (!(result instanceof NotSent)
                && !(result instanceof Failed failed && failed.reason() == Reason.CLOSED)) {
            return keepFailure(url, nowNanos, result);
        }
        return Duration.ZERO;
    }

    private Duration keepFailure(String url, long nowNanos, FetchResult result) {
        Document before = document(url);
        boolean isRead = RobotsStatus.of(result.status()) == RobotsStatus.READ;
        // A body that cannot be decoded would be the same again.
        boolean isLast = isRead && !result.isWorthRetrying();
        int failures = isLast ? tries : (before == null ? 0 : before.failures % tries) + 1;
        String problem = result.description().isEmpty() ? "status " + result.status() : result.description();
        long lasts = failures < tries ? 0 : CLOSED_NANOS;
        keep(url, new Document(closed(problem), null, nowNanos + lasts, failures));
        return pause(result, failures);
    }

    private void keep(String url, long nowNanos, Access access) {
        long lasts = access.isKnown() ? RobotsStatus.MAX_AGE.toNanos() : CLOSED_NANOS;
        keep(url, new Document(access, null, nowNanos + lasts, 0));
    }

    private synchronized void keep(String url, Document document) {
        boolean isLarge = document.memoryBytes() > LARGE;
        (isLarge ? documents : largeDocuments).remove(url);
        (isLarge ? largeDocuments : documents).put(url, document);
    }

    private RobotsRules parse(Page page) {
        synchronized (parsing) {
            return RobotsRules.parse(page.body(), productToken);
        }
    }

    private synchronized @Nullable Document document(String url) {
        Document known = documents.get(url);
        return known == null ? largeDocuments.get(url) : known;
    }

    /** Returns how many requests an origin may take until its rules are known or it is closed, if none is dropped. */
    public int maxRequests() {
        return (int) Math.min(Integer.MAX_VALUE, (long) tries * REQUESTS_PER_TRY);
    }

    /** Returns the heap that all documents take. */
    public synchronized long memoryBytes() {
        return documents.bytes() + largeDocuments.bytes();
    }

    private static String start(String origin) {
        return origin + "/robots.txt";
    }

    private static Access closed(String problem) {
        return new Access(null, problem, null);
    }

    private Duration pause(FetchResult result, int failures) {
        Duration requested = result instanceof Page page ? page.retryAfter(time.instant()) : Duration.ZERO;
        if (failures >= tries) {
            return requested;
        }
        if (result.status() == 0 || result.isSuccess()) {
            return UNREACHABLE_FOR;
        }
        return PAUSES.pause(failures, requested);
    }
}
