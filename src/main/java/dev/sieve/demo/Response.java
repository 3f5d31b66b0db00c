package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/** The response of a demo web to one request, with the target of a redirect, or null. */
@SuppressWarnings("ArrayRecordComponent") // a body is sent, not compared
record Response(
        int status, String type, byte[] body, @Nullable String location) {
    static Response page(String type, byte[] body) {
        return new Response(200, type, body, null);
    }

    static Response text(int status, String text) {
        return new Response(status, "text/plain; charset=UTF-8", text.getBytes(UTF_8), null);
    }

    static Response html(int status, String html) {
        return redirect(status, html, null);
    }

    static Response redirect(int status, String html, @Nullable String location) {
        return new Response(status, "text/html; charset=UTF-8", html.getBytes(UTF_8), location);
    }
}
