package dev.sieve.report;

import static dev.sieve.report.Numbers.count;
import static dev.sieve.report.Numbers.text;

import dev.sieve.CapacityEvent;
import dev.sieve.FilterKind;
import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** The content of a report. All lists are limited, in lines and in characters. */
final class Sections {
    private static final int HOSTS_SHOWN = 300;
    private static final int REDIRECTS_SHOWN = 100;
    /** Characters of a table with URLs, and of one with long lists of them. */
    private static final int SMALL = 40_000;

    private static final int LARGE = 150_000;
    /** Characters of the tables of broken links. */
    private static final int HUGE = 8_000_000;

    /** Broken links that are shown while the crawl runs. */
    static final int BROKEN_NOW = 500;

    /** Rows from which on a table of broken links can be searched. */
    private static final int FILTERED = 20;

    /** The fill from which on the filter is shown in more than a line. */
    private static final double WORTH_SHOWING = 0.5;

    private final Aggregate crawl;
    private final Element main;
    /** The last sample of the crawl; null when only its pages are known. */
    private final @Nullable Sample last;

    private Sections(Aggregate crawl, Element main) {
        this.crawl = crawl;
        this.main = main;
        last = crawl.runs().last();
    }

    /** Appends the sections that change all the time. */
    static void appendProgress(Aggregate crawl, Element main) {
        Sections sections = new Sections(crawl, main);
        sections.overview();
        sections.speed();
    }

    /**
     * Appends links to all sections, and the sections.
     *
     * @param brokenShown how many broken links are shown at most
     */
    static void append(Aggregate crawl, Element main, int brokenShown) {
        Element contents = main.appendElement("nav").attr("id", "contents").attr("aria-label", "Sections");
        Sections sections = new Sections(crawl, main);
        sections.overview();
        sections.broken(brokenShown);
        sections.speed();
        sections.sieve();
        sections.responses();
        sections.hosts();
        sections.topPages();
        sections.redirects();
        sections.skipped();
        for (Element section : main.select("> section")) {
            contents.appendElement("a")
                    .attr("href", "#" + section.id())
                    .text(section.child(0).text());
            contents.appendText(" ");
        }
    }

    private void overview() {
        Element section = Html.section(main, "overview", "Overview");
        verdict(section);
        Element tiles = section.appendElement("dl").addClass("tiles");
        tile(tiles, "Pages", count(crawl.pages()), pagesNote());
        Element broken = tile(tiles, "Broken links", count(crawl.broken().count()), "");
        if (crawl.broken().count() > 0) {
            broken.addClass("bad");
        }
        if (crawl.checked() > 0) {
            tile(tiles, "Checked", count(crawl.checked()), "links and resources");
        }
        tile(tiles, "Redirects", count(crawl.redirects()), "");
        tile(tiles, "Failed", count(crawl.failed()), "no usable response");
        tile(tiles, "Size of pages", Numbers.bytes(crawl.bytes()), "");
        if (last != null) {
            long millis = crawl.runs().millis();
            tile(
                    tiles,
                    "Time",
                    Numbers.millis(millis),
                    text("%.1f pages/s", 1e3 * crawl.pages() / Math.max(1, millis)));
            tile(
                    tiles,
                    "Left",
                    count(last.pending().left()),
                    last.pending().unfinished() == 0 ? "" : count(last.pending().unfinished()) + " not done");
            tile(tiles, "Pages missed", Numbers.about(last.sieve().estimatedMissed()), "estimated");
            runs(section);
        }
    }

    /** Says first what a link check is made for. */
    private void verdict(Element section) {
        Element line = section.appendElement("p").attr("id", "verdict");
        long requested = crawl.pages() + crawl.redirects() + crawl.failed() + crawl.checked();
        long broken = crawl.broken().count();
        if (broken == 0) {
            line.text("No broken link among " + count(requested, "URL") + ".");
            return;
        }
        long checks = crawl.broken().checks();
        String what = checks == 0
                ? count(broken, "page")
                : broken == checks
                        ? count(checks, "checked URL")
                        : count(broken - checks, "page") + " and " + count(checks, "checked URL");
        line.addClass("bad")
                .text(what + (broken == 1 ? " is" : " are") + " broken, of " + count(requested, "URL") + " requested.");
    }

