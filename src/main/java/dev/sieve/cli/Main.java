package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import dev.sieve.SieveFullException;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.output.BrokenPipeException;
import dev.sieve.output.OutputFormats;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Map;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program: runs a command, and turns exceptions into one line on stderr and an {@link FailOn.ExitCode}. */
public final class Main {
    /** Stands for bytes of an argument that are not characters in the encoding of the locale. */
    private static final char UNREADABLE = '\ufffd';

    /** The text of the help about the formats of outputs. */
    private static final ResourceBundle FORMATS = new ListResourceBundle() {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"formats", OutputFormats.help()}};
        }
    };

    private Main() {}

    /** Runs the program and exits. */
    public static void main(String[] args) {
        int exitCode = FailOn.ExitCode.INTERNAL_ERROR_OR_FULL;
        try {
            exitCode = commandLine().execute(withoutDefault(args));
        } catch (Throwable e) {
            reportError(e);
        } finally {
            // In any case, since a thread that hangs would keep the process alive.
            System.exit(exitCode);
        }
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new CrawlCommand());
        line.addSubcommand(new DemoCommand())
                .addSubcommand(new PlanCommand())
                .addSubcommand(new WhyCommand())
                .addSubcommand(new ReportCommand())
                .addSubcommand(new DiffCommand())
                .addSubcommand(new ServeCommand())
                .addSubcommand(new RequestOptions.Key())
                .addSubcommand(new SavedCommands.State())
                .addSubcommand(new SavedCommands.ExportUrls())
                .addSubcommand(new SavedCommands.Repair())
                .addSubcommand(new SavedCommands.Delete())
                .addSubcommand("completion", new AutoComplete.GenerateCompletion())
                .addSubcommand(new CommandLine.HelpCommand())
                .registerConverter(Long.class, new Converters.Quantity())
                .registerConverter(Integer.class, new Converters.SmallQuantity())
                .registerConverter(int.class, new Converters.SmallQuantity())
                .registerConverter(Double.class, new Converters.MissRate())
                .registerConverter(Duration.class, new Converters.TimeSpan())
                .registerConverter(PaceOptions.Delay.class, new Converters.Delay())
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(24)
                .setParameterExceptionHandler(Main::reportUsage)
                .setExecutionExceptionHandler(Main::reportFailure)
                .setExecutionStrategy(Main::run);
        Map<String, CommandLine> commands = line.getSubcommands();
        command(commands, "help")
                .usageMessage()
                .header("Shows the help of a command.")
                .description();
        command(commands, "completion")
                .name("completion")
                .usageMessage()
                .description("Prints a script with which bash and zsh complete commands, options and their values.")
                .footerHeading("%nTo install it:%n")
                .footer(
                        "bash: sieve completion > ~/.local/share/bash-completion/completions/sieve",
                        "zsh: source <(sieve completion), in ~/.zshrc");
        for (CommandLine each : commands.values()) {
            takeWords(line, each);
        }
        takeWords(line, line);
        line.setResourceBundle(FORMATS);
        String version = "sieve " + CrawlOptions.version();
        line.getCommandSpec().version(version);
        commands.values()
                .forEach(each -> each.getCommandSpec()
                        .version(version)
                        .usageMessage()
                        .parameterListHeading("%n")
                        .optionListHeading("%n"));
        Stream.of(line, commands.get("why")).forEach(each -> {
            each.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, Main::groups);
            each.getCommandSpec().usageMessage().parameterListHeading("%n").optionListHeading("");
        });
        return line;
    }

    private static CommandSpec command(Map<String, CommandLine> commands, String name) {
        return Objects.requireNonNull(commands.get(name)).getCommandSpec();
    }

    /**
     * Returns the options of a command under the headings of the classes that declare them. Groups of picocli's own
     * would change more than the help: an option that is given twice would begin a second group without the options of
     * the first.
     */
    private static String groups(Help help) {
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        for (OptionSpec option : help.commandSpec().options()) {
            groups.computeIfAbsent(heading(option), heading -> new ArrayList<>())
                    .add(option);
        }
        StringBuilder text = new StringBuilder();
        // Rendering all options for the widths of the columns takes long, so it is done once.
        Help.Column[] columns = help.createDefaultLayout().textTable().columns();
        for (Map.Entry<String, List<OptionSpec>> group : groups.entrySet()) {
            Help.TextTable table = Help.TextTable.forColumns(help.colorScheme(), columns);
            Help.Layout layout = new Help.Layout(
                    help.colorScheme(),
                    table,
                    help.createDefaultOptionRenderer(),
                    help.createDefaultParameterRenderer());
            layout.addOptions(group.getValue(), help.createDefaultParamLabelRenderer());
            text.append(help.createHeading(group.getKey())).append(layout);
        }
        return text.append(System.lineSeparator()).toString();
    }

    /** Makes a program take the words of the options of a command. Without streams, which the start of --help would load alone. */
    private static void takeWords(CommandLine line, CommandLine command) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            Class<?> type = option.isMultiValue() ? option.auxiliaryTypes()[0] : option.type();
            if (type.isEnum()) {
                Converters.takeWords(line, type);
            }
        }
    }

    private static String heading(OptionSpec option) {
        Command group = ((Field) option.userObject()).getDeclaringClass().getAnnotation(Command.class);
        return group == null ? CrawlCommand.PROGRAM : group.optionListHeading();
    }

    /** Drops the optional word "crawl", also in {@code help crawl}. */
    static String[] withoutDefault(String[] args) {
        if (Arrays.equals(args, new String[] {"help", "crawl"})) {
            return new String[] {"help"};
        }
        return args.length > 0 && args[0].equals("crawl") ? Arrays.copyOfRange(args, 1, args.length) : args;
    }

    private static int run(ParseResult parsed) {
        if (parsed.hasSubcommand() && !parsed.matchedArgs().isEmpty()) {
            String command = parsed.subcommand().commandSpec().name();
            throw Checks.wrong(parsed.commandSpec(), "Put options after the command: sieve " + command + " [OPTIONS]");
        }
        ParseResult last = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        boolean showsHelp = last.isUsageHelpRequested() || last.isVersionHelpRequested();
        for (String argument : parsed.originalArgs()) {
            if (argument.indexOf(UNREADABLE) >= 0) {
                throw Checks.wrong(last.commandSpec(), unreadable(argument));
            }
        }
        if (!showsHelp) {
            String problem = Logging.problem();
            if (problem != null) {
                throw Checks.wrong(last.commandSpec(), problem);
            }
            Logging.set(Level.INFO);
        }
        if (!showsHelp && last.commandSpec().userObject() instanceof CrawlCommand crawl && crawl.config != null) {
            return ConfigFile.read(crawl.config, last.commandSpec()).run(parsed);
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static String unreadable(String argument) {
        String locale = Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                .map(name -> name + "=" + Objects.requireNonNullElse(System.getenv(name), ""))
                .filter(each -> !each.endsWith("="))
                .findFirst()
                .orElse("POSIX");
        return "Argument '" + argument + "' has characters that Java cannot read in the locale " + locale + " ("
                + System.getProperty("sun.jnu.encoding") + "): set LC_ALL=C.UTF-8";
    }

    private static void reportError(Throwable error) {
        if (error instanceof OutOfMemoryError) {
            Terminal.println("sieve: out of memory: " + error.getMessage() + "; increase the heap with java -Xmx");
        } else {
            Terminal.print(internal(error));
        }
    }

    private static int reportUsage(ParameterException wrong, String[] args) {
        String message = String.valueOf(wrong.getMessage()).lines().findFirst().orElse("");
        boolean isCommand = wrong.getArgSpec() == null && wrong.getValue() != null;
        String word = wrong instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched().get(0)
                : isCommand ? wrong.getValue() : "";
        CommandSpec spec = wrong.getCommandLine().getCommandSpec();
        String advice = Checks.advice(spec, word);
        if (advice == null) {
            String question = Checks.question(Checks.similar(spec, word));
            advice = question.isEmpty() ? "see --help" : question;
        }
        Terminal.println(wrong.getCommandLine().getErr(), "sieve: " + message + " (" + advice + ")");
        return FailOn.ExitCode.WRONG_USAGE;
    }

    private static int reportFailure(Exception failure, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        if (failure instanceof BrokenPipeException || failure.getCause() instanceof BrokenPipeException) {
            return FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
        if (failure instanceof IOException || failure instanceof UncheckedIOException) {
            Terminal.println(err, "sieve: " + Checks.message(failure));
            return FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
        if (failure instanceof SieveFullException) {
            Terminal.println(err, "sieve: " + failure.getMessage());
        } else {
            Terminal.print(err, internal(failure));
        }
        return FailOn.ExitCode.INTERNAL_ERROR_OR_FULL;
    }

    /** Returns the lines about an error of the program: what it is, and the stack trace. */
    private static String internal(Throwable error) {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        return "sieve: internal error: " + error + System.lineSeparator() + trace;
    }
}
