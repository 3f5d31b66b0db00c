package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

/** What a demo web answers to one request. The body is not copied. */
final class DemoAnswer {
    private static final String HTML = "text/html; charset=UTF-8";

    private final int status;
    private final String type;
    private final byte[] body;
    private final String location;

    private DemoAnswer(int status, String type, byte[] body, String location) {
        this.status = status;
        this.type = type;
        this.body = body;
        this.location = location;
    }

    static DemoAnswer page(String type, byte[] body) {
        return new DemoAnswer(200, type, body, null);
    }

    static DemoAnswer text(int status, String text) {
        return new DemoAnswer(status, "text/plain; charset=UTF-8", text.getBytes(UTF_8), null);
    }

    static DemoAnswer html(int status, String html) {
        return new DemoAnswer(status, HTML, html.getBytes(UTF_8), null);
    }

    static DemoAnswer redirect(int status, String location) {
        String html = "<title>Moved</title><p><a href=\"" + location.replace("&", "&amp;") + "\">here</a>\n";
        return new DemoAnswer(status, HTML, html.getBytes(UTF_8), location);
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
