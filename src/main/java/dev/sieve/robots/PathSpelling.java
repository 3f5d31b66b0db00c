package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.url.UrlSyntax;

/** The two spellings in which patterns and paths are compared (RFC 9309, section 2.2.2). Strings hold one byte per char. */
final class PathSpelling {
    private static final String HEX = "0123456789ABCDEF";

    private PathSpelling() {}

    /** A pattern as it is compared with a path as it is sent: bytes beyond ASCII escaped, all escapes in upper case. */
    static String ofPattern(byte[] pattern) {
        return spell(pattern, true);
    }

    /** A path as it is sent, with all escapes in upper case. */
    static String ofPath(byte[] path) {
        return spell(path, false);
    }

    private static String spell(byte[] text, boolean escapesNonAscii) {
        StringBuilder spelled = new StringBuilder(text.length);
        for (int i = 0; i < text.length; i++) {
            int octet = UrlSyntax.octet(text, i);
            if (octet >= 0) {
                escape(octet, spelled);
                i += 2;
            } else if (text[i] < 0 && escapesNonAscii) {
                escape(text[i] & 0xff, spelled);
            } else {
                spelled.append((char) (text[i] & 0xff));
            }
        }
        return spelled.toString();
    }

    private static void escape(int octet, StringBuilder to) {
        to.append('%').append(HEX.charAt(octet >> 4)).append(HEX.charAt(octet & 15));
    }

    /** The same text with the escapes of unreserved characters decoded. */
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
