package dev.sieve.parse;

import dev.sieve.url.Refusal;
import org.jspecify.annotations.Nullable;

/** Receives the references of a document that do not become links or resources. */
public interface Unlinked {
    /**
     * Receives a reference as written, only its beginning when it is far too long. Each that is refused is received
     * once; equal ones beyond the limits perhaps repeatedly.
     *
     * @param reason why it cannot be requested; null when it is beyond the limits of a page
     */
    void receive(String reference, @Nullable Refusal reason, boolean isResource);
}
