package dev.sieve.parse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.parser.Parser;

/**
 * The text of an XML sitemap, where a wrong escape costs at most its entry, and not all that follow. An ampersand that
 * does not begin a reference stands for itself, and names of HTML for their characters. The ampersand of another
 * reference, and each character that XML does not allow, becomes {@link #UNREADABLE}.
 */
final class SitemapText extends Reader {
    /** The character for what cannot be decoded; an entry that contains it is not a URL. */
    static final char UNREADABLE = '\uFFFD';

    private static final int LONGEST_REFERENCE = 40;

    private static final Pattern REFERENCE = Pattern.compile("(?:(?<xml>amp|lt|gt|quot|apos)|#(?<decimal>[0-9]{1,7})"
            + "|#x(?<hex>[0-9a-fA-F]{1,6})|(?<name>[a-zA-Z][a-zA-Z0-9]{0,30}));");

    private final BufferedReader in;
    /** Text in place of a reference, and how much of it was read. */
    private String replacement = "";

    private int read;
    private boolean isInData;

    SitemapText(Reader in) {
        this.in = new BufferedReader(in);
    }

    @Override
    public int read(char[] chars, int from, int length) throws IOException {
        int count = 0;
        for (int c = 0; count < length && c >= 0; ) {
            c = next();
            if (c >= 0) {
                chars[from + count++] = (char) c;
            }
        }
        return count == 0 && length > 0 ? -1 : count;
    }

    private int next() throws IOException {
        if (read < replacement.length()) {
            return replacement.charAt(read++);
        }
        int c = in.read();
        if (c == '<') {
            isInData |= following("![CDATA[".length()).equals("![CDATA[");
        } else if (c == ']') {
            isInData &= !following(2).equals("]>");
        } else if (c == '&' && !isInData) {
            replacement = reference(following(LONGEST_REFERENCE));
            read = 1;
            return replacement.charAt(0);
        }
        return c < 0 || isAllowed(c) ? c : UNREADABLE;
    }

    /** Returns the next characters without reading them. */
    private String following(int count) throws IOException {
        char[] next = new char[count];
        in.mark(count);
        int length = 0;
        for (int part = 0; part >= 0 && length < count; length += Math.max(0, part)) {
            part = in.read(next, length, count - length);
        }
        in.reset();
        return new String(next, 0, length);
    }

    /** Returns what replaces the ampersand in front of a text, and skips a name that it includes. */
    private String reference(String rest) throws IOException {
        Matcher reference = REFERENCE.matcher(rest);
        if (!reference.lookingAt()) {
            return "&amp;";
        }
        String name = reference.group("name");
        if (name != null) {
            String character = Parser.unescapeEntities("&" + reference.group(), false);
            if (character.startsWith("&" + name)) {
                return String.valueOf(UNREADABLE);
            }
            in.skip(reference.end());
            return character.replace("&", "&amp;").replace("<", "&lt;");
        }
        String hex = reference.group("hex");
        String digits = hex == null ? reference.group("decimal") : hex;
        int c = digits == null ? ' ' : Integer.parseInt(digits, hex == null ? 10 : 16);
        boolean isText = isAllowed(c) && Character.getType(c) != Character.SURROGATE;
        return isText ? "&" : String.valueOf(UNREADABLE);
    }

    /** Whether a character is a Char of XML 1.0; one of a pair is. */
    private static boolean isAllowed(int c) {
        return c >= ' '
                ? c != 0xFFFE && c != 0xFFFF && c <= Character.MAX_CODE_POINT
                : c == '\t' || c == '\n' || c == '\r';
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
