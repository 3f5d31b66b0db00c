package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * A URL that is being written: its ASCII, the escapes that the WHATWG URL standard asks for, and the dot segments that
 * it takes back again. Used over and over by one parser.
 */
final class UrlBuffer {
    /** The most characters of a URL; see {@link UrlNormalizer#MAX_LENGTH}. */
    static final int MAX_LENGTH = 4096;

    /** Kinds of characters: what is escaped in a path, what ends a segment there, what is escaped in a query. */
    private static final int PATH = 1;

    private static final int SEGMENT_END = 2;
    private static final int QUERY = 4;
    private static final byte[] KINDS = kinds();
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

    /** Says where the path begins, in which dot segments are taken back. */
    void beginPath(int start) {
        pathStart = start;
    }

    void put(char ascii) {
        putByte(ascii);
    }

    void put(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            putByte(ascii.charAt(i));
        }
    }

    void put(byte[] ascii, int length) {
        reserve(length);
        System.arraycopy(ascii, 0, bytes, size, length);
        size += length;
    }

    /** Writes a segment of a path, and answers the index of the character that ends it. */
    int putSegment(String text, int from, int end) {
        return putEscaped(text, from, end, PATH, SEGMENT_END);
    }

    void putQuery(String text, int from, int end) {
        putEscaped(text, from, end, QUERY, 0);
    }

    /** Writes characters, escaped where they are of one kind, up to the first of another; answers its index. */
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
            } else if ((KINDS[c] & stop) == 0) {
                escape(c);
                i++;
            } else {
                return i;
            }
        }
    }

    /** Writes characters up to the first that is of these kinds or not ASCII, and answers its index. */
    private int putPlain(String text, int from, int end, int kinds) {
        reserve(end - from);
        byte[] to = bytes;
        int at = size;
        int i = from;
        for (; i < end; i++) {
            char c = text.charAt(i);
            if (c >= 0x80 || (KINDS[c] & kinds) != 0) {
                break;
            }
            to[at++] = (byte) c;
        }
        size = at;
        return i;
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
        putByte('%');
        putByte(HEX[octet >> 4]);
        putByte(HEX[octet & 15]);
    }

    /**
     * Takes the segment that was written last back when it is {@code .} or {@code ..}, and the one before it with the
     * latter.
     *
     * @param segment where the slash before it stands
     * @param last whether no segment follows, so that the path has to end with a slash
     */
    void dropDots(int segment, boolean last) {
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
            putByte('/');
        }
    }

    /** 1 or 2 when what was written from there on is that many dots, each of them escaped or not; else 0. */
    private int dots(int from) {
        int dots = 0;
        for (int i = from; i < size; i++) {
            if (bytes[i] == '%' && i + 2 < size && bytes[i + 1] == '2' && (bytes[i + 2] | 0x20) == 'e') {
                i += 2;
            } else if (bytes[i] != '.') {
                return 0;
            }
            if (++dots > 2) {
                return 0;
            }
        }
        return dots;
    }

    private void putByte(int ascii) {
        reserve(1);
        bytes[size++] = (byte) ascii;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * size, size + more));
        }
    }

    /** What was written. */
    @Override
    public String toString() {
        return new String(bytes, 0, size, ISO_8859_1);
    }

    /** The standard's path and special-query percent-encode sets, section 1.3, and what ends a segment. */
    private static byte[] kinds() {
        byte[] kinds = new byte[128];
        Arrays.fill(kinds, 0, 0x21, (byte) (PATH | QUERY));
        kinds[0x7F] = PATH | QUERY;
        "\"#<>".chars().forEach(c -> kinds[c] = PATH | QUERY);
        "^`{}".chars().forEach(c -> kinds[c] = PATH);
        "/\\?".chars().forEach(c -> kinds[c] = SEGMENT_END);
        kinds['\''] = QUERY;
        return kinds;
    }
}
