package dev.sieve.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command of the program, with the options {@code --help} and {@code --version}. */
@Command(mixinStandardHelpOptions = true)
abstract class Subcommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    /** Options of several commands, which know the one that they are those of. */
    abstract static class Mixed {
        @Spec(Spec.Target.MIXEE)
        CommandSpec spec;
    }

    /** Writes one line to stdout, whatever the text contains. */
    final void println(String line) {
        Terminal.println(spec.commandLine().getOut(), line);
    }
}
