package dev.sieve.scope;

import static java.util.Objects.requireNonNull;

import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Which URLs belong to the crawl, seen from its seeds.
 *
 * <p>The first rule that applies decides, and is named in the {@link SkipReason}:
 *
 * <ol>
 *   <li>{@code too deep}: the URL is more than {@code maxDepth} links away from a seed. Default: no limit.
 *   <li>{@code out of scope}: the URL is not where a seed is, by the {@link Kind} of the scope.
 *   <li>{@code excluded}: one of the exclude expressions finds something in the URL to fetch.
 *   <li>{@code not included}: there are include expressions and none of them finds anything in the URL to fetch.
 * </ol>
 *
 * <p>So exclude wins over include, and both only narrow what the kind allows. A seed is judged like any other URL.
 *
 * <p>http and https are the same place, as long as both keep to their own ports or spell out the same one: a seed
 * {@code http://example.com/} takes in {@code https://example.com/}, while {@code http://127.0.0.1:8101/} does not take
 * in {@code http://127.0.0.1:9000/}. A dot at the end of a host makes no difference.
 *
 * <p>Expressions are those of {@link java.util.regex.Pattern}. One that takes more than a million steps on a URL, or
 * that overflows the stack, is given up: an exclude expression then counts as if it had found something and an include
 * expression as if it had not, and the rule is {@code gave up} where that is what decides.
 *
 * <p>Any thread may add seeds and judge at any time; a URL that is judged while a seed is being added may be judged
 * without it. A seed costs memory once for each host, domain or prefix, none with {@link Kind#ANY}. Judging takes
 * O(log n) for n seeds with {@link Kind#PREFIX} and O(1) with the others, besides the expressions.
 */
public final class Scope {

    /** Where a URL has to be, seen from the seeds. */
    public enum Kind {
        /** On the host of a seed, and on its port. */
        HOST,
        /** In the registrable domain of a seed ({@link UrlParts#domain}), and on its port. */
        DOMAIN,
        /** On the host and port of a seed, its path beginning with the seed's up to the last slash in it. */
        PREFIX,
        /** Anywhere. */
        ANY
    }

    private final Kind kind;
    private final int maxDepth;
    private final List<Expression> includes;
    private final List<Expression> excludes;
    /** Hosts or domains with their ports. */
    private final Set<String> places = ConcurrentHashMap.newKeySet();

    /** Prefixes of URLs less their scheme. */
    private final ConcurrentSkipListSet<String> prefixes = new ConcurrentSkipListSet<>();

    private final SkipReason tooDeep;
    private final SkipReason outOfScope;
    private final SkipReason notIncluded;

    private Scope(Builder builder) {
        kind = builder.kind;
        maxDepth = builder.maxDepth;
        includes = List.copyOf(builder.includes);
        excludes = List.copyOf(builder.excludes);
        tooDeep = new SkipReason("too deep", "depth at most " + maxDepth);
        outOfScope = new SkipReason("out of scope", "scope " + kind);
        notIncluded = new SkipReason("not included", "no include expression finds anything");
    }

    /** A scope of a kind, without expressions and without a limit of depth, that {@link Builder#build} makes. */
    public static Builder builder(Kind kind) {
        return new Builder(kind);
    }

    /**
     * Takes in the surroundings of a seed.
     *
     * @param url a URL to fetch, as the normaliser gives it
     */
    public void addSeed(String url) {
        switch (kind) {
            case HOST -> places.add(UrlParts.hostAndPort(url));
            case DOMAIN -> places.add(domainAndPort(url));
            case PREFIX -> addPrefix(url);
            case ANY -> {}
        }
    }

    /**
     * Why a URL does not belong to the crawl.
     *
     * @param url a URL to fetch, as the normaliser gives it
     * @param depth links followed from a seed to here; 0 for a seed
     * @return null when it belongs to the crawl
     */
    public SkipReason skipReason(String url, int depth) {
        if (depth > maxDepth) {
            return tooDeep;
        }
        if (!isInPlace(url)) {
            return outOfScope;
        }
        for (Expression exclude : excludes) {
            switch (exclude.find(url)) {
                case FOUND -> {
                    return new SkipReason("excluded", exclude.toString());
                }
                case GAVE_UP -> {
                    return exclude.gaveUp();
                }
                case NOT_FOUND -> {}
            }
        }
        return includes.isEmpty() ? null : notIncluded(url);
    }

    private SkipReason notIncluded(String url) {
        SkipReason reason = notIncluded;
        for (Expression include : includes) {
            switch (include.find(url)) {
                case FOUND -> {
                    return null;
                }
                case GAVE_UP -> reason = include.gaveUp();
                case NOT_FOUND -> {}
            }
        }
        return reason;
    }

    /** The rule that admits a URL without a skip reason, for people: {@code include /docs/}. */
    public String admittedBy(String url) {
        return includes.stream()
                .filter(each -> each.find(url) == Expression.Outcome.FOUND)
                .map(Expression::toString)
                .findFirst()
                .orElse("in scope");
    }

    private boolean isInPlace(String url) {
        return switch (kind) {
            case HOST -> places.contains(UrlParts.hostAndPort(url));
            case DOMAIN -> places.contains(domainAndPort(url));
            case PREFIX -> hasPrefix(place(url));
            case ANY -> true;
        };
    }

    private static String domainAndPort(String url) {
        String port = url.substring(UrlParts.hostEnd(url), UrlParts.pathStart(url));
        return UrlParts.domain(url) + port;
    }

    private void addPrefix(String url) {
        String place = place(url);
        int query = place.indexOf('?');
        int slash = place.lastIndexOf('/', query < 0 ? place.length() : query);
        String prefix = place.substring(0, slash + 1);
        if (!hasPrefix(prefix)) {
            prefixes.add(prefix);
        }
    }

    /** Host, port, path and query, spelled as in the key, so that {@code %7Euser} is under {@code ~user}. */
    private static String place(String url) {
        String key = UrlNormalizer.key(url);
        return key.substring(UrlParts.hostStart(key));
    }

    /**
     * Whether one of the prefixes is one of this place. The greatest string that is not above the place is a prefix of
     * it, or else shares with the place all that a prefix could have; so the search goes on from what is shared.
     */
    private boolean hasPrefix(String place) {
        String candidate = prefixes.floor(place);
        while (candidate != null && !place.startsWith(candidate)) {
            candidate = prefixes.floor(place.substring(0, sharedLength(place, candidate)));
        }
        return candidate != null;
    }

    private static int sharedLength(String a, String b) {
        int length = Math.min(a.length(), b.length());
        int i = 0;
        while (i < length && a.charAt(i) == b.charAt(i)) {
            i++;
        }
        return i;
    }

    /** Collects the rules of a scope. */
    public static final class Builder {
        private final Kind kind;
        private int maxDepth = Integer.MAX_VALUE;
        private final List<Expression> includes = new ArrayList<>();
        private final List<Expression> excludes = new ArrayList<>();

        private Builder(Kind kind) {
            this.kind = requireNonNull(kind);
        }

        /**
         * The most links from a seed to a URL; 0 for the seeds alone. Default: no limit.
         *
         * @throws IllegalArgumentException when it is negative
         */
        public Builder maxDepth(int maxDepth) {
            if (maxDepth < 0) {
                throw new IllegalArgumentException("maxDepth < 0: " + maxDepth);
            }
            this.maxDepth = maxDepth;
            return this;
        }

        /**
         * Adds an expression of which one has to find something in a URL. Default: none, and nothing has to be found.
         *
         * @throws IllegalArgumentException when it is no valid expression; the message has it, and where it goes wrong
         */
        public Builder include(String regex) {
            includes.add(Expression.compile("include", regex));
            return this;
        }

        /**
         * Adds an expression that must not find anything in a URL. Default: none.
         *
         * @throws IllegalArgumentException when it is no valid expression; the message has it, and where it goes wrong
         */
        public Builder exclude(String regex) {
            excludes.add(Expression.compile("exclude", regex));
            return this;
        }

        /** The scope of these rules, without any seed as yet. */
        public Scope build() {
            return new Scope(this);
        }
    }
}
