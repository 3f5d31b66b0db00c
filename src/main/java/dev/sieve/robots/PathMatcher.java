package dev.sieve.robots;

import java.util.List;

/**
 * One path, to be held against the patterns of one robots.txt in a bounded number of steps altogether.
 *
 * <p>Each piece of a pattern is put at the leftmost place where it fits, which is right for stars, and the last piece of
 * a pattern with {@code $} at the end of the path. A piece can be sought in quadratic time at the worst; the budget is
 * far above what an honest robots.txt needs, and keeps a hostile one to some milliseconds.
 */
final class PathMatcher {
    private static final int MAX_STEPS = 2_000_000;

    private final byte[] path;
    private int steps = MAX_STEPS;

    PathMatcher(byte[] path) {
        this.path = path;
    }

    byte[] path() {
        return path;
    }

    /** Whether the steps did not suffice: patterns may then match without having been found to. */
    boolean exhausted() {
        return steps <= 0;
    }

    boolean matches(PathPattern pattern) {
        List<byte[]> pieces = pattern.pieces();
        byte[] first = pieces.get(0);
        int last = pieces.size() - 1;
        if (last == 0) {
            return fits(first, 0) && (!pattern.toTheEnd() || first.length == path.length);
        }
        if (!fits(first, 0)) {
            return false;
        }
        int at = first.length;
        int floating = pattern.toTheEnd() ? last : last + 1;
        for (int i = 1; i < floating && at >= 0; i++) {
            at = afterLeftmost(pieces.get(i), at);
        }
        if (at < 0 || !pattern.toTheEnd()) {
            return at >= 0;
        }
        int end = path.length - pieces.get(last).length;
        return end >= at && fits(pieces.get(last), end);
    }

    /** The position behind the first place from {@code from} on at which the piece fits; negative without one. */
    private int afterLeftmost(byte[] piece, int from) {
        for (int at = from; at + piece.length <= path.length && steps > 0; at++) {
            if (fits(piece, at)) {
                return at + piece.length;
            }
        }
        return -1;
    }

    private boolean fits(byte[] piece, int at) {
        steps--;
        if (steps <= 0 || at + piece.length > path.length) {
            return false;
        }
        for (int i = 0; i < piece.length; i++) {
            if (piece[i] != path[at + i]) {
                steps -= i;
                return false;
            }
        }
        steps -= piece.length;
        return true;
    }
}
