package dev.sieve.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The text of a command as a shell takes it, without passwords: values of headers, and users in URLs. */
final class CommandLineText {
    /** A user and a password in a URL. */
    private static final Pattern USER = Pattern.compile("//[^/?#@ ]*+@");

    /** A word that every shell takes as it is. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*");

    private CommandLineText() {}

    static String of(CommandSpec spec, List<String> seeds) {
        List<String> words = new ArrayList<>(List.of("sieve"));
        words.addAll(seeds);
        // An option is listed as often as it was given, each time with all its values.
        for (OptionSpec option :
                new LinkedHashSet<>(spec.commandLine().getParseResult().matchedOptions())) {
            boolean isFlag = option.arity().max() == 0;
            for (String value : isFlag ? List.of("") : option.originalStringValues()) {
                String shown =
                        option.longestName().equals(RequestOptions.HEADER) ? value.replaceFirst(":.*", ": ...") : value;
                if (isFlag || value.equals(option.fallbackValue())) {
                    words.add(option.longestName());
                } else if (option.arity().min() == 0) {
                    words.add(option.longestName() + "=" + shown);
                } else {
                    words.addAll(List.of(option.longestName(), shown));
                }
            }
        }
        return words.stream()
                .map(word -> USER.matcher(word).replaceAll("//"))
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
