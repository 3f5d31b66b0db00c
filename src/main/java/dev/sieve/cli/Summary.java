package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.Round;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.report.Numbers;
import dev.sieve.scope.Trap;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The summary that is printed at the end of a crawl. Its numbers add up as {@link CrawlReport} says. */
final class Summary {
    /** The columns before the text of a row. */
    private static final int NAME = 11;

    /** The longest line. On a terminal, where lines are broken anyway, they are broken between words. */
    private static final int COLUMNS = Terminal.isStderr() ? Math.min(120, Math.max(60, Terminal.columns())) : 120;

    /** What belongs to the number before it. */
    private static final Pattern UNIT = Pattern.compile(" (%|[kMGT]?B\\b|m?s\\b)");

    private static final int ORPHANS_SHOWN = 5;

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
        long sitemaps = report.count(Counter.SITEMAPS) + report.count(Counter.SITEMAPS_ABSENT);
        String results = text(
                "%s%s + %s + %,d failed + %,d refused%s%s",
                Numbers.count(report.count(Counter.PAGES), "page"),
                unlessZero(" + %,d checked", report.count(Counter.CHECKED)),
                Numbers.count(report.count(Counter.REDIRECTS), "redirect"),
                report.count(Counter.FAILED),
                report.count(Counter.REFUSED),
                Numbers.parts(report.by(Counter.REFUSED)),
                countUnlessZero(" + ", sitemaps, "sitemap"));
        if (isShared) {
            SieveStats all = report.sieve();
            long left = report.pending().notDone();
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
                    report.count(Counter.LINKS, Counter.NEW),
                    unlessZero(" + %,d from earlier runs", report.pending().before()),
                    results,
                    report.pending().left());
        }
        row(
                lines,
                "pages",
                "%,d (%.1f/s)%s  %s decoded%s%s%s",
                report.count(Counter.PAGES),
                pagesPerSecond(report),
                joined(report.by(Counter.PAGES), "  %s %,d", ""),
                Numbers.bytes(report.count(Counter.BODY)),
                unlessZero("  %,d truncated", report.count(Counter.TRUNCATED)),
                unlessZero("  %,d empty", report.count(Counter.EMPTY)),
                unlessZero("  %,d retried", report.count(Counter.RETRIES)));
        if (report.count(Counter.CHECKED) > 0) {
            row(
                    lines,
                    "checked",
                    "%s%s%s",
                    Numbers.count(report.count(Counter.CHECKED), "URL"),
                    joined(statuses(report.by(Counter.CHECKED)), "  %s %,d", ""),
                    unlessZero("  no usable response %,d", report.count(Counter.CHECKED, Counter.NONE)));
        }
        if (report.count(Counter.FRAGMENTS) > 0) {
            row(
                    lines,
                    "parts",
                    "%s to parts of pages = %,d found + %,d missing + %,d unchecked%s",
                    Numbers.count(report.count(Counter.FRAGMENTS), "link"),
                    report.count(Counter.FRAGMENTS, Counter.FOUND),
                    report.count(Counter.FRAGMENTS, Counter.MISSING),
                    report.count(Counter.FRAGMENTS, Counter.UNCHECKED),
                    unlessZero(" + %,d places in programs (#/, #!)", report.count(Counter.FRAGMENTS, Counter.ROUTES)));
        }
        row(
                lines,
                "links",
                "%,d found = %,d new + %,d already seen + %,d skipped%s",
                report.count(Counter.LINKS),
                report.count(Counter.LINKS, Counter.NEW),
                report.count(Counter.LINKS, Counter.SEEN),
                report.count(Counter.SKIPPED),
                Numbers.parts(report.by(Counter.SKIPPED)));
        if (sitemaps > 0) {
            String absent = unlessZero("; %,d not found", report.count(Counter.SITEMAPS_ABSENT));
            row(
                    lines,
                    "sitemaps",
                    "%,d read with %s%s",
                    report.count(Counter.SITEMAPS),
                    Numbers.count(report.count(Counter.SITEMAP_URLS), "URL"),
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
                && report.pending().before() + report.count(Counter.LINKS, Counter.NEW) == 0
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

    /** Returns where a text has to be broken, so that a line is not too long: at a blank, but not before a unit. */
    private static int end(String text) {
        int blank = text.lastIndexOf(' ', COLUMNS - NAME);
        while (blank > 0 && UNIT.matcher(text).region(blank, text.length()).lookingAt()) {
            blank = text.lastIndexOf(' ', blank - 1);
        }
        return text.length() <= COLUMNS - NAME || blank <= 0 ? text.length() : blank;
    }

    /** Returns the rows of a round; empty without one. */
    static String round(@Nullable Round round, CrawlReport report) {
        StringBuilder lines = new StringBuilder();
        if (round != null) {
            String changes = Numbers.changes(
                    change -> report.count(Counter.CHANGES, change.text()), report.count(Counter.SAME_TEXT));
            row(lines, "round", "%,d: %s", round.number(), changes.isEmpty() ? "nothing to visit" : changes);
        }
        if (round != null && !round.orphans().isEmpty()) {
            List<String> orphans = round.orphans();
            String more = unlessZero(" and %,d more", Math.max(0, round.orphanCount() - ORPHANS_SHOWN));
            row(
                    lines,
                    "orphans",
                    "no page links any more to %s: %s%s",
                    Numbers.count(round.orphanCount(), "page"),
                    String.join(" ", orphans.subList(0, Math.min(orphans.size(), ORPHANS_SHOWN))),
                    more);
        }
        return lines.toString();
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

    private static Map<String, Long> statuses(Map<String, Long> checked) {
        return new TreeMap<>(checked).headMap(Counter.NONE);
    }

    /** Returns why no page could be fetched: each reason, and how often. */
    static String reasonsForNoPage(CrawlReport report) {
        Map<String, Long> all = new TreeMap<>(report.by(Counter.FAILURES));
        report.by(Counter.REFUSED).forEach((reason, count) -> all.merge(reason, count, Long::sum));
        return joined(all, "%s x%,d", ", ");
    }

    static double pagesPerSecond(CrawlReport report) {
        return report.count(Counter.PAGES) / Math.max(1e-3, report.elapsed().toMillis() / 1e3);
    }

    private static void filter(StringBuilder lines, SieveStats sieve) {
        row(
                lines,
                "filter",
                "%s  %s  estimated pages missed: %s%s",
                size(sieve),
                Numbers.bytes(sieve.memoryBytes()),
                sieve.isLowerBound() ? "at least " : "",
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
        CrawlReport.Load load = report.load();
        ScheduleStats schedule = load.schedule();
        double processing = share(load.processing(), report);
        row(
                lines,
                "speed",
                "waiting for delays %.0f %% of the time, hosts that back off %.0f %%, processing pages %.0f %%%s",
                share(schedule.waited().minus(schedule.backedOff()), report),
                share(schedule.backedOff(), report),
                processing,
                limits(Math.min(share(schedule.limited(), report), 100 - processing), share(load.busy(), report)));
        String slowest = schedule.slowest().entrySet().stream()
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
        if (report.pending().left() == 0 || report.count(Counter.PAGES) == 0) {
            return "";
        }
        return text(
                "%s, about %s at this rate",
                Numbers.count(report.pending().left(), "URL"),
                clock(remaining(report.pending().left(), pagesPerSecond(report))));
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
        for (Trap trap : EnumSet.range(Trap.SHAPE, Trap.SAME_TEXT)) {
            String rule = trap.rule();
            long urls = report.count(Counter.SKIPPED, rule) + report.count(Counter.REFUSED, rule);
            if (urls > 0) {
                row(
                        lines,
                        "traps",
                        "%s skipped by the limit '%s'%s; if they are pages you want, crawl again with --allow-trap %s",
                        Numbers.count(urls, "URL"),
                        trap.words(),
                        trap.advice().isEmpty() ? "" : ", " + trap.advice(),
                        trap.words());
            }
        }
    }

    private static void errors(StringBuilder lines, CrawlReport report) {
        if (report.failures().isEmpty()) {
            return;
        }
        row(lines, "errors", "%s: %s", errors(report), joined(report.by(Counter.FAILURES), "%s x%,d", "  "));
        for (CrawlReport.Failure failure : report.failures()) {
            String origin = failure.referrer() == null ? "seed" : "linked from " + failure.referrer();
            lines.append(text("    %s  %s  (%s)%n", failure.reason(), failure.url(), origin));
        }
        long more = report.count(Counter.FAILURES) - report.failures().size();
        if (more > 0) {
            lines.append(text("    and %,d more; -o FILE.jsonl lists them all%n", more));
        }
    }

    /** Returns how many responses were errors, how many URLs got no usable response, and how many fragments are missing. */
    static String errors(CrawlReport report) {
        long fragments = report.count(Counter.FAILURES, Reason.FRAGMENT.text());
        long responses = report.count(Counter.FAILURES) - report.withoutResponse() - fragments;
        return text("error responses %,d, no usable response %,d", responses, report.withoutResponse())
                + unlessZero(", missing fragments %,d", fragments);
    }

    /** Shows that pages were missed, and how to get them. */
    private static void missed(StringBuilder lines, CrawlReport report) {
        if (!Numbers.missesPages(report.sieve())) {
            return;
        }
        SieveStats sieve = report.sieve();
        boolean isTooSmall = sieve.fill() > 1;
        row(lines, "missed", "%s, and the pages that only they link to", missed(report));
        row(
                lines,
                "",
                "the filter %s; crawl again from the start with %s or --filter exact",
                isTooSmall ? "is too small" : "misses some pages even below its capacity",
                isTooSmall ? text("--capacity %d", Numbers.recommendedCapacity(sieve)) : "a lower --miss-rate");
    }

    static String missed(CrawlReport report) {
        String pages = Numbers.count(Math.round(report.sieve().estimatedMissed()), "page");
        return (report.sieve().isLowerBound() ? "at least " : "about ") + pages + " missed";
    }

    static String clock(Duration time) {
        return time.toSeconds() < 60
                ? text("%.1f s", time.toMillis() / 1e3)
                : text("%d:%02d:%02d", time.toHours(), time.toMinutesPart(), time.toSecondsPart());
    }
}
