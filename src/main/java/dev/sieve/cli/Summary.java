package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Ending;
import dev.sieve.report.Numbers;
import dev.sieve.scope.Trap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The summary that is printed at the end of a crawl. Its numbers add up as {@link CrawlReport} says. */
final class Summary {
    /** The longest text of a row, without its name, so that a line has at most 120 columns. */
    private static final int COLUMNS = 109;

    /** Expected pages missed that are as good as none. */
    private static final double NO_PAGE = 1e-9;

    private Summary() {}

    /**
     * Returns the summary.
     *
     * @param isShared whether other processes worked on the same crawl: then the URLs that this one has requested are not those
     *     that it has found
     */
    static String of(CrawlReport report, boolean ignoredRobots, boolean isShared) {
        StringBuilder lines = new StringBuilder("Done in " + clock(report.elapsed()) + ": "
                + (!isShared && isRepeated(report)
                        ? "this crawl had finished before; for a new one, choose another --job"
                        : report.endingText())
                + (ignoredRobots ? ", robots.txt ignored.\n" : ".\n"));
        CrawlReport.Sitemaps sitemaps = report.sitemaps();
        String results = text(
                "%s%s + %s + %,d failed + %,d refused%s%s",
                Numbers.count(report.pageCount(), "page"),
                unlessZero(" + %,d checked", report.checkedCount()),
                Numbers.count(report.redirects(), "redirect"),
                report.failed(),
                report.refused(),
                reasons(report.refusals()),
                countUnlessZero(" + ", sitemaps.read() + sitemaps.absent(), "sitemap"));
        if (isShared) {
            SieveStats all = report.sieve();
            long left = report.left() + report.unfinished();
            row(lines, "urls", "%s by this worker", results);
            row(
                    lines,
                    "all",
                    "%,d accepted = %,d done + %,d left, by all workers",
                    all.accepted(),
                    all.accepted() - left,
                    left);
        } else {
            row(
                    lines,
                    "urls",
                    "%,d accepted%s = %s + %,d left",
                    report.urlsNew(),
                    unlessZero(" + %,d from earlier runs", report.before()),
                    results,
                    report.left());
        }
        row(
                lines,
                "pages",
                "%,d (%.1f/s)%s  %s decoded%s%s",
                report.pageCount(),
                pagesPerSecond(report),
                joined(new TreeMap<>(report.pages()), "  %dxx %,d", ""),
                Numbers.bytes(report.bytes()),
                unlessZero("  %,d truncated", report.cut()),
                unlessZero("  %,d retried", report.retried()));
        if (report.checkedCount() > 0) {
            row(
                    lines,
                    "checked",
                    "%s out of the crawl%s%s",
                    Numbers.count(report.checkedCount(), "link"),
                    joined(statuses(report.checked()), "  %dxx %,d", ""),
                    unlessZero("  failed %,d", report.checked().getOrDefault(0, 0L)));
        }
        row(
                lines,
                "links",
                "%,d found = %,d new + %,d already seen + %,d skipped%s",
                report.urlsFound(),
                report.urlsNew(),
                report.urlsSeen(),
                sum(report.skipped()),
                reasons(report.skipped()));
        if (sitemaps.read() + sitemaps.absent() > 0) {
            String absent = unlessZero("; %,d not found", sitemaps.absent());
            row(
                    lines,
                    "sitemaps",
                    "%,d read with %s%s",
                    sitemaps.read(),
                    Numbers.count(sitemaps.urls(), "URL"),
                    absent);
        }
        filter(lines, report.sieve());
        speed(lines, report, isShared);
        errors(lines, report);
        traps(lines, report);
        missed(lines, report);
        return lines.toString();
    }

    /** Whether the crawl had nothing to do, since an earlier run had finished it. */
    private static boolean isRepeated(CrawlReport report) {
        return report.ending() == Ending.DRAINED
                && report.before() + report.urlsNew() == 0
                && report.sieve().accepted() > 0;
    }

    static void row(StringBuilder lines, String name, String format, Object... values) {
        String label = name;
        String rest = text(format, values);
        for (int end = end(rest); end < rest.length(); end = end(rest)) {
            lines.append(text("  %-9s%s%n", label, rest.substring(0, end).stripTrailing()));
            label = "";
            rest = rest.substring(end).stripLeading();
        }
        lines.append(text("  %-9s%s%n", label, rest));
    }

