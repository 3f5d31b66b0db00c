package dev.sieve.parse;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the visible text of a document as Markdown, by CommonMark with the tables of GitHub: headings, lists, links,
 * code, quotations, rules and tables. All other markup is left out, and what would be markup in the text is escaped.
 *
 * <p>In a heading, a link and the cell of a table, the boundary of a block is a space. A {@linkplain MarkdownTable
 * table} with a heading, list, quotation, preformatted text or table in a cell is none in Markdown: its cells are
 * blocks.
 */
final class Markdown implements TextWriter {

    /** Items and quotations around a line; those further in are not marked. */
    private static final int MAX_NESTED = 20;

    private static final int MAX_LINE_FEEDS = 100;
    /** Characters of code up to which adjacent code becomes one. */
    private static final int MAX_JOINED_CODE = 1000;

    /** Characters that may be markup. */
    private static final String SPECIAL = "\\`*[]~_<&#>+-=.)";

    private static final Set<String> CODE = Set.of("code", "samp", "kbd", "tt");

    private static final Set<String> NOT_IN_A_CELL =
            Set.of(("h1 h2 h3 h4 h5 h6 pre listing ul ol menu dir li" + " blockquote hr table").split(" ", -1));

    private static final Pattern LANGUAGE = Pattern.compile("(?:^|\\s)lang(?:uage)?-([A-Za-z0-9+#._-]{1,20})(?:\\s|$)");
    private static final Pattern BACKTICKS = Pattern.compile("`+");
    /** The beginning of a character reference, which a link target may contain as well. */
    private static final Pattern REFERENCE = Pattern.compile("&(?=#?[A-Za-z0-9]{1,31};)");

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    private enum Kind {
        HEADING,
        LINK,
        CODE,
        PREFORMATTED,
        LIST,
        ITEM,
        QUOTE,
        TABLE;

        boolean isInline() {
            return this == HEADING || this == LINK || this == CODE;
        }
    }

    /** What separates the next text from the last one, the least first. */
    private enum Space {
        NONE,
        WORD,
        BREAK,
        LINE,
        BLOCK
    }

    /** An element that has not ended. */
    private static final class Open {
        private final DocumentElement element;
        private final Kind kind;
        /** The URL of a link, the language of code, or the mark of an item. */
        private String value;
        /** The number of the next item, -1 in a list without numbers. */
        private int number;
        /** Where its content begins in the text; -1 as long as it is empty. */
        private int start = -1;

        private final @Nullable MarkdownTable table;

        private Open(DocumentElement element, Kind kind, String value) {
            table = kind == Kind.TABLE ? new MarkdownTable() : null;
            this.element = element;
            this.kind = kind;
            this.value = value;
        }

        /** Returns what precedes the next line in an item or a quotation. */
        private String prefix() {
            return start < 0 || kind == Kind.QUOTE ? value : " ".repeat(value.length());
        }
    }

    private final StringBuilder out = new StringBuilder();
    private final Deque<Open> open = new ArrayDeque<>();
    /** The items and quotations that are open. */
    private final List<Open> nested = new ArrayList<>();

    private Space space = Space.NONE;
    private int lineStart;
    /** The mark of a heading without text so far. */
    private String heading = "";
    /** The number of open headings, links and code elements, which cannot contain blocks. */
    private int inline;

    private @Nullable Open link;
    private @Nullable Open code;
    /** The last code that was closed, and where it begins and ends in the text with its marks. */
    private String lastCode = "";

    private int lastCodeStart;
    private int lastCodeEnd = -1;
    private @Nullable Open preformatted;
    /** Line feeds before the next character of preformatted text. */
    private int lineFeeds;
    /** The innermost table, as long as no cell contains what makes its cells blocks. */
    private @Nullable MarkdownTable table;

    @Override
    public void begin(DocumentElement element) {
        String name = name(element);
        if (preformatted != null) {
            preformatted.value = preformatted.value.isEmpty() ? language(element) : preformatted.value;
            boundary(name, element.gap());
            return;
        }
        raise(name.equals("br") && space == Space.BREAK ? Space.BLOCK : space(name, element.gap()));
        if (inline == 0) {
            beginBlock(element, name);
        }
        if (link == null && code == null && name.equals("a") && element.has("href")) {
            String url = element.resolve(element.value("href"));
            link = url == null ? null : push(element, Kind.LINK, escaped(url));
        } else if (code == null && preformatted == null && CODE.contains(name)) {
            code = push(element, Kind.CODE, "");
        }
    }

