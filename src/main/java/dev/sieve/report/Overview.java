package dev.sieve.report;

import static dev.sieve.report.Html.Table.SMALL;
import static dev.sieve.report.Html.note;
import static dev.sieve.report.Numbers.count;
import static dev.sieve.report.Numbers.text;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.OpenRequest;
import dev.sieve.output.Verdict;
import dev.sieve.url.Printable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** The first section of a report: the verdict, the totals, and the numbers of each run. */
final class Overview {
    /** A worker that has stored nothing for so long is not alive. */
    private static final long SILENT_MILLIS = 60_000;

    private final Aggregate crawl;
    /** The last sample of the crawl; null when only its pages are known. */
    private final @Nullable Sample last;

    private Overview(Aggregate crawl) {
        this.crawl = crawl;
        last = crawl.runs.last();
    }

    static void append(Aggregate crawl, Element main) {
        new Overview(crawl).append(Html.section(main, "overview", "Overview"));
    }

    private void append(Element section) {
        missed(section);
        verdict(section);
        unrequested(section);
        Counter.ofOthers().forEach(counter -> ofOthers(section, counter));
        crawl.changes.appendSentence(section);
        waiting(section);
        Element tiles = section.appendElement("dl").addClass("tiles");
        Totals totals = crawl.totals;
        long cut = totals.count(Counter.TRUNCATED);
        tile(tiles, "Pages", count(totals.count(Counter.PAGES)), cut == 0 ? "" : count(cut) + " cut");
        tile(tiles, "Broken links", count(crawl.broken.count()), "").addClass(crawl.broken.count() > 0 ? "bad" : "");
        if (totals.count(Counter.CHECKED) > 0) {
            tile(tiles, "Checked", count(totals.count(Counter.CHECKED)), "links and resources");
        }
        tile(tiles, "Redirects", count(totals.count(Counter.REDIRECTS)), "");
        tile(tiles, "Failed", count(totals.count(Counter.FAILED)), "pages, no usable response");
        tile(tiles, "Size of pages", Numbers.bytes(totals.count(Counter.BODY)), "");
        if (last != null) {
            long millis = crawl.runs.millis();
            tile(
                    tiles,
                    "Time",
                    Numbers.millis(millis),
                    text("%.1f pages/s", 1e3 * totals.count(Counter.PAGES) / Math.max(1, millis)));
            long again = last.pending().unfinished();
            tile(
                    tiles,
                    "Left",
                    count(last.pending().left()),
                    again == 0 ? "" : count(again) + " could not be requested");
            tile(
                            tiles,
                            "Pages missed",
                            Numbers.about(last.sieve().estimatedMissed()),
                            last.sieve().isLowerBound() ? "at least" : "estimated")
                    .addClass(Numbers.missesPages(last.sieve()) ? "bad" : "");
            runs(section);
        }
    }

    /** Says first that the crawl is not complete, since then nothing else is. */
    private void missed(Element section) {
        if (last != null && Numbers.missesPages(last.sieve())) {
            SieveStats stats = last.sieve();
            String advice = stats.fill() > 1
                    ? "is too small. Crawl again from the start with a capacity of "
                            + count(Numbers.recommendedCapacity(stats), "URL")
                    : "misses some pages even below its capacity. Crawl again from the start with a lower miss rate";
            String text =
                    (stats.isLowerBound() ? "At least " : "About ") + count(Math.round(stats.estimatedMissed()), "page")
                            + " were missed, and the pages that only they link to: the filter " + advice
                            + ", or with an exact filter.";
            section.appendElement("p").attr("id", "missed").addClass("bad").text(text);
        }
    }

    /** Says of how many URLs nothing is known. */
    private void ofOthers(Element section, Counter counter) {
        long number = crawl.totals.count(counter);
        if (number > 0) {
            Verdict verdict = Objects.requireNonNull(counter.verdict());
            String text =
                    Numbers.sentence(verdict.place()) + ", so neither working nor broken: " + count(number, "URL");
            section.appendElement("p").attr("id", "of-" + verdict.text()).text(text + ".");
        }
    }

    /** Says what was not requested, so that it does not pass for a link that works. */
    private void unrequested(Element section) {
        Map<String, Long> refused = crawl.runs.refusals();
        Map<String, Long> skipped = crawl.runs.skipped();
        if (!refused.isEmpty() || !skipped.isEmpty()) {
            String text = "Not requested: " + sum(refused, "URL") + ", " + sum(skipped, "link")
                    + ". Examples are under Skipped.";
            section.appendElement("p").attr("id", "unrequested").text(Printable.line(text));
        }
    }

    private static String sum(Map<String, Long> counts, String thing) {
        return count(counts.values().stream().mapToLong(Long::longValue).sum(), thing) + Numbers.parts(counts);
    }

