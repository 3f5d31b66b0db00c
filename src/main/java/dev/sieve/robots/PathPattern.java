package dev.sieve.robots;

import java.util.ArrayList;
import java.util.List;

/**
 * The pattern of a rule, cut at its stars.
 *
 * @param pieces what stands before, between and after the stars; the first one begins the path
 * @param toTheEnd the last piece must also end the path
 */
record PathPattern(List<byte[]> pieces, boolean toTheEnd) {

    static PathPattern of(String pattern) {
        boolean toTheEnd = pattern.endsWith("$");
        String body = toTheEnd ? pattern.substring(0, pattern.length() - 1) : pattern;
        List<byte[]> pieces = new ArrayList<>();
        int from = 0;
        for (int star = body.indexOf('*'); star >= 0; star = body.indexOf('*', from)) {
            add(pieces, body.substring(from, star));
            from = star + 1;
        }
        if (from < body.length() || pieces.isEmpty() || toTheEnd) {
            pieces.add(RuleSet.ascii(body.substring(from)));
        }
        return new PathPattern(List.copyOf(pieces), toTheEnd);
    }

    /** Stars that follow one another are one, so an empty piece counts only in front. */
    private static void add(List<byte[]> pieces, String piece) {
        if (pieces.isEmpty() || !piece.isEmpty()) {
            pieces.add(RuleSet.ascii(piece));
        }
    }

    long memoryBytes() {
        long bytes = 64;
        for (byte[] piece : pieces) {
            bytes += 28 + piece.length;
        }
        return bytes;
    }
}
