package dev.sieve.cli;

import dev.sieve.output.PageSink;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that select what a crawl writes, and where. */
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

    /** Refuses files that {@link #open} could not open, before anything is created. */
    void check(boolean isJob) {
        Outputs.check(outputs, skipped, how(isJob), spec);
    }

    /** Opens the files. Without a file for pages, their URLs go to standard output. */
    Outputs open(boolean isJob) throws IOException {
        Outputs files = Outputs.open(outputs, skipped, how(isJob));
        if (outputs.isEmpty()) {
            files.add(stdout());
        }
        return files;
    }

    private StandardOpenOption how(boolean isJob) {
        return isForced
                ? StandardOpenOption.TRUNCATE_EXISTING
                : isJob ? StandardOpenOption.APPEND : StandardOpenOption.CREATE_NEW;
    }

    /** Prints URLs; on a terminal, each replaces the progress line. */
    private static PageSink stdout() {
        String start = Terminal.isStdout() ? Terminal.WIPE : "";
        return visit -> {
            if (visit.isSuccess()) {
                System.out.print(start + visit.url() + "\n");
                System.out.flush();
                if (System.out.checkError()) {
                    throw new IOException("standard output is closed");
                }
            }
        };
    }
}
