package dev.sieve.cli;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;

import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.job.CrawlPlace;
import dev.sieve.output.FileEnds;
import dev.sieve.output.LineFormat;
import dev.sieve.output.OutputFile;
import dev.sieve.output.OutputFormat;
import dev.sieve.output.OutputFormats;
import dev.sieve.parse.TextForm;
import dev.sieve.report.LiveServer;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options that select what a crawl writes, and where. */
@Command(optionListHeading = "%nOutput:%n")
@SameForWorkers(false)
final class OutputOptions {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write ${bundle:formats}, or - (stdout); repeatable (default: URLs to stdout).")
    private List<Path> outputs = new ArrayList<>();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "Format of stdout and of files with other names: ${COMPLETION-CANDIDATES} (default: jsonl"
                    + " for -o -).")
    private @Nullable LineFormat format;

    @Option(
            names = "--text",
            paramLabel = "FORM",
            arity = "0..1",
            fallbackValue = "plain",
            preprocessor = Converters.OnlyAfterEquals.class,
            description = "Add the visible text of pages to their records (.jsonl, .csv): plain, main (the article, or"
                    + " what is not navigation), markdown or main-markdown; --text alone: plain.")
    private @Nullable TextForm text;

    @Option(
            names = "--meta",
            description =
                    "Add what pages say of themselves to their records: language, author, dates, Open Graph, JSON-LD.")
    private boolean takesMeta;

    @Option(
            names = "--only-changes",
            description = "With --again: write no line for a page that has not changed since the last round.")
    private boolean onlyChanges;

    @Option(
            names = "--skipped",
            paramLabel = "FILE",
            description = "Write each URL found but not requested: URL, reason, referrer.")
    private @Nullable Path skipped;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write a report at the end: one HTML file, for a browser (default: none).")
    private @Nullable Path report;

    @Option(
            names = "--force",
            description = "Overwrite existing output files. A resumed job continues them, and replaces its report.")
    private boolean isForced;

    void apply(CrawlOptions options) {
        options.with(Capability.META, takesMeta);
        if (text != null) {
            options.text(text);
        }
    }

    /** Refuses files that {@link #open} could not open. If the crawl resumes, they are continued. */
    void check(OutputChecks checks, boolean resumes) throws IOException {
        checks.outputs(files(), format(), skipped, how(resumes));
        if (text != null || takesMeta) {
            checks.records(text != null ? "--text" : "--meta", files(), format());
        }
        if (report != null) {
            boolean isEarlier = resumes && Files.isRegularFile(report) && ReportPage.isReport(report);
            checks.report("--report", report, isForced || isEarlier);
        }
    }

    /**
     * Opens the files, and forces them to the disk at each flush if asked to; without one for pages, their URLs go to
     * standard output. An {@link IllegalArgumentException} names a file that cannot be continued.
     */
    Outputs open(CrawlJob job, boolean resumes, boolean forces) throws IOException {
        List<Path> regular = Stream.concat(files().stream(), Stream.ofNullable(skipped))
                .filter(file ->
                        OutputChecks.isRegular(file) || (Files.notExists(file) && !OutputFile.isStandardOutput(file)))
                .toList();
        FileEnds ends = regular.isEmpty() ? FileEnds.NONE : job.outputs(regular, forces);
        Outputs open = Outputs.open(files(), format(), skipped, how(resumes), forces, ends);
        if (onlyChanges) {
            open.sinks.leaveOutUnchanged();
        }
        return open;
    }

    String names() {
        return Stream.of(files().stream(), Stream.ofNullable(skipped), Stream.ofNullable(report))
                .flatMap(each -> each)
                .map(each -> OutputFile.isStandardOutput(each) ? "stdout" : each.toString())
                .collect(Collectors.joining(", "));
    }

    /** Returns the recording for the report, the live page, the metrics, and lists of broken links. */
    Recording recording(@Nullable LiveServer live, @Nullable Path metrics, CrawlPlace place, boolean listsBroken) {
        boolean findsReferrers = OutputFormats.any(outputs, OutputFormat::takesReferrers);
        return new Recording(report, live, metrics, place, findsReferrers, listsBroken);
    }

    boolean hasSitemap() {
        return outputs.stream()
                .anyMatch(file -> file.toString().toLowerCase(Locale.ROOT).contains("sitemap.xml"));
    }

    boolean hasReport() {
        return report != null;
    }

    /** Returns whether the crawl has to keep what is sent and received. */
    boolean takeExchanges() {
        return OutputFormats.any(outputs, OutputFormat::takesExchanges);
    }

    private List<Path> files() {
        return outputs.isEmpty() ? List.of(Path.of("-")) : outputs;
    }

    private @Nullable LineFormat format() {
        return outputs.isEmpty() && format == null ? LineFormat.TXT : format;
    }

    private StandardOpenOption how(boolean resumes) {
        return resumes ? APPEND : isForced ? TRUNCATE_EXISTING : CREATE_NEW;
    }
}
