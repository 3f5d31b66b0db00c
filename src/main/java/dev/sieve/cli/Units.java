package dev.sieve.cli;

import java.util.Locale;

/** Writes quantities for people. */
final class Units {
    private static final String[] NAMES = {"B", "kB", "MB", "GB", "TB", "PB"};

    private Units() {}

    /** Bytes in powers of 1000, with three digits or so. */
    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 999.5 && unit < NAMES.length - 1) {
            value /= 1000;
            unit++;
        }
        String digits = unit == 0 || value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, digits + " " + NAMES[unit], value);
    }
}
