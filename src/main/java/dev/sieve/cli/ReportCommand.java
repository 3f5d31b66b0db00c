package dev.sieve.cli;

import dev.sieve.job.MemoryPlace;
import dev.sieve.job.SavedPlace;
import dev.sieve.report.CrawlRecord;
import dev.sieve.report.Numbers;
import dev.sieve.report.ReportInput;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates a report from the output of earlier crawls. */
@Command(
        name = "report",
        sortOptions = false,
        description = "Creates a self-contained HTML report from the output of earlier crawls, or of a shared crawl.")
final class ReportCommand extends Subcommand {
    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description =
                    "Files of records (-o pages.jsonl), link graphs (-o links.tsv), which list the pages that link to"
                            + " a broken one, and directories of jobs that ran with --report.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = EngineAccess.FRONTIER,
            paramLabel = "ADDRESS",
            description = "Report the crawl of this shared frontier, running or not, in place of files.")
    private @Nullable String frontier;

    @Mixin
    private EngineAccess access = new EngineAccess();

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
        if (files.isEmpty() == (frontier == null)) {
            String option = "'" + EngineAccess.FRONTIER + "'";
            throw Checks.wrong(
                    spec,
                    files.isEmpty()
                            ? "Missing FILE, or option " + option
                            : "Option " + option + " cannot be combined with FILE");
        }
        CrawlRecord record = frontier != null
                ? shared(frontier)
                : ReportInput.read(files, problem -> {
                    problems.incrementAndGet();
                    Terminal.println("sieve: " + problem);
                });
        ReportPage.write(ReportPage.page(record, Instant.now()), output);
        Terminal.println(output + "  " + Numbers.bytes(Files.size(output)));
        return problems.get() == 0 ? 0 : FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
    }

    private CrawlRecord shared(String address) throws IOException {
        List<byte[]> shares = new ArrayList<>();
        SavedPlace place = access.place("option '" + EngineAccess.FRONTIER + "'", address, Duration.ZERO);
        place.shares(shares::add);
        if (shares.isEmpty()) {
            throw new IOException("nothing to report: no worker has stored anything in " + place);
        }
        return CrawlRecord.ofShares(shares);
    }
}
