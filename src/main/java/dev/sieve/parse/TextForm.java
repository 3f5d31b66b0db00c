package dev.sieve.parse;

import java.util.Locale;

/**
 * In which form the visible text of a document is kept. The main part is the article of a page that has one; else the
 * text in the {@code main} elements, else in the {@code article} elements, else all of it, also where these have less
 * than a fifth of the text; without navigation and without the header and the footer of the page.
 */
public enum TextForm {
    /** All of it: a line per block, with words separated by one space, and the cells of a row by a tab. */
    PLAIN,
    /** The main part in the same form. */
    MAIN,
    /** All of it as Markdown. */
    MARKDOWN,
    /** The main part as Markdown. */
    MAIN_MARKDOWN;

    /** Returns the heap that the text of a page may take: its characters, and their copies while it grows. */
    public int bytes() {
        int text = 6 * TextWriter.MAX_CHARS;
        return isMain() ? 3 * text + ArticleText.BYTES : text;
    }

    /** Returns a writer of a text in this form. */
    public TextWriter writer() {
        return isMain() ? new MainText(this::simple) : simple();
    }

    private TextWriter simple() {
        return this == MARKDOWN || this == MAIN_MARKDOWN ? new Markdown() : new PlainText();
    }

    private boolean isMain() {
        return this == MAIN || this == MAIN_MARKDOWN;
    }

    /** Returns the name in options: {@code main-markdown}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
