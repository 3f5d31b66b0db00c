package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place on this machine that has the responses to requests for some URLs, such as a folder: no request is sent for these, and none
 * for the robots.txt of their origins. Safe for use by many threads.
 */
public interface LocalSource {
    /**
     * A response as it is stored. The caller closes its body.
     *
     * @param headers header fields, by their names in lower case
     * @param body the content, in the codings that the header names, but without framing
     * @param length the number of bytes of the body; -1 when it is not known
     */
    record Stored(int status, Map<String, List<String>> headers, InputStream body, long length) {
        /** Creates a response without content. */
        Stored(int status, Map<String, List<String>> headers) {
            this(status, headers, InputStream.nullInputStream(), 0);
        }
    }

    /** Returns whether the response for a URL can only be here. */
    boolean has(String url);

    /**
     * Returns the response for one of these URLs; null if there is none, so that the URL cannot be crawled.
     *
     * @throws java.nio.file.AccessDeniedException when it may not be read, with a reason
     * @throws IOException when it cannot be read; the message says why
     */
    @Nullable
    Stored respond(String url) throws IOException;
}
