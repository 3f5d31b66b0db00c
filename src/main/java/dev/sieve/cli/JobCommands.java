package dev.sieve.cli;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlDirectory;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.output.OutputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that read or repair a job. */
final class JobCommands {
    private JobCommands() {}

    /** Shows the state of a job. */
    @Command(
            name = "state",
            mixinStandardHelpOptions = true,
            description = "Shows the state of a job, running or not.%n")
    static final class State implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "The directory of the job.")
        private Path job;

        @Override
        public Integer call() throws IOException {
            DurableState state = CrawlDirectory.inspect(job);
            print(state);
            return state.problems().isEmpty() ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
        }

        private static void print(DurableState state) {
            SieveStats stats = state.stats();
            row("urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
            row("in flight", "%,d at the last checkpoint, counted as pending", state.inFlight());
            row(
                    "filter",
                    "%,d of %,d URLs (%.1f %%), miss rate when full %s, now %.2g; %s",
                    stats.estimatedSize(),
                    stats.capacity(),
                    100.0 * stats.estimatedSize() / stats.capacity(),
                    state.falsePositiveRate(),
                    stats.falsePositiveRate(),
                    Units.bytes(stats.memoryBytes()));
            row("log", "%,d files, %s", state.segments(), Units.bytes(state.logBytes()));
            row("owner", "%s", owner(state.owner()));
            if (state.lost() > 0) {
                row("lost", "%,d URLs, discarded by a repair", state.lost());
            }
            row("health", "%s", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        }

        private static String owner(OptionalLong process) {
            if (process.isEmpty()) {
                return "none";
            }
            return process.getAsLong() == 0 ? "an unknown process" : "process " + process.getAsLong();
        }

        private static void row(String name, String format, Object... values) {
            System.out.println(Units.text("%-10s%s", name, Units.text(format, values)));
        }
    }

    /** Writes the URLs of a job, one per line. */
    @Command(
            name = "export",
            mixinStandardHelpOptions = true,
            description =
                    "Writes the URLs of a job to stdout, one per line, in the order they were found. The job may be"
                            + " running.%n")
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
                            + " other names.%n")
    static final class Repair implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "The directory of the job, which must not be running.")
        private Path job;

        @Override
        public Integer call() throws IOException {
            RepairReport report = CrawlDirectory.repair(job);
            report.findings().forEach(System.out::println);
            System.out.println(Units.text(
                    "%,d URLs kept, %,d lost with %s of the log",
                    report.urls(), report.lost(), Units.bytes(report.lostBytes())));
            return 0;
        }
    }
}
