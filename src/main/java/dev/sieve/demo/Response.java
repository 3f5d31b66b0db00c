package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

/** What a demo web answers to one request. The body is not copied. */
final class Response {
    private static final String HTML = "text/html; charset=UTF-8";

    private final int status;
    private final String type;
    private final byte[] body;
    private final String location;

    private Response(int status, String type, byte[] body, String location) {
        this.status = status;
        this.type = type;
        this.body = body;
        this.location = location;
    }

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

    int status() {
        return status;
    }

    /** Its Content-Type. */
    String type() {
        return type;
    }

    byte[] body() {
        return body;
    }

    /** Where it redirects to; null when it does not. */
    String location() {
        return location;
    }
}
