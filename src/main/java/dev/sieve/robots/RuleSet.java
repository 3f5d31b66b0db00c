package dev.sieve.robots;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The rules for one crawler on one origin in two spellings: as they are sent, and with unreserved escapes decoded. Both
 * lists are in the order in which rules take precedence.
 */
final class RuleSet {
    private static final Comparator<Rule> BY_PRECEDENCE =
            Comparator.comparingInt((Rule rule) -> -rule.pattern.length()).thenComparing(rule -> !rule.allow);

    private final List<Compiled> sent;
    private final List<Compiled> decoded;

    /** A rule whose pattern is in the spelling of {@link PathSpelling#ofPattern}. */
    record Rule(String pattern, boolean allow) {
        private Rule decoded() {
            return new Rule(PathSpelling.decoded(pattern), allow);
        }
    }

    private record Compiled(PathPattern pattern, boolean allow) {}

    RuleSet(List<Rule> rules) {
        List<Rule> decodedRules = rules.stream().map(Rule::decoded).toList();
        sent = compile(rules);
        decoded = decodedRules.equals(rules) ? sent : compile(decodedRules);
    }

    private static List<Compiled> compile(List<Rule> rules) {
        return new LinkedHashSet<>(rules)
                .stream()
                        .sorted(BY_PRECEDENCE)
                        .map(rule -> new Compiled(new PathPattern(rule.pattern), rule.allow))
                        .toList();
    }

    boolean allows(byte[] path) {
        String pathAsSent = PathSpelling.ofPath(path);
        if (!allows(sent, pathAsSent)) {
            return false;
        }
        String decodedPath = PathSpelling.decoded(pathAsSent);
        boolean sameSpelling = decoded == sent && decodedPath.equals(pathAsSent);
        return sameSpelling || allows(decoded, decodedPath);
    }

    /** Whether the first rule that matches allows the path, or no rule matches; false when the steps did not suffice. */
    private static boolean allows(List<Compiled> rules, String text) {
        PathPattern.Path path = new PathPattern.Path(text);
        for (Compiled rule : rules) {
            if (rule.pattern.matches(path)) {
                return rule.allow;
            }
        }
        return !path.isExhausted();
    }

    long memoryBytes() {
        return memoryBytes(sent) + (decoded == sent ? 0 : memoryBytes(decoded));
    }

    private static long memoryBytes(List<Compiled> rules) {
        return 16
                + rules.stream()
                        .mapToLong(rule -> 28 + rule.pattern.memoryBytes())
                        .sum();
    }
}
