package dev.sieve.report;

import static dev.sieve.report.Html.more;
import static dev.sieve.report.Html.note;
import static dev.sieve.report.Numbers.count;
import static dev.sieve.report.Numbers.text;

import dev.sieve.bloom.SplitBlockFilter;
import dev.sieve.output.VisitField;
import dev.sieve.parse.Sketch;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * Pages that are alike: in their text, their title or their description, and the canonical URLs that pages name. In
 * memory that does not grow with the crawl: what is not compared is counted. Not safe for use by many threads.
 */
final class Alike {
    /** Titles, and descriptions, that are compared. */
    private static final int NAMES = 20_000;
    /** Groups of pages with the same text, pages with a sketch, and canonical URLs that are kept. */
    private static final int PAGES = 20_000;

    private static final int GROUPS_SHOWN = 300;
    /** Pages whose visit is known when the canonical URL of another one is judged; of more, some that were not seem to be. */
    private static final int VISITS = 1_000_000;

    private final Groups texts = new Groups(PAGES);
    private final Groups titles = new Groups(NAMES);
    private final Groups descriptions = new Groups(NAMES);
    private final NearPages near = new NearPages(PAGES);
    private final Map<Long, Canonical> canonicals = new LinkedHashMap<>();
    private long canonicalsLeftOut;
    private final SplitBlockFilter visited = SplitBlockFilter.create(VISITS, 1e-4, 0);
    private boolean isCompared;

    /** A page that names another URL as its canonical one. */
    private record Canonical(String page, String url, long hash) {}

    /** Groups by what their pages have in common; the first ones, up to a limit. */
    private static final class Groups {
        private final int limit;
        private final Map<Long, NearPages.Group> groups = new LinkedHashMap<>();
        private long leftOut;

        Groups(int limit) {
            this.limit = limit;
        }

        /** Returns the group of a name, which is new without a page; null when there is no room for it. */
        NearPages.@Nullable Group of(String name) {
            long hash = Entry.hash(name);
            NearPages.Group group = groups.get(hash);
            if (group == null && groups.size() == limit) {
                leftOut++;
            } else if (group == null) {
                group = new NearPages.Group(Bounds.cut(name));
                groups.put(hash, group);
            }
            return group;
        }

        /** Returns the groups with several pages, the largest first. */
        List<NearPages.Group> shared() {
            return groups.values().stream()
                    .filter(group -> group.count > 1)
                    .sorted(Comparator.comparingLong(group -> -group.count))
                    .toList();
        }
    }

    void add(Entry entry) {
        if (!entry.verdict().isPage() || entry.isCheck() || entry.verdict().isBroken()) {
            return;
        }
        String url = Bounds.cut(entry.url());
        long hash = Entry.hash(entry.key());
        // The line comes from the upper bits, the place in it from the lower ones.
        visited.add(hash, hash);
        add(titles, entry.text(VisitField.TITLE), url);
        if (!entry.isCompared()) {
            return;
        }
        isCompared = true;
        add(descriptions, entry.text(VisitField.DESCRIPTION), url);
        String first = entry.text(VisitField.DUPLICATE_OF);
        String canonical = entry.text(VisitField.CANONICAL);
        if (first != null) {
            NearPages.Group group = texts.of(first);
            if (group != null && group.count == 0) {
                group.add(group.name);
            }
            boolean isDeclared = canonical != null && Entry.key(canonical).equals(Entry.key(first));
            if (group != null && isDeclared) {
                group.addDeclared(url);
            } else if (group != null) {
                group.add(url);
            }
        } else {
            near.add(url, Sketch.parse(entry.text(VisitField.SKETCH)));
        }
        if (canonical != null && canonicals.size() < PAGES) {
            canonicals.put(hash, new Canonical(url, Bounds.cut(canonical), Entry.hash(Entry.key(canonical))));
        } else if (canonical != null) {
            canonicalsLeftOut++;
        }
    }

