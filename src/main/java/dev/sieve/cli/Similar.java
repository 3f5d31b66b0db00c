package dev.sieve.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Finds the names that a user may have meant. */
final class Similar {
    private Similar() {}

    /** Returns the commands that a word is nearly equal to, the nearest first, or else the options. */
    static List<String> commands(CommandSpec spec, String word) {
        List<String> names = new ArrayList<>(spec.subcommands().keySet());
        names.add("crawl");
        List<String> nearest = nearest(word, names);
        return nearest.isEmpty() ? nearest(word, options(spec)) : nearest;
    }

    /** Returns the options that a word with its dashes is nearly equal to, or else those that begin like it. */
    static List<String> options(CommandSpec spec, String word) {
        List<String> nearest = nearest(word, options(spec));
        return nearest.isEmpty()
                ? new UnmatchedArgumentException(spec.commandLine(), List.of(word)).getSuggestions()
                : nearest;
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .toList();
    }

    /** Returns for example {@code did you mean --delay?}; empty without a name. */
    static String question(List<String> names) {
        return names.isEmpty() ? "" : "did you mean " + String.join(" or ", names) + "?";
    }

    /** Returns names with at most two wrong letters, in a short word with fewer. */
    private static List<String> nearest(String word, Collection<String> names) {
        String letters = word.replaceFirst("^-+", "");
        int most = Math.min(2, (letters.length() + 1) / 3);
        ToIntFunction<String> distance = name -> distance(letters, name.replaceFirst("^-+", ""));
        return names.stream()
                .filter(name -> distance.applyAsInt(name) <= most)
                .sorted(Comparator.comparingInt(distance))
                .toList();
    }

    /** Returns how many letters have to be inserted, deleted or replaced to make one word of the other. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
