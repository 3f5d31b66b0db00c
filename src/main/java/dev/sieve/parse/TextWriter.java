package dev.sieve.parse;

/** Keeps the text that it receives, up to a limit. */
interface TextWriter extends TextReceiver {
    /** How many characters are kept. */
    int MAX_CHARS = 1 << 20;

    void clear();

    /** Returns the text, perhaps with more characters than are kept if it is longer. To be called once. */
    StringBuilder finish();
}
