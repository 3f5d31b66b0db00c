package dev.sieve.parse;

import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * Finds the URLs in a style sheet: those of {@code url()}, the strings of {@code image-set()}, and those that {@code
 * @import} names. Comments, strings and escapes are read as the CSS Syntax module describes; rules are not checked
 * otherwise. A URL in {@code @namespace} names nothing to request. Memory and time do not grow faster than the text.
 */
final class StyleSheet {
    private final String css;
    private int position;

    private StyleSheet(String css) {
        this.css = css;
    }

    /**
     * Reads a style sheet.
     *
     * @param receiver receives each URL as written, and its type
     */
    static void read(String css, BiConsumer<String, Resource> receiver) {
        new StyleSheet(css).read(receiver);
    }

    private void read(BiConsumer<String, Resource> receiver) {
        String rule = "";
        int depth = 0;
        // The depth within the image-set() that is open; 0 when none is.
        int images = 0;
        while (position < css.length()) {
            char c = css.charAt(position);
            if (css.startsWith("/*", position)) {
                skipComment();
            } else if (c == '"' || c == '\'') {
                String string = string();
                if (rule.equals("import")) {
                    receiver.accept(string, Resource.STYLE_SHEET);
                    rule = "";
                } else if (images > 0 && images == depth) {
                    receiver.accept(string, Resource.FILE);
                }
            } else if (c == '@') {
                position++;
                rule = name();
            } else if (c == ';' || c == '{' || c == '}') {
                position++;
                rule = "";
                depth = 0;
                images = 0;
            } else if (c == '(' || c == ')') {
                position++;
                depth = Math.max(0, c == '(' ? depth + 1 : depth - 1);
                images = depth < images ? 0 : images;
            } else if (isName(c)) {
                String name = name();
                if (name.equals("url") && position < css.length() && css.charAt(position) == '(') {
                    String url = url();
                    if (!rule.equals("namespace") && !url.isEmpty()) {
                        receiver.accept(url, rule.equals("import") ? Resource.STYLE_SHEET : Resource.FILE);
                    }
                    rule = rule.equals("import") ? "" : rule;
                } else if (name.endsWith("image-set") && css.startsWith("(", position)) {
                    images = depth + 1;
                }
            } else {
                position++;
            }
        }
    }

    private void skipComment() {
        int end = css.indexOf("*/", position + 2);
        position = end < 0 ? css.length() : end + 2;
    }

    private static boolean isName(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '_'
                || c == '\\'
                || c >= 0x80;
    }

    private String name() {
        StringBuilder name = new StringBuilder();
        while (position < css.length() && isName(css.charAt(position))) {
            next(name);
        }
        return name.toString().toLowerCase(Locale.ROOT);
    }

    /** Reads a string, which ends at its quote, at the end of the line if it is not closed, or at the end. */
    private String string() {
        StringBuilder string = new StringBuilder();
        char quote = css.charAt(position++);
        while (position < css.length() && css.charAt(position) != quote && css.charAt(position) != '\n') {
            next(string);
        }
        position = Math.min(css.length(), position + 1);
        return string.toString();
    }

    /** Reads from the parenthesis after {@code url} to the one that closes it. */
    private String url() {
        position++;
        skipSpace();
        StringBuilder url = new StringBuilder();
        if (position < css.length() && (css.charAt(position) == '"' || css.charAt(position) == '\'')) {
            url.append(string());
        } else {
            while (position < css.length() && css.charAt(position) != ')' && !Srcset.isSpace(css.charAt(position))) {
                next(url);
            }
        }
        skipSpace();
        boolean isClosed = position == css.length() || css.charAt(position) == ')';
        position = Math.min(css.length(), position + 1);
        return isClosed ? url.toString() : "";
    }

    private void skipSpace() {
        while (position < css.length() && Srcset.isSpace(css.charAt(position))) {
            position++;
        }
    }

    /** Appends the next character, or the one that an escape stands for: hexadecimal digits, or the character itself. */
    private void next(StringBuilder out) {
        char c = css.charAt(position++);
        if (c != '\\' || position == css.length()) {
            out.append(c);
            return;
        }
        int start = position;
        while (position < css.length() && position - start < 6 && Character.digit(css.charAt(position), 16) >= 0) {
            position++;
        }
        if (position == start) {
            char escaped = css.charAt(position++);
            if (escaped != '\n') {
                out.append(escaped);
            }
            return;
        }
        int code = Integer.parseInt(css.substring(start, position), 16);
        boolean isCharacter = code != 0 && Character.isValidCodePoint(code) && (code < 0xD800 || code > 0xDFFF);
        out.appendCodePoint(isCharacter ? code : 0xFFFD);
        if (position < css.length() && Srcset.isSpace(css.charAt(position))) {
            position++;
        }
    }
}
