package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * The parser of the WHATWG URL standard (url.spec.whatwg.org, section 4.4), cut down to what http and https need.
 *
 * <p>The standard's state machine becomes one pass over the reference that writes the result byte by byte: the scheme
 * and the host of the reference or of the base, then one path segment after the other, each dropped again when it turns
 * out to be a dot segment, then the query. Userinfo and fragment are skipped. Nothing is allocated on the way but the
 * host, where it is not the base's, and the result.
 */
final class UrlParser {
    private static final int PATH = 1;
    private static final int QUERY = 2;
    private static final byte[] ESCAPED_IN = escapedIn();
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);

    /** Null when there is nothing to resolve against; else as this parser writes URLs. */
    private final String base;
    /** Where in the base the authority, the directory with its slash, and the path end. */
    private final int authorityEnd;

    private final int directoryEnd;
    private final int pathEnd;

    private byte[] out = new byte[128];
    private int size;
    private int pathStart;
    private Refusal refusal;

    UrlParser(String base) {
        this.base = base;
        if (base == null) {
            authorityEnd = directoryEnd = pathEnd = 0;
            return;
        }
        int query = base.indexOf('?');
        pathEnd = query < 0 ? base.length() : query;
        authorityEnd = base.indexOf('/', "https://".length());
        directoryEnd = base.lastIndexOf('/', pathEnd - 1) + 1;
    }

    /** The URL to fetch for a reference; null when there is none, for the reason that {@link #refusal} tells. */
    String parse(String text) {
        size = 0;
        refusal = null;
        int from = 0;
        int to = text.length();
        while (from < to && text.charAt(from) <= ' ') {
            from++;
        }
        while (to > from && text.charAt(to - 1) <= ' ') {
            to--;
        }
        boolean broken = false;
        int end = from;
        for (; end < to && text.charAt(end) != '#'; end++) {
            if (end - from == UrlNormalizer.MAX_LENGTH) {
                return refuse(otherScheme(text, from, end) ? Refusal.OTHER_SCHEME : Refusal.TOO_LONG);
            }
            broken |= isLineBreak(text.charAt(end));
        }
        if (broken) {
            String joined = join(text, from, end);
            return resolve(joined, 0, joined.length());
        }
        return resolve(text, from, end);
    }

    Refusal refusal() {
        return refusal;
    }

    private String refuse(Refusal reason) {
        refusal = reason;
        return null;
    }

    private String resolve(String text, int from, int end) {
        if (startsWithBaseHost(text, from, end)) {
            copyBase(authorityEnd);
            return path(text, from + authorityEnd, end);
        }
        int colon = schemeEnd(text, from, end);
        if (colon < 0) {
            return base == null ? refuse(Refusal.NO_SCHEME) : relative(text, from, end);
        }
        if (!isHttp(text, from, colon)) {
            return refuse(Refusal.OTHER_SCHEME);
        }
        int schemeLength = colon - from;
        boolean sameScheme = base != null && base.charAt(schemeLength) == ':';
        if (sameScheme && !text.startsWith("//", colon + 1)) {
            return relative(text, colon + 1, end);
        }
        put(schemeLength == 4 ? "http://" : "https://");
        return authority(text, colon + 1, end);
    }

    /** Whether a reference begins with the very letters of the base up to the end of its host, as most links do. */
    private boolean startsWithBaseHost(String text, int from, int end) {
        int after = from + authorityEnd;
        return base != null
                && after <= end
                && text.startsWith("http", from)
                && text.regionMatches(from, base, 0, authorityEnd)
                && (after == end || isSlash(text.charAt(after)) || text.charAt(after) == '?');
    }

    private String relative(String text, int from, int end) {
        if (from == end) {
            copyBase(base.length());
            return result();
        }
        char first = text.charAt(from);
        if (isSlash(first)) {
            if (from + 1 < end && isSlash(text.charAt(from + 1))) {
                put(base.charAt(4) == ':' ? "http://" : "https://");
                return authority(text, from, end);
            }
            copyBase(authorityEnd);
            return path(text, from, end);
        }
        if (first == '?') {
            copyBase(pathEnd);
            return query(text, from, end);
        }
        copyBase(directoryEnd - 1);
        return path(text, from, end);
    }

    private String authority(String text, int from, int end) {
        int start = from;
        while (start < end && isSlash(text.charAt(start))) {
            start++;
        }
        int path = start;
        for (; path < end && text.charAt(path) != '?' && !isSlash(text.charAt(path)); path++) {
            if (text.charAt(path) == '@') {
                start = path + 1;
            }
        }
        int port = portColon(text, start, path);
        String host = Host.parse(text, start, port);
        if (host == null) {
            return refuse(Refusal.BAD_HOST);
        }
        put(host);
        if (port + 1 < path && !port(text, port + 1, path)) {
            return refuse(Refusal.BAD_PORT);
        }
        pathStart = size;
        return path(text, path, end);
    }

    /** The colon that ends the host; the end of the authority when there is none. */
    private static int portColon(String text, int from, int end) {
        boolean brackets = false;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (c == ':' && !brackets) {
                return i;
            }
            brackets = c == '[' || (brackets && c != ']');
        }
        return end;
    }

    private boolean port(String text, int from, int end) {
        int port = 0;
        for (int i = from; i < end; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            port = Math.min(port * 10 + digit, 65_536);
        }
        boolean https = out[4] == 's';
        if (port != (https ? 443 : 80)) {
            put(":" + port);
        }
        return port > 0 && port < 65_536;
    }

    private String path(String text, int from, int end) {
        int i = from < end && isSlash(text.charAt(from)) ? from + 1 : from;
        while (true) {
            int segment = size;
            put('/');
            while (i < end && text.charAt(i) != '?' && !isSlash(text.charAt(i))) {
                i = putEscaped(text, i, end, PATH);
            }
            boolean last = i == end || text.charAt(i) == '?';
            dropDots(segment, last);
            if (last) {
                return query(text, i, end);
            }
            i++;
        }
    }

    /** Undoes the segment that was written last when it is {@code .} or {@code ..}, which takes one more along. */
    private void dropDots(int segment, boolean last) {
        int dots = dots(segment + 1);
        if (dots == 0) {
            return;
        }
        size = segment;
        if (dots == 2 && size > pathStart) {
            do {
                size--;
            } while (out[size] != '/');
        }
        if (last) {
            put('/');
        }
    }

    /** 1 or 2 when a segment is that many dots, each of them escaped or not; else 0. */
    private int dots(int from) {
        int dots = 0;
        for (int i = from; i < size; i++) {
            if (out[i] == '%' && i + 2 < size && out[i + 1] == '2' && (out[i + 2] | 0x20) == 'e') {
                i += 2;
            } else if (out[i] != '.') {
                return 0;
            }
            if (++dots > 2) {
                return 0;
            }
        }
        return dots;
    }

    private String query(String text, int from, int end) {
        if (from < end) {
            put('?');
        }
        for (int i = from + 1; i < end; ) {
            i = putEscaped(text, i, end, QUERY);
        }
        return result();
    }

    private String result() {
        if (size > UrlNormalizer.MAX_LENGTH) {
            return refuse(Refusal.TOO_LONG);
        }
        return new String(out, 0, size, ISO_8859_1);
    }

    /** Writes the character at an index, and answers the index of the next one. */
    private int putEscaped(String text, int i, int end, int where) {
        char c = text.charAt(i);
        if (c < 0x80) {
            if ((ESCAPED_IN[c] & where) == 0) {
                put(c);
            } else {
                escape(c);
            }
            return i + 1;
        }
        if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1))) {
            escapeUtf8(Character.toCodePoint(c, text.charAt(i + 1)));
            return i + 2;
        }
        escapeUtf8(Character.isSurrogate(c) ? 0xFFFD : c);
        return i + 1;
    }

    private void escapeUtf8(int codePoint) {
        if (codePoint < 0x800) {
            escape(0xC0 | (codePoint >> 6));
        } else {
            if (codePoint < 0x10000) {
                escape(0xE0 | (codePoint >> 12));
            } else {
                escape(0xF0 | (codePoint >> 18));
                escape(0x80 | ((codePoint >> 12) & 0x3F));
            }
            escape(0x80 | ((codePoint >> 6) & 0x3F));
        }
        escape(0x80 | (codePoint & 0x3F));
    }

    private void escape(int octet) {
        put('%');
        put(HEX[octet >> 4]);
        put(HEX[octet & 15]);
    }

    private void put(int ascii) {
        if (size == out.length) {
            out = Arrays.copyOf(out, 2 * size);
        }
        out[size++] = (byte) ascii;
    }

    private void put(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            put(ascii.charAt(i));
        }
    }

    private void copyBase(int end) {
        size = 0;
        for (int i = 0; i < end; i++) {
            put(base.charAt(i));
        }
        pathStart = authorityEnd;
    }

    /** The colon behind a scheme; -1 when the text has none. */
    private static int schemeEnd(String text, int from, int end) {
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            boolean inside = Ascii.isDigit(c) || c == '+' || c == '-' || c == '.';
            if (!Ascii.isLetter(c) && (i == from || !inside)) {
                return c == ':' && i > from ? i : -1;
            }
        }
        return -1;
    }

    private static boolean isHttp(String text, int from, int colon) {
        int length = colon - from;
        return (length == 4 || length == 5) && text.regionMatches(true, from, "https", 0, length);
    }

    private static boolean otherScheme(String text, int from, int end) {
        String joined = join(text, from, end);
        int colon = schemeEnd(joined, 0, joined.length());
        return colon >= 0 && !isHttp(joined, 0, colon);
    }

    /** Without the line breaks and tabs, which have no meaning anywhere in a URL. */
    private static String join(String text, int from, int end) {
        StringBuilder joined = new StringBuilder(end - from);
        for (int i = from; i < end; i++) {
            if (!isLineBreak(text.charAt(i))) {
                joined.append(text.charAt(i));
            }
        }
        return joined.toString();
    }

    private static boolean isLineBreak(char c) {
        return c <= '\r' && (c == '\t' || c == '\n' || c == '\r');
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    /** The standard's path and special-query percent-encode sets, section 1.3. */
    private static byte[] escapedIn() {
        byte[] table = new byte[128];
        Arrays.fill(table, 0, 0x21, (byte) (PATH | QUERY));
        table[0x7F] = PATH | QUERY;
        "\"#<>".chars().forEach(c -> table[c] |= PATH | QUERY);
        "?^`{}".chars().forEach(c -> table[c] |= PATH);
        table['\''] |= QUERY;
        return table;
    }
}
