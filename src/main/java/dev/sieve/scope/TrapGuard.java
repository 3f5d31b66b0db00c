package dev.sieve.scope;

import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recognises crawler traps: sites with endless numbers of URLs, by intent or by mistake.
 *
 * <p>{@link #judge} returns the first {@link Trap}, in the order there, whose limit a URL exceeds. Some depend on the
 * URL alone; {@link Trap#SHAPE}, {@link Trap#HOST} and {@link Trap#DOMAIN} count the URLs that were {@link #accepted}.
 * The caller accepts only new URLs, so that a page with many links to it counts once.
 *
 * <p>{@link Trap#ERROR_PAGES} and {@link Trap#SAME_TEXT} depend on what was {@link #visited}.
 *
 * <p>Memory is fixed: below 7 MiB, whatever is crawled. Counts that were used longest ago make room for others, and
 * start at zero again; the counts of a trap are used all the time. Counts do not survive the process, unless they are
 * passed on as by {@link #ofHosts}.
 *
 * <p>All URLs passed in are URLs to fetch, as returned by the normaliser. Safe for use by many threads; a count may
 * exceed its limit by the URLs that other threads have judged and not yet accepted. Both take well below a microsecond.
 */
public final class TrapGuard {
    private static final int SHAPES = 1 << 17;
    private static final int HOSTS = 1 << 17;
    private static final int DOMAINS = 1 << 14;
    private static final int PAGES = 1 << 16;

    /** Pages with the same text of which further ones are suspect. */
    private static final int COPIES = 50;

    /** Pairs of pages with the same text without which a parameter is not taken for a session. */
    private static final int PAIRS = 3;

    /** A page with more links than these has links everywhere. */
    private static final int EVERYWHERE = 50;

    /** A page with another text makes up for so many suspect ones. */
    private static final int PER_OTHER_TEXT = 19;

    /** Of a domain outside of the crawl, the limit of hosts is divided by this number. */
    private static final int OUTSIDE = 10;

    /** The bit of a key that is set for hosts and not for shapes. */
    private static final long HOST_BIT = 1;

    private static final long SAME = 2;
    private static final long OTHER = 4;

    private final Map<Trap, Integer> limits = new EnumMap<>(Trap.class);
    private final UrlShape shape;
    private final RecentCounts shapes = new RecentCounts(SHAPES);
    private final RecentCounts hosts = new RecentCounts(HOSTS);
    private final RecentCounts domains = new RecentCounts(DOMAINS);
    private final RecentCounts errorPages = new RecentCounts(PAGES);
    private final RecentCounts texts = new RecentCounts(PAGES);
    private final RecentCounts duplicates = new RecentCounts(PAGES);
    /** How many pages in a row were suspect, by host. */
    private final RecentCounts sameTexts = new RecentCounts(DOMAINS);

    /** Links to pages that were known, by page; pages that led to new ones only; and how many of these in a row, by host. */
    private final RecentCounts linked = new RecentCounts(DOMAINS);

    private final RecentCounts opened = new RecentCounts(DOMAINS);
    private final RecentCounts mazes = new RecentCounts(DOMAINS / 4);

    /** Pages whose URLs may have a session: the page without it, with it, and its texts; and hosts by what pages have shown. */
    private final RecentCounts sessions = new RecentCounts(PAGES);

    /**
     * Creates a guard.
     *
     * @param limits the most that is not a trap, at least 1, where it differs from {@link Trap#defaultLimit};
     *     {@link Integer#MAX_VALUE} switches a check off
     */
    public TrapGuard(Map<Trap, Integer> limits) {
        this(limits, new SecureRandom().nextLong());
    }

    private TrapGuard(Map<Trap, Integer> limits, long seed) {
        shape = new UrlShape(seed);
        for (Trap trap : Trap.values()) {
            int limit = limits.getOrDefault(trap, trap.defaultLimit());
            if (limit < 1) {
                throw new IllegalArgumentException(trap + " < 1: " + limit);
            }
            this.limits.put(trap, limit);
        }
    }

    /**
     * Creates a guard that judges by {@link Trap#SHAPE} and {@link Trap#HOST} alone. One process uses it for all URLs
     * of a host; when the host moves to another process, the guard there continues with the counts that {@link
     * #accepted} has returned, so that at most a hundredth of a limit is not counted.
     *
     * @param limits as of the other guards
     * @param seed of the hashes, which sites should not know; the same in all processes
     */
    public static TrapGuard ofHosts(Map<Trap, Integer> limits, long seed) {
        Map<Trap, Integer> some = new EnumMap<>(Trap.class);
        some.putAll(limits);
        EnumSet.complementOf(EnumSet.of(Trap.SHAPE, Trap.HOST)).forEach(trap -> some.put(trap, Integer.MAX_VALUE));
        return new TrapGuard(some, seed);
    }

    /** Returns the trap that a URL is; null when it is not one. */
    public @Nullable Trap judge(String url) {
        int path = UrlParts.pathStart(url);
        int query = url.indexOf('?', path);
        int end = url.length();
        int pathEnd = query < 0 ? end : query;
        int from = Math.min(pathEnd + 1, end);
        if (end > limit(Trap.LENGTH)) {
            return Trap.LENGTH;
        } else if (Repetition.count('/', url, path, pathEnd) > limit(Trap.PATH_DEPTH)) {
            return Trap.PATH_DEPTH;
        } else if (Repetition.exceeds(limit(Trap.REPEATED_SEGMENTS), url, path + 1, pathEnd, "/")) {
            return Trap.REPEATED_SEGMENTS;
        } else if (Repetition.count('&', url, from, end) >= limit(Trap.PARAMETERS)) {
            return Trap.PARAMETERS;
        } else if (Repetition.exceeds(limit(Trap.REPEATED_PARAMETERS), url, from, end, "&=;/?")) {
            return Trap.REPEATED_PARAMETERS;
        }
        return judgeCounts(url);
    }

    private @Nullable Trap judgeCounts(String url) {
        if (shapes.count(shapeKey(url)) >= limit(Trap.SHAPE)) {
            return Trap.SHAPE;
        }
        int ofHost = hosts.count(hostKey(url));
        if (ofHost >= limit(Trap.HOST)) {
            return Trap.HOST;
        }
        boolean isNewHost = ofHost == 0 && limit(Trap.DOMAIN) < Integer.MAX_VALUE;
        return isNewHost && domains.count(shape.ofDomain(url)) >= limit(Trap.DOMAIN) ? Trap.DOMAIN : null;
    }

    /** Returns why a URL is skipped as a trap; null when it is not one. */
    public @Nullable SkipReason skipReason(String url) {
        Trap trap = judge(url);
        return trap == null ? null : reason(trap, limit(trap), "");
    }

    private static SkipReason reason(Trap trap, int limit, String where) {
        String detail = String.format(Locale.ROOT, "more than %,d " + trap.counted, limit, 2L * limit);
        return new SkipReason(trap.rule(), detail + where);
    }

    /** Returns why a URL outside of the crawl is not even checked: it is a trap, or its domain has a tenth as many hosts. */
    @Nullable
    SkipReason checkSkipReason(String url) {
        SkipReason reason = skipReason(url);
        int most = Math.max(1, limit(Trap.DOMAIN) / OUTSIDE);
        boolean isBeyond = limit(Trap.DOMAIN) < Integer.MAX_VALUE
                && hosts.count(hostKey(url)) == 0
                && domains.count(shape.ofDomain(url)) >= most;
        return reason == null && isBeyond ? reason(Trap.DOMAIN, most, " outside of the crawl") : reason;
    }

    /**
     * Counts a URL that was new.
     *
     * @return the counts of its shape and host, by keys for {@link #raise}; only those that are a multiple of a
     *     hundredth of their limit
     */
    public Map<Long, Integer> accepted(String url) {
        long shapeKey = shapeKey(url);
        long hostKey = hostKey(url);
        int ofShape = shapes.increment(shapeKey);
        int ofHost = hosts.increment(hostKey);
        if (ofHost == 1 && limit(Trap.DOMAIN) < Integer.MAX_VALUE) {
            domains.increment(shape.ofDomain(url));
        }
        boolean passesShape = isPassedOn(Trap.SHAPE, ofShape);
        boolean passesHost = isPassedOn(Trap.HOST, ofHost);
        if (passesShape && passesHost) {
            return Map.of(shapeKey, ofShape, hostKey, ofHost);
        }
        // Nearly always none.
        return passesShape ? Map.of(shapeKey, ofShape) : passesHost ? Map.of(hostKey, ofHost) : Map.of();
    }

    private long shapeKey(String url) {
        return shape.of(url) & ~HOST_BIT;
    }

    private long hostKey(String url) {
        return shape.ofHost(url) | HOST_BIT;
    }

    private boolean isPassedOn(Trap trap, int count) {
        return limit(trap) < Integer.MAX_VALUE && count % Math.max(1, limit(trap) / 100) == 0;
    }

    /**
     * Notes a response.
     *
     * @param referrer the page on which the URL was found; null for none
     * @param text a hash of its text; 0 for none
     * @return why its links are not followed; null when they are
     */
    public @Nullable SkipReason visited(String url, @Nullable String referrer, int status, long text) {
        boolean isAfterError = referrer != null && errorPages.count(shape.ofPage(referrer)) > 0;
        if (status >= 400 || (isAfterError && status >= 300)) {
            errorPages.increment(shape.ofPage(url));
        }
        long host = hostKey(url);
        if (text != 0 && status < 300) {
            noteSession(url, host, text);
        }
        int copies = text == 0 ? 0 : texts.increment(host ^ text);
        if (copies > COPIES) {
            sameTexts.increment(host);
        } else if (copies > 0) {
            sameTexts.lower(host, PER_OTHER_TEXT);
        }
        if (copies > 1) {
            duplicates.increment(shape.ofPage(url));
        }
        if (isAfterError && status >= 400 && limit(Trap.ERROR_PAGES) < Integer.MAX_VALUE) {
            return reason(Trap.ERROR_PAGES, limit(Trap.ERROR_PAGES), "");
        }
        return copies > 1 ? sameText(host) : null;
    }

    /**
     * Notes to which pages of the crawl a page leads.
     *
     * @param referrer the page on which the URL was found; null for none
     * @param known those that were known before
     * @param hasNew whether there are others
     */
    public void led(String url, @Nullable String referrer, List<String> known, boolean hasNew) {
        boolean opens = hasNew;
        for (String each : known) {
            boolean isEverywhere = linked.increment(shape.ofPage(each)) > EVERYWHERE && !each.equals(referrer);
            opens &= isEverywhere || each.equals(url);
        }
        if (opens) {
            opened.increment(shape.ofPage(url));
            mazes.increment(hostKey(url));
        } else {
            mazes.lower(hostKey(url), PER_OTHER_TEXT);
        }
    }

    /** Compares a page with those whose URLs differ by what may be a session, and by nothing else. */
    private void noteSession(String url, long host, long text) {
        String key = UrlNormalizer.key(url);
        long page = shape.ofPage(UrlNormalizer.withoutAmbiguous(key));
        long exact = shape.ofPage(key);
        if (page != exact && sessions.increment(exact) == 1) {
            boolean isSame = sessions.increment(page ^ text) > 1;
            if (sessions.increment(page) > 1) {
                sessions.increment(host ^ (isSame ? SAME : OTHER));
            }
        }
    }

    /**
     * Returns the key of a URL: without a parameter that may be a session if several pages of the host, and most of
     * those that differed by nothing else, had the same text. Until then, they are different pages. The key of a key that
     * lacks other parameters lacks them, too.
     */
    public String key(String url) {
        String key = UrlNormalizer.key(url);
        String without = UrlNormalizer.withoutAmbiguous(key);
        long host = without.length() == key.length() ? 0 : hostKey(url);
        int same = host == 0 ? 0 : sessions.count(host ^ SAME);
        return same >= PAIRS && same > sessions.count(host ^ OTHER) ? without : key;
    }

    private @Nullable SkipReason sameText(long host) {
        int most = limit(Trap.SAME_TEXT);
        return sameTexts.count(host) >= most ? reason(Trap.SAME_TEXT, most, "") : null;
    }

    /** Returns why a URL that was queued before is not requested any more: as a link of its page, it would not be queued now. */
    public @Nullable SkipReason skipReasonOfQueued(String url, String referrer) {
        String key = key(url);
        boolean isVisited = !key.equals(UrlNormalizer.key(url)) && sessions.count(shape.ofPage(key)) > 0;
        if (isVisited) {
            return SkipRule.SESSION.reason();
        }
        int most = limit(Trap.MAZE);
        if (mazes.count(hostKey(url)) >= most && opened.count(shape.ofPage(referrer)) > 0) {
            return reason(Trap.MAZE, most, "");
        }
        return duplicates.count(shape.ofPage(referrer)) > 0 ? sameText(hostKey(url)) : null;
    }

    /** Makes a count at least as high as one that {@link #accepted} has returned in another process. */
    public void raise(long key, int count) {
        ((key & HOST_BIT) == 0 ? shapes : hosts).raise(key, count);
    }

    private int limit(Trap trap) {
        return limits.getOrDefault(trap, trap.defaultLimit());
    }
}
