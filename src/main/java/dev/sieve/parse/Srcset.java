package dev.sieve.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Parses a srcset attribute by the HTML standard, "parse a srcset attribute": URLs, each with descriptors of its width
 * or density, separated by commas. A URL may contain commas, and an image whose descriptors are not valid is left out,
 * as in browsers.
 */
final class Srcset {
    /** The descriptors of one image: a width, perhaps with a height, or a density, or none. */
    private static final Pattern VALID = Pattern.compile(
            "|0*[1-9][0-9]*w(?: [0-9]+h)?|[0-9]+h 0*[1-9][0-9]*w|[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?x");

    private static final Pattern SPACE = Pattern.compile("[ \\t\\n\\f\\r]+");

    private Srcset() {}

    /** Returns the URLs as written. */
    static List<String> urls(String srcset) {
        List<String> urls = new ArrayList<>();
        int length = srcset.length();
        int at = 0;
        while (true) {
            while (at < length && (isSpace(srcset.charAt(at)) || srcset.charAt(at) == ',')) {
                at++;
            }
            if (at == length) {
                return urls;
            }
            int start = at;
            while (at < length && !isSpace(srcset.charAt(at))) {
                at++;
            }
            int end = at;
            boolean isInParentheses = false;
            while (at < length && srcset.charAt(end - 1) != ',' && (isInParentheses || srcset.charAt(at) != ',')) {
                char c = srcset.charAt(at++);
                isInParentheses = c == '(' || (isInParentheses && c != ')');
            }
            String descriptors = SPACE.matcher(srcset.substring(end, at)).replaceAll(" ");
            while (srcset.charAt(end - 1) == ',') {
                end--;
            }
            if (VALID.matcher(descriptors.strip()).matches()) {
                urls.add(srcset.substring(start, end));
            }
        }
    }

    /** Whether a character is white space in HTML. */
    static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
    }
}