    private void beginBlock(DocumentElement element, String name) {
        if (NOT_IN_A_CELL.contains(name)) {
            endTable(false);
        }
        switch (name) {
            case "h1", "h2", "h3", "h4", "h5", "h6" -> {
                if (push(element, Kind.HEADING, "") != null) {
                    heading = "#".repeat(name.charAt(1) - '0') + " ";
                }
            }
            case "pre", "listing" -> {
                preformatted = push(element, Kind.PREFORMATTED, language(element));
                lineFeeds = 0;
            }
            case "ul", "ol", "menu", "dir" -> {
                Open list = push(element, Kind.LIST, "");
                if (list != null) {
                    list.number = name.equals("ol") ? number(element.value("start")) : -1;
                }
            }
            case "li", "blockquote" -> {
                boolean isItem = name.equals("li");
                Open each = nested.size() >= MAX_NESTED
                        ? null
                        : push(element, isItem ? Kind.ITEM : Kind.QUOTE, isItem ? mark(element) : "> ");
                if (each != null) {
                    nested.add(each);
                }
            }
            case "hr" -> {
                if (out.length() <= MAX_CHARS) {
                    separate();
                    out.append("***");
                }
            }
            case "table" -> {
                Open each = push(element, Kind.TABLE, "");
                table = each == null ? null : each.table;
            }
            case "tr" -> mark(MarkdownTable::row);
            case "td", "th" ->
                mark(each -> each.cell(number(element.value("colspan")), number(element.value("rowspan"))));
            default -> {}
        }
    }

    @Override
    public void text(String part) {
        if (preformatted != null) {
            preformatted(part, preformatted);
            return;
        }
        int from = 0;
        for (int i = 0; i <= part.length(); i++) {
            if (i == part.length() || Gap.isWhiteSpace(part.charAt(i))) {
                if (from < i && out.length() <= MAX_CHARS) {
                    separate();
                    word(part, from, i);
                }
                raise(i == part.length() ? Space.NONE : Space.WORD);
                from = i + 1;
            }
        }
    }

    @Override
    public void end(DocumentElement element) {
        boolean isOpen = false;
        for (Open each : open) {
            isOpen |= each.element.equals(element);
        }
        while (isOpen) {
            Open last = open.pop();
            close(last);
            isOpen = !last.element.equals(element);
        }
        String name = name(element);
        if (preformatted != null) {
            boundary("", element.gap());
        } else if (!name.equals("br")) {
            raise(space(name, element.gap()));
        }
    }

    @Override
    public int length() {
        Open last = link == null ? code == null ? preformatted : code : link;
        int start = table != null && table.start >= 0 ? table.before : last == null ? -1 : last.start;
        return start < 0 ? out.length() : start;
    }

    @Override
    public Kept finish() {
        while (!open.isEmpty()) {
            close(open.pop());
        }
        return Kept.of(out);
    }

    private static String name(DocumentElement element) {
        return element.isHtml() ? element.name() : "";
    }

    /** Escapes what a URL may have in its query and fragment, although it is markup. */
    private static String escaped(String url) {
        String safe = url.replace("|", "%7C").replace("`", "%60").replace("\\", "%5C");
        return REFERENCE.matcher(safe).replaceAll("&amp;");
    }

    private static String language(DocumentElement element) {
        Matcher language = LANGUAGE.matcher(element.value("class"));
        return language.find() ? language.group(1) : "";
    }

    private static int number(String digits) {
        return NUMBER.matcher(digits).matches() ? Integer.parseInt(digits) : 1;
    }

    private @Nullable Open push(DocumentElement element, Kind kind, String value) {
        if (open.size() >= MainText.MAX_OPEN) {
            return null;
        }
        Open each = new Open(element, kind, value);
        inline += kind.isInline() ? 1 : 0;
        open.push(each);
        return each;
    }