    private String pagesNote() {
        long errors = crawl.statusClass(4) + crawl.statusClass(5);
        return (errors == 0 ? "" : count(errors) + " with status 4xx or 5xx")
                + (errors == 0 || crawl.cut() == 0 ? "" : ", ")
                + (crawl.cut() == 0 ? "" : count(crawl.cut()) + " cut");
    }

    private static Element tile(Element tiles, String name, String value, String note) {
        Element tile = tiles.appendElement("div");
        tile.appendElement("dt").text(name);
        tile.appendElement("dd").text(value);
        if (!note.isEmpty()) {
            tile.appendElement("dd").addClass("note").text(note);
        }
        return tile;
    }

    /** A line for each number, in the order of the sums, and a column for each run. */
    private void runs(Element section) {
        note(
                section,
                "In each run: from earlier runs + new = pages + checked + redirects + failed + refused + sitemaps + left;"
                        + " links found = new + already seen + skipped.");
        List<Runs.Run> runs = crawl.runs().list();
        Element columns = section.appendElement("div").addClass("columns");
        Html.Table urls = new Html.Table(columns, "runs", SMALL);
        Html.Table links = new Html.Table(columns, "links", SMALL);
        if (crawl.runs().count() > 1) {
            line(urls, "Run", (run, sample) -> urls.count(run.number()));
            line(links, "Run", (run, sample) -> links.count(run.number()));
        }
        counts(urls, "From earlier runs", sample -> sample.pending().before());
        counts(urls, "New", sample -> sample.counts().get(Counter.LINKS, Counter.NEW));
        counts(urls, "Pages", sample -> sample.count(Counter.PAGES));
        counts(urls, "Checked", sample -> sample.count(Counter.CHECKED));
        counts(urls, "Redirects", sample -> sample.count(Counter.REDIRECTS));
        counts(urls, "Failed", sample -> sample.count(Counter.FAILED));
        counts(urls, "Refused", sample -> sample.count(Counter.REFUSED));
        counts(urls, "Sitemaps", sample -> sample.count(Counter.SITEMAPS) + sample.count(Counter.SITEMAPS_ABSENT));
        counts(urls, "Left", sample -> sample.pending().left());
        counts(links, "Links found", sample -> sample.count(Counter.LINKS));
        counts(links, "New", sample -> sample.counts().get(Counter.LINKS, Counter.NEW));
        counts(links, "Already seen", sample -> sample.counts().get(Counter.LINKS, Counter.SEEN));
        counts(links, "Skipped", sample -> sample.count(Counter.SKIPPED));
        counts(links, "Retries", sample -> sample.count(Counter.RETRIES));
        line(links, "Started", (run, sample) -> links.shown(Numbers.time(run.startedAt())));
        line(links, "Time", (run, sample) -> links.millis(sample.millis()));
        line(
                links,
                "Ended",
                (run, sample) -> links.shown(
                        sample.ending() != null
                                ? sample.ending()
                                : run == runs.get(runs.size() - 1)
                                        ? "not yet"
                                        : "cut off; the numbers are the last ones recorded"));
        int earlier = crawl.runs().count() - runs.size();
        if (earlier > 0) {
            note(section, count(earlier, "earlier run") + " not listed; all pages are counted.");
        }
        long unrecorded = runs.get(0).number() > 1 || runs.get(0).last() == null
                ? 0
                : runs.get(0).last().pending().before();
        if (unrecorded > 0) {
            note(section, "Runs before the first one listed kept no record for a report and are not part of this one.");
        }
    }

    private void counts(Html.Table table, String name, ToLongFunction<Sample> number) {
        line(table, name, (run, sample) -> table.count(number.applyAsLong(sample)));
    }

