package dev.sieve.robots;

import dev.sieve.url.UrlSyntax;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A path, or the pattern of a rule, in a spelling in which octets that are equal are equal text (RFC 9309, sections
 * 2.2.2 and 2.2.3).
 *
 * <p>Octets beyond ASCII, control characters and others that a URL must escape, and literal stars and dollar signs are
 * escaped, whether the text escapes them or not, and all escapes are in upper case. On request, those of unreserved
 * characters are decoded. A spelling is at most three times as long as the text.
 */
final class PathSpelling {
    /** A star of a pattern that matches any octets; no path contains it. */
    static final byte ANY = '\n';

    /**
     * The percent sign of a whole escape in a pattern, which {@link #matches} that of the same escape in a path, or of
     * a character that the path does not escape. The sign of an incomplete escape, such as {@code /%}, only matches one
     * that is sent.
     */
    static final byte ESCAPE = 2;

    /** The percent sign of a character that a path does not escape. */
    private static final byte ADDED = 1;

    /** The ASCII characters, apart from the unreserved ones, that are equal to their escapes. */
    private static final String LITERAL = "*$ \"<>^`{}|'\u007F";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    final byte[] bytes;

    /** How many octets the text has when it is sent, by which the precedence of rules is determined. */
    final int octets;

    private PathSpelling(byte[] text, boolean isPattern, boolean decodesUnreserved) {
        byte[] spelled = new byte[3 * text.length];
        int length = 0;
        int more = 0;
        for (int i = 0; i < text.length; i++) {
            int octet = UrlSyntax.octet(text, i);
            if (octet >= 0) {
                i += 2;
                if (decodesUnreserved && UrlSyntax.isUnreserved(octet)) {
                    spelled[length++] = (byte) octet;
                } else {
                    length = escape(octet, isPattern ? ESCAPE : (byte) '%', spelled, length);
                }
            } else if (text[i] == '*' && isPattern) {
                boolean isRepeated = length > 0 && spelled[length - 1] == ANY;
                more += isRepeated ? 1 : 0;
                length -= isRepeated ? 1 : 0;
                spelled[length++] = ANY;
            } else if (text[i] < 0 && !isPattern) {
                // A path is sent without octets beyond ASCII, so no rule matches one that has them.
                spelled[length++] = ANY;
            } else if (text[i] < ' ' || LITERAL.indexOf(text[i]) >= 0) {
                // Dollar signs are sent as they are.
                more -= text[i] == '$' ? 2 : 0;
                length = escape(text[i], isPattern ? ESCAPE : ADDED, spelled, length);
            } else {
                spelled[length++] = text[i];
            }
        }
        bytes = Arrays.copyOf(spelled, length);
        octets = length + more;
    }

    private static int escape(int octet, byte percent, byte[] target, int at) {
        target[at] = percent;
        target[at + 1] = (byte) HEX.toHighHexDigit(octet);
        target[at + 2] = (byte) HEX.toLowHexDigit(octet);
        return at + 3;
    }

    /** Returns whether a byte of a pattern, other than {@link #ANY}, matches a byte of a path. */
    static boolean matches(byte ofPattern, byte ofPath) {
        return ofPattern == ofPath || (ofPattern == ESCAPE && (ofPath == '%' || ofPath == ADDED));
    }

    /** Returns a pattern, without the dollar sign that matches the end. */
    static PathSpelling ofPattern(byte[] pattern, boolean decodesUnreserved) {
        return new PathSpelling(pattern, true, decodesUnreserved);
    }

    static PathSpelling ofPath(byte[] path, boolean decodesUnreserved) {
        return new PathSpelling(path, false, decodesUnreserved);
    }
}
