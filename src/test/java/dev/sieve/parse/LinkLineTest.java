package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkLineTest {
    private static final String PAGE = """
            <!doctype html>
            <title>missing.html</title>
            <!-- <a href=missing.html> -->
            <link rel=stylesheet href=a.css>
            <p id='missing.html'>missing.html
            <a href='other.html'>missing.html</a> <a
              href='./x/../missing.html'>x</a>
            <a href='missing.html'>x</a> <a href='/d/page.html#part'>x</a>
            <img srcset='a.png 1x, b.png 2x'> <script>'<a href=s.html>'</script>
            <a href='http://[::1'>x</a> <template><a href=t.html></template>
            <style>
            p { background: url(c.png) } </style> <p style='background: url(d.png)'>
            <svg><a xlink:href=v.html>x</a></svg><iframe src=f.html></iframe>
            """;

    private static int line(String html, Charset charset, String url) throws IOException {
        return LinkLine.of(new ByteArrayInputStream(html.getBytes(charset)), "http://h.test/d/page.html", url);
    }

    @ParameterizedTest
    @CsvSource({
        "a.css, 4",
        "other.html, 6",
        "missing.html, 6",
        "page.html#part, 8",
        "page.html, 8",
        "a.png, 9",
        "b.png, 9",
        "http://[::1, 10",
        "d.png, 12",
        "v.html, 13",
        "f.html, 13",
        // In a comment, a text, a script or a style, or not there.
        "s.html, 0",
        "c.png, 0",
        "nowhere.html, 0",
        "page.html#other, 0"
    })
    void theLineOfTheFirstElementThatLeadsThereIsFound(String url, int line) throws IOException {
        String whole = url.startsWith("http:") ? url : "http://h.test/d/" + url;
        assertThat(line(PAGE, UTF_8, whole)).isEqualTo(line);
        assertThat(line(PAGE.replace("\n", "\r\n"), UTF_8, whole)).isEqualTo(line);
    }

    @Test
    void referencesAreResolvedAsInTheCrawl() throws IOException {
        String html = "<meta charset=latin1>\n<base href=/b/>\n<a href='x?\u00e9'>x</a>\n<a href='x#\u00e9'>x</a>";

        assertThat(line(html, ISO_8859_1, "http://h.test/b/x?%E9")).isEqualTo(3);
        assertThat(line(html, ISO_8859_1, "http://h.test/b/x#%C3%A9")).isEqualTo(4);
        assertThat(line(html, ISO_8859_1, "http://h.test/d/x")).isZero();
    }

    @Test
    void aLargeDocumentIsNotSearched() throws IOException {
        String html = "<a href=x>x</a>" + " ".repeat(1 << 20);

        assertThat(line(html, UTF_8, "http://h.test/d/x")).isZero();
        assertThat(line(html.substring(0, 1 << 20), UTF_8, "http://h.test/d/x")).isEqualTo(1);
    }
}
