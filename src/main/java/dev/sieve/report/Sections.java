package dev.sieve.report;

import static dev.sieve.report.Html.Table.LARGE;
import static dev.sieve.report.Html.Table.SMALL;
import static dev.sieve.report.Html.folded;
import static dev.sieve.report.Html.more;
import static dev.sieve.report.Html.note;
import static dev.sieve.report.Numbers.count;
import static dev.sieve.report.Numbers.text;

import dev.sieve.crawl.Counter;
import dev.sieve.output.Verdict;
import dev.sieve.output.VisitField;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** The content of a report. All lists are limited, in lines and in characters. */
final class Sections {
    private static final int HOSTS_SHOWN = 300;
    private static final int REDIRECTS_SHOWN = 100;
    /** Characters of the tables of broken links. */
    private static final int HUGE = 8_000_000;

    private static final String BROKEN =
            "A link is broken if its URL has no usable response, or a status of 400 or above that is not accepted, or if its"
                    + " page does not have the part that it names.";

    private static final String SEARCHED_LATER =
            " The pages that link to it are searched when the crawl has ended; until then, only the first one is listed.";

    /** Broken links that are shown while the crawl runs. */
    private static final int BROKEN_NOW = 500;

    private final Aggregate crawl;
    private final Element main;
    /** The last sample of the crawl; null when only its pages are known. */
    private final @Nullable Sample last;

    private final boolean isRunning;

    private Sections(Aggregate crawl, Element main, boolean isLive) {
        this.crawl = crawl;
        this.main = main;
        last = crawl.runs.last();
        isRunning = isLive && (last == null || last.ending() == null);
    }

    /** Appends the sections that change all the time. */
    static void appendProgress(Aggregate crawl, Element main) {
        Overview.append(crawl, main);
        new Trends(crawl, main).speed();
    }

    /** Appends links to all sections, and the sections; of a crawl that runs, without those that take long. */
    static void append(Aggregate crawl, Element main, boolean isLive) {
        Element contents = main.appendElement("nav").attr("id", "contents").attr("aria-label", "Sections");
        Sections sections = new Sections(crawl, main, isLive);
        Trends trends = new Trends(crawl, main);
        Overview.append(crawl, main);
        crawl.changes.append(main, crawl.broken);
        sections.broken(isLive ? BROKEN_NOW : Bounds.BROKEN_LINKS);
        sections.moved(isLive ? BROKEN_NOW : Bounds.BROKEN_LINKS);
        Counter.ofOthers().forEach(sections::ofOthers);
        trends.speed();
        trends.sieve();
        sections.responses();
        sections.hosts();
        sections.topPages();
        sections.redirects();
        Alike alike = crawl.alike;
        if (!isLive && alike != null) {
            // Not while the crawl runs, since it takes a moment.
            alike.append(main, crawl.broken);
        }
        sections.skipped();
        for (Element section : main.select("> section")) {
            contents.appendElement("a")
                    .attr("href", "#" + section.id())
                    .text(section.child(0).text());
            contents.appendText(" ");
        }
    }

