package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.charset.Charset;
import java.util.Locale;

/**
 * The bytes of a document in a charset that has ASCII in it, and that charset.
 *
 * <p>A byte order mark wins over the server's charset, which wins over the document's own, which is looked for at its
 * beginning; UTF-8 where there is none, or none that is known.
 *
 * @param bytes the document
 * @param charset how to read what is not ASCII
 */
@SuppressWarnings("ArrayRecordComponent") // a pair for one reader, that nobody compares
record DocumentText(byte[] bytes, Charset charset) {
    /** How far into a document its own charset is looked for; the standard wants 1024 bytes, some pages need more. */
    private static final int PRESCAN = 4096;

    /**
     * Reads the charset of a body.
     *
     * @param declared what the server says; null when it says nothing
     */
    static DocumentText of(byte[] body, String declared) {
        Charset mark = mark(body);
        Charset charset = mark != null ? mark : declared == null ? own(body) : known(declared);
        if (charset == null) {
            charset = UTF_8;
        }
        return hasAscii(charset)
                ? new DocumentText(body, charset)
                : new DocumentText(new String(body, charset).getBytes(UTF_8), UTF_8);
    }

    private static Charset mark(byte[] body) {
        int first = body.length < 2 ? 0 : (body[0] & 0xff) << 8 | (body[1] & 0xff);
        if (first == 0xFEFF) {
            return UTF_16BE;
        } else if (first == 0xFFFE) {
            return UTF_16LE;
        }
        return first == 0xEFBB && body.length > 2 && body[2] == (byte) 0xBF ? UTF_8 : null;
    }

    private static Charset own(byte[] body) {
        MetaCharset meta = new MetaCharset(body);
        new HtmlScanner(body, Math.min(body.length, PRESCAN), false, meta).scan();
        // Whoever can read this much of it as ASCII does not have UTF-16 before him, whatever it says.
        return meta.charset != null && hasAscii(meta.charset) ? meta.charset : null;
    }

    private static final class MetaCharset implements HtmlScanner.Visitor {
        private final byte[] body;
        private Charset charset;

        MetaCharset(byte[] body) {
            this.body = body;
        }

        @Override
        public void startTag(Tag tag, HtmlScanner attributes) {
            if (tag != Tag.META || charset != null) {
                return;
            }
            String name = value(attributes, HtmlScanner.CHARSET);
            if (name == null) {
                String content = value(attributes, HtmlScanner.CONTENT);
                int start =
                        content == null ? -1 : content.toLowerCase(Locale.ROOT).indexOf("charset=");
                name = start < 0 ? null : content.substring(start + "charset=".length());
            }
            charset = name == null ? null : known(name);
        }

        private String value(HtmlScanner attributes, int attribute) {
            int from = attributes.from(attribute);
            return from < 0 ? null : new String(body, from, attributes.to(attribute) - from, UTF_8);
        }

        @Override
        public void text(Tag tag, int from, int to) {}
    }

    private static Charset known(String name) {
        int end = name.indexOf(';');
        String trimmed = (end < 0 ? name : name.substring(0, end)).replaceAll("[\\s\"']", "");
        try {
            return Charset.forName(trimmed);
        } catch (IllegalArgumentException e) {
            // No name of a charset, or one that is not known.
            return null;
        }
    }

    /** Whether every byte below 128 is that ASCII character, outside of a character of several bytes. */
    private static boolean hasAscii(Charset charset) {
        if (charset.equals(UTF_8)) {
            return true;
        }
        byte[] tag = {'<', 'a', ' ', 'h', 'r', 'e', 'f', '=', '"', '&', '\'', '/', '>'};
        return new String(tag, charset).equals("<a href=\"&'/>")
                && !charset.name().contains("2022");
    }
}
