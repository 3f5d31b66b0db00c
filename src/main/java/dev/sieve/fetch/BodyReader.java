package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.NullMarked;

/** Reads a decoded response body while it arrives. */
@NullMarked
@FunctionalInterface
public interface BodyReader {
    /** Reads as much of the body as needed; throws when the body is incomplete or the deadline has passed. */
    void read(InputStream body) throws IOException;
}
