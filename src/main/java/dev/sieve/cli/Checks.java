package dev.sieve.cli;

import dev.sieve.io.BundledFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns exceptions into one-line errors that name the option or the file and the reason. */
final class Checks {
    /** The name of a seed in a file of options. */
    static final String SEED = "seed";

    private static final Pattern PARAMETER = Pattern.compile("^[a-z]+[A-Za-z]* (?=must )");

    /** An option at the start of an argument, without its value. */
    private static final Pattern OPTION = Pattern.compile("^(--[^=]+|-[A-Za-z]+)");

    /** An option that the words of an advice name. */
    static final Pattern OPTION_IN_TEXT = Pattern.compile("(?<![\\w-])--?[a-z][a-z-]*");

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
        return wrong(spec, "Invalid value for option '" + option + "': " + words, option);
    }

    /** Refuses options that do nothing without another one. */
    static void requires(CommandSpec spec, String other, String... options) {
        ParseResult given = spec.commandLine().getParseResult();
        for (String option : options) {
            if (given.hasMatchedOption(option) && !given.hasMatchedOption(other)) {
                throw wrong(spec, "Option '" + option + "' requires '" + other + "'", option);
            }
        }
    }

    /** Refuses two options of which only one makes sense. */
    static void exclude(CommandSpec spec, String one, String other) {
        ParseResult given = spec.commandLine().getParseResult();
        if (given.hasMatchedOption(one) && given.hasMatchedOption(other)) {
            throw wrong(spec, "Options '" + one + "' and '" + other + "' exclude each other", one, other);
        }
    }

    /** Returns an error of the user about options, by any of their names. */
    static ParameterException wrong(CommandSpec spec, @Nullable String message, String... options) {
        Set<String> names = Stream.of(options)
                .map(name -> spec.findOption(name) == null
                        ? name
                        : spec.findOption(name).longestName())
                .collect(Collectors.toSet());
        return new WrongOptions(spec.commandLine(), message, names);
    }

    /** An error of the user that names the options that it is about. */
    static final class WrongOptions extends ParameterException {
        private static final long serialVersionUID = 1;

        /** The longest names of the options. */
        final transient Set<String> options;

        private WrongOptions(CommandLine line, @Nullable String message, Set<String> options) {
            super(line, message);
            this.options = options;
        }
    }

    /** Returns the options, and for a word without dashes also the commands, that a user may have meant. */
    static List<String> similar(CommandSpec spec, String word) {
        String letters = word.replaceFirst("^-+", "");
        boolean isOption = !letters.equals(word);
        Stream<String> commands = Stream.concat(spec.subcommands().keySet().stream(), Stream.of("crawl"));
        List<String> near = Stream.concat(
                        isOption ? Stream.empty() : commands,
                        spec.options().stream().map(OptionSpec::longestName))
                .filter(name -> isNear(letters, name.replaceFirst("^-+", ""), Math.min(2, (letters.length() + 1) / 3)))
                .toList();
        return near.isEmpty() && isOption
                ? new UnmatchedArgumentException(spec.commandLine(), List.of(word)).getSuggestions()
                : near;
    }

    /**
     * Returns what to do in place of an option of another tool: {@code use --depth=N}; null if no tool is known to have
     * the option, or the command has no option that serves.
     */
    static @Nullable String advice(CommandSpec spec, String word) {
        Matcher option = OPTION.matcher(word);
        if (!option.find() || spec.findOption("--depth") == null) {
            return null;
        }
        return BundledFile.text(Checks.class, "other-options.txt")
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(": ", 2))
                .filter(line -> (" " + line[0] + " ").contains(" " + option.group() + " "))
                .map(line -> line[1])
                .filter(text ->
                        OPTION_IN_TEXT.matcher(text).results().allMatch(each -> spec.findOption(each.group()) != null))
                .findFirst()
                .orElse(null);
    }

    /** Returns for example {@code did you mean --delay or --depth?}; empty without a name. */
    static String question(List<String> names) {
        return names.isEmpty() ? "" : "did you mean " + String.join(" or ", names) + "?";
    }

    /** Whether inserting, deleting or replacing at most so many letters makes one word of the other. */
    private static boolean isNear(String word, String name, int most) {
        if (word.isEmpty() || name.isEmpty()) {
            return word.length() + name.length() <= most;
        }
        String rest = word.substring(1);
        String others = name.substring(1);
        return word.charAt(0) == name.charAt(0)
                ? isNear(rest, others, most)
                : most > 0
                        && (isNear(rest, others, most - 1)
                                || isNear(rest, name, most - 1)
                                || isNear(word, others, most - 1));
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
