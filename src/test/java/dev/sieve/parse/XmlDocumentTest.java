package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private static final class Read implements LinkExtractor.Rest {
        private final TextForm form;
        private final List<String> resources = new ArrayList<>();
        private String text = "";
        private Map<String, Object> meta = Map.of();

        private Read(TextForm form) {
            this.form = form;
        }

        private LinkExtractor.Document of(String type, String text) {
            byte[] body = text.getBytes(UTF_8);
            FetchResult.Page page = new FetchResult.Page(
                    200, Map.of("content-type", List.of(type + "; charset=utf-8")), type, body, body.length, false);
            return LinkExtractor.read("http://h.test/", page, "", true, this);
        }

        @Override
        public TextForm textForm() {
            return form;
        }

        @Override
        public void text(String received, boolean isCut) {
            text = received;
        }

        @Override
        public boolean takesMeta() {
            return true;
        }

        @Override
        public void meta(Map<String, Object> received) {
            meta = received;
        }

        @Override
        public boolean takesResources() {
            return true;
        }

        @Override
        public void resource(String url, Resource type) {
            resources.add(url);
        }
    }

    @ParameterizedTest
    @EnumSource(TextForm.class)
    void textOfXmlIsThatOfHtml(TextForm form) {
        Read html = new Read(form);
        Read xml = new Read(form);
        String document = DOCUMENT.formatted("");

        LinkExtractor.Document ofHtml = html.of("text/html", "<!DOCTYPE html>" + document);
        LinkExtractor.Document ofXml = xml.of("application/xhtml+xml", document);

        assertThat(xml.text).isNotEmpty().isEqualTo(html.text);
        assertThat(ofXml.text()).isEqualTo(ofHtml.text());
        assertThat(ofXml.wordsHash()).isEqualTo(ofHtml.wordsHash());
    }

    @Test
    void textInScriptAndStyleIsRead() {
        Read read = new Read(TextForm.PLAIN);

        read.of(
                "application/xhtml+xml",
                DOCUMENT.formatted("<script type='application/ld+json'>{\"a\": 1}</script>"
                        + "<script type='application/ld+json'><![CDATA[{\"b\": \"<\"}]]></script>"
                        + "<style>p { background: url(bg.png) }</style><style><![CDATA[@import 'i.css';]]></style>"));

        assertThat(read.meta).containsEntry("json_ld", List.of("{\"a\": 1}", "{\"b\": \"<\"}"));
        assertThat(read.resources).containsExactly("http://h.test/bg.png", "http://h.test/i.css");
        assertThat(read.text).doesNotContain("url", "\"a\"");
    }
}
