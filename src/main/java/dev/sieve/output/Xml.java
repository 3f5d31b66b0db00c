package dev.sieve.output;

import java.util.regex.Pattern;

/** Texts in XML 1.0. */
final class Xml {
    /** The first line of a file. */
    static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

    private static final Pattern NOT_ALLOWED =
            Pattern.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

    private Xml() {}

    /** Returns a text for an element, or for an attribute in quotation marks. U+FFFD replaces what XML does not allow. */
    static String escaped(String text) {
        return NOT_ALLOWED
                .matcher(text)
                .replaceAll("\uFFFD")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&apos;");
    }
}
