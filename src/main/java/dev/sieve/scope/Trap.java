package dev.sieve.scope;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The signs by which {@link TrapGuard} knows a trap; each has a limit, beyond which a URL is taken for one. */
public enum Trap {
    /** Characters of the URL. */
    LENGTH(2083, "characters"),
    /** Slashes in the path. */
    PATH_DEPTH(20, "slashes in the path"),
    /**
     * How often segments of the path stand there in a row: {@code /a/a} and {@code /a/b/a/b} twice. Links that are
     * relative where they should not be lead ever deeper into such paths.
     */
    REPEATED_SEGMENTS(2, "times the same segments in a row"),
    /** Parameters in the query. */
    PARAMETERS(32, "parameters"),
    /**
     * How often parts of the query stand there in a row: {@code ?q=&q=} and {@code ?amp;amp;a=1} twice. Pages that add
     * to the query they were asked with, or put their own URL into it, make such ones.
     */
    REPEATED_PARAMETERS(2, "times the same parameters in a row"),
    /**
     * URLs of one host that differ only in their numbers and in the values of their parameters: calendars, session
     * numbers, results of a search.
     */
    SHAPE(50_000, "URLs of one shape on a host"),
    /** URLs of one host. */
    HOST(1_000_000, "URLs of a host"),
    /** Hosts of one registrable domain: where every name exists, pages can link to ever new ones. */
    DOMAIN(10_000, "hosts of a domain");

    private final int defaultLimit;
    private final String counted;

    Trap(int defaultLimit, String counted) {
        this.defaultLimit = defaultLimit;
        this.counted = counted;
    }

    /** The name by which people call it: {@code path-depth}. */
    public String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The trap of a name.
     *
     * @throws IllegalArgumentException when there is none; the message lists those that there are
     */
    public static Trap named(String words) {
        return Arrays.stream(values())
                .filter(trap -> trap.words().equals(words))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no trap: " + words + "; traps are "
                        + Arrays.stream(values()).map(Trap::words).collect(Collectors.joining(", "))));
    }

    /** What is counted, in a few words, to follow a number. */
    public String counted() {
        return counted;
    }

    /** The limit unless another one is set. */
    public int defaultLimit() {
        return defaultLimit;
    }
}
