package dev.sieve;

/** Thrown by a push into a full sieve that was made with {@link OnFull#FAIL}; nothing of the batch was accepted. */
public final class SieveFullException extends IllegalStateException {
    SieveFullException(long estimatedSize, long capacity) {
        super("the sieve is full: it holds about " + estimatedSize + " URLs and was made for " + capacity);
    }
}
