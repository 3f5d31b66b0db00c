package dev.sieve.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes the completion script for zsh; that of the library is for bash and shows no descriptions in zsh. */
final class ZshCompletion {
    private ZshCompletion() {}

    static String script(CommandSpec program) {
        String name = program.name();
        List<String> commands = List.copyOf(program.subcommands().keySet());
        List<String> lines = new ArrayList<>(List.of(
                "#compdef " + name,
                "# Completion of " + name + " for zsh.",
                "_" + name + "() {",
                "    local -a commands=("));
        program.subcommands()
                .forEach((command, line) -> lines.add("        "
                        + quoted(command + ":"
                                + FishCompletion.summary(line.getCommandSpec()).replace(":", "\\:"))));
        lines.add("    )");
        lines.add("    if (( CURRENT > 2 )) && [[ -n ${commands[(r)${words[2]}:*]} ]]; then");
        lines.add("        local command=${words[2]}");
        lines.add("        shift words");
        lines.add("        (( CURRENT-- ))");
        lines.add("        case $command in");
        program.subcommands().forEach((command, line) -> {
            lines.add("        " + command + ")");
            arguments(lines, "            ", line.getCommandSpec(), commands);
            lines.add("            ;;");
        });
        lines.add("        esac");
        lines.add("        return");
        lines.add("    fi");
        lines.add("    if (( CURRENT > 2 )) && [[ ${words[2]} == crawl ]]; then");
        lines.add("        shift words");
        lines.add("        (( CURRENT-- ))");
        lines.add("    elif (( CURRENT == 2 )); then");
        lines.add("        _describe -t commands command commands");
        lines.add("    fi");
        arguments(lines, "    ", program, commands);
        lines.add("}");
        lines.add("if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then");
        lines.add("    _" + name + " \"$@\"");
        lines.add("else");
        lines.add("    compdef _" + name + " " + name);
        lines.add("fi");
        return String.join("\n", lines) + "\n";
    }

    private static void arguments(List<String> lines, String indent, CommandSpec command, List<String> commands) {
        List<String> specs = new ArrayList<>();
        command.options().forEach(option -> option(specs, option));
        for (PositionalParamSpec positional : command.positionalParameters()) {
            String place = positional.isMultiValue() ? "*" : "";
            boolean isCommand = command.name().equals("help");
            String values = isCommand ? list(commands) : values(positional);
            specs.add(quoted(place + ":" + text(positional.paramLabel()) + ":" + values));
        }
        lines.add(indent + "_arguments -s -S \\");
        for (int i = 0; i < specs.size(); i++) {
            lines.add(indent + "    " + specs.get(i) + (i < specs.size() - 1 ? " \\" : ""));
        }
    }

    private static void option(List<String> specs, OptionSpec option) {
        // All names of an option that is given once exclude each other.
        String before = option.isMultiValue() ? "*" : "(" + String.join(" ", option.names()) + ")";
        for (String name : option.names()) {
            String value = "";
            if (option.arity().max() > 0) {
                boolean isOptional = option.arity().min() == 0;
                value = (isOptional ? "::" : ":") + text(option.paramLabel()) + ":" + values(option);
                name += !name.startsWith("--") ? "+" : isOptional ? "=-" : "=";
            }
            specs.add(quoted(before + name + "[" + text(FishCompletion.sentence(option.description())) + "]" + value));
        }
    }

    private static String values(ArgSpec argument) {
        List<String> values = FishCompletion.candidates(argument.completionCandidates());
        return !values.isEmpty() ? list(values) : FishCompletion.mayBeFile(argument) ? "_files" : " ";
    }

    private static String list(List<String> values) {
        return "(" + String.join(" ", values) + ")";
    }

    private static String text(String text) {
        return text.replaceAll("([\\\\\\[\\]:])", "\\\\$1");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
