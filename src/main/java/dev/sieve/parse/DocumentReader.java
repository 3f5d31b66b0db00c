package dev.sieve.parse;

/**
 * Reads a document while it is parsed, whose tree is never in memory as a whole. What it has found is available when
 * the document was read. Used by one thread.
 */
public interface DocumentReader {
    /** Receives the beginning of an element, in the order of the document, unless it is in a template that is not displayed. */
    default void begin(DocumentElement element) {}

    /** Receives a part of the visible text, which may begin and end within a word. */
    default void text(String part) {}

    /** Receives the end of an element, which has its content now; in badly nested markup perhaps more than once. */
    default void end(DocumentElement element) {}
}
