package dev.sieve.robots;

import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.polite.RetryAfter;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
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

    private final Fetcher fetcher;
    private final String productToken;
    private final int tries;
    private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
            return size() > MAX_ORIGINS;
        }
    };

    /**
     * What is known of an origin.
     *
     * @param rules what may be asked for; null while the file cannot be had
     * @param problem why it cannot be had; empty when it can
     * @param pause how long to leave the origin alone before its file is asked for again; zero when that is not to be
     * @param refused why the origin may not be asked for anything; null when it may
     */
    public record Answer(RobotsRules rules, String problem, Duration pause, Refused refused) {
        private Answer(RobotsRules rules) {
            this(rules, "", Duration.ZERO, null);
        }

        private Answer(String problem, Duration pause) {
            this(null, problem, pause, null);
        }

        /** Whether the file, or its absence, has settled what is allowed. */
        public boolean isKnown() {
            return rules != null;
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

    private static final Answer ELSEWHERE = new Answer("elsewhere", Duration.ZERO);

    /** What to ask for next, and how many redirects have led there. */
    private record Hop(String url, int redirects) {}

    /** An answer until some moment; failures in a row that led to it; where the file is, if elsewhere. */
    private record Entry(Answer answer, long untilNanos, int failures, Hop hop) {}

    /**
     * A cache that is empty.
     *
     * @param productToken the name whose groups are obeyed
     * @param tries how often a file that cannot be had is asked for in a row, at least 1
     */
    public RobotsCache(Fetcher fetcher, String productToken, int tries) {
        this.fetcher = fetcher;
        this.productToken = productToken;
        this.tries = tries;
    }

    /** What is known of an origin at this moment; null when {@link #ask} has to be called first. */
    public synchronized Answer known(String origin, long nowNanos) {
        Entry entry = entries.get(origin);
        return entry == null || entry.untilNanos - nowNanos <= 0 ? null : entry.answer;
    }

    /** Asks an origin for its file, or asks where that is said to be. */
    public Answer ask(String origin, long nowNanos) {
        Entry before = entry(origin);
        Hop hop = before.hop;
        FetchResult result = fetcher.fetch(hop.url, RobotsRules.MAX_BYTES, true);
        RobotsStatus meaning = RobotsStatus.of(result.status(), hop.redirects);
        if (meaning == RobotsStatus.FOLLOW && result instanceof Redirect redirect) {
            Hop next = new Hop(redirect.target(), hop.redirects + 1);
            return keep(origin, new Entry(ELSEWHERE, nowNanos, before.failures, next));
        } else if (meaning == RobotsStatus.READ && result instanceof Page page) {
            return keep(origin, nowNanos, new Answer(RobotsRules.parse(page.body(), productToken)), 0);
        } else if (meaning == RobotsStatus.OPEN) {
            return keep(origin, nowNanos, new Answer(RobotsRules.ALLOW_ALL), 0);
        } else if (result instanceof Refused refused) {
            return keep(origin, nowNanos, refused(refused, hop.redirects), 0);
        }
        int failures = before.failures % tries + 1;
        return keep(origin, nowNanos, closed(result, failures), failures);
    }

    private synchronized Entry entry(String origin) {
        Entry entry = entries.get(origin);
        return entry == null ? new Entry(null, 0, 0, start(origin)) : entry;
    }

    private static Hop start(String origin) {
        return new Hop(origin + "/robots.txt", 0);
    }

    private static Answer refused(Refused refused, int redirects) {
        return new Answer(null, refused.error(), Duration.ZERO, redirects == 0 ? refused : null);
    }

    private Answer closed(FetchResult result, int failures) {
        String problem = result.error().isEmpty() ? "status " + result.status() : result.error();
        if (failures >= tries) {
            return new Answer(problem, Duration.ZERO);
        }
        return new Answer(problem, result.status() == 0 ? UNREACHABLE_FOR : pause(result, failures));
    }

    private static Duration pause(FetchResult result, int failures) {
        String value = result instanceof Page page ? page.header("retry-after") : null;
        Duration asked = value == null
                ? Duration.ZERO
                : RetryAfter.parse(value, Instant.now()).orElse(Duration.ZERO);
        Duration pause = RobotsStatus.CLOSED.holdsFor(failures, asked);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    private Answer keep(String origin, long nowNanos, Answer answer, int failures) {
        long lasts = answer.isKnown() ? RobotsStatus.MAX_AGE.toNanos() : answer.isToBeAskedAgain() ? 0 : CLOSED_NANOS;
        return keep(origin, new Entry(answer, nowNanos + lasts, failures, start(origin)));
    }

    private synchronized Answer keep(String origin, Entry entry) {
        entries.put(origin, entry);
        return entry.answer;
    }
}
