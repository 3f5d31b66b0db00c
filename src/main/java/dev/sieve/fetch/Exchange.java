package dev.sieve.fetch;

import java.net.InetAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request that was sent, and the response.
 *
 * <p>The heads have the fields in their order and spelling on the wire, in lines that end in CRLF, with the empty line at
 * the end. Bytes in them that are not UTF-8 are replaced by U+FFFD, as is the space around values by a single one.
 *
 * @param url the URL
 * @param time when the request was sent
 * @param address the address of the server; null when a proxy was between
 * @param request the head of the request, which has no body; may contain passwords of the user
 * @param response the head of the response
 * @param body the body of the response after chunks were joined, before its content was decoded, as far as it was read
 * @param cut why the body is not complete
 */
@SuppressWarnings("ArrayRecordComponent") // a body is not compared, and too large to be copied
public record Exchange(
        String url,
        Instant time,
        @Nullable InetAddress address,
        String request,
        String response,
        byte[] body,
        Cut cut) {

    /** Why only the beginning of a body was read. */
    public enum Cut {
        /** The body is complete. */
        NONE,
        /** It is longer than the limit for bodies. */
        LENGTH,
        /** The request took longer than its deadline. */
        TIME,
        /** The connection ended within it. */
        DISCONNECT,
        /** The crawl was stopped, or the response is not valid. */
        OTHER
    }
}