    private void line(Html.Table table, String name, BiConsumer<Runs.Run, Sample> cell) {
        table.row().name(name);
        for (Runs.Run run : crawl.runs().list()) {
            Sample sample = run.last();
            if (sample != null) {
                cell.accept(run, sample);
            }
        }
    }

    private static void note(Element section, String text) {
        section.appendElement("p").addClass("note").text(text);
    }

    private void speed() {
        List<Timeline.Point> points = crawl.timeline().points();
        Element section = Html.section(main, "speed", "Speed");
        if (points.isEmpty()) {
            arrivals(section);
            return;
        }
        Element charts = section.appendElement("div").addClass("columns");
        Html.chart(charts, "line", "Pages per second", "samples", 0, 2);
        Html.chart(charts, "line", "URLs in the queue", "samples", 0, 3);
        Html.Table table = new Html.Table(
                data(section, "samples", "Numbers over time"),
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
        List<Arrivals.Interval> intervals = crawl.arrivals().intervals();
        if (intervals.isEmpty()) {
            note(section, "The times of the requests are unknown.");
            return;
        }
        Html.chart(section, "line", "Pages per second", "samples", 1, 3);
        double seconds = crawl.arrivals().widthMillis() / 1e3;
        Html.Table table = new Html.Table(
                data(section, "samples", "Numbers over time"),
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

    /** Appends what can be folded; open unless the script closes it, since without the script it is all there is. */
    private static Element data(Element section, String id, String summary) {
        Element details =
                section.appendElement("details").attr("id", "data-" + id).attr("open", "");
        details.appendElement("summary").text(summary);
        return details;
    }

    private void sieve() {
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
        if (fill < WORTH_SHOWING && crawl.capacityEvents().isEmpty()) {
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
        if (crawl.capacityEvents().isEmpty()) {
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
        for (Aggregate.Passed passed : crawl.capacityEvents()) {
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
        for (OtherCapacities.Cost cost : OtherCapacities.of(stats.capacity(), urls)) {
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

    private void broken(int most) {
        BrokenLinks broken = crawl.broken();
        Element section = Html.section(main, "broken", text("Broken links (%,d)", broken.count()));
        if (broken.count() == 0) {
            note(section, "None: no URL failed or responded with a status of 400 or above.");
            return;
        }
        if (broken.reasons().bySize().size() > 1) {
            tally(section, "reasons", "Reason", "URLs", broken.reasons());
        }
        Element groups = section.appendElement("div").attr("id", "broken-links");
        int shown = 0;
        int characters = HUGE;
        for (Map.Entry<String, List<BrokenLinks.Link>> group : broken.groups().entrySet()) {
            int fitting = Math.min(group.getValue().size(), most - shown);
            if (fitting > 0 && characters > 0) {
                Html.Table table =
                        group(groups, group.getKey(), group.getValue().subList(0, fitting), characters);
                characters = table.charactersLeft();
                shown += table.rows();
            }
        }
        more(section, broken.count() - shown, "more broken link");
    }

    /** Appends the broken links with the same reason, as long as there is room. */
    private static Html.Table group(Element groups, String reason, List<BrokenLinks.Link> links, int characters) {
        Element heading = groups.appendElement("h3");
        String id = "broken-" + groups.childrenSize();
        Html.Table table = new Html.Table(groups, id, characters, "URL", "Requested as", "#Links", "Linked from");
        if (links.size() >= FILTERED) {
            table.filtered();
        }
        for (BrokenLinks.Link link : links) {
            if (!table.hasRoom()) {
                break;
            }
            long more = link.referrerCount() - link.referrers().size();
            String rest = link.referrers().isEmpty()
                    ? "seed"
                    : more > 0
                            ? "and " + count(more) + " more"
                            : link.isComplete() ? "" : "and pages that were not searched";
            table.row()
                    .url(link.url())
                    .text(link.isCheck() ? "check" : "page")
                    .count(link.referrerCount())
                    .urls(link.referrers(), rest);
        }
        Html.foreign(heading, reason);
        heading.appendText(text(" (%,d)", table.rows()));
        return table;
    }

    private static void more(Element section, long number, String thing) {
        if (number > 0) {
            note(section, "And " + count(number, thing) + ", only counted.");
        }
    }

    private static void tally(Element section, String id, String name, String number, Tally<String> tally) {
        Html.Table table = new Html.Table(section, id, SMALL, name, "#" + number);
        tally.bySize()
                .forEach(line ->
                        table.row().foreign(line.name()).count(line.count().number()));
        if (tally.others().number() > 0) {
            table.row().text("others").count(tally.others().number());
        }
    }

    private void responses() {
        Element section = Html.section(main, "responses", "Responses");
        Element columns = section.appendElement("div").addClass("columns");
        statuses(columns.appendElement("div"));
        depths(columns.appendElement("div"));
        types(columns.appendElement("div"));
    }

    private void statuses(Element part) {
        part.appendElement("h3").text("Status");
        Html.chart(part, "bar", "Responses by class of status", "classes", 0, 1);
        Html.Table classes = new Html.Table(part, "classes", SMALL, "Class", "#Responses");
        for (int digit = 1; digit <= 9; digit++) {
            long pages = crawl.statusClass(digit) + (digit == 3 ? crawl.redirects() : 0);
            if (pages > 0) {
                classes.row().text(digit + "xx").count(pages);
                if (digit >= 4) {
                    classes.mark("bad");
                }
            }
        }
        if (crawl.failed() > 0) {
            classes.row().text("failed").count(crawl.failed()).mark("bad");
        }
        Html.Table table =
                new Html.Table(data(part, "statuses", "Each status of a page"), "statuses", SMALL, "Status", "#Pages");
        for (int status = 0; status < 1000; status++) {
            if (crawl.status(status) > 0) {
                table.row().text(String.valueOf(status)).count(crawl.status(status));
            }
        }
    }

    private void depths(Element part) {
        part.appendElement("h3").text("Depth");
        Html.chart(part, "bar", "Pages by depth (links followed from a seed)", "depths", 0, 1);
        Html.Table table =
                new Html.Table(data(part, "depths", "Pages by depth"), "depths", SMALL, "#Depth", "#Pages", "#Size");
        crawl.depths()
                .byName()
                .forEach(line -> table.row()
                        .count(line.name())
                        .count(line.count().number())
                        .bytes(line.count().bytes()));
        if (crawl.depths().others().number() > 0) {
            table.row()
                    .text("others")
                    .count(crawl.depths().others().number())
                    .bytes(crawl.depths().others().bytes());
        }
    }

    private void types(Element part) {
        part.appendElement("h3").text("Content types");
        Html.chart(part, "sideways", "Pages by content type", "types", 0, 1);
        Html.Table table =
                new Html.Table(data(part, "types", "Pages by content type"), "types", SMALL, "Type", "#Pages", "#Size");
        crawl.types()
                .bySize()
                .forEach(line -> table.row()
                        .foreign(line.name().isEmpty() ? "none" : line.name())
                        .count(line.count().number())
                        .bytes(line.count().bytes()));
        if (crawl.types().others().number() > 0) {
            table.row()
                    .text("others")
                    .count(crawl.types().others().number())
                    .bytes(crawl.types().others().bytes());
        }
    }

    private void hosts() {
        Element section = Html.section(main, "hosts", "Hosts");
        Html.Table table = new Html.Table(
                        section,
                        "host-table",
                        LARGE,
                        "Host",
                        "#Pages",
                        "#Redirects",
                        "#Failures",
                        "#Waited for the delay",
                        "#Median response",
                        "#95 % below",
                        "#Size")
                .filtered();
        int shown = 0;
        for (HostTable.Row row : crawl.hosts().rows()) {
            if (shown == HOSTS_SHOWN || !table.hasRoom()) {
                break;
            }
            shown++;
            host(table.row().foreign(row.host()), row);
        }
        if (crawl.hosts().others() != null) {
            host(table.row().text("other hosts, together"), crawl.hosts().others());
        }
        note(section, "Failures are responses with a status of 400 or above, and URLs without a usable response.");
        more(section, crawl.hosts().size() - shown, "more host");
    }

    private static void host(Html.Table table, HostTable.Row row) {
        table.count(row.pages())
                .count(row.redirects())
                .count(row.broken())
                .millis(row.waitedMillis())
                .millis(row.medianMillis())
                .millis(row.p95Millis())
                .bytes(row.bytes());
    }

    private void topPages() {
        Element slow = Html.section(main, "slowest", "Slowest pages");
        pages(slow, "slow-pages", crawl.slowest());
        Element large = Html.section(main, "largest", "Largest pages");
        pages(large, "large-pages", crawl.largest());
    }

    private static void pages(Element section, String id, TopPages pages) {
        if (pages.list().isEmpty()) {
            note(section, "None.");
            return;
        }
        Html.Table table =
                new Html.Table(section, id, SMALL, "URL", "Title", "#Status", "Type", "#Time", "#Size").filtered();
        for (TopPages.Page page : pages.list()) {
            if (table.hasRoom()) {
                table.row()
                        .url(page.url())
                        .foreign(page.title())
                        .number(page.status(), String.valueOf(page.status()))
                        .foreign(page.type())
                        .millis(page.millis())
                        .bytes(page.bytes());
            }
        }
    }

    private void redirects() {
        Element section = Html.section(main, "redirects", "Redirects");
        List<Redirects.Chain> chains = crawl.redirectChains().chains();
        if (chains.isEmpty()) {
            note(section, "None.");
            return;
        }
        Html.Table table =
                new Html.Table(section, "chains", SMALL, "#Length", "Statuses", "Chain", "Result").filtered();
        long shown = 0;
        for (Redirects.Chain chain : chains) {
            if (shown == REDIRECTS_SHOWN || !table.hasRoom()) {
                break;
            }
            shown++;
            List<String> statuses =
                    chain.statuses().stream().map(String::valueOf).toList();
            table.row()
                    .count(chain.statuses().size())
                    .text(String.join(", ", statuses))
                    .urls(chain.urls(), "")
                    .foreign(
                            chain.isLoop()
                                    ? "loop"
                                    : chain.result() == null ? "requested before, or not" : chain.result());
        }
        if (shown < chains.size()) {
            note(
                    section,
                    text(
                            "The longest chains; %s in all.",
                            count(crawl.redirectChains().count(), "redirect")));
        }
    }

    private void skipped() {
        Map<String, Long> skipped = crawl.runs().skipped();
        Map<String, Long> refused = crawl.runs().refusals();
        if (last == null && crawl.fates().sum() == 0) {
            return;
        }
        Element section = Html.section(main, "skipped", "Skipped");
        if (crawl.fates().sum() > 0) {
            tally(section, "fates", "Links in the link graph", "Links", crawl.fates());
        }
        if (last == null) {
            return;
        }
        Set<String> rules = new TreeSet<>(skipped.keySet());
        rules.addAll(refused.keySet());
        if (rules.isEmpty()) {
            note(section, "No URL was skipped.");
            return;
        }
        Html.Table table =
                new Html.Table(section, "skips", SMALL, "Reason", "#Not queued", "#Queued, not requested", "Examples");
        for (String rule : rules) {
            List<String> urls = new ArrayList<>();
            crawl.skipExamples().of(rule).forEach(each -> urls.add(each.url()));
            table.row()
                    .foreign(rule)
                    .count(skipped.getOrDefault(rule, 0L))
                    .count(refused.getOrDefault(rule, 0L))
                    .urls(table.hasRoom() ? urls : List.of(), "");
        }
    }
}
