package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.job.SavedPlace;
import dev.sieve.report.Numbers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Deletes a crawl from an engine; that of a folder is deleted with it. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        description = "Deletes a shared frontier from its server. No process may use it.")
final class DeleteCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "ADDRESS", description = "The address of the shared frontier.")
    private String address;

    @Mixin
    private EngineAccess access = new EngineAccess();

    @Override
    public Integer call() throws IOException {
        SavedPlace place = access.place("the address", address, Duration.ZERO);
        Terminal.println(
                spec.commandLine().getOut(), text("%s of %s deleted", Numbers.count(place.delete(), "key"), place));
        return 0;
    }
}
