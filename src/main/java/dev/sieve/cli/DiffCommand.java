package dev.sieve.cli;

import dev.sieve.job.MemoryPlace;
import dev.sieve.output.OutputFile;
import dev.sieve.report.CrawlDiff;
import dev.sieve.report.CrawlRecord;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says what has changed between two crawls. */
@Command(
        name = "diff",
        sortOptions = false,
        description = "Writes what has changed between two crawls to stdout, a line per URL.",
        footer = {
            "",
            "The fields of a line are separated by tabs: the change, the status before, the status now, the URL, the page"
                    + " that links to it, and \"same\" if only the markup has changed."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Nothing has changed.",
            "1:Something has changed.",
            "2:The arguments are wrong, or a file cannot be read or written."
        })
final class DiffCommand extends Subcommand {
    private static final int CHANGED = 1;

    @Parameters(
            index = "0",
            paramLabel = "OLD",
            description = "Records of the earlier crawl (-o pages.jsonl). Alone: records of a round (--again), or the"
                    + " directory of a job whose last round ran with --report, which say what has changed since the"
                    + " round before.")
    private Path first;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NEW", description = "Records of the later crawl.")
    private @Nullable Path second;

    @Option(names = "--json", description = "Write an object of JSON per line.")
    private boolean isJson;

    @Option(names = "--report", paramLabel = "FILE", description = "Also write a report of the later crawl as HTML.")
    private @Nullable Path report;

    @Option(names = "--force", description = "Overwrite an existing report.")
    private boolean isForced;

    @Override
    public Integer call() {
        try {
            if (report != null) {
                new OutputChecks(spec, new MemoryPlace()).report("--report", report, isForced);
            }
            return compare();
        } catch (IOException e) {
            Terminal.println(spec.commandLine().getErr(), "sieve: " + Checks.message(e));
            return FailOn.ExitCode.WRONG_USAGE;
        }
    }

    private int compare() throws IOException {
        AtomicLong problems = new AtomicLong();
        AtomicLong differences = new AtomicLong();
        CrawlDiff diff = new CrawlDiff(second == null ? null : first, second == null ? first : second, problem -> {
            problems.incrementAndGet();
            Terminal.println(spec.commandLine().getErr(), "sieve: " + problem);
        });
        CrawlRecord record;
        try (Writer out = OutputFile.standardOutput(false)) {
            record = diff.run(difference -> {
                differences.incrementAndGet();
                out.append(isJson ? difference.json() : difference.tsv()).append('\n');
            });
        }
        if (report != null) {
            ReportPage.write(ReportPage.page(record, Instant.now()), report);
        }
        return problems.get() > 0 ? FailOn.ExitCode.WRONG_USAGE : differences.get() > 0 ? CHANGED : 0;
    }
}
