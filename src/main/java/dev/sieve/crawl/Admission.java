package dev.sieve.crawl;

import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import dev.sieve.scope.TrapGuard;
import dev.sieve.scope.Verdict;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import java.util.Locale;

/**
 * Decides which of the URLs that are found belong into the frontier, and names the one rule that keeps another out.
 *
 * <p>The first rule that applies decides, whether the URL is a link or the target of a redirect:
 *
 * <ol>
 *   <li>it has to be a URL that can be fetched, see {@link UrlNormalizer};
 *   <li>it has to be in the scope of the crawl, see {@link Scope};
 *   <li>it must not look like one of those by which a site would keep a crawler busy for ever, see {@link TrapGuard}.
 * </ol>
 *
 * <p>A seed is admitted whatever these say, if it can be fetched: somebody wants it. What is admitted may still not be
 * asked for, since it was seen before, or because of its host's address or robots.txt.
 *
 * <p>Nobody is asked for anything here. Memory is that of the scope and of the guard. Safe for use by many threads.
 */
public final class Admission {
    /** The page asks that its links are not followed. */
    static final Decision NOFOLLOW = new Decision("nofollow", "");

    /** The page has more links than are looked at. */
    static final Decision BEYOND_LIMIT = new Decision("beyond the limit of a page", "");

    private final Scope scope;
    private final TrapGuard traps;

    /**
     * The answer.
     *
     * @param reason why the URL is kept out, in a word or two by which such URLs are counted; empty when it is not
     * @param rule the very rule that decides, for people: {@code exclude \.pdf$}; may be empty
     */
    public record Decision(String reason, String rule) {
        /** Whether the URL belongs into the frontier. */
        public boolean isAdmitted() {
            return reason.isEmpty();
        }
    }

    /** What a crawl with these options decides by, before it has any seed. */
    public Admission(CrawlOptions options) {
        scope = options.newScope();
        traps = options.newTrapGuard();
    }

    /**
     * Widens the scope by the surroundings of a seed.
     *
     * @param url a URL to fetch, as the normaliser gives it
     */
    public void addSeed(String url) {
        scope.addSeed(url);
    }

    /**
     * Decides about a URL that was found.
     *
     * @param url a URL to fetch, as the normaliser gives it
     * @param depth links followed from a seed to here
     */
    public Decision decide(String url, int depth) {
        Scope.Decision inScope = scope.judge(url, depth);
        if (inScope.verdict() != Verdict.IN) {
            return new Decision(reason(inScope.verdict()), inScope.rule());
        }
        Trap trap = traps.judge(url);
        return trap == null ? new Decision("", inScope.rule()) : new Decision("trap " + trap.words(), rule(trap));
    }

    private String rule(Trap trap) {
        return String.format(Locale.ROOT, "more than %,d %s", traps.limit(trap), trap.counted());
    }

    /**
     * Counts a URL that turned out to be new, since some traps show only by how many such URLs there are.
     *
     * @param url a URL to fetch, as the normaliser gives it
     */
    void accepted(String url) {
        traps.accepted(url);
    }

    /** What keeps out a spelling that is none of a URL that can be fetched. */
    static Decision refused(Refusal refusal) {
        return new Decision(refusal.words(), "");
    }

    private static String reason(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
