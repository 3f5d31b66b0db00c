package dev.sieve.shared;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A Huffman code for parts of URLs, which is the same for all crawls: the code of a character depends on the kind of the
 * one before it. What is left of the last byte is filled with ones. A usual URL takes about five bits per character.
 */
final class UrlCode {
    /** The maximum length of the code of one byte, in bytes. */
    static final int MAX_GROWTH = 3;

    /** The kinds of characters: vowels, other small letters, digits, and all others. */
    private static final int KINDS = 4;

    private static final int OTHER = 3;

    /** The symbols: the characters from ' ' to '~', and one that any other byte follows. */
    private static final int ESCAPE = 95;

    private static final int SYMBOLS = 96;

    /**
     * The length of the code of each symbol after each kind, in base 16. They come from 2,362 URLs of 874 hosts in the
     * documentation of a Linux system and from 10,314 words of it, joined as in the paths of articles. All are part of
     * the format of a crawl.
     */
    private static final String[] LENGTHS = {
        "ccccccccccccc566cbbccccccccccacbccccccccccccccccccccccccccccccc7c55446659687443558344667678ccccc",
        "bccaccccccccc455ba9abcccbc5ccacbccccccccccccccccccccccccccccccc6c4866375549756745a543586869cbbbc",
        "ccc8c89cc9ccb53334444545549acccab9999a9cccccccccbccccbcccaccccc6c777777c8aaacacc9b9999ba9abccccc",
        "ccc9cbcccccccaa28889aabbabbcccccc9a9a9abbabcaaaa9ca89abbbccccccac56455564578556549545675789cccac"
    };

    private static final byte[] KIND = new byte[256];
    /** The bits of each byte after each kind, and then, in the lowest 5 bits, how many they are. */
    private static final int[][] CODES = new int[KINDS][256];

    private static final int LENGTH_BITS = 5;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

    private static final Table[] TABLES = new Table[KINDS];

    static {
        Arrays.fill(KIND, (byte) OTHER);
        Arrays.fill(KIND, 'a', 'z' + 1, (byte) 1);
        Arrays.fill(KIND, '0', '9' + 1, (byte) 2);
        "aeiou".chars().forEach(vowel -> KIND[vowel] = 0);
        Arrays.setAll(TABLES, kind -> new Table(LENGTHS[kind], CODES[kind]));
    }

    private UrlCode() {}

    /** The canonical code after one kind: shorter codes are lower, and those of one length in the order of the symbols. */
    private static final class Table {
        static final int MAX_LENGTH = 15;

        /** The symbols in the order of their codes. */
        final byte[] ordered = new byte[SYMBOLS];
        /** The first code of each length, how many there are, and the place of the first one in the order. */
        final int[] first = new int[MAX_LENGTH + 1];

        final int[] counts = new int[MAX_LENGTH + 1];
        final int[] places = new int[MAX_LENGTH + 1];

        Table(String digits, int[] codes) {
            int code = 0;
            int place = 0;
            for (int length = 1; length <= MAX_LENGTH; length++, code <<= 1) {
                first[length] = code;
                places[length] = place;
                for (int symbol = 0; symbol < SYMBOLS; symbol++) {
                    if (Character.digit(digits.charAt(symbol), 16) == length) {
                        codes[symbol + ' '] = (code << LENGTH_BITS) | length;
                        code++;
                        ordered[place++] = (byte) symbol;
                    }
                }
                counts[length] = place - places[length];
            }
            int escape = codes[ESCAPE + ' '];
            for (int value = 0; value < codes.length; value++) {
                if (value < ' ' || value >= ESCAPE + ' ') {
                    int bits = ((escape >>> LENGTH_BITS) << Byte.SIZE) | value;
                    codes[value] = (bits << LENGTH_BITS) | ((escape & LENGTH_MASK) + Byte.SIZE);
                }
            }
        }

        /** Returns the symbol of some bits; -1 when they are only the start of its code. */
        int symbol(int bits, int count) {
            int index = bits - first[count];
            return index < counts[count] ? ordered[places[count] + index] : -1;
        }
    }

    /** Returns the code of a text. */
    static byte[] encode(byte[] text, int from, int to) {
        // Whole ints are written, so there is room for one more.
        ByteBuffer out = ByteBuffer.allocate(MAX_GROWTH * (to - from) + Integer.BYTES);
        long bits = 0;
        int count = 0;
        int kind = OTHER;
        for (int i = from; i < to; i++) {
            int code = CODES[kind][text[i] & 0xff];
            kind = KIND[text[i] & 0xff];
            int length = code & LENGTH_MASK;
            bits = (bits << length) | (code >>> LENGTH_BITS);
            count += length;
            if (count >= Integer.SIZE) {
                count -= Integer.SIZE;
                out.putInt((int) (bits >>> count));
            }
        }
        int fill = -count & 7;
        int length = out.position() + (count + fill) / Byte.SIZE;
        bits = (bits << fill) | ((1 << fill) - 1);
        out.putInt((int) (bits << (Integer.SIZE - count - fill)));
        return Arrays.copyOf(out.array(), length);
    }

    /**
     * Reads a code, and checks all of it.
     *
     * @param out receives the text; null: it is only measured
     * @return the length of the text, -1 when the code is damaged
     */
    static int decode(byte[] code, int from, int to, byte @Nullable [] out, int outFrom) {
        int length = 0;
        int kind = OTHER;
        boolean isEscaped = false;
        int bits = 0;
        int count = 0;
        for (long at = (long) from * Byte.SIZE; at < (long) to * Byte.SIZE; at++) {
            bits = (bits << 1) | ((code[(int) (at >>> 3)] >>> (~at & 7)) & 1);
            count++;
            int value = bits;
            if (!isEscaped) {
                int symbol = TABLES[kind].symbol(bits, count);
                isEscaped = symbol == ESCAPE;
                if (isEscaped) {
                    bits = 0;
                    count = 0;
                }
                if (symbol < 0 || isEscaped) {
                    continue;
                }
                value = symbol + ' ';
            } else if (count < Byte.SIZE) {
                continue;
            }
            if (out != null) {
                out[outFrom + length] = (byte) value;
            }
            length++;
            kind = KIND[value];
            isEscaped = false;
            bits = 0;
            count = 0;
        }
        boolean isFill = !isEscaped && count < Byte.SIZE && bits == (1 << count) - 1;
        return isFill ? length : -1;
    }
}
