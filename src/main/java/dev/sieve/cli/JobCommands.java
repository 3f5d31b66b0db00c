package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;
import static java.util.stream.Collectors.joining;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.output.OutputFile;
import dev.sieve.report.Numbers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands that read or repair a job. */
final class JobCommands {
    private JobCommands() {}

    /** Shows the state of a job. */
    @Command(name = "state", mixinStandardHelpOptions = true, description = "Shows the state of a job, running or not.")
    static final class State implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Parameters(paramLabel = "DIR", description = "The directory of the job.")
        private Path job;

        @Option(names = "--json", description = "Print one line of JSON, for programs.")
        private boolean isJson;

        @Override
        public Integer call() throws IOException {
            DurableState state = CrawlDirectory.inspect(job);
            if (isJson) {
                spec.commandLine().getOut().println(json(state));
            } else {
                print(state);
            }
            spec.commandLine().getOut().flush();
            return state.problems().isEmpty() ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
        }

        private void print(DurableState state) {
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
                    hasCheckpoint ? Summary.size(stats) : text("for %,d URLs", stats.capacity()),
                    Units.percent(state.falsePositiveRate()),
                    hasCheckpoint
                            ? text(
                                    ", now %s; %s",
                                    Units.percent(stats.falsePositiveRate()), Numbers.bytes(stats.memoryBytes()))
                            : "; its fill is shown after the first checkpoint");
            row("log", "%s, %s", Numbers.count(state.segments(), "file"), Numbers.bytes(state.logBytes()));
            row("owner", "%s", owner(state.owner()));
            if (state.lost() > 0) {
                row("lost", "%s, discarded by a repair", Numbers.count(state.lost(), "URL"));
            }
            row("health", "%s", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        }

        /** Values that only a checkpoint has are null without one. */
        private static String json(DurableState state) {
            SieveStats stats = state.stats();
            boolean hasCheckpoint = stats.memoryBytes() > 0;
            return text(
                    "{\"accepted\": %d, \"done\": %d, \"pending\": %d, \"lost\": %d, \"capacity\": %d, \"miss_rate\": %s,"
                            + " \"filter_size\": %s, \"filter_bytes\": %s, \"missed\": %s, \"log_files\": %d,"
                            + " \"log_bytes\": %d, \"owner\": %s, \"problems\": [%s]}",
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
            spec.commandLine().getOut().println(text("%-10s%s", name, text(format, values)));
        }
    }

    /** Writes the URLs of a job, one per line. */
    @Command(
            name = "export",
            mixinStandardHelpOptions = true,
            description =
                    "Writes the URLs of a job to stdout, one per line, in the order they were found. The job may be"
                            + " running.")
    static final class ExportUrls implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "The directory of the job.")
        private Path job;

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
            // Flushed even when a damaged file ends the export, so that the URLs before the damage are written.
            try (Writer out = OutputFile.standardOutput(false)) {
                DurableFolder.export(job, which.export(), url -> write(out, url));
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
                    "Repairs a damaged job: keeps what is intact and counts what is lost. Discarded files are kept under"
                            + " other names.")
    static final class Repair implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "The directory of the job, which must not be running.")
        private Path job;

        @Override
        public Integer call() throws IOException {
            RepairReport report = CrawlDirectory.repair(job);
            report.findings().forEach(System.out::println);
            System.out.println(text(
                    "%s kept, %,d lost with %s of the log",
                    Numbers.count(report.urls(), "URL"), report.lost(), Numbers.bytes(report.lostBytes())));
            return 0;
        }
    }
}
