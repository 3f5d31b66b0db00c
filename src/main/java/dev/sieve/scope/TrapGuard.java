package dev.sieve.scope;

import dev.sieve.url.UrlParts;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Knows URLs by which a site would keep a crawler busy for ever, by intent or by mistake.
 *
 * <p>{@link #judge} names the first limit of {@link Trap}, in the order there, that a URL is beyond. Some look at the
 * URL alone. {@link Trap#SHAPE}, {@link Trap#HOST} and {@link Trap#DOMAIN} count what was {@link #accepted} before: tell
 * the guard of every URL that turned out to be new, and of no other one, so that a page which is linked to from
 * everywhere counts once.
 *
 * <p>Memory is fixed: below 4 MB, whatever is crawled. Shapes, hosts and domains that were met longest ago make room for
 * others, and begin at zero when they come again; traps are met all the time. Counts are of this process only.
 *
 * <p>Safe for use by many threads. Threads that judge before others have accepted may take a count beyond its limit by
 * what they hold between the two. Both cost well below a microsecond.
 */
public final class TrapGuard {
    private static final int SHAPES = 1 << 17;
    private static final int HOSTS = 1 << 17;
    private static final int DOMAINS = 1 << 14;

    private final Map<Trap, Integer> limits = new EnumMap<>(Trap.class);
    private final UrlShape shape;
    private final RecentCounts shapes = new RecentCounts(SHAPES);
    private final RecentCounts hosts = new RecentCounts(HOSTS);
    private final RecentCounts domains = new RecentCounts(DOMAINS);

    private TrapGuard(Builder builder) {
        for (Trap trap : Trap.values()) {
            limits.put(trap, builder.limits.getOrDefault(trap, trap.defaultLimit()));
        }
        shape = new UrlShape(new SecureRandom().nextLong());
    }

    /** A guard with the default limits, unless {@link Builder#limit} or {@link Builder#off} change them. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The trap that a URL is taken for.
     *
     * @param url a URL to fetch, as the normaliser gives it
     * @return null when it is none
     */
    public Trap judge(String url) {
        int path = UrlParts.pathStart(url);
        int query = url.indexOf('?', path);
        int pathEnd = query < 0 ? url.length() : query;
        if (url.length() > limit(Trap.LENGTH)) {
            return Trap.LENGTH;
        }
        Trap trap = judgePath(url, path, pathEnd);
        if (trap == null && query >= 0) {
            trap = judgeQuery(url, query + 1);
        }
        return trap == null ? judgeCounts(url) : trap;
    }

    /** Why a URL is skipped as a trap; null when it is none. Parameters as for {@link #judge}. */
    public SkipReason skipReason(String url) {
        Trap trap = judge(url);
        return trap == null
                ? null
                : new SkipReason(
                        "trap " + trap.words(),
                        String.format(Locale.ROOT, "more than %,d %s", limit(trap), trap.counted()));
    }

    private Trap judgePath(String url, int from, int end) {
        if (Repetition.count('/', url, from, end) > limit(Trap.PATH_DEPTH)) {
            return Trap.PATH_DEPTH;
        }
        return Repetition.exceeds(limit(Trap.REPEATED_SEGMENTS), url, from + 1, end, "/")
                ? Trap.REPEATED_SEGMENTS
                : null;
    }

    private Trap judgeQuery(String url, int from) {
        int end = url.length();
        if (Repetition.count('&', url, from, end) >= limit(Trap.PARAMETERS)) {
            return Trap.PARAMETERS;
        }
        return Repetition.exceeds(limit(Trap.REPEATED_PARAMETERS), url, from, end, "&=;/?")
                ? Trap.REPEATED_PARAMETERS
                : null;
    }

    private Trap judgeCounts(String url) {
        if (shapes.count(shape.of(url)) >= limit(Trap.SHAPE)) {
            return Trap.SHAPE;
        }
        int ofHost = hosts.count(shape.ofHost(url));
        if (ofHost >= limit(Trap.HOST)) {
            return Trap.HOST;
        }
        boolean newHost = ofHost == 0 && limit(Trap.DOMAIN) < Integer.MAX_VALUE;
        return newHost && domains.count(shape.ofDomain(url)) >= limit(Trap.DOMAIN) ? Trap.DOMAIN : null;
    }

    /**
     * Counts a URL that was new.
     *
     * @param url a URL to fetch, as the normaliser gives it
     */
    public void accepted(String url) {
        shapes.increment(shape.of(url));
        if (hosts.increment(shape.ofHost(url)) == 1 && limit(Trap.DOMAIN) < Integer.MAX_VALUE) {
            domains.increment(shape.ofDomain(url));
        }
    }

    /** The most that is no trap; {@link Integer#MAX_VALUE} when there is no limit. */
    private int limit(Trap trap) {
        return limits.get(trap);
    }

    /** Sets the limits of a guard. */
    public static final class Builder {
        private final Map<Trap, Integer> limits = new EnumMap<>(Trap.class);

        private Builder() {}

        /**
         * Sets a limit: the most that is no trap. Default: {@link Trap#defaultLimit}.
         *
         * @throws IllegalArgumentException when it is less than 1
         */
        public Builder limit(Trap trap, int limit) {
            if (limit < 1) {
                throw new IllegalArgumentException(trap + " < 1: " + limit);
            }
            limits.put(trap, limit);
            return this;
        }

        /** Takes a limit away: nothing is this trap. */
        public Builder off(Trap trap) {
            limits.put(trap, Integer.MAX_VALUE);
            return this;
        }

        /** Takes all limits away: nothing is a trap. */
        public Builder allOff() {
            for (Trap trap : Trap.values()) {
                off(trap);
            }
            return this;
        }

        /** The guard with these limits. */
        public TrapGuard build() {
            return new TrapGuard(this);
        }
    }
}
