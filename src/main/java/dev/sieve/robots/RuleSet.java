package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The rules that hold for one crawler on one origin, twice: as they are spelled, and with unreserved escapes decoded.
 * In both lists the rule that decides comes first.
 */
final class RuleSet {
    private static final Comparator<Rule> DECISIVE_FIRST =
            Comparator.comparingInt((Rule rule) -> -rule.pattern.length()).thenComparing(rule -> !rule.allow);

    private final Compiled[] spelled;
    private final Compiled[] decoded;

    private RuleSet(Compiled[] spelled, Compiled[] decoded) {
        this.spelled = spelled;
        this.decoded = decoded;
    }

    /** A rule as it is spelled, one char a byte, with everything beyond ASCII escaped. */
    record Rule(String pattern, boolean allow) {
        Rule decoded() {
            String plain = Escapes.decodeUnreserved(pattern);
            return plain.equals(pattern) ? this : new Rule(plain, allow);
        }
    }

    private record Compiled(PathPattern pattern, boolean allow) {}

    static RuleSet of(List<Rule> rules) {
        List<Rule> decoded = rules.stream().map(Rule::decoded).toList();
        Compiled[] spelled = compile(rules);
        return new RuleSet(spelled, decoded.equals(rules) ? spelled : compile(decoded));
    }

    private static Compiled[] compile(List<Rule> rules) {
        return new LinkedHashSet<>(rules)
                .stream()
                        .sorted(DECISIVE_FIRST)
                        .map(rule -> new Compiled(PathPattern.of(rule.pattern), rule.allow))
                        .toArray(Compiled[]::new);
    }

    boolean allows(byte[] path) {
        PathMatcher asSpelled = new PathMatcher(Escapes.upperCase(path));
        if (!decides(spelled, asSpelled)) {
            return false;
        }
        PathMatcher asDecoded = new PathMatcher(Escapes.decodeUnreserved(asSpelled.path()));
        boolean sameQuestion = decoded == spelled && Arrays.equals(asDecoded.path(), asSpelled.path());
        return sameQuestion || decides(decoded, asDecoded);
    }

    /** The rule that decides says yes, or there is none; no when it could not be found in the steps allowed. */
    private static boolean decides(Compiled[] rules, PathMatcher path) {
        for (Compiled rule : rules) {
            if (path.matches(rule.pattern)) {
                return rule.allow;
            }
        }
        return !path.exhausted();
    }

    long memoryBytes() {
        return bytes(spelled) + (decoded == spelled ? 0 : bytes(decoded));
    }

    private static long bytes(Compiled[] rules) {
        long bytes = 16;
        for (Compiled rule : rules) {
            bytes += 28 + rule.pattern.memoryBytes();
        }
        return bytes;
    }

    static byte[] ascii(String pattern) {
        return pattern.getBytes(ISO_8859_1);
    }
}
