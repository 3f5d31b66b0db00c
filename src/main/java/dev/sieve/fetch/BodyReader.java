package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;

/** Reads a decoded response body while it arrives. */
@FunctionalInterface
public interface BodyReader {
    /** Reads as much of the body as needed; throws when the body is incomplete or the deadline has passed. */
    void read(InputStream body) throws IOException;
}
