package dev.sieve.cli;

import static dev.sieve.crawl.Counter.*;
import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Ending;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.polite.ScheduleStats;
import dev.sieve.report.Numbers;
import dev.sieve.scope.Trap;
import dev.sieve.stage.Round;
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

    private final StringBuilder lines = new StringBuilder();
    private final CrawlReport report;
    private final boolean isShared;

    private Summary(CrawlReport report, boolean isShared) {
        this.report = report;
        this.isShared = isShared;
    }

    /**
     * Returns the summary. If a crawl is shared, the URLs that this process has requested are not those that it has
     * found.
     */
    static String of(CrawlReport report, boolean ignoredRobots, boolean isShared) {
        Summary summary = new Summary(report, isShared);
        String ending = !isShared && summary.isRepeated()
                ? "this crawl had finished before; for a new one, choose another --job"
                : report.endingText();
        summary.lines.append("Done in " + clock(report.elapsed()) + ": " + ending
                + (ignoredRobots ? ", robots.txt ignored.\n" : ".\n"));
        summary.urls();
        summary.pages();
        summary.links();
        summary.filter();
        summary.speed();
        Counter.ofOthers().forEach(summary::ofOthers);
        summary.dropped();
        summary.errors();
        summary.traps();
        summary.missed();
        return summary.lines.toString();
    }

    /** Whether the crawl had nothing to do, since an earlier run had finished it. */
    private boolean isRepeated() {
        return report.ending() == Ending.DRAINED
                && report.pending().before() + report.count(LINKS, NEW) == 0
                && report.sieve().accepted() > 0;
    }

    private void row(String name, String format, Object... values) {
        row(lines, name, format, values);
    }

    /** Returns a counter in a text; empty if it is 0. */
    private String unlessZero(String format, Counter counter) {
        return unlessZero(format, report.count(counter));
    }

    private static String unlessZero(String format, long value) {
        return value == 0 ? "" : text(format, value);
    }

    private long sitemaps() {
        return report.count(SITEMAPS) + report.count(SITEMAPS_ABSENT);
    }

    private void urls() {
        String results = Numbers.count(report.count(PAGES), "page")
                + unlessZero(" + %,d checked", CHECKED)
                + (" + " + Numbers.count(report.count(REDIRECTS), "redirect"))
                + text(" + %,d failed + %,d refused", report.count(FAILED), report.count(REFUSED))
                + Numbers.parts(report.by(REFUSED))
                + (sitemaps() == 0 ? "" : " + " + Numbers.count(sitemaps(), "sitemap"));
        CrawlReport.Pending pending = report.pending();
        if (isShared) {
            long accepted = report.sieve().accepted();
            long left = pending.notDone();
            row("urls", "%s by this worker", results);
            row("all", "%,d accepted = %,d done + %,d left, by all workers", accepted, accepted - left, left);
        } else {
            String earlier = unlessZero(" + %,d from earlier runs", pending.before());
            row("urls", "%,d accepted%s = %s + %,d left", report.count(LINKS, NEW), earlier, results, pending.left());
        }
    }

    private void pages() {
        String kinds = unlessZero("  %,d truncated", TRUNCATED)
                + unlessZero("  %,d empty", EMPTY)
                + unlessZero("  %,d retried", RETRIES);
        row(
                "pages",
                "%,d (%.1f/s)%s  %s decoded%s",
                report.count(PAGES),
                pagesPerSecond(report),
                joined(report.by(PAGES), "  %s %,d", ""),
                Numbers.bytes(report.count(BODY)),
                kinds);
        if (report.count(RENDERED) > 0) {
            row(
                    "rendered",
                    "%s ready%s%s",
                    Numbers.count(report.count(RENDERED, READY), "page"),
                    unlessZero(
                            " + %,d not ready in time, which may have more links: --render-wait",
                            report.count(RENDERED, NOT_READY)),
                    unlessZero(" + %,d failed, which are as they were sent", report.count(RENDERED, NONE)));
        }
        if (report.count(CHECKED) > 0) {
            Map<String, Long> responses = new TreeMap<>(report.by(CHECKED));
            responses.remove(NONE);
            String statuses = joined(responses, "  %s %,d", "");
            String without = unlessZero("  no usable response %,d", report.count(CHECKED, NONE));
            row("checked", "%s%s%s", Numbers.count(report.count(CHECKED), "URL"), statuses, without);
            if (report.count(EARLIER) > 0) {
                row("", "%,d of them worked in an earlier run, and were not requested again", report.count(EARLIER));
            }
        }
        if (report.count(FRAGMENTS) > 0) {
            row(
                    "parts",
                    "%s to parts of pages = %,d found + %,d missing + %,d unchecked%s",
                    Numbers.count(report.count(FRAGMENTS), "link"),
                    report.count(FRAGMENTS, FOUND),
                    report.count(FRAGMENTS, MISSING),
                    report.count(FRAGMENTS, UNCHECKED),
                    unlessZero(" + %,d places in programs (#/, #!)", report.count(FRAGMENTS, ROUTES)));
        }
    }

    private void links() {
        row(
                "links",
                "%,d found = %,d new + %,d already seen + %,d skipped%s",
                report.count(LINKS),
                report.count(LINKS, NEW),
                report.count(LINKS, SEEN),
                report.count(SKIPPED),
                Numbers.parts(report.by(SKIPPED)));
        if (sitemaps() > 0) {
            String urls = Numbers.count(report.count(SITEMAP_URLS), "URL");
            String absent = unlessZero("; %,d not found", SITEMAPS_ABSENT);
            row("sitemaps", "%,d read with %s%s", report.count(SITEMAPS), urls, absent);
        }
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
        if (round == null) {
            return "";
        }
        String changes = Numbers.changes(change -> report.count(CHANGES, change.text()), report.count(SAME_TEXT));
        row(lines, "round", "%,d: %s", round.number(), changes.isEmpty() ? "nothing to visit" : changes);
        if (!round.orphans().isEmpty()) {
            String pages = Numbers.count(round.orphanCount(), "page");
            String urls = round.orphans().stream().limit(ORPHANS_SHOWN).collect(Collectors.joining(" "));
            String more = unlessZero(" and %,d more", Math.max(0, round.orphanCount() - ORPHANS_SHOWN));
            row(lines, "orphans", "no page links any more to %s: %s%s", pages, urls, more);
        }
        return lines.toString();
    }

    static String files(List<String> files) {
        StringBuilder lines = new StringBuilder();
        files.forEach(file -> row(lines, lines.isEmpty() ? "files" : "", "%s", file));
        return lines.toString();
    }

    private static String joined(Map<?, Long> counts, String format, String delimiter) {
        return counts.entrySet().stream()
                .map(each -> text(format, each.getKey(), each.getValue()))
                .collect(Collectors.joining(delimiter));
    }

    static double pagesPerSecond(CrawlReport report) {
        return report.count(PAGES) / Math.max(1e-3, report.elapsed().toMillis() / 1e3);
    }

    private void filter() {
        SieveStats sieve = report.sieve();
        String missed = (sieve.isLowerBound() ? "at least " : "")
                + (sieve.estimatedMissed() < NO_PAGE ? "0" : Units.count(sieve.estimatedMissed()));
        row("filter", "%s  %s  estimated pages missed: %s", size(sieve), Numbers.bytes(sieve.memoryBytes()), missed);
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
     * Shows what limited the crawl: delays of hosts, hosts that back off, the slowest of them, the processing of pages,
     * and options if a higher value would have made it faster. If URLs are left, shows how long they take at the same
     * rate.
     */
    private void speed() {
        CrawlReport.Load load = report.load();
        ScheduleStats schedule = load.schedule();
        double processing = share(load.processing());
        double perHost = Math.min(share(schedule.limited()), 100 - processing);
        double concurrency = share(load.busy());
        String limits = Stream.of(
                        perHost < 1 ? null : text("--per-host %.0f %%", perHost),
                        concurrency < 1 ? null : text("--concurrency %.0f %%", concurrency))
                .filter(Objects::nonNull)
                .collect(Collectors.joining(", "));
        row(
                "speed",
                "waiting for delays %.0f %% of the time, hosts that back off %.0f %%, processing pages %.0f %%%s",
                share(schedule.waited().minus(schedule.backedOff())),
                share(schedule.backedOff()),
                processing,
                limits.isEmpty() ? "" : "; limited by " + limits);
        String slowest = schedule.slowest().entrySet().stream()
                .filter(each -> share(each.getValue()) >= 1)
                .map(each -> text("%s %.0f %%", each.getKey(), share(each.getValue())))
                .collect(Collectors.joining(", "));
        if (!slowest.isEmpty()) {
            row("slowest", "waiting for %s", slowest);
        }
        long left = report.pending().left();
        if (!isShared && left > 0 && report.count(PAGES) > 0) {
            String time = clock(remaining(left, pagesPerSecond(report)));
            row("left", "%s, about %s at this rate", Numbers.count(left, "URL"), time);
        }
    }

    /** Returns how long URLs take at a rate above 0, at most some decades. */
    static Duration remaining(long urls, double pagesPerSecond) {
        return Duration.ofSeconds((long) Math.min(1e9, urls / pagesPerSecond));
    }

    private double share(Duration part) {
        return Math.min(
                100, 100.0 * part.toNanos() / Math.max(1, report.elapsed().toNanos()));
    }

    /** Shows that real pages may have been taken for a trap: the limits of these checks count URLs. */
    private void traps() {
        for (Trap trap : EnumSet.range(Trap.SHAPE, Trap.SAME_TEXT)) {
            String rule = trap.rule();
            long urls = report.count(SKIPPED, rule) + report.count(REFUSED, rule);
            if (urls > 0) {
                row(
                        "traps",
                        "%s skipped by the limit '%s'%s; if they are pages you want, crawl again with --allow-trap %2$s",
                        Numbers.count(urls, "URL"),
                        trap.words(),
                        trap.advice().isEmpty() ? "" : ", " + trap.advice());
            }
        }
    }

    private void ofOthers(Counter counter) {
        if (report.count(counter) > 0) {
            String urls = Numbers.count(report.count(counter), "URL");
            String place = Objects.requireNonNull(counter.verdict()).place();
            row(
                    counter.key(),
                    "%s %s, neither working nor broken: %s",
                    urls,
                    place,
                    joined(report.by(counter), "%s x%,d", "  "));
        }
    }

    private void dropped() {
        if (report.count(DROPPED) > 0) {
            row("dropped", "%s", joined(report.by(DROPPED), "%s x%,d", "  "));
        }
    }

    private void errors() {
        if (report.failures().isEmpty()) {
            return;
        }
        String reasons = joined(report.by(FAILURES), "%s x%,d", "  ");
        row("errors", "%s: %s%s", errors(report), reasons, unlessZero("; newly broken %,d", NEWLY_BROKEN));
        for (CrawlReport.Failure failure : report.failures()) {
            String origin = failure.referrer() == null ? "seed" : "linked from " + failure.referrer();
            lines.append(text("    %s  %s  (%s)%n", failure.reason(), failure.url(), origin));
        }
        long more = report.count(FAILURES) - report.failures().size();
        lines.append(unlessZero("    and %,d more; --report lists them all%n", Math.max(0, more)));
    }

    /** Returns how many responses were errors, how many URLs got no usable response, and how many fragments are missing. */
    static String errors(CrawlReport report) {
        long fragments = report.count(FAILURES, Reason.FRAGMENT.text());
        long responses = report.count(FAILURES) - report.withoutResponse() - fragments;
        return text("error responses %,d, no usable response %,d", responses, report.withoutResponse())
                + unlessZero(", missing fragments %,d", fragments);
    }

    /** Shows that pages were missed, and how to get them. */
    private void missed() {
        SieveStats sieve = report.sieve();
        if (Numbers.missesPages(sieve)) {
            boolean isTooSmall = sieve.fill() > 1;
            row("missed", "%s, and the pages that only they link to", missed(report));
            row(
                    "",
                    "the filter %s; crawl again from the start with %s or --filter exact",
                    isTooSmall ? "is too small" : "misses some pages even below its capacity",
                    isTooSmall ? "--capacity " + Numbers.recommendedCapacity(sieve) : "a lower --miss-rate");
        }
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
