package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.parse.Documents;
import dev.sieve.parse.LinkExtractor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The parts of a document to which a link may lead, and its links to parts. */
class PartReaderTest {
    private final Set<String> parts = new LinkedHashSet<>();
    private final List<String> links = new ArrayList<>();

    private final List<String> beyondLimit = new ArrayList<>();

    private LinkExtractor.Document read(String html, String type) {
        PartReader reader = new PartReader(parts::add, beyondLimit::add);
        LinkExtractor.Document document = Documents.read("http://h.test/a/b", Documents.page(type, html), reader);
        reader.links(document.links(), (url, fragment) -> links.add(url + " " + fragment));
        return document;
    }

    private LinkExtractor.Document read(String html) {
        return read(html, "text/html");
    }

    @Test
    void idsAndNamesOfLinksAreParts() {
        read("""
                <html id=root><body id=body><p id=one><a name=two></a><A NAME=Three ID=four>x</a><a name="">x</a>
                <img name=no><form name=no><input name=no id="fi ve"></form><map name=no></map><p id="">
                <svg id=six><a name=no><circle id=seven /></a></svg><p id=one><p id=caf&eacute;>
                <template id=eight><p id=no></template><table><tr id=nine><td id=ten></table><!-- <p id=no> -->
                <script>"<p id=no>"</script><noscript><p id=eleven></noscript>""");

        assertThat(parts)
                .containsExactlyInAnyOrder(
                        "root", "body", "one", "two", "Three", "four", "fi ve", "six", "seven", "café", "eight", "nine",
                        "ten", "eleven");
    }

    @Test
    void namesInXhtmlAreParts() {
        read(
                "<html xmlns='http://www.w3.org/1999/xhtml'><body><a name='x'/><p id='y'/><p name='no'/></body></html>",
                "application/xhtml+xml");

        assertThat(parts).containsExactly("x", "y");
    }

    @Test
    void linksToPartsAreDistinctAndRelativeToTheBase() {
        List<String> pages = read("""
                        <a href="#x"></a><a href="c#x"></a><a href=" c#x "></a><a href="./c#y z"></a><a href=c></a>
                        <a href="c#"></a><a href="c#:~:text=q"></a><a href="mailto:a@b#x"></a><area href="c#area">
                        <svg><a xlink:href="#svg"></a></svg><iframe src="c#frame"></iframe>
                        <link rel=next href="c#next"><base href=/d/>""").links();

        assertThat(links)
                .containsExactlyInAnyOrder(
                        "http://h.test/d/ x",
                        "http://h.test/d/ svg",
                        "http://h.test/d/c x",
                        "http://h.test/d/c y%20z",
                        "http://h.test/d/c area");
        assertThat(pages).containsExactly("http://h.test/d/", "http://h.test/d/c");
    }

    @Test
    void linksToPartsBeyondTheLimitAreLeftOut() {
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < LinkExtractor.MAX_LINKS + 3; i++) {
            html.append("<a href=#").append(i).append(">");
        }

        read(html.toString());

        assertThat(beyondLimit).hasSize(3);
        assertThat(links).hasSize(LinkExtractor.MAX_LINKS);
    }

    @Test
    void partsInAPageThatIsReadInPiecesAreFound() {
        StringBuilder html = new StringBuilder("<div id=first>");
        for (int i = 0; i < 30_000; i++) {
            html.append("<p id=p").append(i).append("><b id=b").append(i).append(">x</b>");
        }

        read(html.append("<p id=last>").toString());

        assertThat(parts).hasSize(60_002).contains("first", "p0", "b29999", "last");
    }
}
