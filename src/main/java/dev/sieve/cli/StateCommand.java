package dev.sieve.cli;

import dev.sieve.SieveStats;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the state of a job. */
@Command(name = "state", mixinStandardHelpOptions = true, description = "Shows the state of a job, running or not.%n")
final class StateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The directory of the job.")
    private Path job;

    @Override
    public Integer call() throws IOException {
        DurableState state = DurableFolder.inspect(job);
        print(state);
        return state.problems().isEmpty() ? 0 : ExitCode.OUTPUT_FAILED;
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
