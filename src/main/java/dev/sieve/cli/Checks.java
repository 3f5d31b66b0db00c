package dev.sieve.cli;

import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Turns what an option's value is refused with into the one line that names the option. */
final class Checks {
    private Checks() {}

    /** Uses a value; what is said against it is said of the option. */
    static void check(CommandSpec spec, String option, Runnable use) {
        try {
            use.run();
        } catch (IllegalArgumentException e) {
            throw invalid(spec, option, e.getMessage());
        }
    }

    /** Uses a value if there is one. */
    static <T> void set(CommandSpec spec, String option, T value, Consumer<T> setter) {
        if (value != null) {
            check(spec, option, () -> setter.accept(value));
        }
    }

    static ParameterException invalid(CommandSpec spec, String option, String problem) {
        return wrong(spec, "Invalid value for option '" + option + "': " + problem);
    }

    static ParameterException wrong(CommandSpec spec, String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
