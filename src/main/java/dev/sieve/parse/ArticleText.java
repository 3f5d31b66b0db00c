package dev.sieve.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the article in the text of a page.
 *
 * <p>A page has one if it says so, as news and blogs do: by og:type, a time of publication, a type of schema.org, or
 * one element with the class of a microformat; also if it has no landmarks, no code, and much prose. Documentation,
 * lists and forums keep all of their text: a page has no article if more than a tenth of what was found is code, or
 * if most paragraphs of the page are outside of it.
 *
 * <p>As in Readability (Arc90, 2009), a paragraph gives points to the block around it, and half as many to the next
 * one; the one with the most has the article. A block around it with half as much prose again takes its place, up to
 * an {@code article} or {@code main} element, and blocks beside it with a fifth of its points belong to it. What is
 * hidden, figures, forms, lists of links, and what has a class or id of comments, recommendations and the like are
 * left out.
 */
final class ArticleText {
    /** The heap that the blocks of a page may take. */
    static final int BYTES = 2 << 20;

    private static final int MAX_BLOCKS = 20_000;
    private static final int LEAST_PROSE = 25;
    private static final int LEAST_ARTICLE = 150;
    private static final int LEAST_UNMARKED = 1000;
    private static final double MOST_LINKS = 0.5;
    private static final double MOST_CODE = 0.1;
    private static final double LEAST_INSIDE = 0.5;
    private static final double WIDER = 1.5;
    private static final double BESIDE = 0.2;

    private static final String TYPES = "(?:(?!Tech)\\w*Article|BlogPosting)";
    private static final Pattern MARK = Pattern.compile("(?:^|\\s)h-?entry(?:\\s|$)|schema\\.org/" + TYPES + "\\b");
    private static final Pattern JSON = Pattern.compile("\"@type\"\\s*:\\s*(?:\\[\\s*)?\"" + TYPES + "\"");

    private static final Pattern SEPARATOR = Pattern.compile("[\\s_-]+");

    private static final Set<String> WHOLE = words("html body main article");
    private static final Set<String> HEADINGS = words("h1 h2 h3 h4 h5 h6");
    private static final Set<String> LEFT_OUT = words("form footer figure figcaption noscript button");
    private static final Set<String> LISTS = words("div ul ol section table dl p");
    private static final Set<String> CODE = words("pre dl th code samp kbd tt");

    /** Words in the classes and ids of what does not belong to an article; those with * are beginnings. */
    private static final TreeSet<String> OTHER = new TreeSet<>(words("ad ads adbox advert* author* banner breadcrumb*"
            + " byline* caption captions comment* consent cookie* copyright credit dateline disclaimer disqus* feedback"
            + " footer* hidden login masthead menu meta modal nav* newsletter* outbrain pager pagination poll popular"
            + " popup print promo* rail rating ratings recirc* recommend* related* replies respond share* sharing"
            + " sidebar* signup skip social* sponsor* subscri* syndicat* taboola tag taglist tags teaser* timestamp toc"
            + " toolbar tools trending widget*"));

    private static Set<String> words(String words) {
        return Set.of(words.split(" ", -1));
    }

    /**
     * A block, or another element that is left out. Its texts are measured in characters: those of its own, which are
     * in no block within it, and of all; those in links, and in code, tables and lists of terms; and its paragraphs,
     * less all other text. The root is its own parent.
     */
    private static final class Block {
        private final String name;
        private final Block parent;
        /** Null after its end. */
        private @Nullable DocumentElement element;

        private final boolean isOther;
        private final boolean isExcluded;
        private final int start;
        private int end = Integer.MAX_VALUE;
        private int own;
        private int ownLinks;
        private int text;
        private int links;
        private int code;
        private int prose;
        private double points;

        private Block(@Nullable DocumentElement element, @Nullable Block parent, boolean isOther, int start) {
            this.name = element == null ? "" : element.name();
            this.parent = parent == null ? this : parent;
            this.element = element;
            this.isOther = isOther;
            this.isExcluded = isOther || (parent != null && parent.isExcluded);
            this.start = start;
        }

        /** Returns how much of its own text is in no link, if that is a paragraph; else 0. */
        private int paragraph() {
            boolean isProse = own >= LEAST_PROSE && ownLinks < own * MOST_LINKS && !HEADINGS.contains(name);
            return isProse ? own - ownLinks : 0;
        }

        private void close(int at) {
            end = at;
            element = null;
            text += own;
            links += ownLinks;
            code = CODE.contains(name) ? text : code;
            prose += paragraph() > 0 || HEADINGS.contains(name) ? paragraph() : -own;
            points += paragraph();
            parent.text += text;
            parent.links += links;
            parent.code += code;
            parent.prose += isOther ? 0 : prose;
            parent.points += isOther ? 0 : name.equals("p") ? points : points / 2;
        }
    }

    /** All blocks, in the order of the document. */
    private final List<Block> blocks = new ArrayList<>();

