package dev.sieve.scope;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The properties by which {@link TrapGuard} recognises traps; a URL beyond the limit of one is a trap. */
public enum Trap {
    /** Characters of the URL. */
    LENGTH(2083, "characters"),
    /** Slashes in the path. */
    PATH_DEPTH(20, "slashes in the path"),
    /**
     * Repetitions of segments of the path in a row: 2 for {@code /a/b/a/b}. A single segment may be repeated twice as
     * often, since ordinary sites do so: {@code /cpp/atomic/atomic/atomic}, {@code /2011/11/11/11}. Links that are
     * relative where they should not be lead ever deeper into such paths.
     */
    REPEATED_SEGMENTS(2, "times the same segments in a row, or %,d times a single one"),
    /** Parameters in the query. */
    PARAMETERS(32, "parameters"),
    /**
     * Repetitions of parts of the query in a row: 2 for {@code ?a=1&a=1}. A single part may be repeated twice as often:
     * {@code ?day=11/11/11}. Pages that extend the query of their own URL, or put their own URL into it, have such
     * links.
     */
    REPEATED_PARAMETERS(2, "times the same parameters in a row, or %,d times a single one"),
    /**
     * URLs of one host that differ only in their numbers and in the values of their parameters: calendars, session
     * numbers, search results.
     */
    SHAPE(
            50_000,
            "URLs of one shape on a host",
            "likely a calendar, a search or a session in the URLs: exclude them, or skip duplicates"),
    /** URLs of one host. */
    HOST(1_000_000, "URLs of a host"),
    /** Hosts of one registrable domain: where every name exists, pages can link to new ones without end. */
    DOMAIN(10_000, "hosts of a domain"),
    /**
     * Error pages of which each was found on the one before: a relative link on all error pages leads to further ones
     * without end.
     */
    ERROR_PAGES(
            1,
            "error page in a row",
            "likely a relative link in the menu of an error page: let it begin with / in the site"),
    /**
     * Pages of a host with a text that it has on more than 50 pages, but for one page in 20: relative links that should
     * not be so, sessions in URLs, and links that are escaped once more on each page lead to such pages without end.
     * Copies of a site, such as those for versions and languages, are fewer.
     */
    SAME_TEXT(
            400,
            "pages in a row whose text the host has on more than 50 pages",
            "likely a relative link that should begin with /, a session in the URLs, or a link that is escaped once more on"
                    + " each page: repair it in the site, or exclude such URLs"),
    /**
     * Pages of a host that lead to new pages, and to no known ones but those with links everywhere, but for one page in
     * 20: a maze without end, which services make for robots. Pages of real sites lead back and to each other, or
     * nowhere.
     */
    MAZE(
            2_000,
            "pages of a host in a row that only lead to new ones",
            "likely a maze for robots, of which every page leads to new ones: exclude it");

    private final int defaultLimit;
    /** What the limit counts, after its number; a format for twice the limit. */
    final String counted;

    private final String advice;

    Trap(int defaultLimit, String counted) {
        this(defaultLimit, counted, "");
    }

    Trap(int defaultLimit, String counted, String advice) {
        this.defaultLimit = defaultLimit;
        this.counted = counted;
        this.advice = advice;
    }

    /** Returns the likely cause, and what the user can do; empty when the limit says it all. */
    public String advice() {
        return advice;
    }

    /** Returns the name that users type and read: {@code path-depth}. */
    public String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the rule by which URLs are skipped as such a trap. */
    public String rule() {
        return "trap " + words();
    }

    /**
     * Returns the trap with a name, ignoring case.
     *
     * @throws IllegalArgumentException when the name is unknown; the message lists all names
     */
    public static Trap named(String words) {
        return Arrays.stream(values())
                .filter(trap -> trap.words().equalsIgnoreCase(words))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown trap: " + words + "; traps are "
                        + Arrays.stream(values()).map(Trap::words).collect(Collectors.joining(", "))));
    }

    /** Returns the limit unless another one is set. */
    public int defaultLimit() {
        return defaultLimit;
    }
}
