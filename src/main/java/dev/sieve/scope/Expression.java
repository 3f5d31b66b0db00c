package dev.sieve.scope;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A user's regular expression with a limit on the steps that matching may take.
 *
 * <p>The JDK's engine backtracks: an expression that looks harmless can take time exponential in the length of the text,
 * or a stack as deep as the text is long. It reads a character at every step, so a text that counts reads can stop it.
 */
final class Expression {
    private static final int MAX_STEPS = 1_000_000;

    enum Outcome {
        FOUND,
        NOT_FOUND,
        GAVE_UP
    }

    private final String use;
    private final Pattern pattern;

    private Expression(String use, Pattern pattern) {
        this.use = use;
        this.pattern = pattern;
    }

    /**
     * An expression to be used for something.
     *
     * @param use what for, as messages name it
     */
    static Expression compile(String use, String regex) {
        try {
            return new Expression(use, Pattern.compile(regex));
        } catch (PatternSyntaxException e) {
            String where = e.getIndex() < 0 ? "" : " at position " + e.getIndex();
            throw new IllegalArgumentException(use + " " + regex + ": " + e.getDescription() + where, e);
        }
    }

    Outcome find(String url) {
        try {
            return pattern.matcher(new Budgeted(url)).find() ? Outcome.FOUND : Outcome.NOT_FOUND;
        } catch (OutOfSteps | StackOverflowError e) {
            return Outcome.GAVE_UP;
        }
    }

    /** Why a URL is skipped on which this expression was given up. */
    SkipReason gaveUp() {
        return new SkipReason("gave up", this + " needs too many steps");
    }

    /** The use and the expression: {@code exclude \.pdf$}. */
    @Override
    public String toString() {
        return use + " " + pattern;
    }

    private static final class OutOfSteps extends RuntimeException {
        private OutOfSteps() {
            super("out of steps", null, false, false);
        }
    }

    private static final class Budgeted implements CharSequence {
        private final String text;
        private int steps;

        Budgeted(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            if (++steps > MAX_STEPS) {
                throw new OutOfSteps();
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

        @Override
        public String toString() {
            return text;
        }
    }
}
