package dev.sieve.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A Huffman code for parts of URLs, which is the same for all crawls: the code of a character depends on the kind of
 * the one before it. The rest of the last byte is filled with ones. A usual URL takes about five bits per character.
 */
final class UrlCode {
    /** The maximum length of the code of one byte, in bytes. */
    static final int MAX_GROWTH = 3;

    /** The most characters that one byte of a code stands for. */
    static final int MAX_CHARACTERS = 4;

    /** The kinds of characters: vowels, other small letters, digits, and all others. */
    private static final int KINDS = 4;

    private static final int OTHER = 3;

    /** The symbols: the characters from ' ' to '~', and one that any other byte follows. */
    private static final int ESCAPE = 95;

    private static final int SYMBOLS = 96;

    private static final int MAX_BITS = 12;

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

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final byte[] KIND = new byte[256];
    /** The bits of each byte after each kind, and then, in the lowest 5 bits, how many they are. */
    private static final int[][] CODES = new int[KINDS][256];

    private static final int LENGTH_BITS = 5;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

    /** The symbol that each 12 bits after each kind begin with, and then, in the lowest 5 bits, how many bits it has. */
    private static final short[][] STARTS = new short[KINDS][1 << MAX_BITS];

    static {
        Arrays.fill(KIND, (byte) OTHER);
        Arrays.fill(KIND, 'a', 'z' + 1, (byte) 1);
        Arrays.fill(KIND, '0', '9' + 1, (byte) 2);
        "aeiou".chars().forEach(vowel -> KIND[vowel] = 0);
        for (int kind = 0; kind < KINDS; kind++) {
            make(LENGTHS[kind], CODES[kind], STARTS[kind]);
        }
    }

    private UrlCode() {}

    /** Makes the canonical code after one kind: shorter codes are lower, those of one length in the order of the symbols. */
    private static void make(String lengths, int[] codes, short[] starts) {
        int next = 0;
        for (int length = 1; length <= MAX_BITS; length++) {
            for (int symbol = 0; symbol < SYMBOLS; symbol++) {
                if (Character.digit(lengths.charAt(symbol), 16) == length) {
                    int end = next + (1 << (MAX_BITS - length));
                    Arrays.fill(starts, next, end, (short) ((symbol << LENGTH_BITS) | length));
                    codes[symbol + ' '] = ((next >>> (MAX_BITS - length)) << LENGTH_BITS) | length;
                    next = end;
                }
            }
        }
        int escape = codes[ESCAPE + ' '];
        for (int value = 0; value < codes.length; value++) {
            if (value < ' ' || value >= ESCAPE + ' ') {
                int bits = ((escape >>> LENGTH_BITS) << Byte.SIZE) | value;
                codes[value] = (bits << LENGTH_BITS) | ((escape & LENGTH_MASK) + Byte.SIZE);
            }
        }
    }

    /** Returns an array that has room for the code of a text. */
    static byte[] room(int length) {
        // Whole ints are written.
        return new byte[MAX_GROWTH * length + Integer.BYTES];
    }

    /** Writes the code of a text to the beginning of an array with {@link #room}; returns the length of the code. */
    static int encode(byte[] text, int from, int to, byte[] out) {
        long bits = 0;
        int at = 0;
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
                INTS.set(out, at, (int) (bits >>> count));
                at += Integer.BYTES;
            }
        }
        int fill = -count & 7;
        bits = (bits << fill) | ((1 << fill) - 1);
        INTS.set(out, at, (int) (bits << (Integer.SIZE - count - fill)));
        return at + (count + fill) / Byte.SIZE;
    }

    /** Reads a code into a text, or only measures it (null), and checks it. Returns the length; -1 when it is damaged. */
    static int decode(byte[] code, int from, int to, byte @Nullable [] out, int outFrom) {
        int at = from;
        int length = 0;
        int kind = OTHER;
        long bits = 0;
        int count = 0;
        while (true) {
            for (; count <= Integer.SIZE && at < to; count += Byte.SIZE) {
                bits = (bits << Byte.SIZE) | (code[at++] & 0xff);
            }
            // Missing bits count as ones; less than a byte of ones is no symbol.
            int missing = Math.max(0, MAX_BITS - count);
            long next = ((bits << missing) | ((1 << missing) - 1)) >>> (count + missing - MAX_BITS);
            int start = STARTS[kind][(int) next & (STARTS[kind].length - 1)];
            int used = start & LENGTH_MASK;
            int value = (start >>> LENGTH_BITS) + ' ';
            if (used > count) {
                boolean isFill = count < Byte.SIZE && (~bits & ((1 << count) - 1)) == 0;
                return isFill ? length : -1;
            }
            count -= used;
            if (value == ESCAPE + ' ') {
                if (count < Byte.SIZE) {
                    return -1;
                }
                count -= Byte.SIZE;
                value = (int) (bits >>> count) & 0xff;
            }
            if (out != null) {
                out[outFrom + length] = (byte) value;
            }
            length++;
            kind = KIND[value];
        }
    }
}
