package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult.Page;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page has become when it is written as a document, and which documents the browser takes. */
@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class RenderedDocumentTest {
    private static final String HTML = "text/html; charset=utf-8";

    private Rendered rendered;
    private ScriptedSite site;

    @BeforeEach
    void open(Rendered shared) {
        rendered = shared;
        site = rendered.site();
    }

    @AfterEach
    void close() {
        site.close();
    }

    private Page page(String script) {
        return rendered.page(site.page("/", script).url("/"));
    }

    private String text(String script) {
        return Rendered.text(page(script));
    }

    @Test
    void closedShadowTreesAndFramesOfScriptsAreSeen() {
        assertThat(text("""
                const host = document.body.appendChild(document.createElement('div'));
                const root = host.attachShadow({mode: 'closed'});
                root.innerHTML = '<a href=/closed>c</a>';
                const frame = document.body.appendChild(document.createElement('iframe'));
                frame.contentDocument.body.innerHTML = '<a href=/frame>f</a>';
                const other = document.body.appendChild(document.createElement('iframe'));
                other.srcdoc = '<base href="/in/"><a href=deep>d</a>';
                """))
                .contains("<a href=\"/closed\">c</a>", "<a href=\"/frame\">f</a>")
                .contains("<a href=\"" + site.url("/in/deep") + "\">d</a>");
    }

    @Test
    void linksAreInTheEncodingOfTheDocument() {
        String html =
                "<!DOCTYPE html><body><script>document.body.innerHTML = '<a href=\"/?q=\u041f\u0440\">x</a>'</script>";
        site.bytes("/", 200, "text/html; charset=windows-1251", html.getBytes(Charset.forName("windows-1251")));

        assertThat(Rendered.text(rendered.page(site.url("/"))))
                .contains("<a href=\"" + site.url("/?q=%CF%F0") + "\">x</a>");
    }

    @Test
    void aBaseFollowsTheAddressOfThePage() {
        String script = "history.pushState(0, '', '/app/home'); document.head.innerHTML = '<base href=\"sub/\">'";

        assertThat(text(script)).contains("<base href=\"" + site.url("/app/sub/") + "\">");
    }

    @Test
    void textIsNotMarkup() {
        assertThat(text("""
                const style = document.createElement('style');
                style.textContent = 'a{} \\x3C/style><a href=/style>';
                const script = document.createElement('script');
                script.textContent = '"\\x3C/script><a href=/script>"';
                script.type = 'text/plain';
                document.head.append(style, script);
                document.body.append(document.createComment('--\\x3E\\x3Ca href=/comment>'));
                document.body.append(Object.assign(document.createElement('xmp'), {textContent: '\\x3C/xmp>\\x3Ca href=/xmp>'}));
                """)).doesNotContain("<a href=/comment>", "</style><a", "</script><a", "<a href=/xmp>");
    }

    @Test
    void aPartOfALargeDocumentIsKept() {
        int limit = 1 << 20;
        // Hidden, since what takes long is to show so much.
        for (String text : List.of("'\u4e2d'.repeat(1e6)", "'word '.repeat(4e6)")) {
            Page page = page("document.body.innerHTML = '<a href=/x>x</a><p hidden>'; document.body.lastChild.append("
                    + text + ")");

            assertThat(rendered.isRendered()).isTrue();
            assertThat(Rendered.text(page)).contains("<a href=\"/x\">x</a>");
            assertThat(page.isCut()).isTrue();
            assertThat(page.body()).hasSizeBetween(limit - 10, limit);
        }
    }

    @Test
    void xmlStaysXmlAndIsAsItWasSentIfItIsNotWellFormed() {
        String xml = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><a href=\"/x\">x</a><br/></body></html>";
        site.on("/good", "application/xhtml+xml", xml)
                .on("/bad", "application/xhtml+xml", xml.replace("<br/>", "<br>"));

        Page good = rendered.page(site.url("/good"));
        assertThat(rendered.isRendered()).isTrue();
        assertThat(good.header("content-type")).startsWith("application/xhtml+xml");
        assertThat(Rendered.text(good)).contains("<br />");
        Page bad = rendered.page(site.url("/bad"));
        assertThat(Rendered.text(bad)).contains("<a href=\"/x\">x</a><br>");
        assertThat(rendered.record).containsEntry("error", "the page is not well-formed XML");
    }

    @Test
    void windowsThatAPageOpensAreLinks() {
        assertThat(text("open('/window?a=1&b=2'); open('mailto:a@b')"))
                .endsWith("<a href=\"" + site.url("/window?a=1&amp;b=2") + "\"></a>");
    }

    @Test
    void scriptsSeeTheNameOfTheCrawl() {
        assertThat(text("document.body.append('[' + navigator.userAgent + ']')"))
                .contains("[sieve-test/1]");
    }

    @Test
    void modulesOfJsonAreLoaded() {
        String module = "<body><script type=module>import d from '/d.json' with {type: 'json'};"
                + " document.body.append(d.text)</script>";
        site.on("/", HTML, module).on("/d.json", "application/json", "{\"text\": \"imported\"}");

        assertThat(Rendered.text(rendered.page(site.url("/")))).contains("imported");
    }

    @Test
    void noStatusAndNoHeaderFieldPreventsRendering() {
        byte[] body = "<body><script>document.body.append('ma' + 'de')</script>".getBytes(UTF_8);
        site.bytes("/299", 299, HTML, body).bytes("/field", 200, HTML, body, "X Bad", "1");
        for (String path : List.of("/299", "/field")) {
            assertThat(Rendered.text(rendered.page(site.url(path)))).as(path).contains("made");
        }
        for (int status : List.of(499, 599, 799, 999)) {
            site.bytes("/data", status, "text/plain", "x".getBytes(UTF_8));

            assertThat(text("fetch('/data').then(r => document.body.append('got ' + r.status))"))
                    .contains("got " + status);
        }
    }

    @Test
    void aPageThatWasNotReadyIsMarked() {
        page("document.body.append('x')");
        assertThat(rendered.record).doesNotContainKey("ready");

        site.on("/poll", "text/plain", "x");
        page("setInterval(() => fetch('/poll'), 20)");
        assertThat(rendered.record).containsEntry("ready", false);
    }

    /** A name of a header field that is longer than those of JSON mostly are, and a value longer than any message may be. */
    @ParameterizedTest
    @ValueSource(
            strings = {"['x-' + 'a'.repeat(60000)]: '1'", "x: 'a'.repeat(2e7)", "x: 'a'.repeat(9e6), y: 'a'.repeat(9e6)"
            })
    void noMessageOfAPageEndsTheBrowser(String fields) {
        page("document.body.append('first')");
        List<Path> browser = Rendered.folders();

        page("fetch('/x', {headers: {" + fields + "}})");

        assertThat(text("document.body.append('ma' + 'de')")).contains("made");
        assertThat(rendered.isRendered()).isTrue();
        assertThat(Rendered.folders()).isEqualTo(browser);
    }
}
