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
     * often, since ordinary sites do so: {@code /cpp/atomic/atomic/atomic}, {@code /2011/11/11/11}. Links that are relative
     * where they should not be lead ever deeper into such paths.
     */
    REPEATED_SEGMENTS(2, "times the same segments in a row, or %,d times a single one"),
    /** Parameters in the query. */
    PARAMETERS(32, "parameters"),
    /**
     * Repetitions of parts of the query in a row: 2 for {@code ?a=1&a=1}. A single part may be repeated twice as often:
     * {@code ?day=11/11/11}. Pages that extend the query of their own URL, or put their own URL into it, have such links.
     */
    REPEATED_PARAMETERS(2, "times the same parameters in a row, or %,d times a single one"),
    /**
     * URLs of one host that differ only in their numbers and in the values of their parameters: calendars, session
     * numbers, search results.
     */
    SHAPE(50_000, "URLs of one shape on a host"),
    /** URLs of one host. */
    HOST(1_000_000, "URLs of a host"),
    /** Hosts of one registrable domain: where every name exists, pages can link to new ones without end. */
    DOMAIN(10_000, "hosts of a domain");

    private final int defaultLimit;
    /** What the limit counts, after its number; a format for twice the limit. */
    final String counted;

    Trap(int defaultLimit, String counted) {
        this.defaultLimit = defaultLimit;
        this.counted = counted;
    }

    /** Returns the name that users type and read: {@code path-depth}. */
    public String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
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
