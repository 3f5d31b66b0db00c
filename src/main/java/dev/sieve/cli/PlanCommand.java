package dev.sieve.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the memory and the misses of each filter. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Shows how much memory each filter needs for N URLs, and how many pages it misses.%n")
final class PlanCommand implements Callable<Integer> {
    @Option(
            names = "--urls",
            paramLabel = "N",
            defaultValue = "1M",
            description = "URLs to remember: 1000000, 1M, 1e6 (default: 1M).")
    private Long urls;

    @Option(
            names = "--miss-rate",
            paramLabel = "P",
            defaultValue = "1e-4",
            description = "Share of new pages that may be missed when full: 0.0001, 1e-4, 0.01%% (default: 1e-4).")
    private Double missRate;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (urls < 1) {
            throw Checks.invalid(spec, "--urls", "must be at least 1: " + urls);
        }
        PrintWriter out = spec.commandLine().getOut();
        new Plan(urls, missRate).lines().forEach(out::println);
        out.flush();
        return 0;
    }
}
