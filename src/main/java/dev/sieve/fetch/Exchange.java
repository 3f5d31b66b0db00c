package dev.sieve.fetch;

import java.net.InetAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request that was sent, and the response.
 *
 * <p>The heads have the fields in their order and spelling on the wire, with the empty line at the end. They differ
 * from the wire in four ways: lines end in CRLF, whatever ended them; one space follows the colon of a field, whatever
 * was around its value; bytes that are not UTF-8 are U+FFFD; and {@code Transfer-Encoding: chunked} stays although
 * chunks are joined.
 *
 * @param url the URL
 * @param time when the request was sent
 * @param address the address of the server; null when a proxy was between
 * @param request the head of the request, which has no body; may contain passwords of the user
 * @param response the head of the response
 * @param body the body of the response after chunks were joined, before its content was decoded, as far as it was read
 * @param cut why the body is not complete
 * @param earlier an earlier exchange of the URL that is in an archive; null when none is known
 * @param rendered what a browser has made of the body; null when none has
 */
@SuppressWarnings("ArrayRecordComponent") // a body is not compared, and too large to be copied
public record Exchange(
        String url,
        Instant time,
        @Nullable InetAddress address,
        String request,
        String response,
        byte[] body,
        Cut cut,
        @Nullable Earlier earlier,
        @Nullable Rendered rendered) {
    /** The fields with cookies, in a head, with the lines that continue them; only a line feed ends a line. */
    private static final Pattern COOKIES = Pattern.compile("(?dim)^(?:set-)?cookie2?[ \\t]*:.*\n(?:[ \\t:].*\n)*");

    /** An exchange that is in an archive: when its request was sent, in whole milliseconds, and the SHA-1 of its body. */
    public record Earlier(Instant time, String sha1) {}

    /** An HTML document in UTF-8, or the beginning of a longer one. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Rendered(byte[] html, Cut cut) {}

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

    /** Returns the same with an earlier exchange. */
    public Exchange after(@Nullable Earlier other) {
        return new Exchange(url, time, address, request, response, body, cut, other, rendered);
    }

    /** Returns the same with what a browser has made of the body. */
    public Exchange rendered(byte[] html, boolean isCut) {
        Rendered made = new Rendered(html, isCut ? Cut.LENGTH : Cut.NONE);
        return new Exchange(url, time, address, request, response, body, cut, earlier, made);
    }

    /** Returns the same without the header fields Cookie and Set-Cookie. */
    public Exchange withoutCookies() {
        String sent = COOKIES.matcher(request).replaceAll("");
        String received = COOKIES.matcher(response).replaceAll("");
        return new Exchange(url, time, address, sent, received, body, cut, earlier, rendered);
    }

    /** Returns what later exchanges refer to; null without a complete body. */
    public @Nullable Earlier asEarlier() {
        if (cut != Cut.NONE || body.length == 0) {
            return null;
        }
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return new Earlier(time, HexFormat.of().formatHex(sha1.digest(body)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-1", e);
        }
    }
}