    private final Block root = new Block(null, null, false, 0);
    private Block last = root;
    private @Nullable DocumentElement link;
    private boolean isArticle;
    private boolean hasCode;
    private int marks;

    /** Receives the beginning of an element, and where it is in the text. */
    void begin(DocumentElement element, int at) {
        String name = element.name();
        if (name.equals("meta")) {
            String property = element.value(element.has("property") ? "property" : "name");
            boolean isType =
                    property.equals("og:type") && element.value("content").equalsIgnoreCase("article");
            isArticle |= isType || property.equals("article:published_time");
        }
        hasCode |= CODE.contains(name);
        link = link == null && name.equals("a") ? element : link;
        if (isBlock(element) && blocks.size() < MAX_BLOCKS) {
            String names = element.value("class") + " " + element.value("id");
            marks += MARK.matcher(names + " " + element.value("itemtype")).find() ? 1 : 0;
            boolean isHidden = element.has("hidden")
                    || element.value("style").replace(" ", "").contains("display:none");
            boolean isOther = LEFT_OUT.contains(name) || (!WHOLE.contains(name) && (isHidden || isOther(names)));
            last = new Block(element, last, isOther, at);
            blocks.add(last);
        }
    }

    private static boolean isBlock(DocumentElement element) {
        boolean isLine =
                element.gap().compareTo(Gap.CELL) >= 0 && !element.name().equals("br");
        return isLine || LEFT_OUT.contains(element.name());
    }

    private static boolean isOther(String names) {
        return SEPARATOR.splitAsStream(names.toLowerCase(Locale.ROOT)).anyMatch(word -> {
            String floor = OTHER.floor(word + "*");
            boolean isBeginning = floor != null && floor.endsWith("*") && word.startsWith(floor.replace("*", ""));
            return isBeginning || word.equals(floor);
        });
    }

    /** Receives a part of the visible text. */
    void text(String part) {
        int length = part.strip().length();
        last.own += length;
        last.ownLinks += link == null ? 0 : length;
    }

    /** Receives the end of an element, and where it is in the text. */
    void end(DocumentElement element, int at) {
        link = element.equals(link) ? null : link;
        if (element.name().equals("script") && element.value("type").contains("ld+json")) {
            isArticle |= JSON.matcher(element.content()).find();
        }
        Block open = isBlock(element) ? last : root;
        while (open != root && !element.equals(open.element)) {
            open = open.parent;
        }
        close(open == root ? last : open.parent, at);
    }

    private void close(Block outer, int at) {
        for (; last != outer; last = last.parent) {
            last.close(at);
        }
    }

    /** Returns the article in the text of a page, which may have landmarks; null without one. */
    TextWriter.@Nullable Kept in(TextWriter.Kept page, boolean hasLandmarks) {
        isArticle |= marks == 1;
        if ((!isArticle && (hasLandmarks || hasCode)) || blocks.size() >= MAX_BLOCKS) {
            return null;
        }
        close(root, page.text().length());
        Block top = top(false);
        // All of the article may be in what is called a sidebar.
        top = isArticle && top.prose < LEAST_ARTICLE ? top(true) : top;
        if (top.code > top.text * MOST_CODE || top.prose < (isArticle ? LEAST_ARTICLE : LEAST_UNMARKED)) {
            return null;
        }
        StringBuilder article = new StringBuilder();
        int from = 0;
        int until = 0;
        int all = 0;
        int inside = 0;
        for (Block each : blocks) {
            boolean isList = LISTS.contains(each.name) && each.links > each.text * MOST_LINKS;
            if (each == top || (each.parent == top.parent && !each.isOther && each.points > top.points * BESIDE)) {
                append(article, page, from, until);
                from = each.start;
                until = each.end;
            } else if (each.start < until && (isList || each.isOther)) {
                append(article, page, from, each.start);
                from = Math.max(from, each.end);
            }
            int paragraph = each.isExcluded && !top.isExcluded ? 0 : each.paragraph();
            all += paragraph;
            inside += from <= each.start && each.start < until ? paragraph : 0;
        }
        append(article, page, from, until);
        boolean isCut = page.isCut() && until >= page.text().length();
        return inside < all * LEAST_INSIDE
                ? null
                : new TextWriter.Kept(article.toString().strip(), isCut);
    }

    private static void append(StringBuilder article, TextWriter.Kept page, int from, int to) {
        int end = Math.min(to, page.text().length());
        article.append(page.text(), Math.min(from, end), end);
    }

    /** Returns the block with the article, which may be one of those to be left out. */
    private Block top(boolean maybeExcluded) {
        Block top = root;
        for (Block each : blocks) {
            top = each.points > top.points && (maybeExcluded || !each.isExcluded) ? each : top;
        }
        for (Block wide = top; wide != root && !WHOLE.contains(wide.name); wide = wide.parent) {
            top = wide.parent.prose >= WIDER * top.prose ? wide.parent : top;
        }
        return top;
    }
}
