package dev.sieve.cli;

import java.util.function.Consumer;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Turns an IllegalArgumentException about the value of an option into a one-line error that names the option. */
final class Checks {
    private static final Pattern PARAMETER = Pattern.compile("^[a-z]+[A-Za-z]* (?=must )");

    private Checks() {}

    static void check(CommandSpec spec, String option, Runnable use) {
        try {
            use.run();
        } catch (IllegalArgumentException e) {
            throw invalid(spec, option, e.getMessage());
        }
    }

    /** Sets a value unless it is null. */
    static <T> void set(CommandSpec spec, String option, T value, Consumer<T> setter) {
        if (value != null) {
            check(spec, option, () -> setter.accept(value));
        }
    }

    /** Names the option in place of the parameter, with which the problem may begin. */
    static ParameterException invalid(CommandSpec spec, String option, String problem) {
        String words = PARAMETER.matcher(problem).replaceFirst("");
        return wrong(spec, "Invalid value for option '" + option + "': " + words);
    }

    static ParameterException wrong(CommandSpec spec, String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
