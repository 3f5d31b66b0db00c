package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import java.io.PrintWriter;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The program. Its exit code is 0 when all went well or a limit that was asked for was reached, 1 after an internal
 * error or when the sieve was full, 2 when it was called wrongly, 3 when no page could be fetched, 4 when an output
 * failed, 5 when 'why' says no, and 128 and the signal's number when it was interrupted.
 */
public final class Main {
    static final int INTERNAL_ERROR = 1;
    static final int WRONG_USAGE = 2;
    static final int NO_PAGE = 3;
    static final int OUTPUT_FAILED = 4;
    static final int NOT_CRAWLED = 5;

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
                    "Options of the command '"
                            + parsed.subcommand().commandSpec().name() + "' stand behind it");
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static int complain(ParameterException wrong, String[] args) {
        PrintWriter err = wrong.getCommandLine().getErr();
        err.println("sieve: " + firstLine(wrong) + " (see --help)");
        return WRONG_USAGE;
    }

    private static int fail(Exception failure, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        err.println("sieve: internal error: " + failure);
        failure.printStackTrace(err);
        return INTERNAL_ERROR;
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
