package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A line of a robots.txt that says how content may be used: {@code Content-Signal} (contentsignals.org) or {@code
 * Content-Usage} (draft-ietf-aipref-attach, section 3). A path may precede the preferences; as with rules, the longest
 * one that matches applies.
 *
 * @param name the name of the line in lower case
 * @param preferences what follows the path, as written
 * @param length the length of the path; 0 without one
 * @param path a rule that matches the URLs
 */
record Signal(String name, String preferences, int length, RuleList path) {
    private static final int MAX_LENGTH = 500;

    static Signal of(String name, String value) {
        int end = 0;
        while (value.startsWith("/") && end < value.length() && value.charAt(end) > ' ') {
            end++;
        }
        String path = value.substring(0, end);
        String preferences = value.substring(end).strip();
        RuleList.Rule rule = new RuleList.Rule((end == 0 ? "/" : path).getBytes(ISO_8859_1), false);
        return new Signal(
                name,
                preferences.substring(0, Math.min(preferences.length(), MAX_LENGTH)),
                end,
                new RuleList(List.of(rule), false));
    }

    /** Returns the preferences that apply to a path, by the names of their lines. */
    static Map<String, String> of(List<Signal> signals, PathSpelling path) {
        Map<String, String> found = new LinkedHashMap<>();
        Map<String, Integer> lengths = new HashMap<>();
        for (Signal each : signals) {
            int longest = lengths.getOrDefault(each.name, -1);
            if (each.length >= longest && !each.path.allows(path)) {
                // Of equally long paths, all apply.
                boolean isSame = each.length == longest;
                found.merge(each.name, each.preferences, (one, other) -> isSame ? one + ", " + other : other);
                lengths.put(each.name, each.length);
            }
        }
        return found;
    }

    long memoryBytes() {
        return 128 + 2L * preferences.length() + path.memoryBytes();
    }
}