    /** Says what a link check is made for. */
    private void verdict(Element section) {
        Element line = section.appendElement("p").attr("id", "verdict");
        long requested = crawl.totals.requested();
        long broken = crawl.broken.count();
        Map<String, Long> reasons = new TreeMap<>();
        crawl.broken.groups().forEach((reason, links) -> reasons.put(reason, (long) links.size()));
        crawl.runs.refusals().forEach((reason, number) -> reasons.merge(reason, number, Long::sum));
        Counter.ofOthers()
                .forEach(each ->
                        Numbers.addResponders(each, crawl.totals.by(each).numbers(), reasons));
        boolean isFruitless =
                Collections.disjoint(crawl.totals.by(Counter.PAGES).numbers().keySet(), Counter.FRUITS);
        if (isFruitless && crawl.totals.count(Counter.CHECKED) == 0 && !reasons.isEmpty()) {
            line.addClass("bad").text(Numbers.sentence(Numbers.noPage(reasons)) + ".");
            return;
        }
        if (broken == 0) {
            line.text("No broken link among " + count(requested, "URL") + " requested.");
            return;
        }
        long checks = crawl.broken.checks();
        long fragments = crawl.broken.fragments();
        List<String> things = new ArrayList<>();
        add(things, broken - checks - fragments, "page");
        add(things, checks, "checked URL");
        add(things, fragments, "fragment");
        String first = String.join(", ", things.subList(0, things.size() - 1));
        String what = (first.isEmpty() ? "" : first + " and ") + things.get(things.size() - 1);
        line.addClass("bad")
                .text(what + (broken == 1 ? " is" : " are") + " broken, of " + count(requested, "URL") + " requested.");
    }

    /** Names a request for which the crawl has waited long. */
    private void waiting(Element section) {
        OpenRequest oldest = crawl.oldest;
        if (oldest != null && oldest.isLong()) {
            Element line = section.appendElement("p").addClass("note").attr("id", "waiting");
            line.appendText("Waiting " + Numbers.millis(oldest.age().toMillis()) + " for ");
            Html.url(line, oldest.url());
        }
    }

    private static void add(List<String> things, long number, String thing) {
        if (number > 0) {
            things.add(count(number, thing));
        }
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
        List<Runs.Run> runs = crawl.runs.list();
        boolean isShared = crawl.runs.isShared();
        note(
                section,
                isShared
                        ? "Each worker counts what it has done itself."
                        : "In each run: from earlier runs + new = pages + checked + redirects + failed + refused + sitemaps"
                                + " + left; links found = new + already seen + skipped.");
        Element columns = section.appendElement("div").addClass("columns");
        Html.Table urls = new Html.Table(columns, "runs", SMALL);
        Html.Table links = new Html.Table(columns, "links", SMALL);
        String name = isShared ? "Worker" : "Run";
        if (crawl.runs.count() > 1) {
            line(urls, name, (run, sample) -> urls.count(run.number));
            line(links, name, (run, sample) -> links.count(run.number));
        }
        if (!isShared) {
            counts(urls, "From earlier runs", sample -> sample.pending().before());
        }
        counts(urls, "New", sample -> sample.counts().get(Counter.LINKS, Counter.NEW));
        for (Counter counter :
                List.of(Counter.PAGES, Counter.CHECKED, Counter.REDIRECTS, Counter.FAILED, Counter.REFUSED)) {
            counts(urls, Numbers.sentence(counter.key()), sample -> sample.count(counter));
        }
        counts(urls, "Sitemaps", sample -> sample.count(Counter.SITEMAPS) + sample.count(Counter.SITEMAPS_ABSENT));
        if (!isShared) {
            counts(urls, "Left", sample -> sample.pending().left());
        }
        counts(links, "Links found", sample -> sample.count(Counter.LINKS));
        counts(links, "Already seen", sample -> sample.counts().get(Counter.LINKS, Counter.SEEN));
        counts(links, "Skipped", sample -> sample.count(Counter.SKIPPED));
        counts(links, "Retries", sample -> sample.count(Counter.RETRIES));
        line(links, "Started", (run, sample) -> links.shown(Numbers.time(run.startedAt)));
        line(links, "Time", (run, sample) -> links.millis(sample.millis()));
        line(
                links,
                "Ended",
                (run, sample) -> links.shown(sample.ending() != null ? sample.ending() : ending(run, sample)));
        for (Runs.Run run : runs) {
            if (run.command != null) {
                Element line = section.appendElement("p").addClass("note").addClass("command");
                line.appendText(crawl.runs.count() > 1 ? text("%s %,d: ", name, run.number) : "Command: ");
                Html.command(line, run.command);
            }
        }
        int earlier = crawl.runs.count() - runs.size();
        if (earlier > 0) {
            note(
                    section,
                    count(earlier, isShared ? "earlier worker" : "earlier run")
                            + " not listed; all pages are counted.");
        }
        long unrecorded = runs.get(0).number > 1 || runs.get(0).last == null || crawl.changes.isAgain() || isShared
                ? 0
                : runs.get(0).last.pending().before();
        if (unrecorded > 0) {
            note(section, "Runs before the first one listed kept no record for a report and are not part of this one.");
        }
    }

    /** Returns what is known of a run that did not end by itself. */
    private String ending(Runs.Run run, Sample sample) {
        List<Runs.Run> runs = crawl.runs.list();
        boolean isAlive = crawl.runs.isShared()
                ? crawl.runs.millisAt(sample.at()) > crawl.runs.millis() - SILENT_MILLIS
                : run == runs.get(runs.size() - 1);
        return isAlive ? "not yet" : "cut off; the numbers are the last ones recorded";
    }

    private void counts(Html.Table table, String name, ToLongFunction<Sample> number) {
        line(table, name, (run, sample) -> table.count(number.applyAsLong(sample)));
    }

    private void line(Html.Table table, String name, BiConsumer<Runs.Run, Sample> cell) {
        table.row().name(name);
        for (Runs.Run run : crawl.runs.list()) {
            Sample sample = run.last;
            if (sample != null) {
                cell.accept(run, sample);
            }
        }
    }
}
