package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.durable.RepairReport;
import dev.sieve.report.Numbers;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Repairs a damaged crawl and shows what is lost. */
@Command(
        name = "repair",
        mixinStandardHelpOptions = true,
        description =
                "Repairs a damaged job or shared frontier, which no process may use: keeps what is intact and counts"
                        + " what is lost. What is discarded is kept under other names.")
final class RepairCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private PlaceArgument argument = new PlaceArgument();

    @Override
    public Integer call() throws IOException {
        RepairReport report = argument.place().repair();
        PrintWriter out = spec.commandLine().getOut();
        report.findings().forEach(finding -> Terminal.println(out, finding));
        Terminal.println(
                out,
                text(
                        "in the queue: %s kept, %,d lost; %s put aside",
                        Numbers.count(report.urls(), "URL"), report.lost(), Numbers.bytes(report.lostBytes())));
        return 0;
    }
}
