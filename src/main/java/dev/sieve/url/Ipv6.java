package dev.sieve.url;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The IPv6 parser and serializer of the WHATWG URL standard, sections 3.5 and 3.6. */
final class Ipv6 {
    private static final int PIECES = 8;
    private static final Pattern PIECE = Pattern.compile("[0-9A-Fa-f]{1,4}");
    private static final String BYTE = "(0|[1-9][0-9]{0,2})";
    /** An address that ends in an IPv4 address. */
    private static final Pattern DOTTED =
            Pattern.compile("(.*:)" + BYTE + "\\." + BYTE + "\\." + BYTE + "\\." + BYTE, Pattern.DOTALL);

    private Ipv6() {}

    /** Returns the address between the brackets in its canonical spelling; null when it is invalid. */
    static @Nullable String parse(String address) {
        String text = withoutDots(address);
        int gap = text.indexOf("::");
        String[] head = pieces(gap < 0 ? text : text.substring(0, gap));
        String[] tail = pieces(gap < 0 ? "" : text.substring(gap + 2));
        int count = head.length + tail.length;
        boolean isComplete = gap < 0 ? count == PIECES : count < PIECES;
        if (!isComplete || !areValid(head) || !areValid(tail)) {
            return null;
        }
        int[] pieces = new int[PIECES];
        for (int i = 0; i < head.length; i++) {
            pieces[i] = HexFormat.fromHexDigits(head[i]);
        }
        for (int i = 0; i < tail.length; i++) {
            pieces[PIECES - tail.length + i] = HexFormat.fromHexDigits(tail[i]);
        }
        return spelled(pieces);
    }

    /** Replaces an IPv4 address at the end by the two pieces that it stands for. */
    private static String withoutDots(String address) {
        Matcher dotted = DOTTED.matcher(address);
        if (!dotted.matches()) {
            return address;
        }
        int[] bytes = new int[4];
        for (int i = 0; i < 4; i++) {
            bytes[i] = Integer.parseInt(dotted.group(i + 2));
            if (bytes[i] > 255) {
                return address;
            }
        }
        return dotted.group(1) + Integer.toHexString(bytes[0] << 8 | bytes[1]) + ":"
                + Integer.toHexString(bytes[2] << 8 | bytes[3]);
    }

    private static String[] pieces(String text) {
        return text.isEmpty() ? new String[0] : text.split(":", -1);
    }

    private static boolean areValid(String[] pieces) {
        return Arrays.stream(pieces).allMatch(piece -> PIECE.matcher(piece).matches());
    }

    /** Returns an address without leading zeros, and with {@code ::} for the first longest run of two or more zeros. */
    private static String spelled(int[] pieces) {
        int zeros = 0;
        int length = 1;
        for (int i = 0; i < PIECES; i++) {
            int end = i;
            while (end < PIECES && pieces[end] == 0) {
                end++;
            }
            if (end - i > length) {
                zeros = i;
                length = end - i;
            }
        }
        return length == 1
                ? joined(pieces, 0, PIECES)
                : joined(pieces, 0, zeros) + "::" + joined(pieces, zeros + length, PIECES);
    }

    private static String joined(int[] pieces, int from, int end) {
        return Arrays.stream(pieces, from, end).mapToObj(Integer::toHexString).collect(Collectors.joining(":"));
    }
}
