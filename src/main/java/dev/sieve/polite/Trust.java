package dev.sieve.polite;

import org.jspecify.annotations.NullMarked;

/** Whether a host has shown that it responds, from the least to the most. */
@NullMarked
public enum Trust {
    /** It has not responded yet, or has failed several times in a row since. */
    UNKNOWN,
    /** It has responded, but not, or not in time, to the last request for an item. */
    RESPONDED,
    /** It has responded to the last request for an item in time. */
    PROVEN;

    private static final Trust[] ALL = values();

    static Trust of(byte ordinal) {
        return ALL[ordinal];
    }

    /** Returns the place in the order, which is stored in a byte per host, and nowhere else. */
    @SuppressWarnings("EnumOrdinal")
    byte toByte() {
        return (byte) ordinal();
    }
}
