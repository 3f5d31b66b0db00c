package dev.sieve.cli;

import dev.sieve.job.FolderPlace;
import dev.sieve.job.SavedPlace;
import dev.sieve.serve.ServedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The argument that names the saved crawl a command is about. */
final class PlaceArgument {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The directory of the job, or the address of a shared frontier.")
    private Path folder;

    @Mixin
    private EngineAccess access = new EngineAccess();

    SavedPlace place() throws IOException {
        // Not the path that was made of it: that has one slash in place of two.
        String text = spec.commandLine()
                .getParseResult()
                .matchedPositional(0)
                .originalStringValues()
                .get(0);
        return EngineAccess.isAddress(text)
                ? access.place("the address", text, Duration.ZERO)
                : FolderPlace.with(folder, ServedFiles.OF_CRAWL);
    }
}
