package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.durable.DurableState;
import dev.sieve.job.CrawlState;
import dev.sieve.job.SavedPlace;
import dev.sieve.report.Numbers;
import dev.sieve.shared.SharedState;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
        SavedPlace place = argument.place();
        CrawlState state = place.inspect();
        if (isJson) {
            Terminal.println(out, Units.json(state.values()));
        } else {
            show(out, place, state);
        }
        return state.problems().isEmpty() ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
    }

    private static void show(PrintWriter out, SavedPlace place, CrawlState state) {
        SieveStats stats = state.stats();
        row(out, "urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
        row(out, "seeds", "%,d", state.seeds());
        if (state.lost() > 0) {
            row(out, "lost", "%,d, found missing by a repair", state.lost());
        }
        if (state.folder() != null) {
            show(out, state, state.folder());
        }
        if (state.engine() != null) {
            show(out, place, stats, state.engine());
        }
        row(out, "health", "%s", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
    }

    private static void show(PrintWriter out, CrawlState state, CrawlState.Folder folder) {
        SieveStats stats = state.stats();
        DurableState frontier = folder.frontier();
        String whenFull = Units.percent(frontier.falsePositiveRate());
        if (state.hasFill()) {
            row(
                    out,
                    "filter",
                    "%s; miss rate when full %s, now %s; %s",
                    Summary.size(stats),
                    whenFull,
                    Units.percent(stats.falsePositiveRate()),
                    Numbers.bytes(stats.memoryBytes()));
        } else {
            row(
                    out,
                    "filter",
                    "for %,d URLs; miss rate when full %s; its fill is shown after the first checkpoint",
                    stats.capacity(),
                    whenFull);
        }
        Long owner = folder.owner();
        if (state.hasFill() && owner != null) {
            row(out, "in flight", "%,d at the last checkpoint, counted as pending", frontier.inFlight());
        }
        row(out, "log", "%s, %s", Numbers.count(frontier.segments(), "file"), Numbers.bytes(frontier.logBytes()));
        row(
                out,
                "folder",
                "%s, since %s",
                Numbers.bytes(folder.bytes()),
                folder.since().truncatedTo(ChronoUnit.SECONDS));
        row(out, "owner", "%s", owner == null ? "none" : owner == 0 ? "an unknown process" : "process " + owner);
    }

    private static void show(PrintWriter out, SavedPlace place, SieveStats stats, SharedState engine) {
        row(out, "filter", "%s; miss rate now %s", Summary.size(stats), Units.percent(stats.falsePositiveRate()));
        row(
                out,
                "memory",
                "%s for seen URLs%s, %s for pending ones%s",
                Numbers.bytes(stats.memoryBytes()),
                perUrl(stats.memoryBytes(), stats.accepted()),
                Numbers.bytes(engine.queueBytes()),
                perUrl(engine.queueBytes(), stats.pending()));
        row(out, "engine", "%s at %s", engine.engine(), place);
        int owned =
                engine.workers().stream().mapToInt(SharedState.Worker::slices).sum();
        row(
                out,
                "workers",
                "%d%s; slices without an owner: %d of %d",
                engine.workers().size(),
                engine.workers().stream()
                        .map(each -> ", " + each.name() + " with " + Numbers.count(each.slices(), "slice"))
                        .collect(Collectors.joining()),
                engine.slices() - owned,
                engine.slices());
        engine.warnings().forEach(warning -> row(out, "warning", "%s", warning));
    }

    private static String perUrl(long bytes, long urls) {
        return bytes == 0 || urls == 0 ? "" : text(" (%.1f B per URL)", (double) bytes / urls);
    }

    private static void row(PrintWriter out, String name, String format, Object... values) {
        Terminal.println(out, text("%-10s%s", name, text(format, values)));
    }
}