    /** Returns where a text has to be broken, so that a line is not too long: after a blank, if there is one. */
    private static int end(String text) {
        int blank = text.lastIndexOf(' ', COLUMNS);
        return text.length() <= COLUMNS || blank <= 0 ? text.length() : blank;
    }

    /** Returns the rows of the files that were written. */
    static String files(List<String> files) {
        StringBuilder lines = new StringBuilder();
        for (String file : files) {
            row(lines, lines.isEmpty() ? "files" : "", "%s", file);
        }
        return lines.toString();
    }

    private static String unlessZero(String format, long value) {
        return value == 0 ? "" : text(format, value);
    }

    private static String countUnlessZero(String before, long count, String thing) {
        return count == 0 ? "" : before + Numbers.count(count, thing);
    }

    private static String joined(Map<?, Long> counts, String format, String delimiter) {
        return counts.entrySet().stream()
                .map(each -> text(format, each.getKey(), each.getValue()))
                .collect(Collectors.joining(delimiter));
    }

    private static Map<Integer, Long> statuses(Map<Integer, Long> checked) {
        return new TreeMap<>(checked).tailMap(1);
    }

    private static String reasons(Map<String, Long> counts) {
        return counts.isEmpty() ? "" : " (" + joined(counts, "%s %,d", ", ") + ")";
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns why no page could be fetched: each reason, and how often. */
    static String reasonsForNoPage(CrawlReport report) {
        Map<String, Long> all = new TreeMap<>(report.failureCounts());
        report.refusals().forEach((reason, count) -> all.merge(reason, count, Long::sum));
        return joined(all, "%s x%,d", ", ");
    }

    static double pagesPerSecond(CrawlReport report) {
        return report.pageCount() / Math.max(1e-3, report.elapsed().toMillis() / 1e3);
    }

    private static void filter(StringBuilder lines, SieveStats sieve) {
        row(
                lines,
                "filter",
                "%s  %s  estimated pages missed: %s",
                size(sieve),
                Numbers.bytes(sieve.memoryBytes()),
                sieve.estimatedMissed() < NO_PAGE ? "0" : Units.count(sieve.estimatedMissed()));
    }

    /** Returns the URLs in the filter: {@code 31 of 1,000 URLs (3.1 %)}. */
    static String size(SieveStats sieve) {
        String size = sieve.isExact()
                ? Numbers.count(sieve.estimatedSize(), "URL")
                : text("%,d of ", sieve.estimatedSize()) + Numbers.count(sieve.capacity(), "URL");
        return size + " (" + fill(sieve) + ")";
    }

    /** Returns how full the filter is: {@code 3.1 %}, {@code 647 %}, or {@code exact} if it is never full. */
    static String fill(SieveStats sieve) {
        double percent = 100 * sieve.fill();
        return sieve.isExact() ? "exact" : text(percent < 100 ? "%.1f %%" : "%,.0f %%", percent);
    }

    /**
     * Shows what limited the crawl: delays of hosts, hosts that back off, the slowest of them, the processing of pages, and
     * options if a higher value would have made it faster. If URLs are left, shows how long they take at the same rate.
     */
    private static void speed(StringBuilder lines, CrawlReport report, boolean isShared) {
        double processing = share(report.processing(), report);
        row(
                lines,
                "speed",
                "waiting for delays %.0f %% of the time, hosts that back off %.0f %%, processing pages %.0f %%%s",
                share(report.schedule().waited().minus(report.schedule().backedOff()), report),
                share(report.schedule().backedOff(), report),
                processing,
                limits(
                        Math.min(share(report.schedule().limited(), report), 100 - processing),
                        share(report.busy(), report)));
        String slowest = report.schedule().slowest().entrySet().stream()
                .filter(each -> share(each.getValue(), report) >= 1)
                .map(each -> text("%s %.0f %%", each.getKey(), share(each.getValue(), report)))
                .collect(Collectors.joining(", "));
        if (!slowest.isEmpty()) {
            row(lines, "slowest", "waiting for %s", slowest);
        }
        String remaining = isShared ? "" : remaining(report);
        if (!remaining.isEmpty()) {
            row(lines, "left", "%s", remaining);
        }
    }

    /** Returns the options of which a higher value would have made the crawl faster. */
    private static String limits(double perHost, double concurrency) {
        String limits = Stream.of(
                        perHost < 1 ? null : text("--per-host %.0f %%", perHost),
                        concurrency < 1 ? null : text("--concurrency %.0f %%", concurrency))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(", "));
        return limits.isEmpty() ? "" : "; limited by " + limits;
    }

