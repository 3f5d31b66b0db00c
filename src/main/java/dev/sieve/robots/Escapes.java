package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;

/** Percent-encoding as robots.txt compares it (RFC 3986, sections 2.1 and 2.3). */
final class Escapes {
    private static final String HEX = "0123456789ABCDEF";

    private Escapes() {}

    /** Escapes every byte beyond ASCII, and spells the escapes that are there in upper case. */
    static String escape(byte[] text) {
        StringBuilder escaped = new StringBuilder(text.length);
        for (byte signed : text) {
            int b = signed & 0xff;
            if (b >= 0x80) {
                escaped.append('%').append(HEX.charAt(b >> 4)).append(HEX.charAt(b & 15));
            } else {
                escaped.append((char) b);
            }
        }
        return new String(upperCase(escaped.toString().getBytes(ISO_8859_1)), ISO_8859_1);
    }

    static byte[] upperCase(byte[] text) {
        byte[] upper = text.clone();
        for (int i = 0; i + 2 < text.length; i++) {
            int b = escapedByte(text, i);
            if (b >= 0) {
                upper[i + 1] = (byte) HEX.charAt(b >> 4);
                upper[i + 2] = (byte) HEX.charAt(b & 15);
            }
        }
        return upper;
    }

    static String decodeUnreserved(String text) {
        return text.indexOf('%') < 0 ? text : new String(decodeUnreserved(text.getBytes(ISO_8859_1)), ISO_8859_1);
    }

    static byte[] decodeUnreserved(byte[] text) {
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(text.length);
        for (int i = 0; i < text.length; i++) {
            int b = escapedByte(text, i);
            if (b >= 0 && isUnreserved(b)) {
                decoded.write(b);
                i += 2;
            } else {
                decoded.write(text[i]);
            }
        }
        return decoded.toByteArray();
    }

    /** The byte that the escape at a position stands for; negative when there is none. */
    private static int escapedByte(byte[] text, int at) {
        if (text[at] != '%' || at + 2 >= text.length) {
            return -1;
        }
        int high = Character.digit(text[at + 1], 16);
        int low = Character.digit(text[at + 2], 16);
        return high < 0 || low < 0 ? -1 : (high << 4) | low;
    }

    private static boolean isUnreserved(int b) {
        return isLetter(b) || (b >= '0' && b <= '9') || "-._~".indexOf(b) >= 0;
    }

    static boolean isLetter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
}
