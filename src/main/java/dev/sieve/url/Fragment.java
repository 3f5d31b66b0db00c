package dev.sieve.url;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The fragments of references, by the URL standard, and what they indicate in a page, by the HTML standard (section
 * "Scrolling to a fragment").
 *
 * <p>A page has the part that a fragment names if one of its elements has the fragment as its id, or an {@code a}
 * element has it as its name; otherwise if that is so of the {@linkplain #decoded decoded} fragment, or that is
 * {@linkplain #isTop top}.
 */
public final class Fragment {
    /** What follows it is for the browser, such as a text to highlight. */
    private static final String DIRECTIVE = ":~:";

    /** ASCII characters that a URL has escaped in a fragment, besides controls. */
    private static final String ESCAPED = " \"<>`\u007f";

    private static final String HEX = "0123456789ABCDEF";

    private Fragment() {}

    /** Returns the fragment of a reference as a URL has it: escaped, and without a directive. Empty when there is none. */
    public static String of(String reference) {
        int start = reference.indexOf('#') + 1;
        int end = reference.length();
        while (end > start && reference.charAt(end - 1) <= ' ') {
            end--;
        }
        if (start == 0 || start == end) {
            return "";
        }
        String fragment = escaped(reference.substring(start, end));
        int directive = fragment.indexOf(DIRECTIVE);
        return directive < 0 ? fragment : fragment.substring(0, directive);
    }

    private static String escaped(String text) {
        if (text.chars().allMatch(Fragment::isPlain)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(2 * text.length());
        // The encoder replaces half of a surrogate pair by a question mark, the standard by U+FFFD.
        for (byte octet : text.codePoints()
                .filter(each -> each != '\t' && each != '\n' && each != '\r')
                .map(each -> each >= Character.MIN_SURROGATE && each <= Character.MAX_SURROGATE ? 0xFFFD : each)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString()
                .getBytes(UTF_8)) {
            if (isPlain(octet)) {
                escaped.append((char) octet);
            } else {
                escaped.append('%').append(HEX.charAt((octet >> 4) & 15)).append(HEX.charAt(octet & 15));
            }
        }
        return escaped.toString();
    }

    private static boolean isPlain(int character) {
        return character >= ' ' && character <= 0x7f && ESCAPED.indexOf(character) < 0;
    }

    /** Returns a fragment of a URL without its escapes. */
    public static String decoded(String fragment) {
        return fragment.indexOf('%') < 0 ? fragment : UrlSyntax.decode(fragment);
    }

    /** Returns whether a decoded fragment indicates the top of a page that has no such part. */
    public static boolean isTop(String decoded) {
        return decoded.isEmpty() || decoded.equalsIgnoreCase("top");
    }

    /**
     * Returns whether a fragment is a place in a program in the browser by its spelling: {@code /users}, {@code
     * !/jobs}. The program decides what it shows there, so the document has no such part.
     */
    public static boolean isRoute(String fragment) {
        return fragment.startsWith("/") || fragment.startsWith("!");
    }
}
