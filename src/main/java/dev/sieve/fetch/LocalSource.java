package dev.sieve.fetch;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A place on this machine that has the responses to requests for some URLs, such as a folder: no request is sent for
 * these, and none for the robots.txt of their origins. Safe for use by many threads.
 */
public interface LocalSource {
    /** Returns whether the response for a URL can only be here. */
    boolean has(String url);

    /**
     * Returns the response for one of these URLs, as it is stored; null if there is none, so that the URL cannot be
     * crawled.
     *
     * @throws java.nio.file.AccessDeniedException when it may not be read, with a reason
     * @throws IOException when it cannot be read; the message says why
     */
    @Nullable
    Response respond(String url) throws IOException;
}
