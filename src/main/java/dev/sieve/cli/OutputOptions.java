package dev.sieve.cli;

import dev.sieve.output.PageSink;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that say what a crawl writes, and where. */
final class OutputOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write .txt (URLs) or .jsonl (records); repeatable (default: URLs to stdout).")
    private List<Path> outputs = new ArrayList<>();

    @Option(
            names = "--skipped",
            paramLabel = "FILE",
            description = "Write each URL found but not requested: URL, reason, referrer.")
    private Path skipped;

    @Option(names = "--force", description = "Overwrite existing output files.")
    private boolean isForced;

    /**
     * Refuses, before anything is created, what {@link #open} could not do.
     *
     * @param appends whether the crawl is a job, whose files are appended to
     */
    void check(boolean appends) {
        Outputs.check(outputs, skipped, mode(appends), spec);
    }

    /** Opens the files; where no file is named for pages, their URLs go to standard output. */
    Outputs open(boolean appends) throws IOException {
        Outputs files = Outputs.open(outputs, skipped, mode(appends));
        return outputs.isEmpty() ? files.and(onStdout()) : files;
    }

    private Outputs.Mode mode(boolean appends) {
        return isForced ? Outputs.Mode.REPLACE : appends ? Outputs.Mode.APPEND : Outputs.Mode.CREATE;
    }

    /** Shows URLs as they come; on a terminal, each takes the place of the progress line. */
    private static PageSink onStdout() {
        PrintStream out = System.out;
        String start = Terminal.isStdout() ? Terminal.WIPE : "";
        return visit -> {
            if (visit.isSuccess()) {
                out.print(start + visit.url() + "\n");
                out.flush();
                if (out.checkError()) {
                    throw new IOException("standard output is closed");
                }
            }
        };
    }
}
