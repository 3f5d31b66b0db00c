package dev.sieve.scope;

import static java.util.Objects.requireNonNull;

import dev.sieve.url.Fragment;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which URLs belong to the crawl, relative to its seeds.
 *
 * <p>The first rule that applies decides, and is named in the {@link SkipReason}:
 *
 * <ol>
 *   <li>{@code too deep}: the URL is more than {@code maxDepth} links away from a seed.
 *   <li>{@code out of scope}: the URL is not where a seed is, by the {@link Kind} of the scope.
 *   <li>{@code address of a service}: a service has put the URL into the page, and it is not a page.
 *   <li>{@code log-out link}: the expression for links that end a session matches some part of the URL, with
 *       or without its escapes.
 *   <li>{@code excluded}: an exclude expression matches some part of the URL.
 *   <li>{@code not included}: there are include expressions, and none of them matches any part of the URL.
 * </ol>
 *
 * <p>So exclude wins over include, and both only narrow what the kind allows. A seed is judged like any other URL.
 *
 * <p>http and https are the same place when both use their default ports or name the same port: a seed
 * {@code http://example.com/} includes {@code https://example.com/}, while {@code http://127.0.0.1:8101/} does not
 * include {@code http://127.0.0.1:9000/}. A dot at the end of a host makes no difference.
 *
 * <p>Expressions are those of {@link java.util.regex.Pattern}. One that takes more than a million steps on a URL, or
 * overflows the stack, is given up: an exclude expression then counts as a match and an include expression does not,
 * and the rule is {@code gave up} where that decides.
 *
 * <p>All URLs passed in are URLs to fetch, as returned by the normaliser. Safe for use by many threads; a URL that is
 * judged while a seed is being added may be judged without it. Each host, domain or prefix of a seed costs memory once,
 * none with {@link Kind#ANY}. Judging takes O(log n) for n seeds with {@link Kind#PREFIX} and O(1) with the others,
 * plus the expressions.
 */
public final class Scope {

    /** The area of a crawl, relative to the seeds. */
    public enum Kind {
        /** On the host of a seed, and on its port. */
        HOST("not the host and port of a seed"),
        /** In the registrable domain of a seed ({@link UrlParts#domain}), and on its port. */
        DOMAIN("not the domain and port of a seed"),
        /** On the host and port of a seed, its path beginning with the seed's up to the last slash in it. */
        PREFIX("not below a seed"),
        /** Anywhere. */
        ANY("");

        private final String elsewhere;

        Kind(String elsewhere) {
            this.elsewhere = elsewhere;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final SkipReason NOT_INCLUDED = SkipRule.NOT_INCLUDED.reason();

    /**
     * Addresses that services put into the pages of others, and that are no pages. Those of Cloudflare:
     * developers.cloudflare.com/fundamentals/reference/cdn-cgi-endpoint
     */
    private static final Pattern SERVICE =
            Pattern.compile("https?://[^/]+/cdn-cgi/(?:l/email-protection|challenge-platform/|rum(?:\\?|$))");

    private final Kind kind;
    private final int maxDepth;
    private final List<Expression> includes;
    private final List<Exclusion> excludes;
    private final SkipReason tooDeep;
    private final SkipReason outOfScope;

    /** Hosts or domains with their ports. */
    private final Set<String> places = ConcurrentHashMap.newKeySet();

    /** Prefixes of URLs without their scheme. */
    private final ConcurrentSkipListSet<String> prefixes = new ConcurrentSkipListSet<>();

    /** An expression that must not match, and why not. */
    private record Exclusion(Expression expression, SkipReason reason) {}

    private Scope(Builder builder) {
        kind = builder.kind;
        maxDepth = builder.maxDepth;
        includes = List.copyOf(builder.includes);
        excludes = Stream.concat(Stream.ofNullable(builder.logOut), builder.excludes.stream())
                .toList();
        tooDeep = SkipRule.TOO_DEEP.reason("depth at most " + maxDepth);
        outOfScope = SkipRule.OUT_OF_SCOPE.reason(kind.elsewhere);
    }

    /** Returns a builder of a scope without expressions and without a limit of depth. */
    public static Builder builder(Kind kind) {
        return new Builder(kind);
    }

    /** Adds the host, domain or prefix of a seed; returns whether it was new. */
    public boolean addSeed(String url) {
        return switch (kind) {
            case HOST -> places.add(UrlParts.hostAndPort(url));
            case DOMAIN -> places.add(domainAndPort(url));
            case PREFIX -> addPrefix(url);
            case ANY -> false;
        };
    }

    /** Returns why a URL, so many links from a seed, does not belong to the crawl; null when it does. */
    public @Nullable SkipReason skipReason(String url, int depth) {
        if (depth > maxDepth) {
            return tooDeep;
        }
        if (!isInPlace(url)) {
            return outOfScope;
        }
        SkipReason excluded = exclusion(url);
        return excluded != null || includes.isEmpty() ? excluded : notIncluded(url);
    }

    /** Returns why a URL must not be requested, wherever it is: such an expression matches; null when none does. */
    public @Nullable SkipReason exclusion(String url) {
        if (url.contains("/cdn-cgi/") && SERVICE.matcher(url).lookingAt()) {
            return SkipRule.SERVICE.reason();
        }
        for (Exclusion exclude : excludes) {
            SkipReason reason = exclude.expression.find(url, exclude.reason, null);
            boolean hasEscapes = SkipRule.LOG_OUT.is(exclude.reason) && url.indexOf('%') >= 0;
            if (reason == null && hasEscapes) {
                reason = exclude.expression.find(Fragment.decoded(url), exclude.reason, null);
            }
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }

    /** Returns whether a URL with this reason is only outside of what is crawled: too deep, elsewhere, or not included. */
    static boolean isOutside(SkipReason reason) {
        return reason.equals(NOT_INCLUDED) || SkipRule.OUT_OF_SCOPE.is(reason) || SkipRule.TOO_DEEP.is(reason);
    }

    private @Nullable SkipReason notIncluded(String url) {
        SkipReason last = NOT_INCLUDED;
        for (Expression include : includes) {
            // The last expression that was given up is named.
            last = include.find(url, null, last);
            if (last == null) {
                return null;
            }
        }
        return last;
    }

    /** Returns the rule that admits a URL without a skip reason, for the user: {@code include /docs/}. */
    public String admittedBy(String url) {
        return includes.stream()
                .filter(each -> each.find(url, null, NOT_INCLUDED) == null)
                .map(Expression::toString)
                .findFirst()
                .orElse("in scope");
    }

    /** Returns whether a URL is where a seed is, whatever its depth and the expressions. */
    public boolean isInPlace(String url) {
        return switch (kind) {
            case HOST -> places.contains(UrlParts.hostAndPort(url));
            case DOMAIN -> places.contains(domainAndPort(url));
            case PREFIX -> hasPrefix(place(url));
            case ANY -> true;
        };
    }

    private static String domainAndPort(String url) {
        return UrlParts.domain(url) + url.substring(UrlParts.hostEnd(url), UrlParts.pathStart(url));
    }

    private boolean addPrefix(String url) {
        String place = place(url);
        int query = place.indexOf('?');
        int slash = place.lastIndexOf('/', query < 0 ? place.length() : query);
        String prefix = place.substring(0, slash + 1);
        return !hasPrefix(prefix) && prefixes.add(prefix);
    }

    /** Returns host, port, path and query, spelled as in the key, so that {@code %7Euser} is under {@code ~user}. */
    private static String place(String url) {
        String key = UrlNormalizer.key(url);
        return key.substring(UrlParts.hostStart(key));
    }

    /**
     * Returns whether a place begins with one of the prefixes. The greatest string that is not above the place is a
     * prefix of it, or shares with the place all that a prefix could have; so the search continues with what is shared.
     */
    private boolean hasPrefix(String place) {
        String candidate = prefixes.floor(place);
        while (candidate != null && !place.startsWith(candidate)) {
            candidate = prefixes.floor(place.substring(0, sharedLength(place, candidate)));
        }
        return candidate != null;
    }

    private static int sharedLength(String a, String b) {
        int i = 0;
        while (i < a.length() && i < b.length() && a.charAt(i) == b.charAt(i)) {
            i++;
        }
        return i;
    }

    /** Collects the rules of a scope. */
    public static final class Builder {
        private Kind kind;
        private int maxDepth = Integer.MAX_VALUE;
        private final List<Expression> includes = new ArrayList<>();
        private final List<Exclusion> excludes = new ArrayList<>();
        private @Nullable Exclusion logOut;

        private Builder(Kind kind) {
            this.kind = requireNonNull(kind, "kind");
        }

        public Builder kind(Kind kind) {
            this.kind = requireNonNull(kind, "kind");
            return this;
        }

        /** Sets the most links from a seed to a URL, at least 0. Default: no limit. */
        public Builder maxDepth(int maxDepth) {
            if (maxDepth < 0) {
                throw new IllegalArgumentException("maxDepth must be at least 0: " + maxDepth);
            }
            this.maxDepth = maxDepth;
            return this;
        }

        /**
         * Adds an expression; at least one of them has to match some part of a URL. Default: none, all URLs match.
         *
         * @throws IllegalArgumentException when it is not valid; the message has the expression and the position
         */
        public Builder include(String regex) {
            return include("include", regex);
        }

        /** Adds an expression as {@link #include(String)} does, which messages call by another name. */
        public Builder include(String name, String regex) {
            includes.add(new Expression(name, regex));
            return this;
        }

        /** Adds an expression that must not match any part of a URL; otherwise as {@link #include(String)}. Default: none. */
        public Builder exclude(String regex) {
            Expression expression = new Expression("exclude", regex);
            excludes.add(new Exclusion(expression, SkipRule.EXCLUDED.reason(expression.toString())));
            return this;
        }

        /** Sets the expression for links that end a session; otherwise as {@link #exclude}. Default: none. */
        public Builder logOut(String regex) {
            logOut = new Exclusion(new Expression("log-out", regex), SkipRule.LOG_OUT.reason());
            return this;
        }

        /** Returns a scope with these rules, without seeds. */
        public Scope build() {
            return new Scope(this);
        }
    }
}
