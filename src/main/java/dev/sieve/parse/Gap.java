package dev.sieve.parse;

import org.jsoup.nodes.Element;
import org.jsoup.parser.Tag;

/** What separates two words of a text, the least first. */
enum Gap {
    NONE,
    SPACE,
    /** Between the cells of a row. */
    CELL,
    /** Between blocks, and at a {@code br}. */
    LINE;

    /**
     * Returns what the beginning and the end of an element mean for the words around it: as in browsers, by the section
     * "Rendering" of the HTML standard, from which jsoup differs for some elements.
     */
    static Gap of(Element element) {
        Tag tag = element.tag();
        return switch (element.normalName()) {
            case "td", "th" -> CELL;
            case "br", "legend", "optgroup", "option", "summary" -> LINE;
            case "svg" -> SPACE;
            case "link", "math", "meta", "noscript", "script", "style", "template", "title" -> NONE;
            default -> tag.isBlock() ? LINE : tag.is(Tag.TextBoundary) ? SPACE : NONE;
        };
    }

    Gap or(Gap other) {
        return compareTo(other) < 0 ? other : this;
    }

    /** Returns whether a character is white space, of which any amount separates words. */
    static boolean isWhiteSpace(char c) {
        return c <= ' ' || (c >= 0x80 && (c == 0x85 || Character.isWhitespace(c) || Character.isSpaceChar(c)));
    }
}
