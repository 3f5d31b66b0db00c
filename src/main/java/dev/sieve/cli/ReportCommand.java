package dev.sieve.cli;

import dev.sieve.crawl.MemoryPlace;
import dev.sieve.report.CrawlRecord;
import dev.sieve.report.Numbers;
import dev.sieve.report.ReportInput;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Creates a report from the output of earlier crawls. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Creates a self-contained HTML report from the output of earlier crawls.")
final class ReportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description =
                    "Files of records (-o pages.jsonl), link graphs (-o links.tsv), which list the pages that link to"
                            + " a broken one, and directories of jobs that ran with --report.")
    private List<Path> files;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The report to write (default: report.html).")
    Path output = Path.of("report.html");

    @Option(names = "--force", description = "Overwrite an existing file.")
    private boolean isForced;

    @Override
    public Integer call() throws IOException {
        new OutputChecks(spec, new MemoryPlace()).report("-o", output, isForced);
        AtomicLong problems = new AtomicLong();
        CrawlRecord record = ReportInput.read(files, problem -> {
            problems.incrementAndGet();
            Terminal.println("sieve: " + problem);
        });
        ReportPage.write(ReportPage.page(record, Instant.now()), output);
        Terminal.println(output + "  " + Numbers.bytes(Files.size(output)));
        return problems.get() == 0 ? 0 : ExitCode.INPUT_OR_OUTPUT_FAILED;
    }
}
