package dev.sieve.parse;

import org.jsoup.nodes.Element;

/** Receives the visible text of a document in its order, and the elements around it. */
interface TextReceiver {
    /** Receives the beginning of an element; {@link Gap#of} says what it means for the words around it. */
    void begin(Element element);

    /** Receives a part of the text, which may begin and end within a word. */
    void text(String part);

    /** Receives the end of an element; that of an element in badly nested markup perhaps more than once. */
    void end(Element element);
}
