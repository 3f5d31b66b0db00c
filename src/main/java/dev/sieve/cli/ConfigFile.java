package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.url.Seeds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
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

/**
 * A file of options: a line {@code name = value} for each, where {@code name} is that of the option, with or
 * without its dashes, or {@code seed}. {@linkplain Seeds#withoutComment Comments} are as in lists of seeds.
 *
 * <p>An option on the command line replaces all lines for this option, and seeds there replace those of the file. A
 * default value provider of the library could not do this: it supplies one value, and some options have several. So the
 * lines become arguments, and the arguments are parsed again.
 */
final class ConfigFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final Set<String> NOT_IN_A_FILE = Set.of("--config", "--help", "--version");
    private static final String SEED = "seed";
    private static final Pattern LINE = Pattern.compile("([^=]*?)\\s*=\\s*(.*?)");
    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'");
    private static final Pattern OPTION_IN_MESSAGE = Pattern.compile("'(--?[A-Za-z-]+)");

    private final Path path;
    private final CommandSpec spec;
    private final Supplier<CommandLine> program;
    private final List<Line> lines = new ArrayList<>();

    /**
     * A line with a value.
     *
     * @param option the longest name of the option, or {@link #SEED}
     */
    private record Line(int number, String option, String value, String argument) {}

    private ConfigFile(Path path, CommandSpec spec, Supplier<CommandLine> program) {
        this.path = path;
        this.spec = spec;
        this.program = program;
    }

    /**
     * Reads a file.
     *
     * @param spec the command for which it sets options
     * @param program returns a new instance of the whole program, which checks a line
     * @throws ParameterException when it cannot be read, or a line is wrong
     */
    static ConfigFile read(Path path, CommandSpec spec, Supplier<CommandLine> program) {
        ConfigFile file = new ConfigFile(path, spec, program);
        int number = 0;
        for (String line : file.content().split("\\R", -1)) {
            number++;
            String text = Seeds.withoutComment(line).strip();
            if (!text.isEmpty()) {
                file.add(number, text);
            }
        }
        return file;
    }

    private String content() {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw Checks.invalid(spec, "--config", path + " is larger than 1 MiB");
            }
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw Checks.invalid(spec, "--config", path + " is not text in UTF-8");
        } catch (IOException e) {
            throw Checks.invalid(spec, "--config", Checks.message(e));
        }
    }

    private void add(int number, String text) {
        Matcher matcher = LINE.matcher(text);
        if (!matcher.matches()) {
            throw wrong(number, "not of the form 'name = value'");
        }
        String name = matcher.group(1);
        String value = matcher.group(2);
        if (QUOTED.matcher(value).matches()) {
            throw wrong(number, "write the value of '" + name + "' without quotes");
        }
        if (name.equals(SEED)) {
            lines.add(new Line(number, SEED, value, value));
            return;
        }
        OptionSpec option = option(number, name);
        lines.stream()
                .filter(each -> !option.isMultiValue() && each.option.equals(option.longestName()))
                .forEach(each -> {
                    throw wrong(number, "'" + name + "' is already set in line " + each.number);
                });
        Line line = new Line(number, option.longestName(), value, argument(number, name, option, value));
        if (!line.argument.isEmpty()) {
            check(line);
        }
        lines.add(line);
    }

    private OptionSpec option(int number, String name) {
        Map<String, OptionSpec> options = spec.optionsMap();
        OptionSpec option = Stream.of("--", "-", "")
                .map(dashes -> options.get(dashes + name))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (option == null) {
            List<String> similar = Similar.options(spec, "--" + name.replaceFirst("^-+", "")).stream()
                    .map(each -> "'" + each.replaceFirst("^-+", "") + "'")
                    .toList();
            String advice = similar.isEmpty() ? "" : "; " + Similar.question(similar);
            throw wrong(number, "unknown option '" + name + "'" + advice);
        }
        if (NOT_IN_A_FILE.contains(option.longestName())) {
            throw wrong(number, "'" + name + "' is allowed only on the command line");
        }
        return option;
    }

    /** Returns a line as an argument; a switch that is off has none, which is empty. */
    private String argument(int number, String name, OptionSpec option, String value) {
        boolean isSwitch = option.arity().max() == 0;
        if (isSwitch && !value.equals("true") && !value.equals("false")) {
            throw wrong(number, "'" + name + "' must be true or false: " + value);
        }
        boolean needsNoValue = option.arity().min() == 0;
        if (needsNoValue && value.equals("true")) {
            return option.longestName();
        }
        return needsNoValue && value.equals("false") ? "" : option.longestName() + "=" + value;
    }

    /** Refuses a value that the option does not take, by the words that it has on the command line. */
    private void check(Line line) {
        try {
            String[] command = spec.parent() == null ? new String[0] : new String[] {spec.name()};
            program.get()
                    .parseArgs(Stream.concat(Stream.of(command), Stream.of(line.argument))
                            .toArray(String[]::new));
        } catch (ParameterException e) {
            throw wrong(line.number, e.getMessage());
        }
    }

    private ParameterException wrong(int number, @Nullable String problem) {
        return Checks.wrong(spec, path + ":" + number + ": " + problem);
    }

    /** Runs the command with the options of this file and those of the command line. */
    int run(ParseResult parsed) {
        try {
            CommandLine again = parsed.commandSpec().commandLine().setExpandAtFiles(false);
            String[] arguments = arguments(parsed).toArray(String[]::new);
            return new CommandLine.RunLast().execute(again.parseArgs(arguments));
        } catch (ParameterException e) {
            throw new ParameterException(e.getCommandLine(), where(String.valueOf(e.getMessage())) + e.getMessage(), e);
        }
    }

    /** Returns the lines that count and then the arguments of the command line, which keep their order. */
    private List<String> arguments(ParseResult parsed) {
        ParseResult own = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        boolean hasSeeds = ((CrawlCommand) spec.userObject()).hasSeeds();
        lines.removeIf(each -> each.option.equals(SEED) ? hasSeeds : own.hasMatchedOption(each.option));

        List<String> arguments = new ArrayList<>(parsed.expandedArgs());
        int first = parsed.hasSubcommand() ? arguments.indexOf(spec.name()) + 1 : 0;
        List<String> seeds = lines.stream()
                .filter(each -> each.option.equals(SEED))
                .map(Line::argument)
                .toList();
        String end = spec.parser().endOfOptionsDelimiter();
        if (!seeds.isEmpty() && !arguments.contains(end)) {
            arguments.add(end);
        }
        arguments.addAll(seeds);
        arguments.addAll(
                first,
                lines.stream()
                        .filter(each -> !each.option.equals(SEED) && !each.argument.isEmpty())
                        .map(Line::argument)
                        .toList());
        return arguments;
    }

    /** Returns the lines that a message is about, as {@code sieve.conf:3: }; empty if it is about none of them. */
    private String where(String message) {
        Set<String> options = OPTION_IN_MESSAGE
                .matcher(message)
                .results()
                .map(each -> each.group(1))
                .collect(Collectors.toSet());
        List<Line> named = lines.stream()
                .filter(each ->
                        options.contains(each.option) || (each.option.equals(SEED) && message.contains(each.value)))
                .toList();
        // Of several lines for an option, those with the value in the message.
        List<Line> exact =
                named.stream().filter(each -> message.contains(each.value)).toList();
        Stream<Line> best = (exact.isEmpty() ? named : exact).stream();
        String numbers = best.map(each -> String.valueOf(each.number)).collect(Collectors.joining(","));
        return numbers.isEmpty() ? "" : path + ":" + numbers + ": ";
    }
}
