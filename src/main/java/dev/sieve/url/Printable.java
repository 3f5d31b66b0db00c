package dev.sieve.url;

/** Makes text from a server or a file safe for a message, a log or a terminal. */
public final class Printable {
    private static final int MAX_LENGTH = 200;

    private Printable() {}

    /** Returns the {@link #start} of a text, followed by three dots if the text is longer. */
    public static String of(String text) {
        return text.length() > MAX_LENGTH ? start(text) + "..." : start(text);
    }

    /** Returns the first 200 characters of a text; control characters and those that change direction become {@code ?}. */
    static String start(String text) {
        int length = Math.min(text.length(), MAX_LENGTH);
        StringBuilder printable = new StringBuilder(length);
        text.codePoints().limit(length).map(c -> isPrintable(c) ? c : '?').forEach(printable::appendCodePoint);
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