    private static String remaining(CrawlReport report) {
        if (report.left() == 0 || report.pageCount() == 0) {
            return "";
        }
        return text(
                "%s, about %s at this rate",
                Numbers.count(report.left(), "URL"), clock(remaining(report.left(), pagesPerSecond(report))));
    }

    /** Returns how long URLs take at a rate above 0, at most some decades. */
    static Duration remaining(long urls, double pagesPerSecond) {
        return Duration.ofSeconds((long) Math.min(1e9, urls / pagesPerSecond));
    }

    private static double share(Duration part, CrawlReport report) {
        return Math.min(
                100, 100.0 * part.toNanos() / Math.max(1, report.elapsed().toNanos()));
    }

    /** Shows that real pages may have been taken for a trap: the limits of these checks count URLs. */
    private static void traps(StringBuilder lines, CrawlReport report) {
        for (Trap trap : List.of(Trap.SHAPE, Trap.HOST, Trap.DOMAIN)) {
            long urls = report.skipped().getOrDefault("trap " + trap.words(), 0L);
            if (urls > 0) {
                row(
                        lines,
                        "traps",
                        "%s skipped by the limit '%s'; if they are pages you want, crawl again with --allow-trap %s",
                        Numbers.count(urls, "URL"),
                        trap.words(),
                        trap.words());
            }
        }
    }

    private static void errors(StringBuilder lines, CrawlReport report) {
        if (report.failures().isEmpty()) {
            return;
        }
        row(lines, "errors", "%s: %s", errors(report), joined(report.failureCounts(), "%s x%,d", "  "));
        for (CrawlReport.Failure failure : report.failures()) {
            String origin = failure.referrer() == null ? "seed" : "linked from " + failure.referrer();
            lines.append(text("    %s  %s  (%s)%n", failure.reason(), failure.url(), origin));
        }
        long more = sum(report.failureCounts()) - report.failures().size();
        if (more > 0) {
            lines.append(text("    and %,d more; -o FILE.jsonl lists them all%n", more));
        }
    }

    /** Returns how many responses were errors, and how many URLs got no usable response. */
    static String errors(CrawlReport report) {
        long responses = sum(report.failureCounts()) - report.withoutResponse();
        return text("error responses %,d, failed %,d", responses, report.withoutResponse());
    }

    /** Shows that pages were missed, and how to get them. */
    private static void missed(StringBuilder lines, CrawlReport report) {
        if (!missesPages(report)) {
            return;
        }
        SieveStats sieve = report.sieve();
        boolean isTooSmall = sieve.fill() > 1;
        row(lines, "missed", "%s, and the pages that only they link to", missed(report));
        row(
                lines,
                "",
                "the filter %s; crawl again from the start with %s or --exact",
                isTooSmall ? "is too small" : "misses some pages even below its capacity",
                isTooSmall ? text("--capacity %d", recommended(sieve)) : "a lower --miss-rate");
    }

    static boolean missesPages(CrawlReport report) {
        return report.sieve().estimatedMissed() >= 1;
    }

    static String missed(CrawlReport report) {
        return "about " + Numbers.count(Math.round(report.sieve().estimatedMissed()), "page") + " missed";
    }

    /** Returns twice the URLs found, those missed included, in one significant digit: missed pages link to more. */
    private static long recommended(SieveStats sieve) {
        double least = 2 * (sieve.estimatedSize() + sieve.estimatedMissed());
        double unit = Math.pow(10, Math.floor(Math.log10(least)));
        return (long) (Math.ceil(least / unit) * unit);
    }

    static String clock(Duration time) {
        return time.toSeconds() < 60
                ? text("%.1f s", time.toMillis() / 1e3)
                : text("%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart());
    }
}
