package dev.sieve.report;

import static dev.sieve.report.Numbers.text;

import dev.sieve.output.Change;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/** What a crawl has found changed since the one before. The first pages of each sort are listed, the others only counted. */
final class Changes {
    private static final int MOST = 1_000;
    /** Pages that link to a broken one, in its row. */
    private static final int REFERRERS = 3;

    private final Map<Change, Pages> pages = new EnumMap<>(Change.class);
    private final Pages broke = new Pages();
    private final Pages repaired = new Pages();
    private final Pages missing = new Pages();
    private long sameText;

    /** A page in a list, with the {@link Entry#id} of its key. */
    private record Listed(
            String id,
            String url,
            String before,
            String now,
            @Nullable String referrer) {
        Listed(String id, Difference difference) {
            this(
                    id,
                    Bounds.cut(difference.url()),
                    Bounds.cut(Objects.requireNonNullElse(difference.before(), "")),
                    Bounds.cut(Objects.requireNonNullElse(difference.now(), "")),
                    Bounds.cutOrNull(difference.referrer()));
        }
    }

    private static final class Pages {
        private final List<Listed> listed = new ArrayList<>();
        private long count;

        void add(Entry entry, Difference difference) {
            count++;
            if (listed.size() < MOST) {
                listed.add(new Listed(Entry.id(entry.key()), difference));
            }
        }
    }

    void add(Entry entry) {
        Change change = entry.change();
        if (change == null) {
            return;
        }
        Pages same = pages.computeIfAbsent(change, each -> new Pages());
        if (change == Change.UNCHANGED) {
            same.count++;
        } else {
            same.add(entry, Difference.of(entry, change));
        }
        sameText += entry.hasSameText() ? 1 : 0;
        boolean isBroken = entry.verdict().isBroken();
        if (isBroken != entry.wasBroken()) {
            (isBroken ? broke : repaired).add(entry, Difference.of(entry, change));
        }
    }

    /** Adds a URL that only the crawl before has visited. */
    void addMissing(Entry entry) {
        missing.add(entry, Difference.missing(entry));
    }

    boolean isAgain() {
        return missing.count > 0 || pages.keySet().stream().anyMatch(change -> change != Change.NEW);
    }

    private long count(Change change) {
        Pages all = pages.get(change);
        return all == null ? 0 : all.count;
    }

    /** Appends what has changed in one sentence, unless there was no crawl before. */
    void appendSentence(Element section) {
        if (isAgain()) {
            String links = broke.count + repaired.count == 0
                    ? ""
                    : text("; newly broken %,d, repaired %,d", broke.count, repaired.count);
            section.appendElement("p").attr("id", "changed").text("Since the crawl before: " + changes() + links + ".");
        }
    }

    private String changes() {
        String changes = Numbers.changes(this::count, sameText);
        String more = missing.count == 0 ? "" : Numbers.count(missing.count) + " " + Difference.MISSING;
        return changes.isEmpty() || more.isEmpty() ? changes + more : changes + ", " + more;
    }

    /** Appends the section, unless there was no crawl before. */
    void append(Element main, BrokenLinks brokenLinks) {
        if (!isAgain()) {
            return;
        }
        Element section = Html.section(main, "changes", "Changes since the crawl before");
        table(section, "broke", "Newly broken links", broke, brokenLinks);
        table(section, "repaired", "Repaired links", repaired, null);
        for (Map.Entry<Change, Pages> each : pages.entrySet()) {
            String name = each.getKey().text();
            table(section, "pages-" + name, Numbers.sentence(name), each.getValue(), null);
        }
        table(section, "missing", "Not visited any more", missing, null);
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
            BrokenLinks.Link link = brokenLinks == null ? null : brokenLinks.get(page.id);
            List<String> first = page.referrer == null ? List.of() : List.of(page.referrer);
            List<String> referrers = link == null ? first : link.referrers;
            long more = (link == null ? first.size() : link.referrerCount()) - Math.min(REFERRERS, referrers.size());
            table.row()
                    .url(page.url)
                    .shown(page.before)
                    .shown(page.now)
                    .urls(
                            referrers.subList(0, Math.min(REFERRERS, referrers.size())),
                            referrers.isEmpty() ? "seed" : more > 0 ? "and " + Numbers.count(more) + " more" : "");
        }
        Html.more(section, pages.count - table.rows(), "more page");
    }
}
