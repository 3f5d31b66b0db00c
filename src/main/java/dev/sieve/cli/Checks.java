package dev.sieve.cli;

import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Turns an IllegalArgumentException about the value of an option into a one-line error that names the option. */
final class Checks {
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

    static ParameterException invalid(CommandSpec spec, String option, String problem) {
        return wrong(spec, "Invalid value for option '" + option + "': " + problem);
    }

    static ParameterException wrong(CommandSpec spec, String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
