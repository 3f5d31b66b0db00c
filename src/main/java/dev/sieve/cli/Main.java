package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import dev.sieve.SieveFullException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The program: runs the command that is named, and turns what it throws into one line and an {@link ExitCode}. */
public final class Main {
    private Main() {}

    /** Runs the program and exits. */
    public static void main(String[] args) {
        Logging.set(Level.INFO);
        System.exit(commandLine().execute(withoutDefault(args)));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new CrawlCommand())
                .addSubcommand(new DemoCommand())
                .addSubcommand(new PlanCommand())
                .addSubcommand(new WhyCommand())
                .addSubcommand(new StateCommand())
                .addSubcommand(new ExportCommand())
                .addSubcommand(new RepairCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(30);
        line.setParameterExceptionHandler(Main::complain)
                .setExecutionExceptionHandler(Main::fail)
                .setExecutionStrategy(Main::run);
        return line;
    }

    /** "crawl" may be said and need not be. */
    static String[] withoutDefault(String[] args) {
        return args.length > 0 && args[0].equals("crawl") ? Arrays.copyOfRange(args, 1, args.length) : args;
    }

    private static int run(ParseResult parsed) {
        if (parsed.hasSubcommand() && !parsed.matchedArgs().isEmpty()) {
            throw new ParameterException(
                    parsed.commandSpec().commandLine(),
                    "Put options after the command: sieve "
                            + parsed.subcommand().commandSpec().name() + " [OPTIONS]");
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static int complain(ParameterException wrong, String[] args) {
        PrintWriter err = wrong.getCommandLine().getErr();
        err.println("sieve: " + firstLine(wrong) + " (see --help)");
        return ExitCode.WRONG_USAGE;
    }

    private static int fail(Exception failure, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        if (failure instanceof IOException || failure instanceof UncheckedIOException) {
            err.println("sieve: " + message(failure));
            return ExitCode.OUTPUT_FAILED;
        }
        if (failure instanceof SieveFullException) {
            err.println("sieve: " + failure.getMessage());
            return ExitCode.INTERNAL_ERROR;
        }
        err.println("sieve: internal error: " + failure);
        failure.printStackTrace(err);
        return ExitCode.INTERNAL_ERROR;
    }

    /** The message of a failure; that of its cause where it has none of its own. */
    private static String message(Exception failure) {
        Throwable cause = failure.getCause();
        return failure instanceof UncheckedIOException && cause.toString().equals(failure.getMessage())
                ? cause.getMessage()
                : failure.getMessage();
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
