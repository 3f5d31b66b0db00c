package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.job.CrawlState;
import dev.sieve.job.SavedPlace;
import dev.sieve.output.OutputFile;
import dev.sieve.report.Numbers;
import dev.sieve.shared.SharedTools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands on a crawl that is kept in a folder or on an engine. */
final class SavedCommands {
    private SavedCommands() {}

    /** Shows the state of a saved crawl. */
    @Command(name = "state", description = "Shows the state of a job or of a shared frontier, running or not.")
    static final class State extends Subcommand {
        @Mixin
        private PlaceOptions.Argument argument = new PlaceOptions.Argument();

        @Option(names = "--json", description = "Print one line of JSON, for programs.")
        private boolean isJson;

        @Override
        public Integer call() throws IOException {
            SavedPlace place = argument.place();
            CrawlState state = place.inspect();
            if (isJson) {
                println(Units.json(state.values()));
            } else {
                show(place, state);
            }
            return state.problems().isEmpty() ? 0 : FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
        }

        private void show(SavedPlace place, CrawlState state) {
            SieveStats stats = state.stats();
            row("urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
            row("seeds", "%,d", state.seeds());
            if (state.lost() > 0) {
                row("lost", "%,d, found missing by a repair", state.lost());
            }
            if (state.folder() != null) {
                show(state, state.folder());
            }
            if (state.engine() != null) {
                show(place, stats, state.engine());
            }
            row("health", "%s", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        }

        private void show(CrawlState state, CrawlState.Folder folder) {
            SieveStats stats = state.stats();
            DurableState frontier = folder.frontier();
            String whenFull = Units.percent(frontier.falsePositiveRate());
            if (state.hasFill()) {
                row(
                        "filter",
                        "%s; miss rate when full %s, now %s; %s",
                        Summary.size(stats),
                        whenFull,
                        Units.percent(stats.falsePositiveRate()),
                        Numbers.bytes(stats.memoryBytes()));
            } else {
                row(
                        "filter",
                        "for %,d URLs; miss rate when full %s; its fill is shown after the first checkpoint",
                        stats.capacity(),
                        whenFull);
            }
            Long owner = folder.owner();
            if (state.hasFill() && owner != null) {
                row("in flight", "%,d at the last checkpoint, counted as pending", frontier.inFlight());
            }
            row("log", "%s, %s", Numbers.count(frontier.segments(), "file"), Numbers.bytes(frontier.logBytes()));
            row(
                    "folder",
                    "%s, since %s",
                    Numbers.bytes(folder.bytes()),
                    folder.since().truncatedTo(ChronoUnit.SECONDS));
            row("owner", "%s", owner == null ? "none" : owner == 0 ? "an unknown process" : "process " + owner);
        }

        private void show(SavedPlace place, SieveStats stats, SharedTools.State engine) {
            row("filter", "%s; miss rate now %s", Summary.size(stats), Units.percent(stats.falsePositiveRate()));
            row(
                    "memory",
                    "%s for seen URLs%s, %s for pending ones%s",
                    Numbers.bytes(stats.memoryBytes()),
                    perUrl(stats.memoryBytes(), stats.accepted()),
                    Numbers.bytes(engine.queueBytes()),
                    perUrl(engine.queueBytes(), stats.pending()));
            row("engine", "%s at %s", engine.engine(), place);
            int owned = engine.workers().stream()
                    .mapToInt(SharedTools.State.Worker::slices)
                    .sum();
            row(
                    "workers",
                    "%d%s; slices without an owner: %d of %d",
                    engine.workers().size(),
                    engine.workers().stream()
                            .map(each -> ", " + each.name() + " with " + Numbers.count(each.slices(), "slice"))
                            .collect(Collectors.joining()),
                    engine.slices() - owned,
                    engine.slices());
            engine.warnings().forEach(warning -> row("warning", "%s", warning));
        }

        private static String perUrl(long bytes, long urls) {
            return bytes == 0 || urls == 0 ? "" : text(" (%.1f B per URL)", (double) bytes / urls);
        }

        private void row(String name, String format, Object... values) {
            println(text("%-10s%s", name, text(format, values)));
        }
    }

    /** Writes the URLs of a saved crawl, one per line. */
    @Command(
            name = "export",
            description =
                    "Writes the URLs of a job or of a shared frontier to stdout, one per line, in the order they were"
                            + " found. It may be running.")
    static final class ExportUrls extends Subcommand {
        @Mixin
        private PlaceOptions.Argument argument = new PlaceOptions.Argument();

        @ArgGroup
        private Which which = new Which();

        private static final class Which {
            @SuppressWarnings("unused") // the default, but may be given
            @Option(names = "--pending", description = "URLs that are not finished (default).")
            private boolean isPending;

            @Option(names = "--done", description = "Finished URLs that are still in the log: see --keep-log.")
            private boolean isDone;

            @Option(names = "--all", description = "All URLs that are still in the log.")
            private boolean isAll;

            private Export export() {
                return isAll ? Export.ALL : isDone ? Export.DONE : Export.PENDING;
            }
        }

        @Override
        public Integer call() throws IOException {
            SavedPlace place = argument.place();
            if (which.export() != Export.PENDING && !place.keepsDone()) {
                throw Checks.wrong(
                        spec,
                        "Option '" + (which.isAll ? "--all" : "--done")
                                + "' requires a directory: a shared frontier does not keep finished URLs");
            }
            // Flushed even when a damaged file ends the export, so that the URLs before the damage are written.
            try (Writer out = OutputFile.standardOutput(false)) {
                place.export(which.export(), url -> {
                    try {
                        out.write(url + "\n");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
            return 0;
        }
    }

    /** Repairs a damaged crawl and shows what is lost. */
    @Command(
            name = "repair",
            description =
                    "Repairs a damaged job or shared frontier, which no process may use: keeps what is intact and counts"
                            + " what is lost. What is discarded is kept under other names.")
    static final class Repair extends Subcommand {
        @Mixin
        private PlaceOptions.Argument argument = new PlaceOptions.Argument();

        @Override
        public Integer call() throws IOException {
            RepairReport report = argument.place().repair();
            report.findings().forEach(this::println);
            println(text(
                    "in the queue: %s kept, %,d lost; %s put aside",
                    Numbers.count(report.urls(), "URL"), report.lost(), Numbers.bytes(report.lostBytes())));
            return 0;
        }
    }

    /** Deletes a crawl from an engine; that of a folder is deleted with it. */
    @Command(name = "delete", description = "Deletes a shared frontier from its server. No process may use it.")
    static final class Delete extends Subcommand {
        @Parameters(paramLabel = "ADDRESS", description = "The address of the shared frontier.")
        private String address;

        @Mixin
        private EngineAccess access = new EngineAccess();

        @Override
        public Integer call() throws IOException {
            SavedPlace place = access.place("the address", address, Duration.ZERO);
            println(text("%s of %s deleted", Numbers.count(place.delete(), "key"), place));
            return 0;
        }
    }
}