    /** Returns the mark of an item of the innermost list. */
    private String mark(DocumentElement item) {
        for (Open each : open) {
            if (each.kind == Kind.LIST) {
                each.number = each.number >= 0 && item.has("value") ? number(item.value("value")) : each.number;
                return each.number < 0 ? "- " : each.number++ + ". ";
            }
        }
        return "- ";
    }

    private void close(Open last) {
        switch (last.kind) {
            case HEADING -> heading = "";
            case LINK -> {
                link = null;
                boolean isPlain = last.value.indexOf('(') < 0 && last.value.indexOf(')') < 0;
                out.append(last.start < 0 ? "" : isPlain ? "](" + last.value + ")" : "](<" + last.value + ">)");
            }
            case CODE -> {
                code = null;
                if (last.start >= 0) {
                    lastCode = out.substring(last.start);
                    lastCodeStart = last.start;
                    String pad = lastCode.startsWith("`") || lastCode.endsWith("`") ? " " : "";
                    String fence = "`".repeat(1 + longestBackticks(last.start));
                    out.insert(last.start, fence + pad).append(pad).append(fence);
                    lastCodeEnd = out.length();
                }
            }
            case PREFORMATTED -> {
                preformatted = null;
                if (last.start >= 0) {
                    String fence = "`".repeat(Math.max(3, 1 + longestBackticks(last.start)));
                    out.insert(last.start, fence + last.value + "\n" + prefix());
                    out.append('\n').append(prefix()).append(fence);
                }
            }
            case ITEM, QUOTE -> nested.remove(last);
            case TABLE -> endTable(table == last.table);
            default -> {}
        }
        inline -= last.kind.isInline() ? 1 : 0;
    }

    private int longestBackticks(int start) {
        Matcher backticks = BACKTICKS.matcher(out).region(start, out.length());
        return backticks
                .results()
                .mapToInt(each -> each.end() - each.start())
                .max()
                .orElse(0);
    }

    private String prefix() {
        return nested.stream().map(Open::prefix).collect(Collectors.joining());
    }

    /** Returns what the boundary of an element means for the words around it. */
    private Space space(String name, Gap gap) {
        boolean isInItem = !nested.isEmpty() && nested.get(nested.size() - 1).kind == Kind.ITEM;
        return switch (name) {
            case "br" -> Space.BREAK;
            case "li" -> Space.LINE;
            case "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "listing", "blockquote", "hr", "table" -> Space.BLOCK;
            default ->
                switch (gap) {
                    case NONE -> Space.NONE;
                    case SPACE -> Space.WORD;
                    case CELL, LINE -> isInItem ? Space.LINE : Space.BLOCK;
                };
        };
    }

    private void raise(Space more) {
        boolean isInLine = inline > 0 || (table != null && table.start >= 0);
        Space most = isInLine && more.compareTo(Space.WORD) > 0 ? Space.WORD : more;
        boolean isAfterMark = !nested.isEmpty() && nested.get(nested.size() - 1).start < 0;
        if (!isAfterMark && space.compareTo(most) < 0) {
            space = most;
        }
    }

    /** Writes what separates the next text from the last one, and the beginning of a link around it. */
    private void separate() {
        if (out.isEmpty() || space.compareTo(Space.BREAK) >= 0) {
            beginLine();
        } else if (space == Space.WORD && out.length() > lineStart) {
            out.append(' ');
        }
        space = Space.NONE;
        if (link != null && link.start < 0) {
            if (!out.isEmpty() && out.charAt(out.length() - 1) == '!') {
                // It would be an image.
                out.insert(out.length() - 1, '\\');
            }
            link.start = out.length();
            out.append('[');
        }
    }

    private void beginLine() {
        if (!out.isEmpty()) {
            out.append(space == Space.BREAK ? "  \n" : "\n");
            if (space == Space.BLOCK) {
                out.append(nested.stream()
                                .takeWhile(each -> each.start >= 0)
                                .map(Open::prefix)
                                .collect(Collectors.joining())
                                .stripTrailing())
                        .append('\n');
            }
        }
        out.append(prefix());
        nested.forEach(each -> each.start = each.start < 0 ? out.length() : each.start);
        out.append(heading);
        heading = "";
        lineStart = out.length();
    }

