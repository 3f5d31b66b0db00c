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
import java.util.Objects;
import java.util.Set;
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
 * default value provider of the library could not do this: it supplies one value, and some options have several; nor
 * does it name the line of an error. So the lines become arguments, and the arguments are parsed again.
 */
final class ConfigFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final Set<String> NOT_IN_A_FILE = Set.of("--config", "--help", "--version");
    private static final Pattern LINE = Pattern.compile("([^=]*?)\\s*=\\s*(.*?)");
    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'");

    private final Path path;
    private final CommandSpec spec;
    private final List<Line> lines = new ArrayList<>();

    /** A line: the longest name of the option, or {@link Checks#SEED}; the argument is empty for a switch that is off. */
    private record Line(int number, String option, String value, String argument) {
        boolean isSeed() {
            return option.equals(Checks.SEED);
        }
    }

    private ConfigFile(Path path, CommandSpec spec) {
        this.path = path;
        this.spec = spec;
    }

    /** Reads a file of options for a command, and refuses it when it cannot be read, or a line is wrong. */
    static ConfigFile read(Path path, CommandSpec spec) {
        ConfigFile file = new ConfigFile(path, spec);
        int number = 0;
        for (String line : file.content().split("\\R", -1)) {
            number++;
            String text = Seeds.withoutComment(line).strip();
            if (!text.isEmpty()) {
                file.lines.add(file.line(number, text));
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

    private Line line(int number, String text) {
        Matcher matcher = LINE.matcher(text);
        if (!matcher.matches()) {
            throw wrong(number, "not of the form 'name = value'");
        }
        String name = matcher.group(1);
        String value = matcher.group(2);
        if (QUOTED.matcher(value).matches()) {
            throw wrong(number, "write the value of '" + name + "' without quotes");
        }
        if (name.equals(Checks.SEED)) {
            return new Line(number, Checks.SEED, value, value);
        }
        OptionSpec option = Stream.of("--", "-", "")
                .map(dashes -> spec.optionsMap().get(dashes + name))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> unknown(number, name));
        if (NOT_IN_A_FILE.contains(option.longestName())) {
            throw wrong(number, "'" + name + "' is allowed only on the command line");
        }
        for (Line earlier : lines) {
            if (!option.isMultiValue() && earlier.option.equals(option.longestName())) {
                throw wrong(number, "'" + name + "' is already set in line " + earlier.number);
            }
        }
        boolean isOn = value.equals("true");
        boolean isOff = value.equals("false");
        if (option.arity().max() == 0 && !isOn && !isOff) {
            throw wrong(number, "'" + name + "' must be true or false: " + value);
        }
        String argument = option.longestName() + "=" + value;
        if (option.arity().min() == 0 && (isOn || isOff)) {
            argument = isOn ? option.longestName() : "";
        }
        return new Line(number, option.longestName(), value, argument);
    }

    private ParameterException unknown(int number, String name) {
        String word = "--" + name.replaceFirst("^-+", "");
        String advice = Checks.advice(spec, word);
        if (advice != null) {
            return wrong(number, "unknown option '" + name + "'; " + advice);
        }
        List<String> similar = Checks.similar(spec, word).stream()
                .map(each -> "'" + each.replaceFirst("^-+", "") + "'")
                .toList();
        return wrong(
                number, "unknown option '" + name + "'" + (similar.isEmpty() ? "" : "; " + Checks.question(similar)));
    }

    private ParameterException wrong(int number, @Nullable String problem) {
        return Checks.wrong(spec, path + ":" + number + ": " + problem);
    }

    /** Runs the command with the options of this file and those of the command line. */
    int run(ParseResult parsed) {
        ParseResult own = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
        boolean hasSeeds = ((CrawlCommand) spec.userObject()).hasSeeds();
        List<String> typed = parsed.expandedArgs();
        typed = typed.subList(parsed.hasSubcommand() ? typed.indexOf(spec.name()) + 1 : 0, typed.size());
        CommandLine command = spec.commandLine().setExpandAtFiles(false);
        try {
            // Also the values that the command line replaces have to be valid.
            command.parseArgs(options().toArray(String[]::new));
            lines.removeIf(each -> each.isSeed() ? hasSeeds : own.hasMatchedOption(each.option));
            List<String> arguments = options();
            arguments.addAll(typed);
            List<String> seeds =
                    lines.stream().filter(Line::isSeed).map(Line::argument).toList();
            String end = spec.parser().endOfOptionsDelimiter();
            if (!seeds.isEmpty() && !typed.contains(end)) {
                arguments.add(end);
            }
            arguments.addAll(seeds);
            return new CommandLine.RunLast().execute(command.parseArgs(arguments.toArray(String[]::new)));
        } catch (ParameterException e) {
            throw new ParameterException(e.getCommandLine(), where(e) + e.getMessage(), e);
        }
    }

    private List<String> options() {
        return lines.stream()
                .filter(each -> !each.isSeed() && !each.argument.isEmpty())
                .map(Line::argument)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Returns the lines that an error is about, as {@code sieve.conf:3: }; empty if it is about none of them. */
    private String where(ParameterException error) {
        Set<String> options = error instanceof Checks.WrongOptions own
                ? own.options
                : error.getArgSpec() instanceof OptionSpec option ? Set.of(option.longestName()) : Set.of();
        List<Line> named =
                lines.stream().filter(each -> options.contains(each.option)).toList();
        // Of several lines for an option, and of the seeds, those whose values are in the message.
        String message = String.valueOf(error.getMessage());
        List<Line> exact =
                named.stream().filter(each -> message.contains(each.value)).toList();
        String numbers = (exact.isEmpty() ? named : exact)
                .stream().map(each -> String.valueOf(each.number)).collect(Collectors.joining(","));
        return numbers.isEmpty() ? "" : path + ":" + numbers + ": ";
    }
}
