package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.url.UrlSyntax;
import java.util.HexFormat;

/** The two spellings in which patterns and paths are compared (RFC 9309, section 2.2.2). Strings hold one byte per char. */
final class PathSpelling {
    /** The characters that must be escaped in a URL, in a path or in a query, but that a rule may contain as they are. */
    private static final String ESCAPED = " \"<>^`{}|'";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private PathSpelling() {}

    /** Returns a pattern in the spelling of {@link #ofPath}, bytes beyond ASCII escaped. */
    static String ofPattern(byte[] pattern) {
        return spell(pattern, true);
    }

    /** Returns a path as it is sent, with {@link #ESCAPED} characters escaped and all escapes in upper case. */
    static String ofPath(byte[] path) {
        return spell(path, false);
    }

    private static String spell(byte[] text, boolean escapesNonAscii) {
        StringBuilder spelled = new StringBuilder(text.length);
        for (int i = 0; i < text.length; i++) {
            int octet = UrlSyntax.octet(text, i);
            if (octet >= 0 || (text[i] < 0 && escapesNonAscii) || ESCAPED.indexOf(text[i]) >= 0) {
                spelled.append('%').append(HEX.toHexDigits((byte) (octet >= 0 ? octet : text[i])));
                i += octet >= 0 ? 2 : 0;
            } else {
                spelled.append((char) (text[i] & 0xff));
            }
        }
        return spelled.toString();
    }

    /** Returns the text with the escapes of unreserved characters decoded. */
    static String decoded(String sent) {
        if (sent.indexOf('%') < 0) {
            return sent;
        }
        byte[] text = sent.getBytes(ISO_8859_1);
        StringBuilder decoded = new StringBuilder(text.length);
        for (int i = 0; i < text.length; i++) {
            int octet = UrlSyntax.octet(text, i);
            boolean decodes = octet >= 0 && UrlSyntax.isUnreserved(octet);
            decoded.append((char) (decodes ? octet : text[i] & 0xff));
            i += decodes ? 2 : 0;
        }
        return decoded.toString();
    }
}
