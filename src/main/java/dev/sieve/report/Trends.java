package dev.sieve.report;

import static dev.sieve.report.Html.Table.LARGE;
import static dev.sieve.report.Html.Table.SMALL;
import static dev.sieve.report.Html.folded;
import static dev.sieve.report.Html.note;
import static dev.sieve.report.Numbers.count;
import static dev.sieve.report.Numbers.text;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import dev.sieve.bloom.BloomSize;
import java.util.List;
import java.util.stream.DoubleStream;
import org.jsoup.nodes.Element;

/** The sections of a report whose numbers change over time: the speed, and the filter of seen URLs. */
record Trends(Aggregate crawl, Element main) {
    /** The fill from which on the filter is shown in more than a line. */
    private static final double WORTH_SHOWING = 0.5;

    /** The filters of other capacities are of the default type. */
    private static final double RATE = Sieve.DEFAULT_FALSE_POSITIVE_RATE;

    private static final int LINE_BITS = 512;
    private static final int STEPS = 64;

    /** Appends how fast the crawl was. */
    void speed() {
        List<Timeline.Point> points = crawl.timeline.points();
        Element section = Html.section(main, "speed", "Speed");
        if (points.isEmpty()) {
            arrivals(section);
            return;
        }
        Element charts = section.appendElement("div").addClass("columns");
        Html.chart(charts, "line", "Pages per second", "samples", 0, 2);
        Html.chart(charts, "line", "URLs in the queue", "samples", 0, 3);
        Html.Table table = new Html.Table(
                folded(section, "samples", "Numbers over time"),
                "samples",
                LARGE,
                "#Time (s)",
                "#Pages",
                "#Pages per second",
                "#URLs in the queue",
                "#URLs in the filter",
                "#Capacity",
                "#Fill (%)",
                "#False-positive rate (%)",
                "#Pages missed (estimated)");
        Timeline.Point before = new Timeline.Point(0, 0, 0, 0, 0, 0, 0);
        for (Timeline.Point point : points) {
            double seconds = Math.max(1e-3, (point.millis() - before.millis()) / 1e3);
            double fill = 100.0 * point.size() / Math.max(1, point.capacity());
            table.row()
                    .number(point.millis() / 1e3, Numbers.decimals(point.millis() / 1e3, 1))
                    .count(point.pages())
                    .number(
                            rounded((point.pages() - before.pages()) / seconds),
                            Numbers.decimals((point.pages() - before.pages()) / seconds, 1))
                    .count(point.queued())
                    .count(point.size())
                    .count(point.capacity())
                    .number(rounded(fill), Numbers.decimals(fill, 1))
                    .number(Math.rint(1e9 * point.rate()) / 1e7, Numbers.percentage(point.rate()))
                    .number(rounded(point.missed()), Numbers.about(point.missed()));
            before = point;
        }
    }

    /** Rounds a number to four decimals, so that it takes few characters. */
    private static double rounded(double value) {
        return Math.rint(value * 1e4) / 1e4;
    }

    /** Without samples, the times at which pages were requested. */
    private void arrivals(Element section) {
        List<Arrivals.Interval> intervals = crawl.totals.arrivals.intervals();
        if (intervals.isEmpty()) {
            note(section, "The times of the requests are unknown.");
            return;
        }
        Html.chart(section, "line", "Pages per second", "samples", 1, 3);
        double seconds = crawl.totals.arrivals.widthMillis() / 1e3;
        Html.Table table = new Html.Table(
                folded(section, "samples", "Numbers over time"),
                "samples",
                LARGE,
                "From",
                "#Time (s)",
                "#Pages",
                "#Pages per second");
        long start = intervals.get(0).startMillis();
        for (Arrivals.Interval interval : intervals) {
            table.row()
                    .text(Numbers.time(interval.startMillis()))
                    .number((interval.startMillis() - start) / 1e3, count((interval.startMillis() - start) / 1000))
                    .count(interval.pages())
                    .number(rounded(interval.pages() / seconds), Numbers.decimals(interval.pages() / seconds, 1));
        }
    }

