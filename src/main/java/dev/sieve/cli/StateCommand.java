package dev.sieve.cli;

import dev.sieve.SieveStats;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Says how a job is doing, while it runs or not. */
@Command(name = "state", mixinStandardHelpOptions = true, description = "Shows the state of a job, running or not.%n")
final class StateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The directory of the job.")
    private Path job;

    @Override
    public Integer call() throws IOException {
        DurableState state = DurableFolder.inspect(job);
        System.out.print(text(state));
        return state.problems().isEmpty() ? 0 : ExitCode.OUTPUT_FAILED;
    }

    private static String text(DurableState state) {
        SieveStats stats = state.stats();
        StringBuilder text = new StringBuilder();
        row(text, "urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
        row(text, "in flight", "%,d at the last checkpoint, counted as pending", state.inFlight());
        row(
                text,
                "filter",
                "%,d of %,d URLs (%.1f %%), miss rate when full %s, now %.2g; %s",
                stats.estimatedSize(),
                stats.capacity(),
                100.0 * stats.estimatedSize() / stats.capacity(),
                state.falsePositiveRate(),
                stats.falsePositiveRate(),
                Units.bytes(stats.memoryBytes()));
        row(text, "log", "%,d files, %s", state.segments(), Units.bytes(state.logBytes()));
        row(text, "owner", owner(state.owner()));
        if (state.lost() > 0) {
            row(text, "lost", "%,d URLs, discarded by a repair", state.lost());
        }
        row(text, "health", state.problems().isEmpty() ? "good" : String.join("; ", state.problems()));
        return text.toString();
    }

    private static String owner(OptionalLong process) {
        if (process.isEmpty()) {
            return "none";
        }
        return process.getAsLong() == 0 ? "an unknown process" : "process " + process.getAsLong();
    }

    private static void row(StringBuilder text, String name, String format, Object... values) {
        text.append(String.format(Locale.ROOT, "%-10s", name));
        text.append(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
        text.append(System.lineSeparator());
    }
}
