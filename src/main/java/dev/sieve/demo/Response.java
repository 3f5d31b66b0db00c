package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The response of a demo web to one request.
 *
 * @param type its Content-Type
 * @param location where it redirects to; null when it does not
 */
@SuppressWarnings("ArrayRecordComponent") // a body is sent, not compared
record Response(int status, String type, byte[] body, String location) {
    private static final String HTML = "text/html; charset=UTF-8";

    static Response page(String type, byte[] body) {
        return new Response(200, type, body, null);
    }

    static Response text(int status, String text) {
        return new Response(status, "text/plain; charset=UTF-8", text.getBytes(UTF_8), null);
    }

    static Response html(int status, String html) {
        return new Response(status, HTML, html.getBytes(UTF_8), null);
    }

    static Response redirect(int status, String location) {
        String html = "<title>Moved</title><p><a href=\"" + location.replace("&", "&amp;") + "\">here</a>\n";
        return new Response(status, HTML, html.getBytes(UTF_8), location);
    }
}
