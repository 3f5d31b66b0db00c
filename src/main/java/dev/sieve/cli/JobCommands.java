package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;
import static java.time.temporal.ChronoUnit.SECONDS;
import static java.util.stream.Collectors.joining;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.output.OutputFile;
import dev.sieve.report.Numbers;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.SharedState;
import dev.sieve.shared.SharedTools;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands that read or repair a job, in a directory or on an engine that many processes share. */
final class JobCommands {
    private static final String JOB = "The directory of the job, or the address of a shared frontier.";

    private JobCommands() {}

    /** Returns the address that a command was given in place of a directory; null when it was given a directory. */
    private static @Nullable EngineAddress address(CommandSpec spec, EngineAccess access) throws IOException {
        // Not the path that was made of it: that has one slash in place of two.
        String text = spec.commandLine()
                .getParseResult()
                .matchedPositional(0)
                .originalStringValues()
                .get(0);
        return EngineAccess.isAddress(text) ? access.address("the address", text, System.getenv()) : null;
    }

    /** Shows the state of a job. */
    @Command(
            name = "state",
            mixinStandardHelpOptions = true,
            description = "Shows the state of a job or of a shared frontier, running or not.")
    static final class State implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Parameters(paramLabel = "DIR", description = JOB)
        @SuppressWarnings("NullAway.Init") // set by picocli
        private Path job;

        @Option(names = "--json", description = "Print one line of JSON, for programs.")
        private boolean isJson;

        @Mixin
        private EngineAccess access = new EngineAccess();

        @Override
        public Integer call() throws IOException {
            EngineAddress address = address(spec, access);
            return address == null ? folder() : engine(address);
        }

        private int engine(EngineAddress address) throws IOException {
            SharedState state = SharedTools.inspect(address);
            if (isJson) {
                Terminal.println(spec.commandLine().getOut(), json(state));
            } else {
                print(state, address);
            }
            return state.problems().isEmpty() ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
        }

