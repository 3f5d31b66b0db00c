package dev.sieve.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The first URLs that were not requested, for each rule. */
final class SkipExamples {
    public Map<String, List<Example>> examples = new TreeMap<>();

    /** A URL that was not requested, and the page on which it was found; null for a seed. */
    record Example(
            String url, @Nullable String detail, @Nullable String referrer) {}

    /** Returns whether an example of a rule is needed. */
    boolean needs(String rule) {
        List<Example> ofRule = examples.get(rule);
        return ofRule == null ? examples.size() < Bounds.NAMES : ofRule.size() < Bounds.EXAMPLES;
    }

    void add(String rule, String url, @Nullable String detail, @Nullable String referrer) {
        if (needs(rule)) {
            examples.computeIfAbsent(Bounds.cut(rule), name -> new ArrayList<>())
                    .add(new Example(Bounds.cut(url), Bounds.cutOrNull(detail), Bounds.cutOrNull(referrer)));
        }
    }

    void merge(SkipExamples other) {
        other.examples.forEach((rule, examplesOfRule) ->
                examplesOfRule.forEach(each -> add(rule, each.url, each.detail, each.referrer)));
    }

    List<Example> of(String rule) {
        return examples.getOrDefault(rule, List.of());
    }
}
