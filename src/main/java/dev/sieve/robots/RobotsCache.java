package dev.sieve.robots;

import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.polite.RetryAfter;
import dev.sieve.scope.SkipReason;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Fetches and caches the robots.txt of each origin for a day, by RFC 9309.
 *
 * <p>Each call of {@link #ask} makes one request, so that a redirect is followed only after the delay of the host; if it
 * leads to another host, the delay of that host is not observed. {@link RobotsStatus} defines the meaning of a response.
 *
 * <p>An origin whose robots.txt is unavailable is closed: it is requested again a few times, with pauses, and then not for
 * hours. An origin that must not be requested at all is refused with all its URLs; if only a redirect of its robots.txt
 * leads to a forbidden address, it is closed.
 *
 * <p>Safe for use by many threads. The memory of all origins is limited; the least recently used are dropped. Those with
 * large rules have a half of it for themselves, so that they do not displace the many others.
 */
public final class RobotsCache {
    /** Larger rules, of which ordinary sites have none, are kept separately. */
    private static final int LARGE = 32 << 10;

    /** A response is at most five redirects away, as {@link RobotsStatus} defines it. */
    private static final int REQUESTS_PER_TRY = 6;

    private static final Duration UNREACHABLE_FOR = Duration.ofSeconds(2);
    /** The longest pause that the server does not request. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    private static final long CLOSED_NANOS = Duration.ofHours(6).toNanos();
    /** Why a URL that the rules forbid is skipped. */
    public static final SkipReason FORBIDDEN = new SkipReason("robots.txt", "forbids it");

    /** The access to an origin that allows everything. */
    public static final Access OPEN = new Access(RobotsRules.ALLOW_ALL, "", Duration.ZERO, null);

    /** The access to an origin that is closed since its robots.txt was requested too often. */
    public static final Access DROPPED = closed("dropped from the cache", Duration.ZERO);

    private static final Access ELSEWHERE = closed("elsewhere", Duration.ZERO);

    private final Fetcher fetcher;
    private final String productToken;
    private final int tries;
    private final InstantSource time;
    private final LruMap<Origin> origins;
    private final LruMap<Origin> largeOrigins;

    /** Held while a file is parsed: this may take some megabytes, and there may be many workers. */
    private final Object parsing = new Object();

    /**
     * What may be requested from an origin.
     *
     * @param rules the rules; null while robots.txt is unavailable
     * @param problem why robots.txt is unavailable; empty otherwise
     * @param pause how long to wait before robots.txt is requested again; zero if it is not
     * @param refused why the origin must not be requested at all; null otherwise
     */
    public record Access(
            @Nullable RobotsRules rules,
            String problem,
            Duration pause,
            @Nullable SkipReason refused) {
        /** Returns whether the rules are known; a missing robots.txt allows everything. */
        public boolean isKnown() {
            return rules != null;
        }

        /** Returns why a URL of the origin must not be requested; null if it may, or if robots.txt is unavailable. */
        public @Nullable SkipReason skipReason(String url) {
            return refused == null && rules != null && !rules.allows(url) ? FORBIDDEN : refused;
        }

        /** Returns whether robots.txt was redirected; the next {@link RobotsCache#ask} requests the target. */
        public boolean isElsewhere() {
            return equals(ELSEWHERE);
        }

        /** Returns whether robots.txt is requested again soon. */
        public boolean isRequestedAgain() {
            return !pause.isZero() || isElsewhere();
        }
    }

    /** The access until a moment, the consecutive failures before it, the next request, and the redirects to it. */
    private record Origin(Access access, long untilNanos, int failures, String url, int redirects) {
        long memoryBytes() {
            RobotsRules rules = access.rules;
            return 256 + url.length() + 2L * access.problem.length() + (rules == null ? 0 : rules.memoryBytes());
        }
    }

    /**
     * Creates an empty cache.
     *
     * @param productToken the name whose groups apply
     * @param tries how many consecutive requests are made for an unavailable robots.txt, at least 1
     * @param time the date, for a {@code Retry-After} with a date
     * @param maxBytes the heap that all origins may take
     */
    public RobotsCache(Fetcher fetcher, String productToken, int tries, InstantSource time, long maxBytes) {
        origins = new LruMap<>(maxBytes / 2, Origin::memoryBytes);
        largeOrigins = new LruMap<>(maxBytes / 2, Origin::memoryBytes);
        this.fetcher = fetcher;
        this.productToken = productToken;
        this.tries = tries;
        this.time = time;
    }

    /** Returns the cached access to an origin; null when {@link #ask} has to be called first. */
    public synchronized @Nullable Access known(String origin, long nowNanos) {
        Origin known = find(origin);
        return known == null || known.untilNanos - nowNanos <= 0 ? null : known.access;
    }

    /** Requests the robots.txt of an origin, or the target of its redirect. */
    public Access ask(String origin, long nowNanos) {
        Origin before = before(origin);
        // One byte more than is parsed, so that the parser can see whether the last line is complete.
        FetchResult result = fetcher.fetch(before.url, RobotsRules.MAX_BYTES + 1, true);
        try {
            return keep(origin, nowNanos, before, result);
        } finally {
            fetcher.release(result);
        }
    }

    private Access keep(String origin, long nowNanos, Origin before, FetchResult result) {
        RobotsStatus status = RobotsStatus.of(result.status(), before.redirects);
        if (status == RobotsStatus.FOLLOW && result instanceof Redirect redirect) {
            int redirects = before.redirects + 1;
            return keep(origin, new Origin(ELSEWHERE, nowNanos, before.failures, redirect.target(), redirects));
        } else if (status == RobotsStatus.READ && result instanceof Page page) {
            return keep(origin, nowNanos, new Access(parse(page), "", Duration.ZERO, null), 0);
        } else if (status == RobotsStatus.OPEN) {
            return keep(origin, nowNanos, OPEN, 0);
        } else if (result instanceof Refused refused) {
            SkipReason reason = before.redirects == 0 ? refused.reason() : null;
            return keep(origin, nowNanos, new Access(null, refused.error(), Duration.ZERO, reason), 0);
        }
        int failures = before.failures % tries + 1;
        String problem = result.error().isEmpty() ? "status " + result.status() : result.error();
        return keep(origin, nowNanos, closed(problem, pause(result, failures)), failures);
    }

    private RobotsRules parse(Page page) {
        synchronized (parsing) {
            return RobotsRules.parse(page.body(), productToken);
        }
    }

    private synchronized Origin before(String origin) {
        Origin known = find(origin);
        return known == null ? new Origin(ELSEWHERE, 0, 0, start(origin), 0) : known;
    }

    private @Nullable Origin find(String origin) {
        Origin known = origins.get(origin);
        return known == null ? largeOrigins.get(origin) : known;
    }

    /** Returns how many requests an origin may take until its rules are known or it is closed, if none is dropped. */
    public int maxRequests() {
        return (int) Math.min(Integer.MAX_VALUE, (long) tries * REQUESTS_PER_TRY);
    }

    /** Returns the heap that all origins take. */
    public synchronized long memoryBytes() {
        return origins.bytes() + largeOrigins.bytes();
    }

    private static String start(String origin) {
        return origin + "/robots.txt";
    }

    private static Access closed(String problem, Duration pause) {
        return new Access(null, problem, pause, null);
    }

    private Duration pause(FetchResult result, int failures) {
        if (failures >= tries) {
            return Duration.ZERO;
        }
        if (result.status() == 0) {
            return UNREACHABLE_FOR;
        }
        Duration requested =
                result instanceof Page page ? page.retryAfter(time.instant(), RetryAfter.LONGEST) : Duration.ZERO;
        Duration own = RobotsStatus.CLOSED.holdsFor(failures, Duration.ZERO);
        Duration pause = own.compareTo(LONGEST_PAUSE) < 0 ? own : LONGEST_PAUSE;
        return pause.compareTo(requested) > 0 ? pause : requested;
    }

    private Access keep(String origin, long nowNanos, Access access, int failures) {
        long lasts = access.isKnown() ? RobotsStatus.MAX_AGE.toNanos() : access.isRequestedAgain() ? 0 : CLOSED_NANOS;
        return keep(origin, new Origin(access, nowNanos + lasts, failures, start(origin), 0));
    }

    private synchronized Access keep(String origin, Origin known) {
        boolean isLarge = known.memoryBytes() > LARGE;
        (isLarge ? origins : largeOrigins).remove(origin);
        (isLarge ? largeOrigins : origins).put(origin, known);
        return known.access;
    }
}
