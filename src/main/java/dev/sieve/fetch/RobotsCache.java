package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.polite.RetryAfter;
import dev.sieve.polite.RobotsAnswer;
import dev.sieve.polite.RobotsRules;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The robots.txt of the origins that a crawl meets, each asked for once a day, RFC 9309.
 *
 * <p>What an answer means, {@link RobotsAnswer} says. An origin whose file cannot be had is closed: its file is asked for
 * again a few times, with pauses, and then not for hours. One that may not be asked for anything is refused with all its
 * URLs; where only a redirect of its file leads to such a place, it is closed.
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

        /** Whether the file has to be asked for once more. */
        public boolean isToBeAskedAgain() {
            return !pause.isZero();
        }
    }

    /** An answer until some moment; failures in a row that led to it. */
    private record Entry(Answer answer, long untilNanos, int failures) {}

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

    /** Asks an origin for its file, which takes a request, and up to five more where it redirects. */
    public Answer ask(String origin, long nowNanos) {
        int failuresBefore = failures(origin);
        String url = origin + "/robots.txt";
        for (int redirects = 0; ; redirects++) {
            FetchResult result = fetcher.fetch(url, RobotsRules.MAX_BYTES, true);
            RobotsAnswer meaning = RobotsAnswer.of(result.status(), redirects);
            if (meaning == RobotsAnswer.FOLLOW && result instanceof Redirect redirect) {
                url = redirect.target();
            } else if (meaning == RobotsAnswer.READ && result instanceof Page page) {
                return keep(origin, nowNanos, new Answer(RobotsRules.parse(page.body(), productToken)), 0);
            } else if (meaning == RobotsAnswer.OPEN) {
                return keep(origin, nowNanos, new Answer(RobotsRules.ALLOW_ALL), 0);
            } else if (result instanceof Refused refused) {
                return keep(origin, nowNanos, refused(refused, redirects), 0);
            } else {
                return keep(origin, nowNanos, closed(result, failuresBefore + 1), failuresBefore + 1);
            }
        }
    }

    private synchronized int failures(String origin) {
        Entry entry = entries.get(origin);
        return entry == null ? 0 : entry.failures % tries;
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
        Duration pause = RobotsAnswer.CLOSED.holdsFor(failures, asked);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    private synchronized Answer keep(String origin, long nowNanos, Answer answer, int failures) {
        long lasts = answer.isKnown() ? RobotsAnswer.MAX_AGE.toNanos() : answer.isToBeAskedAgain() ? 0 : CLOSED_NANOS;
        entries.put(origin, new Entry(answer, nowNanos + lasts, failures));
        return answer;
    }
}
