package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** The URL that a parser writes: ASCII, escaped by the WHATWG URL standard and as OkHttp sends it. Reused for every URL. */
final class UrlBuffer {
    /** The longest URL in characters; see {@link UrlNormalizer#MAX_LENGTH}. */
    static final int MAX_LENGTH = 4096;

    // Character classes: escaped in a path, ends a path segment, escaped in a query.
    private static final int PATH = 1;
    private static final int SEGMENT_END = 2;
    private static final int QUERY = 4;
    private static final byte[] CLASSES = classes();
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);

    private byte[] bytes = new byte[128];
    private int size;
    private int pathStart;

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    /** Whether the scheme that was written is https, and not http. */
    boolean isHttps() {
        return bytes[4] == 's';
    }

    /** Sets where the path begins, in which dot segments are removed. */
    void beginPath(int start) {
        pathStart = start;
    }

    void put(String ascii) {
        put(ascii.getBytes(ISO_8859_1), ascii.length());
    }

    void put(byte[] ascii, int length) {
        reserve(length);
        System.arraycopy(ascii, 0, bytes, size, length);
        size += length;
    }

    void put(int ascii) {
        reserve(1);
        bytes[size++] = (byte) ascii;
    }

    /** Writes a segment of a path, and returns the index of the character that ends it. */
    int putSegment(String text, int from, int end) {
        return putEscaped(text, from, end, PATH, SEGMENT_END);
    }

    void putQuery(String text, int from, int end) {
        putEscaped(text, from, end, QUERY, 0);
    }

    /** Writes a query in another charset than UTF-8, given with one character per byte. */
    void putQueryBytes(String bytes) {
        for (int i = 0; i < bytes.length(); i++) {
            char octet = bytes.charAt(i);
            if (octet >= 0x80 || (CLASSES[octet] & QUERY) != 0) {
                escape(octet);
            } else {
                put(octet);
            }
        }
    }

    /** Writes characters, escaped if they are of one class, up to the first of another class; returns its index. */
    private int putEscaped(String text, int from, int end, int escaped, int stop) {
        int i = from;
        while (true) {
            i = putPlain(text, i, end, escaped | stop);
            if (i == end) {
                return i;
            }
            char c = text.charAt(i);
            if (c >= 0x80) {
                boolean pair = i + 1 < end && Character.isSurrogatePair(c, text.charAt(i + 1));
                escapeUtf8(pair ? text.codePointAt(i) : Character.isSurrogate(c) ? 0xFFFD : c);
                i += pair ? 2 : 1;
            } else if ((CLASSES[c] & stop) == 0) {
                escape(c);
                i++;
            } else {
                return i;
            }
        }
    }

    /** Writes characters up to the first that is of these classes or not ASCII, and returns its index. */
    private int putPlain(String text, int from, int end, int classes) {
        reserve(end - from);
        byte[] to = bytes;
        int at = size;
        int i = from;
        for (; i < end; i++) {
            char c = text.charAt(i);
            if (c >= 0x80 || (CLASSES[c] & classes) != 0) {
                break;
            }
            to[at++] = (byte) c;
        }
        size = at;
        return i;
    }

    private void escapeUtf8(int codePoint) {
        for (byte octet : Character.toString(codePoint).getBytes(UTF_8)) {
            escape(octet & 0xFF);
        }
    }

    private void escape(int octet) {
        put('%');
        put(HEX[octet >> 4]);
        put(HEX[octet & 15]);
    }

    /**
     * Removes the last segment if it is {@code .} or {@code ..}, and for {@code ..} the segment before it.
     *
     * @param segment the index of the slash before the last segment
     * @param last whether no segment follows, so that the path must end with a slash
     */
    void removeDots(int segment, boolean last) {
        int dots = dots(segment + 1);
        if (dots == 0) {
            return;
        }
        size = segment;
        if (dots == 2 && size > pathStart) {
            do {
                size--;
            } while (bytes[size] != '/');
        }
        if (last) {
            put('/');
        }
    }

    /** Returns 1 or 2 when only that many dots follow an index, escaped or not; otherwise 0. */
    private int dots(int from) {
        int length = size - from;
        if (length == 0 || length > 2 * "%2E".length() || (bytes[from] != '.' && bytes[from] != '%')) {
            return 0;
        }
        String dots =
                new String(bytes, from, length, ISO_8859_1).replace("%2e", ".").replace("%2E", ".");
        return dots.equals(".") ? 1 : dots.equals("..") ? 2 : 0;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * size, size + more));
        }
    }

    @Override
    public String toString() {
        return new String(bytes, 0, size, ISO_8859_1);
    }

    /**
     * The standard's path and special-query percent-encode sets, section 1.3, and in a path the vertical bar, which
     * OkHttp would escape when it sends the URL.
     */
    private static byte[] classes() {
        byte[] classes = new byte[128];
        Arrays.fill(classes, 0, 0x21, (byte) (PATH | QUERY));
        classes[0x7F] = PATH | QUERY;
        "\"#<>".chars().forEach(c -> classes[c] = PATH | QUERY);
        "^`{}|".chars().forEach(c -> classes[c] = PATH);
        "/\\?".chars().forEach(c -> classes[c] = SEGMENT_END);
        classes['\''] = QUERY;
        return classes;
    }
}
