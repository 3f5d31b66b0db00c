package dev.sieve.cli;

import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.Export;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes the URLs of a job, one per line. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description = "Writes the URLs of a job to stdout, one per line, in the order they were found. The job may be"
                + " running.%n")
final class ExportCommand implements Callable<Integer> {
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
        PrintWriter out = new PrintWriter(new BufferedWriter(
                new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8)));
        try {
            DurableFolder.export(job, which.export(), url -> out.print(url + "\n"));
        } finally {
            out.flush();
        }
        if (out.checkError()) {
            throw new IOException("standard output is closed");
        }
        return 0;
    }
}
