package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * The pattern of a rule, split at its stars.
 *
 * <p>Matching places each piece at the leftmost position where it fits, which is sufficient for stars, and the last piece
 * of a pattern with {@code $} at the end of the path.
 */
final class PathPattern {
    private static final Pattern STARS = Pattern.compile("\\*+");

    /** The text before, between and after the stars; the first piece is a prefix of the path. */
    private final byte[][] pieces;

    /** Whether the last piece must also end the path. */
    private final boolean toTheEnd;

    PathPattern(String pattern) {
        toTheEnd = pattern.endsWith("$");
        String body = toTheEnd ? pattern.substring(0, pattern.length() - 1) : pattern;
        pieces = Arrays.stream(STARS.split(body, -1))
                .map(piece -> piece.getBytes(ISO_8859_1))
                .toArray(byte[][]::new);
    }

    boolean matches(Path path) {
        byte[] first = pieces[0];
        int last = pieces.length - 1;
        if (!path.hasAt(0, first)) {
            return false;
        }
        if (last == 0) {
            return !toTheEnd || first.length == path.bytes.length;
        }
        int at = first.length;
        int floating = toTheEnd ? last : last + 1;
        for (int i = 1; i < floating && at >= 0; i++) {
            at = path.endOfFirst(pieces[i], at);
        }
        if (at < 0 || !toTheEnd) {
            return at >= 0;
        }
        int end = path.bytes.length - pieces[last].length;
        return end >= at && path.hasAt(end, pieces[last]);
    }

    long memoryBytes() {
        return 64 + Arrays.stream(pieces).mapToLong(piece -> 28 + piece.length).sum();
    }

    /**
     * A path with the number of steps that are left for matching patterns against it. Finding a piece takes quadratic
     * time in the worst case; the budget is far above the need of an honest robots.txt and limits a hostile one to some
     * milliseconds.
     */
    static final class Path {
        private static final int MAX_STEPS = 2_000_000;

        private final byte[] bytes;
        private int steps = MAX_STEPS;

        Path(String path) {
            bytes = path.getBytes(ISO_8859_1);
        }

        /** Whether the steps are used up: later patterns may match although {@link #matches} returned false. */
        boolean isExhausted() {
            return steps <= 0;
        }

        /** Returns the end of the first occurrence of a piece at or after an index; -1 without one. */
        private int endOfFirst(byte[] piece, int from) {
            for (int at = from; at + piece.length <= bytes.length && steps > 0; at++) {
                if (hasAt(at, piece)) {
                    return at + piece.length;
                }
            }
            return -1;
        }

        private boolean hasAt(int at, byte[] piece) {
            steps--;
            if (steps <= 0 || at + piece.length > bytes.length) {
                return false;
            }
            for (int i = 0; i < piece.length; i++) {
                if (piece[i] != bytes[at + i]) {
                    steps -= i;
                    return false;
                }
            }
            steps -= piece.length;
            return true;
        }
    }
}
