package dev.sieve.url;

/** What the grammar of URLs, RFC 3986, asks of single characters. */
public final class Ascii {
    private Ascii() {}

    public static boolean isLetter(int c) {
        return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    }

    public static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** Section 2.3: reserved for nothing, so that its escape means the same. */
    static boolean isUnreserved(int c) {
        return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~';
    }

    /** Section 2.1: the octet that an escape at an index stands for; -1 when what stands there is no escape. */
    static int octet(byte[] ascii, int percent) {
        if (percent + 2 >= ascii.length) {
            return -1;
        }
        int high = Character.digit(ascii[percent + 1], 16);
        int low = Character.digit(ascii[percent + 2], 16);
        return high < 0 || low < 0 ? -1 : (high << 4) | low;
    }
}
