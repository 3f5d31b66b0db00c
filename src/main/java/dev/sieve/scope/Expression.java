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

    private final Pattern pattern;
    private final Scope.Decision found;
    private final Scope.Decision gaveUp;

    private Expression(String use, Pattern pattern, Verdict verdict) {
        this.pattern = pattern;
        found = new Scope.Decision(verdict, use + " " + pattern);
        gaveUp = new Scope.Decision(Verdict.GAVE_UP, use + " " + pattern + " needs too many steps");
    }

    /**
     * An expression to be used for something.
     *
     * @param use what for, as messages name it
     * @param verdict what it decides when it finds something
     */
    static Expression compile(String use, String regex, Verdict verdict) {
        try {
            return new Expression(use, Pattern.compile(regex), verdict);
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

    Scope.Decision found() {
        return found;
    }

    Scope.Decision gaveUp() {
        return gaveUp;
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
