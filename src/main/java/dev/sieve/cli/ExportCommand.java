package dev.sieve.cli;

import dev.sieve.durable.Export;
import dev.sieve.job.SavedPlace;
import dev.sieve.output.OutputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes the URLs of a saved crawl, one per line. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description = "Writes the URLs of a job or of a shared frontier to stdout, one per line, in the order they were"
                + " found. It may be running.")
final class ExportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private PlaceArgument argument = new PlaceArgument();

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
