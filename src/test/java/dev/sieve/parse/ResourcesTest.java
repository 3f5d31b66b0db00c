package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import dev.sieve.url.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourcesTest {
    private final Map<String, Resource> resources = new LinkedHashMap<>();
    private final List<String> refused = new ArrayList<>();

    private final LinkExtractor extractor = new LinkExtractor("", true);

    private static FetchResult.Page page(String type, String text) {
        return new FetchResult.Page(200, Map.of(), type, text.getBytes(UTF_8), text.length(), false);
    }

    private void refuse(String reference, @Nullable Refusal reason, boolean isResource) {
        assertThat(isResource && reason != null).isTrue();
        refused.add(reference);
    }

    private List<String> resources(String html) {
        LinkExtractor.Document document =
                extractor.read("http://h/d/page", page("text/html", html), List.of(), this::refuse);
        resources.putAll(document.resources());
        return resources.keySet().stream()
                .map(url -> url.replace("http://h/d/", ""))
                .toList();
    }

    @Test
    void resourcesAreWhatABrowserRequests() {
        assertThat(resources("""
                <link rel="Stylesheet" href="css"><link rel="shortcut icon" href="ico"><link rel="canonical" href="no">
                <link rel=preload as=image href=pre imagesrcset="pre2 2x"><script src=js></script><script>x</script>
                <style>@import "imp"; p { background: url(bg) }</style>
                <img src=i srcset="i1 1x, i2 2x"><picture><source srcset=s></picture>
                <video src=v poster=po><track src=t></video><audio src=au></audio>
                <embed src=e><object data=o></object><iframe src=f></iframe><input type=image src=in><input src=no>
                <svg><image href=svg /><image xlink:href=svg2 /></svg><p style="background: url('st')">
                <img src="data:image/png;base64,AA"><img src=""><img src="#x"><a href=link>link</a>"""))
                .containsExactly(
                        "css", "ico", "pre", "pre2", "js", "imp", "bg", "i", "i1", "i2", "s", "v", "po", "t", "au", "e",
                        "o", "f", "in", "svg", "svg2", "st");
        assertThat(resources)
                .containsEntry("http://h/d/css", Resource.STYLE_SHEET)
                .containsEntry("http://h/d/imp", Resource.STYLE_SHEET);
        assertThat(resources.values().stream().filter(type -> type == Resource.STYLE_SHEET))
                .hasSize(2);
        assertThat(resources.keySet().stream().filter(url -> resources.get(url) == Resource.ANY))
                .containsExactly("http://h/d/e", "http://h/d/o", "http://h/d/f");
    }

    @Test
    void spritesScriptsBackgroundsAndPreviewsAreResources() {
        assertThat(resources("""
                <meta property="og:image og:image:url" content="og"><meta name="twitter:image" content="tw"><meta name=x content=no>
                <body background=bb><svg><use href="s#a" /><use xlink:href="s2#b" /><use href="#here" />
                <script href=sj></script></svg><table background=tb><tr><td background=td><p background=no>
                <link rel=preload as=fetch href=any><iframe srcdoc="<img src=inner>"></iframe>
                <link rel=prefetch href=next><link rel=prefetch as=script href=pf><link rel=dns-prefetch href=//no.test>
                <script type=importmap>{"imports": {"x": "no"}}</script>"""))
                .containsExactly("og", "tw", "bb", "s", "s2", "sj", "tb", "td", "any", "inner", "next", "pf");
        assertThat(resources)
                .containsEntry("http://h/d/any", Resource.ANY)
                .containsEntry("http://h/d/next", Resource.ANY)
                .containsEntry("http://h/d/pf", Resource.FILE)
                .containsEntry("http://h/d/s", Resource.FILE);
    }

    @Test
    void malformedResourceIsRefused() {
        assertThat(resources("<img src='http://[::1'><img src='http://a..b/'><img src=i>"))
                .containsExactly("i");
        assertThat(refused).containsExactly("http://[::1", "http://a..b/");
    }

    /** Cases of the Web Platform Tests, html/semantics/embedded-content/the-img-element/srcset. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            nullValues = "-",
            value = {
                "~~ | -",
                "~,~ | -",
                "~ , a~ | a",
                "~a~ | a",
                "~a ,~ | a",
                "~a,~ | a",
                "~,,a~ | a",
                "~a 1x, b 2x~ | a b",
                "~a 100w,b 200w~ | a b",
                "~a,b 1x~ | a,b",
                "~a, b~ | a b",
                "~data:,a ( , data:,b 1x, ), data:,c~ | data:,c",
                "~a 1x 2x, b~ | b",
                "~a 0w, b~ | b",
                "~a 50h, b 10w 50h~ | b",
                "~a -1x, b .5x, c 1e3x~ | b c",
                "~a foo, b~ | b",
            })
    void srcsetIsParsedAsInBrowsers(String srcset, String urls) {
        assertThat(String.join(" ", Srcset.urls(srcset))).isEqualTo(urls == null ? "" : urls);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~@import 'a.css';~ | a.css!",
                "~@IMPORT url(a.css) screen;~ | a.css!",
                "~@import url( \"a.css\" );~ | a.css!",
                "~@import 'a' layer('x') url(b);~ | a! b",
                "~p { background: url(a.png) , URL('b.png') }~ | a.png b.png",
                "~/* url(no) */ p { x: url(a) } /* @import 'no'~ | a",
                "~p::after { content: \"url(no)\"; x: url(a) }~ | a",
                "~@namespace url(http://no/); @namespace x 'no';~ | ~~",
                "~@font-face { src: url(f.woff2) format('woff2'), url(f.ttf) }~ | f.woff2 f.ttf",
                "~p { x: url(a\\)b) } q { x: u\\72l(c\\20 d) }~ | a)b c d",
                "~p { x: url(a b) } q { y: url(c) }~ | c",
                "~p { x: my-url(no) } q { y: url() }~ | ~~",
                "~p { x: url(a~ | a",
                "~p { x: \"open\n } q { y: url(a) }~ | a",
                "~\\~ | ~~",
                "~p { x: image-set('a' 1x, url(b) 2x, \"c\" type(\"image/no\")) } q { y: 'no' }~ | a b c",
                "~p { x: -webkit-image-set( 'a' 1x ), foo('no') } q { y: image-set; z: ('no') }~ | a",
                "~p { x: ) image-set('a') ) }~ | a",
            })
    void styleSheetNamesImportsAndUrls(String css, String urls) {
        List<String> found = new ArrayList<>();
        StyleSheet.read(css, (url, type) -> found.add(url + (type == Resource.STYLE_SHEET ? "!" : "")));
        assertThat(String.join(" ", found)).isEqualTo(urls);
    }

    @Test
    void styleSheetIsReadRelativeToItself() {
        String css = "@import 'a.css'; p { x: url(../b.png) } q { x: url(data:,x), url(#y) }";
        LinkExtractor.Document sheet =
                extractor.readStyleSheet("http://h/css/main.css", page("text/css", css), this::refuse);

        assertThat(sheet.isCut()).isFalse();
        assertThat(sheet.resources())
                .containsExactly(
                        Map.entry("http://h/css/a.css", Resource.STYLE_SHEET),
                        Map.entry("http://h/b.png", Resource.FILE));
    }
}