    private void broken(int most) {
        BrokenLinks broken = crawl.broken;
        Element section = Html.section(main, "broken", text("Broken links (%,d)", broken.count()));
        if (broken.count() == 0) {
            note(section, "None. " + BROKEN);
            return;
        }
        section.appendElement("p").addClass("more").text(isRunning ? BROKEN + SEARCHED_LATER : BROKEN);
        Tally reasons = broken.reasons();
        if (reasons.bySize().size() > 1) {
            tally(section, "reasons", "Reason", "URLs", BrokenLinks.inOrder(reasons), reasons);
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

    /** Appends the URLs that have moved for good, unless there are none. */
    private void moved(int most) {
        long all = crawl.totals.by(Counter.MOVED).sum();
        if (all == 0) {
            return;
        }
        Element section = Html.section(main, "moved", text("Moved links (%,d)", all));
        note(section, "Each link leads to a URL that redirects for good, status 301 or 308, so it is to be updated.");
        Html.Table table =
                new Html.Table(section, "moved-table", HUGE, "URL", "#Status", "Moved to", "#Links", "Linked from");
        crawl.broken.moved.values().stream()
                .limit(most)
                .takeWhile(link -> table.hasRoom())
                .forEach(link -> pages(
                        table.row().url(link.url).text(link.reason).url(Objects.requireNonNullElse(link.movedTo, "")),
                        link));
        more(section, all - table.rows(), "more moved link");
    }

    /** Appends the URLs of which something has responded in place of the site, unless there are none. */
    private void ofOthers(Counter counter) {
        Tally responders = crawl.totals.by(counter);
        if (responders.sum() == 0) {
            return;
        }
        Verdict verdict = Objects.requireNonNull(counter.verdict());
        Element section = Html.section(
                main, counter.key(), text("%s (%,d)", Numbers.sentence(verdict.place()), responders.sum()));
        note(section, "A service responded in place of the site, so whether a link works is not known.");
        Html.Table table = new Html.Table(
                section, verdict.text() + "-table", SMALL, Numbers.sentence(verdict.text()), "#URLs", "Examples");
        for (Tally.Line line : responders.bySize()) {
            List<String> urls = crawl.skipExamples.urls(Aggregate.example(verdict, line.name()));
            table.row().foreign(line.name()).count(line.count().number).urls(urls, "");
        }
    }

    /** Appends the broken links with the same reason, as long as there is room. */
    private Html.Table group(Element groups, String reason, List<BrokenLinks.Link> links, int characters) {
        Element heading = groups.appendElement("h3");
        String id = "broken-" + groups.childrenSize();
        Html.Table table = new Html.Table(groups, id, characters, "URL", "Requested as", "#Links", "Linked from");
        if (links.size() >= Html.Table.FILTERED) {
            table.filtered();
        }
        for (BrokenLinks.Link link : links) {
            if (table.hasRoom()) {
                String type = link.fragment ? "part of a page" : link.isCheck() ? "check" : "page";
                pages(table.row().url(link.url).text(type + (link.newly ? ", newly broken" : "")), link);
            }
        }
        Html.foreign(heading, reason);
        heading.appendText(text(" (%,d)", table.rows()));
        return table;
    }

    /** Completes the row of a link with the pages that link to it. */
    private void pages(Html.Table row, BrokenLinks.Link link) {
        long more = link.referrerCount() - link.referrers.size();
        String rest = link.referrers.isEmpty()
                ? "seed"
                : more > 0
                        ? "and " + count(more) + " more"
                        : isRunning || link.isComplete() ? "" : "and pages that were not searched";
        row.count(link.referrerCount()).urls(link.referrers, rest);
    }

    private static void tally(
            Element section, String id, String name, String number, List<Tally.Line> lines, Tally tally) {
        Html.Table table = new Html.Table(section, id, SMALL, name, "#" + number);
        lines.forEach(line -> table.row().foreign(line.name()).count(line.count().number));
        if (tally.others.number > 0) {
            table.row().text("others").count(tally.others.number);
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
        Html.Table table = new Html.Table(part, "classes", SMALL, "Class", "#Responses");
        Map<String, Long> classes = crawl.totals.by(Counter.PAGES).numbers();
        classes.merge("3xx", crawl.totals.count(Counter.REDIRECTS), Long::sum);
        for (Verdict each : Verdict.ofOthers()) {
            Long number = classes.remove(each.text());
            classes.put(each.words(), number == null ? 0 : number);
        }
        classes.put("failed", crawl.totals.count(Counter.FAILED));
        classes.values().removeIf(number -> number == 0);
        classes.forEach((name, number) -> {
            table.row()
                    .text(name.equals(Counter.NOT_MODIFIED) ? name + " (as before)" : name)
                    .count(number);
            if (name.matches("[4-9]xx|failed")) {
                table.mark("bad");
            }
        });
        Html.Table each = new Html.Table(
                folded(part, "statuses", "Each status of a page"), "statuses", SMALL, "Status", "#Pages");
        for (int status = 0; status < crawl.totals.statuses.length; status++) {
            if (crawl.totals.statuses[status] > 0) {
                each.row().text(String.valueOf(status)).count(crawl.totals.statuses[status]);
            }
        }
    }

    private void depths(Element part) {
        part.appendElement("h3").text("Depth");
        Html.chart(part, "bar", "Pages by depth (links followed from a seed)", "depths", 0, 1);
        Html.Table table = pages(part, "depths", "Pages by depth", "#Depth");
        crawl.totals.byDepth().forEach(line -> size(table.row().count(Long.parseLong(line.name())), line.count()));
        others(table, crawl.totals.depths);
    }

    private void types(Element part) {
        part.appendElement("h3").text("Content types");
        Html.chart(part, "sideways", "Pages by content type", "types", 0, 1);
        Html.Table table = pages(part, "types", "Pages by content type", "Type");
        crawl.totals
                .types
                .bySize()
                .forEach(line -> size(table.row().foreign(line.name().isEmpty() ? "none" : line.name()), line.count()));
        others(table, crawl.totals.types);
    }

    private static Html.Table pages(Element part, String id, String heading, String name) {
        return new Html.Table(folded(part, id, heading), id, SMALL, name, "#Pages", "#Size");
    }

    private static void size(Html.Table table, Tally.Count count) {
        table.count(count.number).bytes(count.bytes);
    }

    private static void others(Html.Table table, Tally tally) {
        if (tally.others.number > 0) {
            size(table.row().text("others"), tally.others);
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
                        "#Present delay",
                        "#Waited for the delay",
                        "#Median response",
                        "#95 % below",
                        "#Size")
                .filtered();
        for (HostTable.Row row : crawl.totals.hosts.rows()) {
            if (table.rows() < HOSTS_SHOWN && table.hasRoom()) {
                host(table.row().foreign(row.host), row);
            }
        }
        int shown = table.rows();
        HostTable.Row others = crawl.totals.hosts.others();
        if (others != null) {
            host(table.row().text("other hosts, together"), others);
        }
        note(section, "Failures are broken links to URLs of the crawl.");
        more(section, crawl.totals.hosts.size() - shown, "more host");
    }

    private static void host(Html.Table table, HostTable.Row row) {
        Duration delay = row.delay;
        table.count(row.pages)
                .count(row.redirects)
                .count(row.broken)
                .number(
                        delay == null ? -1.0 : (double) delay.toMillis(),
                        delay == null ? "" : Numbers.millis(delay.toMillis()))
                .millis(row.waitedMillis)
                .millis(row.medianMillis())
                .millis(row.p95Millis())
                .bytes(row.bytes);
    }

    private void topPages() {
        Element slow = Html.section(main, "slowest", "Slowest pages");
        pages(slow, "slow-pages", crawl.slowest);
        Element large = Html.section(main, "largest", "Largest pages");
        pages(large, "large-pages", crawl.largest);
    }

    private static void pages(Element section, String id, TopPages pages) {
        if (pages.pages.isEmpty()) {
            note(section, "None.");
            return;
        }
        String[] headings = VisitField.LISTED.values().toArray(String[]::new);
        Html.Table table = new Html.Table(section, id, SMALL, headings).filtered();
        for (TopPages.Page page : pages.pages) {
            if (table.hasRoom()) {
                table.row();
                VisitField.LISTED.keySet().forEach(field -> cell(table, page, field));
            }
        }
    }

    private static void cell(Html.Table table, TopPages.Page page, VisitField field) {
        switch (field) {
            case URL -> table.url(Objects.requireNonNullElse(page.text(field), ""));
            case MS -> table.millis(page.number(field));
            case BYTES -> table.bytes(page.number(field));
            case STATUS -> table.number(page.status(), String.valueOf(page.status()));
            default -> table.foreign(page.text(field));
        }
    }

    private void redirects() {
        Element section = Html.section(main, "redirects", "Redirects");
        List<Redirects.Chain> chains = crawl.redirectChains.chains();
        if (chains.isEmpty()) {
            note(section, "None.");
            return;
        }
        Html.Table table =
                new Html.Table(section, "chains", SMALL, "#Length", "Statuses", "Chain", "Result").filtered();
        for (Redirects.Chain chain : chains) {
            if (table.rows() == REDIRECTS_SHOWN || !table.hasRoom()) {
                break;
            }
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
        if (table.rows() < chains.size()) {
            note(
                    section,
                    text("The longest chains; %s in all.", count(crawl.totals.count(Counter.REDIRECTS), "redirect")));
        }
    }

    private void skipped() {
        Map<String, Long> skipped = crawl.runs.skipped();
        Map<String, Long> refused = crawl.runs.refusals();
        if (last == null && crawl.fates.sum() == 0) {
            return;
        }
        Element section = Html.section(main, "skipped", "Skipped");
        if (crawl.fates.sum() > 0) {
            Tally fates = crawl.fates;
            tally(section, "fates", "Links in the link graph", "Links", fates.bySize(), fates);
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
            List<String> urls = crawl.skipExamples.urls(rule);
            table.row()
                    .foreign(rule)
                    .count(skipped.getOrDefault(rule, 0L))
                    .count(refused.getOrDefault(rule, 0L))
                    .urls(table.hasRoom() ? urls : List.of(), "");
        }
    }
}
