package dev.sieve.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns exceptions into one-line errors that name the option or the file and the reason. */
final class Checks {
    private static final Pattern PARAMETER = Pattern.compile("^[a-z]+[A-Za-z]* (?=must )");

    /** The JDK has no reason in the messages of these exceptions. */
    private static final Map<Class<?>, String> REASONS = Map.of(
            AccessDeniedException.class, "permission denied",
            NoSuchFileException.class, "no such file or directory",
            FileAlreadyExistsException.class, "exists",
            NotDirectoryException.class, "not a directory",
            DirectoryNotEmptyException.class, "directory not empty");

    private Checks() {}

    static void check(CommandSpec spec, String option, Runnable use) {
        try {
            use.run();
        } catch (IllegalArgumentException e) {
            throw invalid(spec, option, e.getMessage());
        }
    }

    /** Sets a value unless it is null. */
    static <T> void set(CommandSpec spec, String option, @Nullable T value, Consumer<T> setter) {
        if (value != null) {
            check(spec, option, () -> setter.accept(value));
        }
    }

    /** Names the option in place of the parameter, with which the problem may begin. */
    static ParameterException invalid(CommandSpec spec, String option, @Nullable String problem) {
        String words = PARAMETER.matcher(String.valueOf(problem)).replaceFirst("");
        return wrong(spec, "Invalid value for option '" + option + "': " + words);
    }

    /** Refuses options that do nothing without another one. */
    static void requires(CommandSpec spec, String other, String... options) {
        ParseResult given = spec.commandLine().getParseResult();
        for (String option : options) {
            if (given.hasMatchedOption(option) && !given.hasMatchedOption(other)) {
                throw wrong(spec, "Option '" + option + "' requires '" + other + "'");
            }
        }
    }

    static ParameterException wrong(CommandSpec spec, @Nullable String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns the message of an exception, or of its cause if it has none of its own; never only the name of a file. */
    static String message(Exception failure) {
        IOException cause = failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : null;
        if (cause != null && cause.toString().equals(failure.getMessage())) {
            return message(cause);
        }
        boolean isBare = failure instanceof FileSystemException file && file.getReason() == null;
        return isBare
                ? failure.getMessage() + ": " + REASONS.getOrDefault(failure.getClass(), "failed")
                : String.valueOf(failure.getMessage());
    }
}
