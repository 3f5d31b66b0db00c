package dev.sieve.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers as they are shown in a report, independent of the language of the machine. */
final class Numbers {
    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB"};
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Numbers() {}

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    static String count(long number) {
        return text("%,d", number);
    }

    /** Bytes in powers of 1000. */
    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        for (; value >= 999.5 && unit < UNITS.length - 1; unit++) {
            value /= 1000;
        }
        return text(unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
    }

    static String millis(long millis) {
        if (millis < 1000) {
            return text("%d ms", millis);
        }
        long seconds = millis / 1000;
        return seconds < 60
                ? text(seconds < 10 ? "%.2f s" : "%.1f s", millis / 1e3)
                : text("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    /** A number of which the size matters: two digits. */
    static String about(double value) {
        if (value == 0 || value >= 99.5) {
            return text("%,.0f", value);
        }
        return text(value >= 9.95 ? "%.0f" : value >= 0.095 ? "%.1f" : value >= 0.0095 ? "%.2f" : "%.1e", value);
    }

    static String percent(double share) {
        double percent = 100 * share;
        if (percent == 0 || percent >= 9.95) {
            return text("%,.0f %%", percent);
        }
        return text(percent >= 0.095 ? "%.1f %%" : percent >= 0.00095 ? "%.2g %%" : "%.1e %%", percent);
    }

    static String time(long epochMillis) {
        return TIME.format(Instant.ofEpochMilli(Math.min(epochMillis, 253_402_300_799_000L)));
    }
}
