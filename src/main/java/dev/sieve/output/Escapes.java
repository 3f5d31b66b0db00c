package dev.sieve.output;

/** Text that holds no character by which it could break a line, or turn what stands around it. */
final class Escapes {
    private Escapes() {}

    /** Appends a text, with the escapes of a JSON string for what is not plain; quotation marks stay as they are. */
    static void append(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                out.append("\\\\");
            } else {
                append(out, c);
            }
        }
    }

    /** Appends a character, as four hexadecimal digits unless it is plain. */
    static void append(StringBuilder out, char c) {
        if (isPlain(c)) {
            out.append(c);
            return;
        }
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(Character.forDigit(c >> shift & 0xf, 16));
        }
    }

    /** Letters of any script stay legible; controls, surrogates and what turns the direction of writing do not. */
    private static boolean isPlain(char c) {
        return c < 0x7f ? c >= ' ' : Character.isLetterOrDigit(c);
    }
}
