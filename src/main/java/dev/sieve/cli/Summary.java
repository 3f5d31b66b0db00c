package dev.sieve.cli;

import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.polite.ScheduleStats;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What is said when a crawl is over; its numbers add up as {@link CrawlReport} says. */
final class Summary {
    private Summary() {}

    static String of(CrawlReport report, boolean ignoredRobots) {
        StringBuilder text = new StringBuilder();
        text.append("Done in ")
                .append(clock(report.elapsed()))
                .append(": ")
                .append(report.ending().text());
        text.append(ignoredRobots ? ", robots.txt ignored.\n" : ".\n");
        row(text, "urls", urls(report));
        row(text, "pages", pages(report));
        row(text, "links", links(report));
        CrawlReport.Sitemaps sitemaps = report.sitemaps();
        if (sitemaps.read() + sitemaps.absent() > 0) {
            row(text, "sitemaps", sitemaps(sitemaps));
        }
        row(text, "filter", sieve(report.sieve()));
        row(text, "speed", speed(report));
        failures(text, report);
        return text.toString();
    }

    private static void row(StringBuilder text, String name, String value) {
        text.append(String.format(Locale.ROOT, "  %-9s%s%n", name, value));
    }

    private static String urls(CrawlReport report) {
        long sitemaps = report.sitemaps().read() + report.sitemaps().absent();
        return String.format(
                Locale.ROOT,
                "%,d accepted%s = %,d pages + %,d redirects + %,d failed + %,d refused%s%s + %,d left",
                report.urlsNew(),
                report.before() == 0 ? "" : String.format(Locale.ROOT, " + %,d from earlier runs", report.before()),
                report.pageCount(),
                report.redirects(),
                report.failed(),
                report.refused(),
                reasons(report.refusals()),
                sitemaps == 0 ? "" : String.format(Locale.ROOT, " + %,d sitemaps", sitemaps),
                report.left());
    }

    private static String reasons(Map<String, Long> counts) {
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .map(each -> String.format(Locale.ROOT, "%s %,d", each.getKey(), each.getValue()))
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    private static String pages(CrawlReport report) {
        double seconds = Math.max(1e-3, report.elapsed().toMillis() / 1e3);
        String classes = report.pages().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> String.format(Locale.ROOT, "  %dxx %,d", each.getKey(), each.getValue()))
                .collect(Collectors.joining());
        return String.format(
                        Locale.ROOT,
                        "%,d (%.1f/s)%s  %s decoded",
                        report.pageCount(),
                        report.pageCount() / seconds,
                        classes,
                        Units.bytes(report.bytes()))
                + (report.cut() == 0 ? "" : String.format(Locale.ROOT, "  %,d truncated", report.cut()))
                + (report.retried() == 0 ? "" : String.format(Locale.ROOT, "  %,d retries", report.retried()));
    }

    private static String links(CrawlReport report) {
        long skipped =
                report.skipped().values().stream().mapToLong(Long::longValue).sum();
        return String.format(
                Locale.ROOT,
                "%,d found = %,d new + %,d already seen + %,d skipped%s",
                report.urlsFound(),
                report.urlsNew(),
                report.urlsSeen(),
                skipped,
                reasons(report.skipped()));
    }

    private static String sitemaps(CrawlReport.Sitemaps sitemaps) {
        return String.format(
                Locale.ROOT,
                "%,d read, %,d URLs in them%s",
                sitemaps.read(),
                sitemaps.urls(),
                sitemaps.absent() == 0 ? "" : String.format(Locale.ROOT, "; %,d not found", sitemaps.absent()));
    }

    private static String sieve(SieveStats sieve) {
        double missed = sieve.estimatedMissed();
        String pages = missed > 0 && missed < 0.01 ? "<0.01" : String.format(Locale.ROOT, "%,.2f", missed);
        return String.format(
                Locale.ROOT,
                "%,d of %,d URLs (%.1f %%)  %s  estimated pages missed: %s",
                sieve.estimatedSize(),
                sieve.capacity(),
                100.0 * sieve.estimatedSize() / sieve.capacity(),
                Units.bytes(sieve.memoryBytes()),
                sieve.falsePositiveRate() == 0 ? "0" : pages);
    }

    /**
     * What a crawl waits for is nearly always the delay of a host: which one, that decides how long it takes. Else it is
     * workers, all of which are busy.
     */
    private static String speed(CrawlReport report) {
        ScheduleStats schedule = report.schedule();
        double share = share(schedule.waited(), report.elapsed());
        String slowest = schedule.slowestHost()
                .map(host -> String.format(
                        Locale.ROOT, " (%s: %.0f %%)", host, share(schedule.slowestWaited(), report.elapsed())))
                .orElse("");
        return String.format(
                Locale.ROOT,
                "%.0f %% of the time was spent waiting for per-host delays%s; all workers were busy for %.0f %%",
                share,
                slowest,
                share(report.busy(), report.elapsed()));
    }

    private static double share(Duration part, Duration whole) {
        return Math.min(100, 100.0 * part.toNanos() / Math.max(1, whole.toNanos()));
    }

    private static void failures(StringBuilder text, CrawlReport report) {
        if (report.failures().isEmpty()) {
            return;
        }
        String counts = report.failureCounts().entrySet().stream()
                .map(each -> String.format(Locale.ROOT, "%s x%,d", each.getKey(), each.getValue()))
                .collect(Collectors.joining("  "));
        row(text, "failures", counts);
        for (CrawlReport.Failure failure : report.failures()) {
            text.append(String.format(
                    Locale.ROOT,
                    "    %s  %s  %s%n",
                    failure.reason(),
                    failure.url(),
                    failure.referrer() == null ? "(seed)" : "(linked from " + failure.referrer() + ")"));
        }
        long all = report.failureCounts().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        if (all > report.failures().size()) {
            text.append(String.format(
                    Locale.ROOT,
                    "    and %,d more; -o FILE.jsonl lists them all%n",
                    all - report.failures().size()));
        }
    }

    static String clock(Duration time) {
        double seconds = time.toMillis() / 1e3;
        return seconds < 60
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : String.format(
                        Locale.ROOT, "%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart());
    }
}
