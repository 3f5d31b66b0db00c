package dev.sieve.parse;

/** Keeps the visible text of a document, up to a limit. */
public interface TextWriter extends DocumentReader {
    /** How many characters are kept. */
    int MAX_CHARS = 1 << 20;

    /** A text, and whether it is longer than what is kept of it. */
    record Kept(String text, boolean isCut) {
        /** Returns what is kept of a text, which may have a few more characters than are kept. */
        static Kept of(StringBuilder text) {
            boolean isCut = text.length() > MAX_CHARS;
            if (isCut) {
                text.setLength(Character.isHighSurrogate(text.charAt(MAX_CHARS - 1)) ? MAX_CHARS - 1 : MAX_CHARS);
            }
            return new Kept(text.toString(), isCut);
        }
    }

    /** Returns the length of the text so far that what follows does not change. */
    int length();

    /** Returns the text. To be called once. */
    Kept finish();
}
