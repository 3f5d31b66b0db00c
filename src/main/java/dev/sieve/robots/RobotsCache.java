package dev.sieve.robots;

import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.scope.SkipReason;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/**
 * The robots.txt of the origins that a crawl meets, each asked for once a day, RFC 9309.
 *
 * <p>Each call of {@link #ask} is one request, so that a redirect waits for the next turn of the host like any request;
 * where it leads to another host, that one is not waited for. What an answer means, {@link RobotsStatus} says. An
 * origin whose file cannot be had is closed: its file is asked for again a few times, with pauses, and then not for
 * hours. One that may not be asked for anything is refused with all its URLs; where only a redirect of its file leads
 * to such a place, it is closed.
 *
 * <p>Safe for use by many threads. The origins that were used longest ago are forgotten beyond 20,000.
 */
public final class RobotsCache {
    private static final int MAX_ORIGINS = 20_000;
    private static final Duration UNREACHABLE_FOR = Duration.ofSeconds(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);
    private static final long CLOSED_NANOS = Duration.ofHours(6).toNanos();

    /** What is known of an origin that allows everything. */
    public static final Access OPEN = new Access(RobotsRules.ALLOW_ALL);

    private static final SkipReason FORBIDDEN = new SkipReason("robots.txt", "forbids it");

    private final Fetcher fetcher;
    private final String productToken;
    private final int tries;
    private final InstantSource time;
    private final Map<String, Origin> origins = new LruMap<>(MAX_ORIGINS);

    /**
     * What is known of an origin.
     *
     * @param rules what may be asked for; null while the file cannot be had
     * @param problem why it cannot be had; empty when it can
     * @param pause how long to leave the origin alone before its file is asked for again; zero when that is not to be
     * @param refused why the origin may not be asked for anything; null when it may
     */
    public record Access(RobotsRules rules, String problem, Duration pause, SkipReason refused) {
        private Access(RobotsRules rules) {
            this(rules, "", Duration.ZERO, null);
        }

        private Access(String problem, Duration pause) {
            this(null, problem, pause, null);
        }

        /** Whether the file, or its absence, has settled what is allowed. */
        public boolean isKnown() {
            return rules != null;
        }

        /** Why robots.txt leaves a URL of the origin no request; null when it allows it, or cannot be had. */
        public SkipReason skipReason(String url) {
            return refused == null && isKnown() && !rules.allows(url) ? FORBIDDEN : refused;
        }

        /** Whether the file is elsewhere, which the next {@link RobotsCache#ask} asks for. */
        public boolean isElsewhere() {
            return equals(ELSEWHERE);
        }

        /** Whether the file has to be asked for once more. */
        public boolean isToBeAskedAgain() {
            return !pause.isZero() || isElsewhere();
        }
    }

    private static final Access ELSEWHERE = new Access("elsewhere", Duration.ZERO);

    /** What to ask for next, and how many redirects have led there. */
    private record Hop(String url, int redirects) {}

    /** What is known until some moment; failures in a row that led to it; what to ask for next. */
    private record Origin(Access access, long untilNanos, int failures, Hop hop) {}

    /**
     * A cache that is empty.
     *
     * @param productToken the name whose groups are obeyed
     * @param tries how often a file that cannot be had is asked for in a row, at least 1
     * @param time the date, for a {@code Retry-After} that is one
     */
    public RobotsCache(Fetcher fetcher, String productToken, int tries, InstantSource time) {
        this.fetcher = fetcher;
        this.productToken = productToken;
        this.tries = tries;
        this.time = time;
    }

    /** What is known of an origin at this moment; null when {@link #ask} has to be called first. */
    public synchronized Access known(String origin, long nowNanos) {
        Origin known = origins.get(origin);
        return known == null || known.untilNanos - nowNanos <= 0 ? null : known.access;
    }

    /** Asks an origin for its file, or asks where that is said to be. */
    public Access ask(String origin, long nowNanos) {
        Origin before = before(origin);
        Hop hop = before.hop;
        FetchResult result = fetcher.fetch(hop.url, RobotsRules.MAX_BYTES, true);
        RobotsStatus meaning = RobotsStatus.of(result.status(), hop.redirects);
        if (meaning == RobotsStatus.FOLLOW && result instanceof Redirect redirect) {
            Hop next = new Hop(redirect.target(), hop.redirects + 1);
            return keep(origin, new Origin(ELSEWHERE, nowNanos, before.failures, next));
        } else if (meaning == RobotsStatus.READ && result instanceof Page page) {
            return keep(origin, nowNanos, new Access(RobotsRules.parse(page.body(), productToken)), 0);
        } else if (meaning == RobotsStatus.OPEN) {
            return keep(origin, nowNanos, OPEN, 0);
        } else if (result instanceof Refused refused) {
            return keep(origin, nowNanos, refused(refused, hop.redirects), 0);
        }
        int failures = before.failures % tries + 1;
        return keep(origin, nowNanos, closed(result, failures), failures);
    }

    private synchronized Origin before(String origin) {
        Origin known = origins.get(origin);
        return known == null ? new Origin(null, 0, 0, start(origin)) : known;
    }

    private static Hop start(String origin) {
        return new Hop(origin + "/robots.txt", 0);
    }

    private static Access refused(Refused refused, int redirects) {
        return new Access(null, refused.error(), Duration.ZERO, redirects == 0 ? refused.reason() : null);
    }

    private Access closed(FetchResult result, int failures) {
        String problem = result.error().isEmpty() ? "status " + result.status() : result.error();
        if (failures >= tries) {
            return new Access(problem, Duration.ZERO);
        }
        return new Access(problem, result.status() == 0 ? UNREACHABLE_FOR : pause(result, failures));
    }

    private Duration pause(FetchResult result, int failures) {
        Duration asked = result instanceof Page page ? page.retryAfter(time.instant(), LONGEST_PAUSE) : Duration.ZERO;
        Duration pause = RobotsStatus.CLOSED.holdsFor(failures, asked);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    private Access keep(String origin, long nowNanos, Access access, int failures) {
        long lasts = access.isKnown() ? RobotsStatus.MAX_AGE.toNanos() : access.isToBeAskedAgain() ? 0 : CLOSED_NANOS;
        return keep(origin, new Origin(access, nowNanos + lasts, failures, start(origin)));
    }

    private synchronized Access keep(String origin, Origin known) {
        origins.put(origin, known);
        return known.access;
    }
}