        private void print(SharedState state, EngineAddress address) {
            SieveStats stats = state.stats();
            row("urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
            row("filter", "%s; miss rate now %s", Summary.size(stats), Units.percent(stats.falsePositiveRate()));
            row(
                    "memory",
                    "%s for seen URLs%s, %s for pending ones%s",
                    Numbers.bytes(stats.memoryBytes()),
                    perUrl(stats.memoryBytes(), stats.accepted()),
                    Numbers.bytes(state.queueBytes()),
                    perUrl(state.queueBytes(), stats.pending()));
            row("seeds", "%,d", state.seeds());
            row("engine", "%s at %s", state.engine(), address.server());
            row("workers", "%s", workers(state));
            if (state.lost() > 0) {
                row("lost", "%s, found missing by a repair; counted as done", Numbers.count(state.lost(), "URL"));
            }
            state.warnings().forEach(warning -> row("warning", "%s", warning));
            row("health", "%s", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        }

        private static String perUrl(long bytes, long urls) {
            return bytes == 0 || urls == 0 ? "" : text(" (%.1f B per URL)", (double) bytes / urls);
        }

        private static String workers(SharedState state) {
            int free = state.slices()
                    - state.workers().stream()
                            .mapToInt(SharedState.Worker::slices)
                            .sum();
            String all = state.workers().stream()
                    .map(worker -> text(", %s with %s", worker.name(), Numbers.count(worker.slices(), "slice")))
                    .collect(joining());
            return text(
                    "%d%s; slices without an owner: %d of %d", state.workers().size(), all, free, state.slices());
        }

        private static String json(SharedState state) {
            SieveStats stats = state.stats();
            return text(
                    "{\"accepted\": %d, \"done\": %d, \"pending\": %d, \"lost\": %d, \"capacity\": %d, \"miss_rate\": %s,"
                            + " \"filter_size\": %d, \"filter_bytes\": %d, \"missed\": %s, \"pending_bytes\": %d,"
                            + " \"seeds\": %d, \"engine\": %s, \"slices\": %d, \"workers\": [%s], \"warnings\": [%s],"
                            + " \"problems\": [%s]}",
                    stats.accepted(),
                    stats.done(),
                    stats.pending(),
                    state.lost(),
                    stats.capacity(),
                    stats.falsePositiveRate(),
                    stats.estimatedSize(),
                    stats.memoryBytes(),
                    stats.estimatedMissed(),
                    state.queueBytes(),
                    state.seeds(),
                    Units.json(state.engine()),
                    state.slices(),
                    state.workers().stream()
                            .map(each -> text("{\"name\": %s, \"slices\": %d}", Units.json(each.name()), each.slices()))
                            .collect(joining(", ")),
                    state.warnings().stream().map(Units::json).collect(joining(", ")),
                    state.problems().stream().map(Units::json).collect(joining(", ")));
        }

        private int folder() throws IOException {
            DurableState state = CrawlDirectory.inspect(job);
            CrawlDirectory.Contents contents = CrawlDirectory.contents(job);
            if (isJson) {
                Terminal.println(spec.commandLine().getOut(), json(state, contents));
            } else {
                print(state, contents);
            }
            return state.problems().isEmpty() ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
        }

        private void print(DurableState state, CrawlDirectory.Contents contents) {
            SieveStats stats = state.stats();
            // A filter without memory stands for a missing checkpoint.
            boolean hasCheckpoint = stats.memoryBytes() > 0;
            row("urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
            if (hasCheckpoint && state.owner().isPresent()) {
                row("in flight", "%,d at the last checkpoint, counted as pending", state.inFlight());
            }
            row(
                    "filter",
                    "%s; miss rate when full %s%s",
                    hasCheckpoint ? Summary.size(stats) : "for " + Numbers.count(stats.capacity(), "URL"),
                    Units.percent(state.falsePositiveRate()),
                    hasCheckpoint
                            ? text(
                                    ", now %s; %s",
                                    Units.percent(stats.falsePositiveRate()), Numbers.bytes(stats.memoryBytes()))
                            : "; its fill is shown after the first checkpoint");
            row("log", "%s, %s", Numbers.count(state.segments(), "file"), Numbers.bytes(state.logBytes()));
            row("seeds", "%,d", contents.seeds());
            row(
                    "folder",
                    "%s, since %s",
                    Numbers.bytes(contents.bytes()),
                    contents.oldest().truncatedTo(SECONDS));
            row("owner", "%s", owner(state.owner()));
            if (state.lost() > 0) {
                row("lost", "%s, discarded by a repair", Numbers.count(state.lost(), "URL"));
            }
            row("health", "%s", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        }

        /** Values that only a checkpoint has are null without one. */
        private static String json(DurableState state, CrawlDirectory.Contents contents) {
            SieveStats stats = state.stats();
            boolean hasCheckpoint = stats.memoryBytes() > 0;
            return text(
                    "{\"accepted\": %d, \"done\": %d, \"pending\": %d, \"lost\": %d, \"capacity\": %d, \"miss_rate\": %s,"
                            + " \"filter_size\": %s, \"filter_bytes\": %s, \"missed\": %s, \"log_files\": %d,"
                            + " \"log_bytes\": %d, \"seeds\": %d, \"folder_bytes\": %d, \"since\": \"%s\", \"owner\": %s,"
                            + " \"problems\": [%s]}",
                    stats.accepted(),
                    stats.done(),
                    stats.pending(),
                    state.lost(),
                    stats.capacity(),
                    state.falsePositiveRate(),
                    hasCheckpoint ? stats.estimatedSize() : null,
                    hasCheckpoint ? stats.memoryBytes() : null,
                    hasCheckpoint ? stats.estimatedMissed() : null,
                    state.segments(),
                    state.logBytes(),
                    contents.seeds(),
                    contents.bytes(),
                    contents.oldest(),
                    state.owner().isPresent() ? state.owner().getAsLong() : null,
                    state.problems().stream().map(Units::json).collect(joining(", ")));
        }

        private static String owner(OptionalLong process) {
            if (process.isEmpty()) {
                return "none";
            }
            return process.getAsLong() == 0 ? "an unknown process" : "process " + process.getAsLong();
        }

        private void row(String name, String format, Object... values) {
            Terminal.println(spec.commandLine().getOut(), text("%-10s%s", name, text(format, values)));
        }
    }

    /** Writes the URLs of a job, one per line. */
    @Command(
            name = "export",
            mixinStandardHelpOptions = true,
            description =
                    "Writes the URLs of a job or of a shared frontier to stdout, one per line, in the order they were"
                            + " found. It may be running.")
    static final class ExportUrls implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Parameters(paramLabel = "DIR", description = JOB)
        @SuppressWarnings("NullAway.Init") // set by picocli
        private Path job;

        @Mixin
        private EngineAccess access = new EngineAccess();

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
            EngineAddress address = address(spec, access);
            if (address != null && which.export() != Export.PENDING) {
                throw Checks.wrong(
                        spec,
                        "Option '" + (which.isAll ? "--all" : "--done")
                                + "' requires a directory: a shared frontier does not keep finished URLs");
            }
            // Flushed even when a damaged file ends the export, so that the URLs before the damage are written.
            try (Writer out = OutputFile.standardOutput(false)) {
                if (address == null) {
                    DurableFolder.export(job, which.export(), url -> write(out, url));
                } else {
                    SharedTools.export(address, url -> write(out, url));
                }
            }
            return 0;
        }

        private static void write(Writer out, String url) {
            try {
                out.write(url + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Repairs a damaged job and shows what is lost. */
    @Command(
            name = "repair",
            mixinStandardHelpOptions = true,
            description =
                    "Repairs a damaged job or shared frontier: keeps what is intact and counts what is lost. What is"
                            + " discarded is kept under other names.")
    static final class Repair implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Parameters(
                paramLabel = "DIR",
                description = "The directory of the job, or the address of a shared frontier; no process may use it.")
        @SuppressWarnings("NullAway.Init") // set by picocli
        private Path job;

        @Mixin
        private EngineAccess access = new EngineAccess();

        @Override
        public Integer call() throws IOException {
            EngineAddress address = address(spec, access);
            return address == null ? folder() : engine(address);
        }

        private int engine(EngineAddress address) throws IOException {
            RepairReport report = SharedTools.repair(address);
            PrintWriter out = spec.commandLine().getOut();
            report.findings().forEach(finding -> Terminal.println(out, finding));
            Terminal.println(
                    out,
                    text(
                            "%s kept, %,d lost; %s put aside on the engine",
                            Numbers.count(report.urls(), "pending URL"),
                            report.lost(),
                            Numbers.bytes(report.lostBytes())));
            return 0;
        }

        private int folder() throws IOException {
            RepairReport report = CrawlDirectory.repair(job);
            PrintWriter out = spec.commandLine().getOut();
            report.findings().forEach(finding -> Terminal.println(out, finding));
            Terminal.println(
                    out,
                    text(
                            "%s kept, %,d lost with %s of the log",
                            Numbers.count(report.urls(), "URL"), report.lost(), Numbers.bytes(report.lostBytes())));
            return 0;
        }
    }

    /** Deletes a crawl from an engine. */
    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = "Deletes a shared frontier from its server. No process may use it.")
    static final class Delete implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Parameters(paramLabel = "ADDRESS", description = "The address of the shared frontier.")
        @SuppressWarnings("NullAway.Init") // set by picocli
        private String address;

        @Mixin
        private EngineAccess access = new EngineAccess();

        @Override
        public Integer call() throws IOException {
            EngineAddress parsed = access.address("the address", address, System.getenv());
            Terminal.println(
                    spec.commandLine().getOut(),
                    text("%s of %s deleted", Numbers.count(SharedTools.delete(parsed), "key"), parsed));
            return 0;
        }
    }
}
