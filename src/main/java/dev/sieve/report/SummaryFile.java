package dev.sieve.report;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The summary of a crawl as a file of JSON, for programs. The page docs/outputs.md describes its fields. */
public final class SummaryFile {
    private static final String START = "{\"summary\":1,";

    private SummaryFile() {}

    /**
     * Checks that a summary can be written to a file.
     *
     * @throws IOException when it cannot, or the file has another content
     */
    public static void check(Path file) throws IOException {
        ReportPage.check(file, Set.of(START), "is not a summary");
    }

    /** Writes the summary under another name, and then renames it, so that an earlier one is replaced at once. */
    public static void write(CrawlReport report, int exitCode, Path file) throws IOException {
        ReportPage.write(text(report, exitCode), file);
    }

    static String text(CrawlReport report, int exitCode) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("summary", 1);
        fields.put("exit_code", exitCode);
        if (report.ending() != null) {
            fields.put("ending", report.ending().name().toLowerCase(Locale.ROOT));
        }
        fields.put("seconds", report.elapsed().toMillis() / 1e3);
        Map<String, Object> counts = new LinkedHashMap<>();
        Map<String, Object> parts = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            counts.put(counter.key(), report.count(counter));
            if (!report.by(counter).isEmpty()) {
                parts.put(counter.key(), report.by(counter));
            }
        }
        fields.put("counts", counts);
        fields.put("parts", parts);
        fields.put("before", report.pending().before());
        fields.put("left", report.pending().left());
        fields.put("unfinished", report.pending().unfinished());
        fields.put("first_failures", report.failures());
        fields.put("filter", filter(report.sieve()));
        return JsonLine.RECORDS.asString(fields) + "\n";
    }

    private static Map<String, Object> filter(SieveStats sieve) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("urls", sieve.estimatedSize());
        if (!sieve.isExact()) {
            fields.put("capacity", sieve.capacity());
        }
        fields.put("missed", sieve.estimatedMissed());
        fields.put("bytes", sieve.memoryBytes());
        return fields;
    }
}
