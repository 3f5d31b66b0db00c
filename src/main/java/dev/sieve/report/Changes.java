package dev.sieve.report;

import static dev.sieve.report.Numbers.text;

import dev.sieve.output.Change;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** What a round has found changed since the round before. The first pages of each sort are listed, the others only counted. */
final class Changes {
    private static final int MOST = 1_000;
    /** Pages that link to a broken one, in its row. */
    private static final int REFERRERS = 3;

    private final Map<Change, Pages> pages = new EnumMap<>(Change.class);
    private final Pages broke = new Pages();
    private final Pages mended = new Pages();
    private long sameText;

    /** A page in a list, with the hash of its key. */
    private record Listed(
            long hash,
            String url,
            String before,
            String now,
            @Nullable String referrer) {
        Listed(Entry entry) {
            this(
                    Entry.hash(entry.key()),
                    Bounds.cut(entry.url()),
                    entry.lastStatus() < 0
                            ? ""
                            : entry.lastStatus() == 0 ? "no response" : text("%d", entry.lastStatus()),
                    entry.isFailed() ? Bounds.cut(entry.reason()) : text("%d", entry.status()),
                    Bounds.cutOrNull(entry.referrer()));
        }
    }

    private static final class Pages {
        private final List<Listed> listed = new ArrayList<>();
        private long count;

        void add(Entry entry, boolean isListed) {
            count++;
            if (isListed && listed.size() < MOST) {
                listed.add(new Listed(entry));
            }
        }
    }

    void add(Entry entry) {
        Change change = entry.change();
        if (change == null) {
            return;
        }
        pages.computeIfAbsent(change, each -> new Pages()).add(entry, change != Change.UNCHANGED);
        sameText += entry.hasSameText() ? 1 : 0;
        if (entry.isBroken() != entry.wasBroken()) {
            (entry.isBroken() ? broke : mended).add(entry, true);
        }
    }

    /** Returns whether there was a round before. */
    boolean isRound() {
        return pages.keySet().stream().anyMatch(change -> change != Change.NEW);
    }

    private long count(Change change) {
        Pages all = pages.get(change);
        return all == null ? 0 : all.count;
    }

    /** Appends what has changed in one sentence, unless this is the first round. */
    void appendSentence(Element section) {
        if (isRound()) {
            String links = broke.count + mended.count == 0
                    ? ""
                    : text("; newly broken %,d, mended %,d", broke.count, mended.count);
            section.appendElement("p")
                    .attr("id", "changed")
                    .text("Since the round before: " + Numbers.changes(this::count, sameText) + links + ".");
        }
    }

    /** Appends the section, unless this is the first round. */
    void append(Element main, BrokenLinks brokenLinks) {
        if (!isRound()) {
            return;
        }
        Element section = Html.section(main, "changes", "Changes since the round before");
        table(section, "broke", "Newly broken links", broke, brokenLinks);
        table(section, "mended", "Mended links", mended, null);
        for (Map.Entry<Change, Pages> each : pages.entrySet()) {
            String name = each.getKey().text();
            String heading = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
            table(section, "pages-" + name, heading, each.getValue(), null);
        }
        if (section.childrenSize() == 1) {
            Html.note(section, "None.");
        }
    }

    private static void table(
            Element section, String id, String heading, Pages pages, @Nullable BrokenLinks brokenLinks) {
        if (pages.listed.isEmpty()) {
            return;
        }
        section.appendElement("h3").text(text("%s (%,d)", heading, pages.count));
        Html.Table table =
                new Html.Table(section, id, Html.Table.LARGE, "URL", "#Status before", "#Status now", "Linked from");
        if (pages.listed.size() >= Html.Table.FILTERED) {
            table.filtered();
        }
        for (Listed page : pages.listed) {
            if (!table.hasRoom()) {
                break;
            }
            BrokenLinks.Link link = brokenLinks == null ? null : brokenLinks.get(page.hash);
            List<String> first = page.referrer == null ? List.of() : List.of(page.referrer);
            List<String> referrers = link == null ? first : link.referrers();
            long more = (link == null ? first.size() : link.referrerCount()) - Math.min(REFERRERS, referrers.size());
            table.row()
                    .url(page.url)
                    .shown(page.before)
                    .shown(page.now)
                    .urls(
                            referrers.subList(0, Math.min(REFERRERS, referrers.size())),
                            referrers.isEmpty() ? "seed" : more > 0 ? "and " + Numbers.count(more) + " more" : "");
        }
        if (pages.count > table.rows()) {
            Html.note(section, "And " + Numbers.count(pages.count - table.rows(), "more page") + ", only counted.");
        }
    }
}
