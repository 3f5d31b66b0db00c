package dev.sieve.url;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/** The character classes and the percent-encoding of RFC 3986. */
public final class UrlSyntax {
    private UrlSyntax() {}

    /** Returns whether a character is an ASCII letter. */
    public static boolean isLetter(int c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    /** Returns whether a character is an ASCII digit. */
    public static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** Returns whether a character means the same with and without percent-encoding, section 2.3. */
    public static boolean isUnreserved(int c) {
        return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~';
    }

    /** Returns the octet that the escape at an index encodes, section 2.1; -1 without a complete escape. */
    public static int octet(byte[] text, int index) {
        if (text[index] != '%' || index + 2 >= text.length) {
            return -1;
        }
        int high = Character.digit(text[index + 1], 16);
        int low = Character.digit(text[index + 2], 16);
        return high < 0 || low < 0 ? -1 : (high << 4) | low;
    }

    /** Decodes every escape, as UTF-8. */
    static String decode(String text) {
        byte[] utf8 = text.getBytes(UTF_8);
        ByteArrayOutputStream octets = new ByteArrayOutputStream(utf8.length);
        for (int i = 0; i < utf8.length; i++) {
            int octet = octet(utf8, i);
            octets.write(octet < 0 ? utf8[i] : octet);
            i += octet < 0 ? 0 : 2;
        }
        return octets.toString(UTF_8);
    }
}
