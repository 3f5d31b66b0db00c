package dev.sieve.cli;

import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.RepairReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Repairs a damaged job and shows what is lost. */
@Command(
        name = "repair",
        mixinStandardHelpOptions = true,
        description =
                "Repairs a damaged job: keeps what is intact and counts what is lost. Discarded files are kept under"
                        + " other names.%n")
final class RepairCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "The directory of the job, which must not be running.")
    private Path job;

    @Override
    public Integer call() throws IOException {
        RepairReport report = DurableFolder.repair(job);
        report.findings().forEach(System.out::println);
        System.out.println(Units.text(
                "%,d URLs kept, %,d lost with %s of the log",
                report.urls(), report.lost(), Units.bytes(report.lostBytes())));
        return 0;
    }
}
