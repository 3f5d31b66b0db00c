package dev.sieve.cli;

import dev.sieve.report.Numbers;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats quantities for people, independent of the language of the machine. */
final class Units {
    private static final String[] NAMES = {"B", "kB", "MB", "GB", "TB", "PB"};
    private static final String LARGE = "MGTPE";

    private Units() {}

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** Bytes in powers of 1000, to about three digits. */
    static String bytes(long bytes) {
        int unit = unit((double) bytes, NAMES.length);
        double value = bytes / Math.pow(1000, unit);
        return text(
                unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s", value, NAMES[unit]);
    }

    /** A number of things: {@code <0.01}, {@code 0.57}, {@code 12,345}, {@code 1.23 M}. */
    static String count(double value) {
        if (value < 999_999.5) {
            return Numbers.about(value);
        }
        int unit = unit(value / 1e6, LARGE.length());
        return Numbers.significant(value / 1e6 / Math.pow(1000, unit), 3) + " " + LARGE.charAt(unit);
    }

    /** Text as a string of JSON. */
    static String json(String text) {
        return text.chars()
                .mapToObj(c -> c < ' ' || c == '"' || c == '\\' ? text("\\u%04x", c) : Character.toString((char) c))
                .collect(Collectors.joining("", "\"", "\""));
    }

    /** Returns the smallest power of 1000 in which the value has at most three digits. */
    private static int unit(double value, int units) {
        int unit = 0;
        while (value / Math.pow(1000, unit) >= 999.5 && unit < units - 1) {
            unit++;
        }
        return unit;
    }

    /** A share: {@code 0.01 %}, {@code >99 %}, {@code 3.2e-30}. */
    static String percent(double value) {
        if (value > 0.99 && value < 1) {
            return ">99 %";
        }
        if (value >= 0.99e-5 || value == 0) {
            return value == 0 ? "0" : Numbers.significant(100 * value, 2) + " %";
        }
        return text("%.1e", value).replace(".0e", "e").replace("e-0", "e-");
    }
}
