package dev.sieve;

/**
 * Thrown by a push of a new URL into a full sieve that was made with {@link OnFull#FAIL}.
 *
 * <p>A batch is pushed in parts of 64 URLs: of the part that holds the new URL nothing was accepted, and the parts after
 * it were not pushed. Parts before it were; {@link UrlBatch#isNew} returns which of their URLs were new.
 */
public final class SieveFullException extends IllegalStateException {
    SieveFullException(long estimatedSize, long capacity) {
        super("the sieve is full: it holds about " + estimatedSize + " URLs and was made for " + capacity);
    }
}
