package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules for one crawler in one spelling, in the order of their precedence.
 *
 * <p>Matching places each piece between two stars at the leftmost position where it fits, which is sufficient for
 * stars, and the last piece of a pattern with {@code $} at the end of the path.
 *
 * <p>All rules are in one array, since a robots.txt may contain tens of thousands: for each rule a byte with its {@link
 * #ALLOW} and {@link #TO_THE_END} bits, the length of its pattern in two bytes, which lines of a robots.txt do not
 * exceed, and the pattern.
 */
final class RuleList {
    private static final int HEAD_BYTES = 3;
    private static final int ALLOW = 1;
    private static final int TO_THE_END = 2;

    private final byte[] rules;

    /** A rule with its pattern as it is written. */
    @SuppressWarnings("ArrayRecordComponent") // rules are not compared
    record Rule(byte[] pattern, boolean allow) {}

    /** A rule before it is stored. */
    private record Spelled(PathSpelling spelling, int octets, int bits) {
        /** The longest first, and of two equally long ones that which allows; equal ones are neighbours. */
        static final Comparator<Spelled> BY_PRECEDENCE = Comparator.comparingInt((Spelled rule) -> -rule.octets)
                .thenComparingInt(rule -> -(rule.bits & ALLOW))
                .thenComparingInt(Spelled::bits)
                .thenComparing(Spelled::pattern, Arrays::compare);

        static Spelled of(Rule rule, boolean decodesUnreserved) {
            byte[] pattern = rule.pattern();
            boolean toTheEnd = pattern.length > 0 && pattern[pattern.length - 1] == '$';
            byte[] body = toTheEnd ? Arrays.copyOf(pattern, pattern.length - 1) : pattern;
            PathSpelling spelling = PathSpelling.ofPattern(body, decodesUnreserved);
            int bits = (rule.allow() ? ALLOW : 0) | (toTheEnd ? TO_THE_END : 0);
            return new Spelled(spelling, spelling.octets + (toTheEnd ? 1 : 0), bits);
        }

        byte[] pattern() {
            return spelling.bytes;
        }

        boolean isSame(@Nullable Spelled other) {
            return other != null && BY_PRECEDENCE.compare(this, other) == 0;
        }
    }

    RuleList(List<Rule> rules, boolean decodesUnreserved) {
        List<Spelled> sorted = rules.stream()
                .map(rule -> Spelled.of(rule, decodesUnreserved))
                .sorted(Spelled.BY_PRECEDENCE)
                .toList();
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        Spelled last = null;
        for (Spelled rule : sorted) {
            if (!rule.isSame(last)) {
                stored.write(rule.bits);
                stored.write(rule.pattern().length >>> 8);
                stored.write(rule.pattern().length);
                stored.writeBytes(rule.pattern());
            }
            last = rule;
        }
        this.rules = stored.toByteArray();
    }

    boolean isSame(RuleList other) {
        return Arrays.equals(rules, other.rules);
    }

    /** Whether the first rule that matches allows the path, or no rule matches; false when the steps are used up. */
    boolean allows(PathSpelling path) {
        Search search = new Search(rules, path.bytes);
        for (int at = 0; at < rules.length; ) {
            int from = at + HEAD_BYTES;
            int end = from + ((rules[at + 1] & 0xff) << 8 | (rules[at + 2] & 0xff));
            if (search.matches(from, end, (rules[at] & TO_THE_END) != 0)) {
                return (rules[at] & ALLOW) != 0;
            }
            at = end;
        }
        return !search.isExhausted();
    }

    /** Returns the first rules as lines of a robots.txt, at most this many. */
    List<String> lines(int most) {
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < rules.length && lines.size() < most; ) {
            int from = at + HEAD_BYTES;
            int length = (rules[at + 1] & 0xff) << 8 | (rules[at + 2] & 0xff);
            String pattern = new String(rules, from, length, US_ASCII)
                    .replace((char) PathSpelling.ANY, '*')
                    .replace((char) PathSpelling.ESCAPE, '%');
            String end = (rules[at] & TO_THE_END) == 0 ? "" : "$";
            lines.add(((rules[at] & ALLOW) == 0 ? "Disallow: " : "Allow: ") + pattern + end);
            at = from + length;
        }
        return lines;
    }

    long memoryBytes() {
        return 32L + rules.length;
    }

    /**
     * A search for the rule of a path with a bounded number of steps. Finding a piece takes quadratic time in the worst
     * case; the bound is far above the need of an honest robots.txt and limits a hostile one to some milliseconds.
     */
    private static final class Search {
        private static final int MAX_STEPS = 2_000_000;

        private final byte[] rules;
        private final byte[] path;
        private int steps = MAX_STEPS;

        Search(byte[] rules, byte[] path) {
            this.rules = rules;
            this.path = path;
        }

        /** Whether the steps are used up: later patterns may match although {@link #matches} returned false. */
        boolean isExhausted() {
            return steps <= 0;
        }

        boolean matches(int from, int end, boolean toTheEnd) {
            int pieceEnd = pieceEnd(from, end);
            if (!hasAt(0, from, pieceEnd)) {
                return false;
            }
            int at = pieceEnd - from;
            if (pieceEnd == end) {
                return !toTheEnd || at == path.length;
            }
            while (pieceEnd < end) {
                int piece = pieceEnd + 1;
                pieceEnd = pieceEnd(piece, end);
                if (toTheEnd && pieceEnd == end) {
                    int last = path.length - (end - piece);
                    return last >= at && hasAt(last, piece, end);
                }
                at = endOfFirst(piece, pieceEnd, at);
                if (at < 0) {
                    return false;
                }
            }
            return true;
        }

        private int pieceEnd(int from, int end) {
            int at = from;
            while (at < end && rules[at] != PathSpelling.ANY) {
                at++;
            }
            return at;
        }

        /** Returns the end of the first occurrence of a piece in the path at or after an index; -1 without one. */
        private int endOfFirst(int piece, int pieceEnd, int from) {
            int length = pieceEnd - piece;
            for (int at = from; at + length <= path.length && steps > 0; at++) {
                if (hasAt(at, piece, pieceEnd)) {
                    return at + length;
                }
            }
            return -1;
        }

        private boolean hasAt(int at, int piece, int pieceEnd) {
            steps--;
            int length = pieceEnd - piece;
            if (steps <= 0 || at + length > path.length) {
                return false;
            }
            for (int i = 0; i < length; i++) {
                if (!PathSpelling.matches(rules[piece + i], path[at + i])) {
                    steps -= i;
                    return false;
                }
            }
            steps -= length;
            return true;
        }
    }
}
