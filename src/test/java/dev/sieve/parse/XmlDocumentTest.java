package dev.sieve.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A document in XML says the same as one in HTML. */
class XmlDocumentTest {
    private static final String DOCUMENT =
            "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>T</title>%s</head><body>"
                    + "<h1>Head</h1><p>one</p><p>two</p><ul><li>a</li><li>b</li></ul><table><tr><td>c</td><td>d</td></tr></table>"
                    + "<p>e<br/>f <b>g</b>h</p></body></html>";

    /** What is read of a document. */
    private static final class Read {
        private final TextDigest digest = new TextDigest();
        private final WordHash words = new WordHash();
        private final Metadata metadata = new Metadata();
        private final LinkExtractor.Document document;
        private final String text;

        Read(TextForm form, String type, String html) {
            TextWriter writer = form.writer();
            document = new LinkExtractor("", true)
                    .read(
                            "http://h.test/",
                            Documents.page(type, html),
                            List.of(digest, words, metadata, writer),
                            (reference, reason, isResource) -> {});
            text = writer.finish().text();
        }
    }

    @ParameterizedTest
    @EnumSource(TextForm.class)
    void textOfXmlIsThatOfHtml(TextForm form) {
        String document = DOCUMENT.formatted("");

        Read html = new Read(form, "text/html", "<!DOCTYPE html>" + document);
        Read xml = new Read(form, "application/xhtml+xml", document);

        assertThat(xml.text).isNotEmpty().isEqualTo(html.text);
        assertThat(xml.digest.finish()).isEqualTo(html.digest.finish());
        assertThat(xml.words.value()).isEqualTo(html.words.value());
    }

    @Test
    void textInScriptAndStyleIsRead() {
        Read read = new Read(
                TextForm.PLAIN,
                "application/xhtml+xml",
                DOCUMENT.formatted("<script type='application/ld+json'>{\"a\": 1}</script>"
                        + "<script type='application/ld+json'><![CDATA[{\"b\": \"<\"}]]></script>"
                        + "<style>p { background: url(bg.png) }</style><style><![CDATA[@import 'i.css';]]></style>"));

        assertThat(read.metadata.finish(null)).containsEntry("json_ld", List.of("{\"a\": 1}", "{\"b\": \"<\"}"));
        assertThat(read.document.resources().keySet()).containsExactly("http://h.test/bg.png", "http://h.test/i.css");
        assertThat(read.text).doesNotContain("url", "\"a\"");
    }
}
