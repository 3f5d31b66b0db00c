package dev.sieve;

/**
 * Thrown when a new URL is pushed, the filter is full, and {@link OnFull#FAIL} is set.
 *
 * <p>A batch is pushed in parts of 64 URLs. The parts before the one with the new URL were pushed, and
 * {@link UrlBatch#isNew} returns which of their URLs were new; that part and all after it were not.
 */
public final class SieveFullException extends IllegalStateException {
    SieveFullException(long estimatedSize, long capacity) {
        super("the filter is full: it holds about " + estimatedSize + " URLs and was made for " + capacity);
    }
}