    private void word(String part, int from, int to) {
        if (code != null && code.start < 0) {
            boolean isNext = out.length() == lastCodeEnd;
            boolean continues = isNext && lastCode.length() < MAX_JOINED_CODE;
            // Without it, the marks of both would be one.
            out.append(isNext && !continues ? "<!-- -->" : "");
            if (continues) {
                out.setLength(lastCodeStart);
            }
            code.start = out.length();
            out.append(continues ? lastCode : "");
        }
        for (int i = from; i < to && out.length() <= MAX_CHARS; i++) {
            char c = part.charAt(i);
            if (c == '|' && table != null) {
                c = MarkdownTable.BAR;
            } else if (code == null && SPECIAL.indexOf(c) >= 0) {
                boolean isMarkup = isMarkup(c, i + 1 < to ? part.charAt(i + 1) : ' ');
                // What follows in another part of the text is not known.
                boolean mayBe = i + 1 == part.length() && isMarkup(c, 'a');
                out.append(isMarkup || mayBe ? "\\" : "");
            }
            out.append(c);
        }
    }

    /** Returns whether a character may be markup after the text so far. */
    private boolean isMarkup(char c, char next) {
        boolean isFirst = out.length() == lineStart;
        char last = isFirst ? ' ' : out.charAt(out.length() - 1);
        return switch (c) {
            case '_' -> !Character.isLetterOrDigit(last) || !Character.isLetterOrDigit(next);
            case '<' -> next <= ' ' || next == '/' || next == '!' || next == '?' || Character.isLetter(next);
            case '&' -> next == '#' || Character.isLetter(next);
            case '#' -> isFirst || (last == ' ' && inline > 0);
            case '>' -> isFirst;
            case '+', '-', '=' -> isFirst && (next == ' ' || next == c);
            case '.', ')' ->
                next == ' '
                        && NUMBER.matcher(out).region(lineStart, out.length()).matches();
            default -> true;
        };
    }

    /** Begins a line of preformatted text at a {@code br}, and at the boundary of what is not part of a line. */
    private void boundary(String name, Gap gap) {
        boolean isLine = name.equals("br") || (gap != Gap.NONE && lineFeeds == 0);
        lineFeeds += isLine ? 1 : 0;
    }

    private void preformatted(String part, Open block) {
        for (int i = 0; i < part.length() && out.length() <= MAX_CHARS; i++) {
            char c = part.charAt(i);
            if (c == '\n') {
                lineFeeds++;
            } else if (c >= ' ' || c == '\t') {
                if (block.start < 0) {
                    separate();
                    block.start = out.length();
                } else if (lineFeeds > 0) {
                    String emptyLine = "\n" + prefix().stripTrailing();
                    out.append(emptyLine.repeat(Math.min(lineFeeds, MAX_LINE_FEEDS) - 1));
                    out.append('\n').append(prefix());
                }
                lineFeeds = 0;
                out.append(c);
            }
        }
    }

    private void mark(Function<MarkdownTable, String> begin) {
        if (table == null || table.isFull() || out.length() > MAX_CHARS) {
            endTable(false);
            return;
        }
        if (table.start < 0) {
            table.before = out.length();
            separate();
            table.start = out.length();
        }
        out.append(begin.apply(table));
        lineStart = out.length();
        space = Space.NONE;
    }

    /** Ends the table that is received: as one in Markdown, or since its cells are blocks. */
    private void endTable(boolean isComplete) {
        MarkdownTable last = table;
        table = null;
        if (last == null || last.start < 0) {
            return;
        }
        List<List<String>> rows = MarkdownTable.rows(out.substring(last.start));
        out.setLength(last.start);
        String whole = isComplete ? MarkdownTable.markdown(rows, prefix()) : "";
        for (String block : whole.isEmpty() ? MarkdownTable.blocks(rows) : List.of(whole)) {
            if (out.length() > last.start) {
                space = Space.BLOCK;
                separate();
            }
            out.append(block);
        }
        if (out.length() == last.start) {
            out.setLength(last.before);
            nested.stream().filter(each -> each.start > last.before).forEach(each -> each.start = -1);
        }
        space = Space.BLOCK;
        lastCodeEnd = -1;
    }
}
