package dev.sieve.report;

import dev.sieve.OptionalLibrary;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import java.util.List;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.DocumentType;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a report. Text is set as text of the DOM, never parsed, so that nothing that a server has sent
 * becomes markup. Such text is shown in a {@code bdi} element, which keeps its direction of writing to itself, without
 * control characters, and cut.
 */
final class Html {
    static {
        OptionalLibrary.requireJsoup();
    }

    private Html() {}

    static Document document() {
        Document document = Document.createShell("");
        document.outputSettings().prettyPrint(false);
        document.prependChild(new DocumentType("html", "", ""));
        return document;
    }

    static Element section(Element parent, String id, String heading) {
        Element section = parent.appendElement("section").attr("id", id);
        section.appendElement("h2").text(heading);
        return section;
    }

    static void note(Element section, String text) {
        section.appendElement("p").addClass("note").text(text);
    }

    /** Appends how many things are not listed, if there are any. */
    static void more(Element section, long number, String thing) {
        if (number > 0) {
            note(section, "And " + Numbers.count(number, thing) + ", only counted.");
        }
    }

    /** Appends what can be folded; open unless the script closes it, since without the script it is all there is. */
    static Element folded(Element section, String id, String summary) {
        Element details =
                section.appendElement("details").attr("id", "data-" + id).attr("open", "");
        details.appendElement("summary").text(summary);
        return details;
    }

    /** Appends a text that was not written by this program. */
    static void foreign(Element parent, String text) {
        parent.appendElement("bdi").text(Printable.of(text));
    }

    /** Appends a line that the user typed, which is not cut. */
    static void command(Element parent, String line) {
        parent.appendElement("bdi").text(Printable.line(line));
    }

    /** Appends a URL, as a link if it can be requested, is printable and not too long. */
    static void url(Element parent, String url) {
        boolean isPlain = Printable.line(url).equals(url);
        if (url.length() <= Bounds.TEXT && isPlain && UrlNormalizer.parse(url) != null) {
            Element link = parent.appendElement("a").attr("href", url);
            link.attr("rel", "noreferrer noopener").attr("target", "_blank");
            foreign(link, url);
        } else {
            foreign(parent, url);
        }
    }

    /** A chart that the script draws from columns of a table, which has the same numbers as text. */
    static Element chart(Element parent, String type, String caption, String table, int x, int y) {
        Element figure = parent.appendElement("figure").addClass("chart");
        figure.attr("id", "chart-" + table + "-" + y).attr("hidden", "");
        figure.attr("data-type", type).attr("data-table", table);
        figure.attr("data-x", String.valueOf(x)).attr("data-y", String.valueOf(y));
        figure.appendElement("figcaption").text(caption);
        figure.appendElement("div").addClass("plot");
        return figure;
    }

    /** A table, of which rows are appended until a number of characters is reached. */
    static final class Table {
        /** Characters of a table with URLs. */
        static final int SMALL = 40_000;

        /** Rows from which on a table can be searched. */
        static final int FILTERED = 20;

        /** Characters of a table with long lists of URLs. */
        static final int LARGE = 150_000;

        private static final int MARKUP_OF_CELL = 40;

        private final Element table;
        private final Element body;
        private int charactersLeft;
        private Element row;

        /**
         * Appends a table; a header that begins with {@code #} is that of a column of numbers. One without headers has
         * a name in each row, and is not sorted.
         */
        Table(Element parent, String id, int characters, String... headers) {
            Element scroll = parent.appendElement("div").addClass("scroll");
            table = scroll.appendElement("table").attr("id", id);
            Element head =
                    headers.length == 0 ? table : table.appendElement("thead").appendElement("tr");
            for (String header : headers) {
                boolean isNumber = header.startsWith("#");
                Element cell = head.appendElement("th").attr("scope", "col");
                cell.text(isNumber ? header.substring(1) : header);
                if (isNumber) {
                    cell.attr("class", "n");
                }
            }
            body = table.appendElement("tbody");
            row = body;
            charactersLeft = characters;
        }

        /** Lets the user search for rows. */
        Table filtered() {
            table.attr("data-filter", "");
            return this;
        }

        Table row() {
            row = body.appendElement("tr");
            return this;
        }

        /** Gives the row a class, which shows it in another way. */
        Table mark(String name) {
            row.addClass(name);
            return this;
        }

        int rows() {
            return body.childrenSize();
        }

        /** Returns how many characters may be appended, 0 or less when the limit is reached. */
        int charactersLeft() {
            return charactersLeft;
        }

        /** Returns whether the limit of characters is not reached. */
        boolean hasRoom() {
            return charactersLeft > 0;
        }

        private Element cell(int characters) {
            charactersLeft -= characters + MARKUP_OF_CELL;
            return row.appendElement("td");
        }

        /** Appends the name of the row. */
        Table name(String name) {
            row.appendElement("th").attr("scope", "row").text(name);
            return this;
        }

        /** Appends a cell with a text of this program among numbers. */
        Table shown(String text) {
            cell(text.length()).attr("class", "n").text(text);
            return this;
        }

        /** Appends a cell with a text of this program. */
        Table text(String text) {
            cell(text.length()).text(text);
            return this;
        }

        /** Appends a cell with a number, by which the table is sorted, and the text that shows it. */
        Table number(double value, String text) {
            String plain = value == Math.rint(value) && Math.abs(value) < 1e15
                    ? String.valueOf((long) value)
                    : String.valueOf(value);
            cell(plain.length() + text.length())
                    .attr("class", "n")
                    .attr("data-v", plain)
                    .text(text);
            return this;
        }

        Table count(long number) {
            return number((double) number, Numbers.count(number));
        }

        Table bytes(long bytes) {
            return number((double) bytes, Numbers.bytes(bytes));
        }

        Table millis(long millis) {
            return number((double) millis, Numbers.millis(millis));
        }

        /** Appends a cell with a text of a server; null for none. */
        Table foreign(@Nullable String text) {
            Element cell = cell(text == null ? 0 : text.length());
            if (text != null) {
                Html.foreign(cell, text);
            }
            return this;
        }

        /** Appends a cell with URLs, one per line. */
        Table urls(Iterable<String> urls, String more) {
            table.addClass("cards");
            Element cell = cell(more.length()).attr("class", "url");
            for (String url : urls) {
                charactersLeft -= 2 * url.length() + 80;
                Html.url(cell.appendElement("div"), url);
            }
            if (!more.isEmpty()) {
                cell.appendElement("div").addClass("more").text(more);
            }
            return this;
        }

        Table url(String url) {
            return urls(List.of(url), "");
        }
    }
}
