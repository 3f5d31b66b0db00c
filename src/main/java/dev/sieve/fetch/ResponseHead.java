package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.url.Printable;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The head of a response in HTTP/1. */
final class ResponseHead {
    /** Most header fields accepted: more than any real server sends. A parsed field takes some hundred bytes. */
    private static final int MAX_FIELDS = 1000;

    private static final Pattern STATUS = Pattern.compile("(?s)HTTP/1\\.([01]) ([1-9][0-9]{2})(?: (.*))?");
    private static final Pattern BEYOND_ASCII = Pattern.compile("[^\\x00-\\x7F]");

    private final StringBuilder text = new StringBuilder();
    private final Map<String, List<String>> headers = new LinkedHashMap<>();
    final boolean isVersion10;
    private final int status;
    private int fields;

    ResponseHead(int minor, int status, String message) {
        isVersion10 = minor == 0;
        this.status = status;
        text.append("HTTP/1.")
                .append(minor)
                .append(' ')
                .append(status)
                .append(' ')
                .append(message)
                .append("\r\n");
    }

    /**
     * Parses the bytes of a head, each as a character.
     *
     * @throws ProtocolException when its first line is not that of a response
     */
    static ResponseHead parse(String head) throws ProtocolException {
        String[] lines = head.split("\r?\n", -1);
        Matcher first = STATUS.matcher(lines[0]);
        if (!first.matches()) {
            throw new ProtocolException("not a response of HTTP: " + Printable.of(head));
        }
        String message = first.group(3) == null ? "" : decoded(first.group(3));
        ResponseHead parsed =
                new ResponseHead(Integer.parseInt(first.group(1)), Integer.parseInt(first.group(2)), message);
        for (int i = 1; i < lines.length && !lines[i].isEmpty(); i++) {
            int colon = lines[i].indexOf(':');
            String name = lines[i].substring(0, Math.max(0, colon));
            String value = lines[i].substring(colon + 1).trim();
            // Bytes of a reference that are not UTF-8 could not be sent back otherwise.
            parsed.add(name, name.equalsIgnoreCase("Location") ? escaped(value) : decoded(value));
        }
        return parsed;
    }

    private static String decoded(String bytes) {
        return BEYOND_ASCII.matcher(bytes).find() ? new String(bytes.getBytes(ISO_8859_1), UTF_8) : bytes;
    }

    private static String escaped(String bytes) {
        return BEYOND_ASCII
                .matcher(bytes)
                .replaceAll(each -> String.format("%%%02X", (int) each.group().charAt(0)));
    }

    void add(String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
        headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), key -> new ArrayList<>())
                .add(value);
        fields++;
    }

    /** Returns the response, as far as its head says, without a body. */
    Response response() {
        return new Response(status, headers);
    }

    /** Throws if it has more fields than a real server sends. */
    void check() throws ProtocolException {
        if (fields > MAX_FIELDS) {
            throw new ProtocolException("more than " + MAX_FIELDS + " header fields");
        }
    }

    /** Returns the head in its form for archives, with the empty line at its end. */
    @Override
    public String toString() {
        return text + "\r\n";
    }
}
