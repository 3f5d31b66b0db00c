package dev.sieve.parse;

/** A hash of the words of a document, without texts with a slash: error pages show their own path. */
public final class WordHash implements DocumentReader {
    private long hash;

    @Override
    public void text(String part) {
        // Single marks are half of the texts of highlighted code.
        boolean isMark = part.length() == 1 && !Character.isLetterOrDigit(part.charAt(0));
        if (!isMark && !part.isBlank() && part.indexOf('/') < 0) {
            hash = (hash ^ part.hashCode()) * 0x9e3779b97f4a7c15L;
        }
    }

    /** Returns the hash; 0 without words. */
    public long value() {
        return hash;
    }
}
