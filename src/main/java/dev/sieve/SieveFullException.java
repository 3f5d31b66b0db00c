package dev.sieve;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a new URL is pushed, the filter is full, and {@link OnFull#FAIL} is set; or when a shared
 * frontier has no memory left.
 *
 * <p>A batch is pushed in parts of 64 URLs. The parts before the one with the new URL were pushed, and
 * {@link UrlBatch#isNew} returns which of their URLs were new; that part and all after it were not.
 */
public final class SieveFullException extends IllegalStateException {
    /** Creates the exception of a filter that is full. */
    public SieveFullException(long estimatedSize, long capacity) {
        super("the filter is full: it holds about " + estimatedSize + " URLs and was made for " + capacity);
    }

    /** Creates the exception of a frontier that is full for another reason, such as the memory of an engine. */
    public SieveFullException(@Nullable String message) {
        super(message);
    }
}
