package dev.sieve.url;

import java.util.stream.Collectors;

/** Makes text from a server or a file safe for a message, a log or a terminal. */
public final class Printable {
    private static final int MAX_LENGTH = 200;

    private Printable() {}

    /** Returns the {@link #start} of a text, followed by three dots if the text is longer. */
    public static String of(String text) {
        return text.length() > MAX_LENGTH ? start(text) + "..." : start(text);
    }

    /** Returns the {@link #line} of the first 200 characters of a text. */
    static String start(String text) {
        return line(text, MAX_LENGTH);
    }

    /** Returns a text as one line: control characters, line breaks and characters that change direction become {@code ?}. */
    public static String line(String text) {
        return line(text, text.length());
    }

    /** Returns a text as {@link #line}, in a form that is another one for other characters: {@code \\u0001}. */
    public static String distinct(String text) {
        return text.codePoints()
                .mapToObj(c -> isPrintable(c) ? Character.toString(c) : String.format("\\u%04x", c))
                .collect(Collectors.joining());
    }

    private static String line(String text, int maxLength) {
        StringBuilder printable = new StringBuilder(Math.min(text.length(), maxLength));
        text.codePoints().limit(maxLength).map(c -> isPrintable(c) ? c : '?').forEach(printable::appendCodePoint);
        return printable.toString();
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
