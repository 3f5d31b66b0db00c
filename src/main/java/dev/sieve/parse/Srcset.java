package dev.sieve.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Parses a srcset attribute by the HTML standard, "parse a srcset attribute": URLs, each with descriptors of its width or
 * density, separated by commas. A URL may contain commas, and an image whose descriptors are not valid is left out, as in
 * browsers.
 */
final class Srcset {
    /** The descriptors of one image: a width, perhaps with a height, or a density, or none. */
    private static final Pattern VALID = Pattern.compile(
            "|0*[1-9][0-9]*w(?: [0-9]+h)?|[0-9]+h 0*[1-9][0-9]*w|[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?x");

    private final String text;
    private int position;

    private Srcset(String text) {
        this.text = text;
    }

    /** Returns the URLs as written. */
    static List<String> urls(String srcset) {
        Srcset parser = new Srcset(srcset);
        List<String> urls = new ArrayList<>();
        while (parser.skip(true)) {
            String url = parser.url();
            boolean hasComma = url.endsWith(",");
            String descriptors = hasComma ? "" : parser.descriptors();
            int end = url.length();
            while (end > 0 && url.charAt(end - 1) == ',') {
                end--;
            }
            if (VALID.matcher(descriptors).matches()) {
                urls.add(url.substring(0, end));
            }
        }
        return urls;
    }

    /** Skips white space, and commas if these are separators here; returns whether something follows. */
    private boolean skip(boolean skipsCommas) {
        while (position < text.length()
                && (isSpace(text.charAt(position)) || (skipsCommas && text.charAt(position) == ','))) {
            position++;
        }
        return position < text.length();
    }

    private String url() {
        int start = position;
        while (position < text.length() && !isSpace(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    /** Reads up to the comma that ends the image; returns the descriptors with one blank between them. */
    private String descriptors() {
        StringBuilder words = new StringBuilder();
        boolean isInParentheses = false;
        while (skip(false)) {
            if (!isInParentheses && text.charAt(position) == ',') {
                break;
            }
            words.append(words.isEmpty() ? "" : " ");
            for (; position < text.length() && !isSpace(text.charAt(position)); position++) {
                char c = text.charAt(position);
                if (c == ',' && !isInParentheses) {
                    return words.toString();
                }
                isInParentheses = c == '(' || (isInParentheses && c != ')');
                words.append(c);
            }
        }
        return words.toString();
    }

    /** Whether a character is white space in HTML. */
    static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
    }
}
