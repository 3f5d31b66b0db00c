package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;

/** Reads a response body while it arrives. */
@FunctionalInterface
public interface BodyReader {
    /**
     * Reads as much of a body as it needs.
     *
     * @param body the body, decoded
     * @throws IOException as the body does, when it breaks off or the deadline has passed
     */
    void read(InputStream body) throws IOException;
}
