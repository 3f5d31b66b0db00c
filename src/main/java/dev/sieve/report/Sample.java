package dev.sieve.report;

import dev.sieve.FilterKind;
import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlReport;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a run at one moment, as in {@link CrawlReport}.
 *
 * @param at the time of day in epoch milliseconds
 * @param millis since the start of the run
 * @param ending why the run has ended; null while it runs
 * @param sitemaps sitemaps that were read or absent
 * @param filter the kind of filter; null for any other class, or when it was not recorded
 */
record Sample(
        long at,
        long millis,
        @Nullable String ending,
        long before,
        long isNew,
        long seen,
        long found,
        long pages,
        long checked,
        long redirects,
        long failed,
        long sitemaps,
        long left,
        long unfinished,
        long retried,
        long bytes,
        Map<String, Long> refusals,
        Map<String, Long> skipped,
        @Nullable FilterKind filter,
        long size,
        long capacity,
        double rate,
        double missed,
        long memory) {

    static Sample of(CrawlReport report, long at) {
        SieveStats sieve = report.sieve();
        return new Sample(
                at,
                report.elapsed().toMillis(),
                report.endingText(),
                report.before(),
                report.urlsNew(),
                report.urlsSeen(),
                report.urlsFound(),
                report.pageCount(),
                report.checkedCount(),
                report.redirects(),
                report.failed(),
                report.sitemaps().read() + report.sitemaps().absent(),
                report.left(),
                report.unfinished(),
                report.retried(),
                report.bytes(),
                report.refusals(),
                report.skipped(),
                sieve.filter(),
                sieve.estimatedSize(),
                sieve.capacity(),
                sieve.falsePositiveRate(),
                sieve.estimatedMissed(),
                sieve.memoryBytes());
    }

    static Sample of(JsonLine line) {
        return new Sample(
                line.number("at"),
                line.number("ms"),
                line.text("ending"),
                line.number("before"),
                line.number("new"),
                line.number("seen"),
                line.number("found"),
                line.number("pages"),
                line.number("checked"),
                line.number("redirects"),
                line.number("failed"),
                line.number("sitemaps"),
                line.number("left"),
                line.number("unfinished"),
                line.number("retried"),
                line.number("bytes"),
                line.counts("refusals"),
                line.counts("skipped"),
                kind(line.text("filter")),
                line.number("size"),
                line.number("capacity"),
                line.decimal("rate"),
                line.decimal("missed"),
                line.number("memory"));
    }

    private static @Nullable FilterKind kind(@Nullable String name) {
        return Arrays.stream(FilterKind.values())
                .filter(kind -> kind.name().equals(name))
                .findAny()
                .orElse(null);
    }

    long refused() {
        return sum(refusals);
    }

    long allSkipped() {
        return sum(skipped);
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
