package dev.sieve.parse;

import static dev.sieve.parse.CharsetLabels.UTF_16BE;
import static dev.sieve.parse.CharsetLabels.UTF_16LE;
import static dev.sieve.parse.CharsetLabels.UTF_8;

import dev.sieve.fetch.FetchResult;
import java.nio.charset.Charset;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a document and its charset.
 *
 * @param from where the text begins, after a byte order mark
 * @param charset that of the byte order mark, of the Content-Type, of the XML declaration, or UTF-8
 * @param isCertain whether to ignore a declaration in the document
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
        String header = page.header("content-type");
        Charset charset = header == null ? null : CharsetLabels.charset(CharsetLabels.inContentType(header));
        Charset declared = charset == null ? CharsetLabels.inXmlDeclaration(body) : charset;
        // By the HTML standard, a meta element comes before the declaration, while XML has no such element.
        boolean isCertain = charset != null || (declared != null && page.type().equals("application/xhtml+xml"));
        return new DocumentText(body, 0, declared == null ? UTF_8 : declared, isCertain);
    }

    DocumentText in(Charset other) {
        return new DocumentText(bytes, from, other, true);
    }

    /** Returns the charset that an element declares; null when it declares none that is supported. */
    static @Nullable Charset declared(Element element) {
        if (!element.nameIs("meta")) {
            return null;
        }
        Charset charset = CharsetLabels.ofDocument(element.attr("charset"));
        boolean isType = charset == null && element.attr("http-equiv").equalsIgnoreCase("content-type");
        return isType ? CharsetLabels.ofDocument(CharsetLabels.inContentType(element.attr("content"))) : charset;
    }
}
