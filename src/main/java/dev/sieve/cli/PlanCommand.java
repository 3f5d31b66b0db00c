package dev.sieve.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a table of filters. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Shows how much memory each filter needs for N URLs, and how many pages it misses.")
final class PlanCommand implements Callable<Integer> {
    private static final long DEFAULT_URLS = 1_000_000;

    @Option(names = "--urls", paramLabel = "N", description = "URLs to remember: 1000000, 1M, 1e6 (default: 1M).")
    private @Nullable Long urls;

    @Parameters(paramLabel = "N", arity = "0..1", description = "The same as --urls N.")
    private @Nullable Long number;

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
        if (urls != null && number != null) {
            throw Checks.wrong(spec, "Give the number of URLs once: " + number + " or --urls " + urls);
        }
        long keys = urls != null ? urls : number != null ? number : DEFAULT_URLS;
        if (keys < 1) {
            throw Checks.invalid(spec, "--urls", "must be at least 1: " + keys);
        }
        PrintWriter out = spec.commandLine().getOut();
        new Plan(keys, missRate).lines().forEach(line -> Terminal.println(out, line));
        return 0;
    }
}
