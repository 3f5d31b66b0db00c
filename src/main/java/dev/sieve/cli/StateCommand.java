package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlState;
import dev.sieve.report.Numbers;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the state of a saved crawl. */
@Command(
        name = "state",
        mixinStandardHelpOptions = true,
        description = "Shows the state of a job or of a shared frontier, running or not.")
final class StateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private PlaceArgument argument = new PlaceArgument();

    @Option(names = "--json", description = "Print one line of JSON, for programs.")
    private boolean isJson;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        CrawlState state = argument.place().inspect();
        if (isJson) {
            Terminal.println(out, Units.json(state.values()));
        } else {
            state.lines().forEach(line -> row(out, line.name(), shown(line)));
            row(out, "health", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        }
        return state.problems().isEmpty() ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
    }

    private static String shown(CrawlState.Line line) {
        return text(
                line.format(), line.values().stream().map(StateCommand::shown).toArray());
    }

    private static Object shown(Object value) {
        return value instanceof CrawlState.Bytes bytes
                ? Numbers.bytes(bytes.count())
                : value instanceof CrawlState.Rate rate
                        ? Units.percent(rate.share())
                        : value instanceof SieveStats stats ? Summary.size(stats) : value;
    }

    private static void row(PrintWriter out, String name, String text) {
        Terminal.println(out, text("%-10s%s", name, text));
    }
}
