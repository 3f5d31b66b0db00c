package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.report.Numbers;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats quantities for people, independent of the language of the machine. */
final class Units {
    private static final String LARGE = "MGTPE";

    private Units() {}

    /** A number of things: {@code <0.01}, {@code 0.57}, {@code 12,345}, {@code 1.23 M}. */
    static String count(double value) {
        if (value < 999_999.5) {
            return Numbers.about(value);
        }
        double millions = value / 1e6;
        int unit = 0;
        for (; millions >= 999.5 && unit < LARGE.length() - 1; unit++) {
            millions /= 1000;
        }
        return Numbers.significant(millions, 3) + " " + LARGE.charAt(unit);
    }

    /** A text, a number, or a list or map of these as JSON. */
    static String json(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(each -> json(each.getKey()) + ": " + json(each.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof Collection<?> list) {
            return list.stream().map(Units::json).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof String text ? json(text) : String.valueOf(value);
    }

    /** Text as a string of JSON, in printable characters of ASCII. */
    static String json(String text) {
        return text.chars()
                .mapToObj(c ->
                        c < ' ' || c > '~' || c == '"' || c == '\\' ? text("\\u%04x", c) : Character.toString((char) c))
                .collect(Collectors.joining("", "\"", "\""));
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
