package dev.sieve.report;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.url.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The summary of a crawl as a file of JSON, for programs, or of Markdown, for people, if its name ends in {@code .md}.
 * The page docs/outputs.md describes both.
 */
public final class SummaryFile {
    private static final String START = "{\"summary\":1,";
    private static final String MARKDOWN_START = "# Crawl: ";
    private static final Pattern WEB = Pattern.compile("https?://[!-~&&[^<>]]+");
    private static final int BROKEN_LINKS = 100;

    /** What is in the table of numbers, if it is not 0. */
    private static final Set<Counter> COUNTERS = EnumSet.complementOf(EnumSet.of(
            Counter.SITEMAPS,
            Counter.SITEMAPS_ABSENT,
            Counter.SITEMAP_URLS,
            Counter.LINKS,
            Counter.SAME_TEXT,
            Counter.RETRIES,
            Counter.TRUNCATED,
            Counter.EMPTY,
            Counter.BODY));

    private SummaryFile() {}

    /** Refuses a file to which a summary cannot be written, or with another content. */
    public static void check(Path file) throws IOException {
        ReportPage.check(file, Set.of(isMarkdown(file) ? MARKDOWN_START : START), "is not a summary");
    }

    /** Returns whether a summary has this form by the name of its file. */
    public static boolean isMarkdown(Path file) {
        return file.toString().toLowerCase(Locale.ROOT).endsWith(".md");
    }

    /** Writes the summary under another name, and then renames it, so that an earlier one is replaced at once. */
    public static void write(CrawlReport report, int exitCode, List<BrokenLink> broken, Path file) throws IOException {
        ReportPage.write(isMarkdown(file) ? markdown(report, exitCode, broken) : text(report, exitCode), file);
    }

    static String markdown(CrawlReport report, int exitCode, List<BrokenLink> broken) {
        CrawlReport job = report.ofJob();
        long broke = broken.stream().filter(link -> link.movedTo() == null).count();
        StringBuilder text = new StringBuilder(MARKDOWN_START)
                .append(
                        job.isFruitless()
                                ? Numbers.noPage(job)
                                : Numbers.count(report.count(Counter.PAGES), "page") + ", "
                                        + Numbers.count(Math.max(job.count(Counter.FAILURES), broke), "broken link"))
                .append("\n\n")
                .append(String.valueOf(report.endingText()))
                .append(", in ")
                .append(Numbers.millis(report.elapsed().toMillis()))
                .append("; exit code ")
                .append(exitCode)
                .append("\n\n| | number | parts |\n|---|--:|---|\n");
        for (Counter counter : COUNTERS) {
            if (report.count(counter) > 0) {
                row(text, counter.key(), Numbers.count(report.count(counter)), parts(report.by(counter)));
            }
        }
        row(text, "left", Numbers.count(report.pending().left()), "");
        if (Numbers.missesPages(report.sieve())) {
            row(text, "missed", Numbers.about(report.sieve().estimatedMissed()), "estimated");
        }
        if (!broken.isEmpty()) {
            text.append(broke == broken.size() ? "\n## Broken links" : "\n## Broken and moved links")
                    .append("\n\n| reason | URL | linked from |\n|---|---|---|\n");
            broken.stream().limit(BROKEN_LINKS).forEach(link -> {
                long more = link.pageCount() - 1;
                String from =
                        link.pages().isEmpty() ? "a seed" : link(link.pages().get(0));
                row(
                        text,
                        plain(link.reason())
                                + (link.isNew() ? ", new" : "")
                                + (link.movedTo() == null ? "" : ", moved to " + link(link.movedTo())),
                        link(link.url()),
                        from + (more > 0 ? " and " + more + " more" : ""));
            });
            text.append(broken.size() > BROKEN_LINKS ? "\nand " + (broken.size() - BROKEN_LINKS) + " more\n" : "");
        }
        return text.toString();
    }

    private static void row(StringBuilder text, String... cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String parts(Map<String, Long> parts) {
        return parts.entrySet().stream()
                .map(each -> plain(each.getKey()) + " " + Numbers.count(each.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Returns a link that shows its URL; the text itself if it is not a URL. */
    private static String link(String url) {
        return WEB.matcher(url).matches() ? "<" + url.replace("|", "%7C") + ">" : plain(url);
    }

    /** Returns a text in one line that Markdown shows as it is. */
    private static String plain(String text) {
        return Printable.line(text).replaceAll("[!-/:-@\\[-`{-~]", "\\\\$0");
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
