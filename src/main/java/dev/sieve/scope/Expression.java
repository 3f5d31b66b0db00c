package dev.sieve.scope;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A user's regular expression with a limit on the steps that matching may take.
 *
 * <p>The JDK's engine backtracks: an expression that looks harmless can take time exponential in the length of the
 * text, or a stack as deep as the text is long. It reads a character at every step, so a text that counts reads can
 * stop it.
 */
final class Expression {
    private static final int MAX_STEPS = 1_000_000;

    private final String name;
    private final Pattern pattern;

    /**
     * Compiles an expression.
     *
     * @param use what it is for, as in messages
     * @throws IllegalArgumentException when it is not valid; the message has the expression and the position
     */
    Expression(String use, String regex) {
        name = use + " " + regex;
        try {
            pattern = Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            String where = e.getIndex() < 0 ? "" : " at position " + e.getIndex();
            throw new IllegalArgumentException(name + ": " + e.getDescription() + where + advice(regex), e);
        }
    }

    /** Returns what to write in place of a pattern of file names, such as {@code *.pdf}; empty for others. */
    private static String advice(String pattern) {
        if (!pattern.startsWith("*") || pattern.matches("\\*+")) {
            return "";
        }
        String regex = pattern.replaceAll("^\\*+|\\*+$", "")
                .replaceAll("[.+^$(){}\\[\\]|\\\\]", "\\\\$0")
                .replace("?", ".")
                .replaceAll("\\*+", ".*");
        String end = pattern.endsWith("*") ? "" : "$";
        return "; it is a regular expression, not a pattern of file names: use '" + regex + end + "'";
    }

    /** Returns {@code ifFound} or {@code ifNotFound}, or the reason {@code gave up} when matching takes too many steps. */
    @Nullable
    SkipReason find(String url, @Nullable SkipReason ifFound, @Nullable SkipReason ifNotFound) {
        try {
            return pattern.matcher(new CountedText(url)).find() ? ifFound : ifNotFound;
        } catch (OutOfStepsException | StackOverflowError e) {
            return SkipRule.GAVE_UP.reason(name + " needs too many steps");
        }
    }

    /** Returns the use and the expression: {@code exclude \.pdf$}. */
    @Override
    public String toString() {
        return name;
    }

    private static final class OutOfStepsException extends RuntimeException {
        OutOfStepsException() {
            super("out of steps", null, false, false);
        }
    }

    private static final class CountedText implements CharSequence {
        private final String text;
        private int steps;

        CountedText(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            if (++steps > MAX_STEPS) {
                throw new OutOfStepsException();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }
    }
}
