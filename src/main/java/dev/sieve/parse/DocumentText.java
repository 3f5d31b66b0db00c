package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.fetch.FetchResult;
import java.nio.charset.Charset;
import org.jsoup.nodes.Element;

/**
 * The bytes of a document and the charset to read them with.
 *
 * @param bytes the body, byte order mark included
 * @param from where its text begins
 * @param charset that of the byte order mark, of the Content-Type, or UTF-8
 * @param isCertain whether a declaration in the document does not count
 */
@SuppressWarnings("ArrayRecordComponent") // not compared
record DocumentText(byte[] bytes, int from, Charset charset, boolean isCertain) {

    static DocumentText of(FetchResult.Page page) {
        byte[] body = page.body();
        int first = body.length < 2 ? 0 : (body[0] & 0xff) << 8 | (body[1] & 0xff);
        if (first == 0xFEFF) {
            return new DocumentText(body, 2, UTF_16BE, true);
        } else if (first == 0xFFFE) {
            return new DocumentText(body, 2, UTF_16LE, true);
        } else if (first == 0xEFBB && body.length > 2 && body[2] == (byte) 0xBF) {
            return new DocumentText(body, 3, UTF_8, true);
        }
        // The page holds the charset as Java names it, and only those that Java has under that label.
        String header = page.header("content-type");
        String label = header == null ? null : CharsetLabels.inContentType(header);
        Charset charset = CharsetLabels.charset(label == null ? page.charset() : label);
        return new DocumentText(body, 0, charset == null ? UTF_8 : charset, charset != null);
    }

    /** The same document in another charset. */
    DocumentText in(Charset other) {
        return new DocumentText(bytes, from, other, true);
    }

    /** Returns the charset that an element declares; null when it does not declare one that is known. */
    static Charset declared(Element element) {
        if (!element.nameIs("meta")) {
            return null;
        }
        Charset charset = CharsetLabels.ofDocument(element.attr("charset"));
        boolean isType = charset == null && element.attr("http-equiv").equalsIgnoreCase("content-type");
        return isType ? CharsetLabels.ofDocument(CharsetLabels.inContentType(element.attr("content"))) : charset;
    }
}