    /** Appends how full the filter became, and what that cost. */
    void sieve() {
        Sample last = crawl.runs.last();
        if (last == null) {
            return;
        }
        Element section = Html.section(main, "sieve", "Filter of seen URLs");
        Element line = section.appendElement("p");
        SieveStats stats = last.sieve();
        if (stats.isExact()) {
            line.text(text(
                    "An exact filter of %s, %s: no page is missed.",
                    count(stats.estimatedSize(), "URL"), Numbers.bytes(stats.memoryBytes())));
            return;
        }
        double fill = stats.fill();
        if (fill <= 1 || stats.filter() != FilterKind.GROWING) {
            line.appendElement("meter")
                    .attr("min", "0")
                    .attr("max", "1")
                    .attr("low", "0.8")
                    .attr("high", "0.999")
                    .attr("optimum", "0")
                    .attr("value", text("%.3f", Math.min(1, fill)))
                    .text(Numbers.percent(fill));
        }
        line.appendText(text(
                " %,d of %s (%s), %s of memory. False-positive rate %s. Estimated pages missed: %s.",
                stats.estimatedSize(),
                count(stats.capacity(), "URL"),
                Numbers.percent(fill),
                Numbers.bytes(stats.memoryBytes()),
                Numbers.percent(stats.falsePositiveRate()),
                Numbers.about(stats.estimatedMissed())));
        if (fill < WORTH_SHOWING && crawl.capacityEvents.isEmpty()) {
            return;
        }
        Html.chart(section, "line", "Fill of the filter (%)", "samples", 0, 6).attr("data-marks", "events");
        Element charts = section.appendElement("div").addClass("columns");
        Html.chart(charts, "line", "False-positive rate (%)", "samples", 0, 7);
        Html.chart(charts, "line", "Pages missed (estimated)", "samples", 0, 8);
        note(section, "The numbers of these charts are in the table 'Numbers over time' above.");
        events(section);
        if (last.ending() != null) {
            otherCapacities(section, stats);
        }
    }

    private void events(Element section) {
        section.appendElement("h3").text("Capacity events");
        if (crawl.capacityEvents.isEmpty()) {
            note(section, "None: the filter is below 80 % of its capacity.");
            return;
        }
        Html.Table table = new Html.Table(
                section,
                "events",
                SMALL,
                "#Time (s)",
                "#Fill passed (%)",
                "#URLs in the filter",
                "#Capacity",
                "#False-positive rate",
                "#Pages missed",
                "#Memory",
                "When full");
        for (Aggregate.Passed passed : crawl.capacityEvents) {
            CapacityEvent event = passed.event();
            table.row()
                    .number(passed.millis() / 1e3, Numbers.decimals(passed.millis() / 1e3, 1))
                    .number(100 * event.threshold(), text("%,.0f", 100 * event.threshold()))
                    .count(event.estimatedSize())
                    .count(event.capacity())
                    .number(event.falsePositiveRate(), Numbers.percent(event.falsePositiveRate()))
                    .number(event.estimatedMissed(), Numbers.about(event.estimatedMissed()))
                    .bytes(event.memoryBytes())
                    .text(
                            switch (event.onFull()) {
                                case WARN -> "continues, and misses more";
                                case GROW -> "grows";
                                case FAIL -> "refuses new URLs";
                            });
        }
    }

    private void otherCapacities(Element section, SieveStats stats) {
        section.appendElement("h3").text("What another capacity would have cost");
        double urls = stats.estimatedSize() + stats.estimatedMissed();
        note(
                section,
                text(
                        "A filter of the default type with the default miss rate, and the %,.0f distinct URLs of this crawl; the capacity of this crawl is bold:",
                        urls));
        Html.Table table = new Html.Table(
                section,
                "capacities",
                SMALL,
                "#Capacity",
                "#Memory",
                "#False-positive rate at the end",
                "#Pages missed");
        for (Cost cost : costs(stats.capacity(), urls)) {
            table.row()
                    .count(cost.capacity())
                    .bytes(cost.memoryBytes())
                    .number(cost.rate(), Numbers.percent(cost.rate()))
                    .number(rounded(cost.missed()), Numbers.about(cost.missed()));
            if (cost.capacity() == stats.capacity()) {
                table.mark("own");
            }
        }
    }

    /** A filter of another capacity: its memory and, at the end of the crawl, its false-positive rate and missed pages. */
    private record Cost(long capacity, long memoryBytes, double rate, double missed) {}

    /** Returns the costs of smaller and larger filters for the URLs that were found, those that were missed included. */
    private static List<Cost> costs(long capacity, double urls) {
        return DoubleStream.of(0.1, 0.25, 0.5, 1, 2, 4, 10)
                .mapToLong(factor -> Math.round(factor * capacity))
                .filter(each -> each >= 1)
                .mapToObj(each -> cost(each, urls))
                .toList();
    }

    /** A new URL is missed with the false-positive rate f of the moment: the filter grows by 1 - f URLs for each. */
    private static Cost cost(long capacity, double urls) {
        long bits = BloomSize.splitBlockBits(capacity, RATE);
        int hashes = BloomSize.splitBlockHashes(RATE);
        double lines = (double) bits / LINE_BITS;
        double step = urls / STEPS;
        double size = 0;
        double missed = 0;
        for (int i = 0; i < STEPS; i++) {
            double rate = BloomSize.splitBlockRate((size + step / 2) / lines, hashes);
            size += step * (1 - rate);
            missed += step * rate;
        }
        return new Cost(capacity, bits / Byte.SIZE, BloomSize.splitBlockRate(size / lines, hashes), missed);
    }
}
