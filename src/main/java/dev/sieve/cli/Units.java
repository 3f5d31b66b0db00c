package dev.sieve.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

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
        double value = bytes;
        int unit = 0;
        while (value >= 999.5 && unit < NAMES.length - 1) {
            value /= 1000;
            unit++;
        }
        return text(
                unit == 0 || value >= 99.95 ? "%.0f %s" : value >= 9.995 ? "%.1f %s" : "%.2f %s", value, NAMES[unit]);
    }

    /** A number of things: {@code <0.01}, {@code 0.57}, {@code 12,345}, {@code 1.23 M}. */
    static String count(double value) {
        if (value < 0.01) {
            return value == 0 ? "0" : "<0.01";
        }
        if (value < 100) {
            return significant(value, 2);
        }
        if (value < 999_999.5) {
            return text("%,d", Math.round(value));
        }
        double rest = value / 1e6;
        int unit = 0;
        while (rest >= 999.5 && unit < LARGE.length() - 1) {
            rest /= 1000;
            unit++;
        }
        return significant(rest, 3) + " " + LARGE.charAt(unit);
    }

    /** A share: {@code 0.01 %}, {@code >99 %}, {@code 3.2e-30}. */
    static String percent(double value) {
        if (value > 0.99 && value < 1) {
            return ">99 %";
        }
        if (value >= 0.99e-5 || value == 0) {
            return value == 0 ? "0" : significant(100 * value, 2) + " %";
        }
        return text("%.1e", value).replace(".0e", "e").replace("e-0", "e-");
    }

    /** The number with this many digits, or rounded to an integer if that has more: {@code 1.66}, {@code 1234}. */
    static String significant(double value, int digits) {
        BigDecimal rounded = value >= Math.pow(10, digits)
                ? new BigDecimal(Math.rint(value))
                : new BigDecimal(value).round(new MathContext(digits));
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }
}
