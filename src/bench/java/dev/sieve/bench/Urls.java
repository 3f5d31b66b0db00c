package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * Makes up the URL of any number, always the same one, and never one for two numbers. They are ASCII, 50 to 90 bytes
 * long and 68 on average. Safe for use by many threads.
 */
final class Urls {
    /** No URL is longer, in bytes. */
    static final int MAX_LENGTH = 128;

    private static final byte[][] HOSTS = words("www. docs. blog. en. shop. static. forum. m.");
    private static final byte[][] WORDS =
            words("garden harbour meadow lantern bridge copper willow market valley summer orchard river stone"
                    + " window paper silver castle forest island morning thunder winter kitchen journey village"
                    + " painter compass feather blanket mountain railway station");
    private static final byte[][] TOPS = words(".org/ .com/ .net/ .co.uk/");
    private static final byte[] SCHEME = "https://".getBytes(ISO_8859_1);
    private static final byte[] DIGITS = "0123456789abcdefghijklmnopqrstuv".getBytes(ISO_8859_1);

    private Urls() {}

    private static byte[][] words(String text) {
        String[] words = text.split(" ", -1);
        byte[][] bytes = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            bytes[i] = words[i].getBytes(ISO_8859_1);
        }
        return bytes;
    }

    static String url(long number) {
        byte[] bytes = new byte[MAX_LENGTH];
        return new String(bytes, 0, write(number, bytes, 0), ISO_8859_1);
    }

    /** Writes the URL of a number to a buffer that has room for {@link #MAX_LENGTH}; answers where it ends. */
    static int write(long number, byte[] out, int at) {
        long dice = mix(number);
        int end = put(SCHEME, out, at);
        end = put(HOSTS[(int) dice & 7], out, end);
        end = put(WORDS[(int) (dice >>> 3) & 31], out, end);
        end = put(WORDS[(int) (dice >>> 8) & 31], out, end);
        end = put(TOPS[(int) (dice >>> 13) & 3], out, end);
        end = put(WORDS[(int) (dice >>> 15) & 31], out, end);
        out[end++] = '/';
        int more = 1 + ((int) (dice >>> 20) & 3);
        for (int i = 0; i < more; i++) {
            end = put(WORDS[(int) (dice >>> (22 + 5 * i)) & 31], out, end);
            out[end++] = '-';
        }
        return putNumber(number, out, end);
    }

    private static int put(byte[] word, byte[] out, int at) {
        System.arraycopy(word, 0, out, at, word.length);
        return at + word.length;
    }

    private static int putNumber(long number, byte[] out, int at) {
        int end = at;
        long rest = number;
        do {
            out[end++] = DIGITS[(int) rest & 31];
            rest >>>= 5;
        } while (rest != 0);
        return end;
    }

    /** The mixing step of SplitMix64: G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom generators" (2014). */
    static long mix(long number) {
        long z = (number + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