    private static void add(Groups groups, @Nullable String name, String url) {
        NearPages.Group group = name == null ? null : groups.of(name);
        if (group != null) {
            group.add(url);
        }
    }

    void append(Element main, BrokenLinks broken) {
        Element section = Html.section(main, "alike", "Pages that are alike");
        groups(section, "same-text", "The same text", texts.shared(), texts.leftOut);
        if (!isCompared) {
            note(
                    section,
                    "Texts, descriptions and canonical URLs are compared in a crawl that writes records (-o pages.jsonl).");
        } else {
            if (near.isEmpty()) {
                note(
                        section,
                        "Nearly the same text is not found: records have a sketch only if their crawl made a report.");
            }
            groups(section, "near-text", "Nearly the same text", near.groups(), near.leftOut());
            canonicals(section, broken);
        }
        groups(section, "same-title", "The same title", titles.shared(), titles.leftOut);
        groups(section, "same-description", "The same description", descriptions.shared(), descriptions.leftOut);
        if (section.childrenSize() == 1) {
            note(section, "None.");
        }
    }

    private static void groups(Element section, String id, String heading, List<NearPages.Group> groups, long leftOut) {
        if (!groups.isEmpty()) {
            boolean areTexts = id.equals("same-text");
            boolean areNamed = !id.endsWith("text");
            section.appendElement("h3").text(text("%s (%s)", heading, count(groups.size(), "group")));
            Html.Table table = new Html.Table(
                    section,
                    id,
                    Html.Table.LARGE,
                    areNamed
                            ? new String[] {"Text", "#Pages", "First pages"}
                            : areTexts
                                    ? new String[] {"#Pages", "#With the first as canonical", "First pages"}
                                    : new String[] {"#Pages", "First pages"});
            for (NearPages.Group group : groups.subList(0, Math.min(GROUPS_SHOWN, groups.size()))) {
                if (!table.hasRoom()) {
                    break;
                }
                table.row();
                if (areNamed) {
                    table.foreign(group.name);
                }
                table.count(group.count);
                if (areTexts) {
                    table.count(group.declared);
                }
                long more = group.count - group.pages.size();
                table.urls(group.pages, more > 0 ? "and " + count(more) + " more" : "");
            }
            more(section, groups.size() - table.rows(), "more group");
        }
        if (leftOut > 0) {
            note(section, count(leftOut, "further page") + " not compared: " + heading.toLowerCase(Locale.ROOT));
        }
    }

    private void canonicals(Element section, BrokenLinks broken) {
        List<Canonical> wrong = canonicals.values().stream()
                .filter(canonical -> problem(canonical, broken) != null)
                .toList();
        if (wrong.isEmpty() && canonicalsLeftOut == 0) {
            return;
        }
        section.appendElement("h3").text(text("Canonical URLs with a problem (%,d)", wrong.size()));
        Html.Table table = new Html.Table(section, "canonicals", Html.Table.LARGE, "Page", "Canonical URL", "Problem");
        for (Canonical canonical : wrong) {
            if (table.hasRoom()) {
                table.row().url(canonical.page).url(canonical.url).foreign(problem(canonical, broken));
            }
        }
        more(section, wrong.size() - table.rows(), "more page");
        if (canonicalsLeftOut > 0) {
            note(section, count(canonicalsLeftOut, "further canonical URL") + " not looked at.");
        }
    }

    /** Returns what is wrong with a canonical URL; null for nothing. */
    private @Nullable String problem(Canonical canonical, BrokenLinks broken) {
        BrokenLinks.Link link = broken.get(Long.toHexString(canonical.hash));
        if (link != null) {
            return "broken: " + link.reason;
        } else if (broken.isRedirect(canonical.url)) {
            return "redirects";
        }
        Canonical next = canonicals.get(canonical.hash);
        if (next != null) {
            return "names another one: " + next.url;
        }
        return visited.mightContain(canonical.hash, canonical.hash) ? null : "not visited by the crawl";
    }
}
