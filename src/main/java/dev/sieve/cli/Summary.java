package dev.sieve.cli;

import static dev.sieve.cli.Units.text;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlReport;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The summary that is printed at the end of a crawl. Its numbers add up as {@link CrawlReport} says. */
final class Summary {
    private Summary() {}

    static String of(CrawlReport report, boolean ignoredRobots) {
        StringBuilder lines = new StringBuilder("Done in " + clock(report.elapsed()) + ": "
                + report.ending().text() + (ignoredRobots ? ", robots.txt ignored.\n" : ".\n"));
        CrawlReport.Sitemaps sitemaps = report.sitemaps();
        row(
                lines,
                "urls",
                "%,d accepted%s = %,d pages + %,d redirects + %,d failed + %,d refused%s%s + %,d left",
                report.urlsNew(),
                unlessZero(" + %,d from earlier runs", report.before()),
                report.pageCount(),
                report.redirects(),
                report.failed(),
                report.refused(),
                reasons(report.refusals()),
                unlessZero(" + %,d sitemaps", sitemaps.read() + sitemaps.absent()),
                report.left());
        row(
                lines,
                "pages",
                "%,d (%.1f/s)%s  %s decoded%s%s",
                report.pageCount(),
                pagesPerSecond(report),
                joined(new TreeMap<>(report.pages()), "  %dxx %,d", ""),
                Units.bytes(report.bytes()),
                unlessZero("  %,d truncated", report.cut()),
                unlessZero("  %,d retries", report.retried()));
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
            row(lines, "sitemaps", "%,d read, %,d URLs in them%s", sitemaps.read(), sitemaps.urls(), absent);
        }
        filter(lines, report.sieve());
        speed(lines, report);
        failures(lines, report);
        return lines.toString();
    }

    private static void row(StringBuilder lines, String name, String format, Object... values) {
        lines.append(text("  %-9s%s%n", name, text(format, values)));
    }

    private static String unlessZero(String format, long value) {
        return value == 0 ? "" : text(format, value);
    }

    private static String joined(Map<?, Long> counts, String format, String delimiter) {
        return counts.entrySet().stream()
                .map(each -> text(format, each.getKey(), each.getValue()))
                .collect(Collectors.joining(delimiter));
    }

    private static String reasons(Map<String, Long> counts) {
        return counts.isEmpty() ? "" : " (" + joined(counts, "%s %,d", ", ") + ")";
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    static double pagesPerSecond(CrawlReport report) {
        return report.pageCount() / Math.max(1e-3, report.elapsed().toMillis() / 1e3);
    }

    private static void filter(StringBuilder lines, SieveStats sieve) {
        double missed = sieve.estimatedMissed();
        row(
                lines,
                "filter",
                "%,d of %,d URLs (%.1f %%)  %s  estimated pages missed: %s",
                sieve.estimatedSize(),
                sieve.capacity(),
                100.0 * sieve.estimatedSize() / sieve.capacity(),
                Units.bytes(sieve.memoryBytes()),
                sieve.falsePositiveRate() == 0 ? "0" : missed > 0 && missed < 0.01 ? "<0.01" : text("%,.2f", missed));
    }

    /**
     * Shows what limited the crawl: delays of hosts, hosts that back off, one in particular, the limit of requests per host,
     * or busy workers. If URLs are left, shows how long they take at the same rate.
     */
    private static void speed(StringBuilder lines, CrawlReport report) {
        row(
                lines,
                "speed",
                "%.0f %% of the time was spent waiting for per-host delays, %.0f %% for hosts that back off%s, %.0f %% for"
                        + " requests in progress because of --per-host; all workers were busy for %.0f %%%s",
                share(report.schedule().waited().minus(report.schedule().backedOff()), report),
                share(report.schedule().backedOff(), report),
                report.schedule()
                        .slowestHost()
                        .map(host -> text(
                                " (%s: %.0f %%)", host, share(report.schedule().slowestWaited(), report)))
                        .orElse(""),
                share(report.schedule().limited(), report),
                share(report.busy(), report),
                remaining(report));
    }

    private static String remaining(CrawlReport report) {
        if (report.left() == 0 || report.pageCount() == 0) {
            return "";
        }
        double seconds = Math.min(1e9, report.left() / pagesPerSecond(report));
        return text(
                "; the %,d URLs left take about %s at this rate",
                report.left(), clock(Duration.ofSeconds((long) seconds)));
    }

    private static double share(Duration part, CrawlReport report) {
        return Math.min(
                100, 100.0 * part.toNanos() / Math.max(1, report.elapsed().toNanos()));
    }

    private static void failures(StringBuilder lines, CrawlReport report) {
        if (report.failures().isEmpty()) {
            return;
        }
        row(lines, "failures", "%s", joined(report.failureCounts(), "%s x%,d", "  "));
        for (CrawlReport.Failure failure : report.failures()) {
            String origin = failure.referrer() == null ? "seed" : "linked from " + failure.referrer();
            lines.append(text("    %s  %s  (%s)%n", failure.reason(), failure.url(), origin));
        }
        long more = sum(report.failureCounts()) - report.failures().size();
        if (more > 0) {
            lines.append(text("    and %,d more; -o FILE.jsonl lists them all%n", more));
        }
    }

    static String clock(Duration time) {
        return time.toSeconds() < 60
                ? text("%.1f s", time.toMillis() / 1e3)
                : text("%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart());
    }
}
