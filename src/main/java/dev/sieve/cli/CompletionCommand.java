package dev.sieve.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script that completes commands, options and their values in a shell. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Prints a shell completion script.",
        footerHeading = "%nTo install it:%n",
        footer = {
            "bash: sieve completion bash > ~/.local/share/bash-completion/completions/sieve",
            "zsh: sieve completion zsh > FOLDER/_sieve, for a FOLDER of $fpath",
            "fish: sieve completion fish > ~/.config/fish/completions/sieve.fish"
        })
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    private Shell shell;

    /** The shells with a script. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    private final Supplier<CommandLine> newProgram;

    /**
     * @param newProgram returns a new instance of the whole program
     */
    CompletionCommand(Supplier<CommandLine> newProgram) {
        this.newProgram = newProgram;
    }

    @Override
    public Integer call() {
        CommandLine program = newProgram.get();
        nameValues(program.getCommandSpec());
        program.getSubcommands().values().forEach(each -> nameValues(each.getCommandSpec()));
        PrintWriter out = spec.commandLine().getOut();
        out.print(
                switch (shell) {
                    case BASH -> AutoComplete.bash(program.getCommandName(), program);
                    case ZSH -> ZshCompletion.script(program.getCommandSpec());
                    case FISH -> FishCompletion.script(program.getCommandSpec());
                });
        out.flush();
        return 0;
    }

    /**
     * Lists the values of enums by the names that the {@linkplain Converters.Named converter} accepts. The script of bash
     * has a variable for each label, so that each needs one of its own.
     */
    private static void nameValues(CommandSpec command) {
        for (OptionSpec option : List.copyOf(command.options())) {
            List<String> names = names(option);
            if (!names.isEmpty()) {
                command.remove(option);
                command.addOption(option.toBuilder()
                        .completionCandidates(names)
                        .paramLabel(option.longestName().replaceFirst("^-+", ""))
                        .build());
            }
        }
        for (PositionalParamSpec positional : List.copyOf(command.positionalParameters())) {
            List<String> names = names(positional);
            if (!names.isEmpty()) {
                command.remove(positional);
                command.addPositional(
                        positional.toBuilder().completionCandidates(names).build());
            }
        }
    }

    private static List<String> names(ArgSpec argument) {
        Class<?> type = argument.isMultiValue() ? argument.auxiliaryTypes()[0] : argument.type();
        return type.isEnum()
                ? Stream.of(type.getEnumConstants())
                        .map(each -> Converters.name((Enum<?>) each))
                        .toList()
                : List.of();
    }
}
