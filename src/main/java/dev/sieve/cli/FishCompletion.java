package dev.sieve.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes the completion script for fish, which the library of the command line does not support. */
final class FishCompletion {
    private FishCompletion() {}

    static String script(CommandSpec program) {
        String name = program.name();
        String commands = String.join(" ", program.subcommands().keySet());
        String noCommand = "__" + name + "_has_no_command";
        List<String> lines = new ArrayList<>(List.of(
                "# Completion of " + name + " for fish.",
                "function " + noCommand,
                "    not __fish_seen_subcommand_from " + commands,
                "end"));
        program.subcommands()
                .forEach((command, line) -> lines.add(complete(name, noCommand + "; and __fish_is_first_token") + " -a "
                        + command + " -d " + quoted(summary(line.getCommandSpec()))));
        options(lines, complete(name, noCommand), program);
        program.subcommands()
                .forEach((command, line) -> options(
                        lines, complete(name, "__fish_seen_subcommand_from " + command), line.getCommandSpec()));
        return String.join("\n", lines) + "\n";
    }

    static String summary(CommandSpec command) {
        String[] header = command.usageMessage().header();
        return sentence(header.length == 0 ? command.usageMessage().description() : header);
    }

    private static String complete(String name, String condition) {
        return "complete -c " + name + " -n " + quoted(condition);
    }

    private static void options(List<String> lines, String start, CommandSpec command) {
        for (OptionSpec option : command.options()) {
            StringBuilder line = new StringBuilder(start);
            for (String name : option.names()) {
                line.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^-+", ""));
            }
            if (option.arity().max() > 0) {
                line.append(values(option));
            }
            lines.add(line + " -d " + quoted(sentence(option.description())));
        }
        for (PositionalParamSpec positional : command.positionalParameters()) {
            List<String> values = candidates(positional.completionCandidates());
            if (!values.isEmpty()) {
                lines.add(start + " -f -a " + quoted(String.join(" ", values)));
            }
        }
    }

    /** A value of a list, the name of a file, or anything. */
    private static String values(OptionSpec option) {
        List<String> values = candidates(option.completionCandidates());
        return values.isEmpty() ? mayBeFile(option) ? " -r -F" : " -x" : " -x -a " + quoted(String.join(" ", values));
    }

    /** Whether an argument may be the name of a file; the seeds of a crawl have no type. */
    static boolean mayBeFile(ArgSpec argument) {
        return Stream.concat(Stream.of(argument.type()), Stream.of(argument.auxiliaryTypes()))
                        .anyMatch(each -> each == Path.class || each == File.class)
                || argument.paramLabel().equals("SEED");
    }

    static List<String> candidates(Iterable<String> candidates) {
        return candidates == null
                ? List.of()
                : StreamSupport.stream(candidates.spliterator(), false).toList();
    }

    /** Returns the first sentence of a description, without what is in brackets. */
    static String sentence(String[] lines) {
        if (lines.length == 0) {
            return "";
        }
        String text = lines[0].replace("%n", " ").replace("%%", "%").strip();
        String first = text.replaceAll(" \\([^)]*\\)", "").replaceFirst("(?s)[.;:] .*", "");
        return first.replaceFirst("\\.$", "");
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
