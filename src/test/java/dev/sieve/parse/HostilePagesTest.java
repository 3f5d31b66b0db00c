package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever stands in a page, its links are found in time and memory in proportion to it. */
@Tag("hostile")
@Timeout(1200)
class HostilePagesTest {
    private static final String PAGE = "http://h/dir/page";

    private final LongAdder beyondLimit = new LongAdder();

    private LinkExtractor.Document read(byte[] body, String charset, String type, List<String> robotsTags) {
        return read(new LinkExtractor("Sieve", false), page(body, charset, type, robotsTags), beyondLimit);
    }

    private static LinkExtractor.Document read(LinkExtractor extractor, FetchResult.Page page, LongAdder beyondLimit) {
        return extractor.read(PAGE, page, List.of(new TextDigest()), (reference, reason, isResource) -> {
            if (reason == null) {
                beyondLimit.increment();
            }
        });
    }

    private static FetchResult.Page page(byte[] body, String charset, String type, List<String> robotsTags) {
        String contentType = charset == null ? type : type + "; charset=" + charset;
        Map<String, List<String>> headers = Map.of("content-type", List.of(contentType), "x-robots-tag", robotsTags);
        return new FetchResult.Page(200, headers, type, body, body.length, false);
    }

    private LinkExtractor.Document read(String html) {
        return read(html.getBytes(UTF_8), "UTF-8", "text/html", List.of());
    }

    private List<String> links(String html) {
        return read(html).links();
    }

    @Test
    void repeatedFormattingElementsCostNothing() {
        StringBuilder html = new StringBuilder("<p>");
        for (int i = 0; i < 12; i++) {
            html.append("<b x").append(i).append('>');
        }
        html.append("<p>x".repeat(250_000)).append("<a href=end>");

        assertThat(links(html.toString())).containsExactly("http://h/dir/end");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<div>",
                "<p>x",
                "<b><i><u>",
                "<table>",
                "<table><tr><td>",
                "<a href=#>",
                "<svg>",
                "<math><mi>",
                "<svg><foreignObject>",
                "<select><option>",
                "<!--",
                "<![CDATA[",
                "</",
                "<",
                "&",
                "<a ",
                "<a href=",
                "<a href='",
                "a=b ",
                "<title>",
                "<script>",
                "<script><!--<script>",
                "</script>",
                "<textarea>",
                "<?",
                "\0",
                "<a b=c/",
                "<body x=y>",
                "<base href=x>",
                "<meta name=robots content='",
                "]]>",
                "-->",
                "<form><form>",
            })
    @Timeout(75)
    void thePartsOfAPageMayBeRepeatedWithoutEnd(String part) {
        // What takes the square of its length takes longer than this test may, as it would with a page of any other
        // size.
        int times = (1 << 20) / part.length();

        assertThat(links("<a href=start></a>" + part.repeat(times))).contains("http://h/dir/start");
    }

    @Test
    @Tag("slow")
    void linksBeyondTheLimitAreCounted() {
        String html = IntStream.range(0, 1_000_000)
                .mapToObj(i -> "<a href=/" + i + ">")
                .collect(Collectors.joining());

        LinkExtractor.Document document = read(html);

        assertThat(document.links()).hasSize(LinkExtractor.MAX_LINKS).startsWith("http://h/0");
        assertThat(beyondLimit.sum()).isEqualTo(1_000_000 - LinkExtractor.MAX_LINKS);
    }

    @Test
    void aScriptOfOneLineHidesNothingBehindIt() {
        assertThat(links("<script>" + "x='<a href=in>';".repeat(600_000) + "</script><a href=behind>"))
                .containsExactly("http://h/dir/behind");
    }

    @Test
    void aReferenceWithoutEndIsNone() {
        assertThat(links("<a href='" + "x".repeat(5 << 20) + "'><a href='data:image/png;base64," + "A".repeat(5 << 20)
                        + "'><a href='" + "&amp;".repeat(1 << 20) + "'><a href=ok>"))
                .containsExactly("http://h/dir/ok");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<!--><a href=x>-->",
                "<!---><a href=x>-->",
                "<!-- a --!><a href=x>",
                "<!-- <!-- --><a href=x>",
                "<!x><a href=x>",
                "<?php '<a href=no' ?><a href=x>",
                "</a href='>'><a href=x>",
                "</ <a href=no> <a href=x>",
                "<><a href=x>",
                "<A HREF = x>",
                "<a\thref='x'/>",
                "<a href=x href=no>",
                "<a =href=no href=x>",
                "<a title='>' href=x>",
                "<a/href=x>",
                "<script><!--<script></script><a href=no></script>--></script><a href=x>",
                "<script>'</scripty>'</script ><a href=x>",
                "<title><a href=no></title><a href=x>",
                "<textarea></textareas></textarea><a href=x>",
                "<xmp><a href=no></xmp><a href=x>",
                "<noscript><a href=x></noscript>",
                "<svg><style/></svg><a href=x>",
                "<svg><title/><desc/></svg><a href=x>",
                "<svg><script/><div><a href=x>",
                "<svg><![CDATA[<a href=no>]]></svg><a href=x>",
                "<![CDATA[><a href=x>]]>",
                "<svg><foreignObject><title><a href=no></title></foreignObject></svg><a href=x>",
                "<math><mi><style><a href=no></style></mi></math><a href=x>",
                "<a href=x></a><plaintext><a href=no>",
                "<a href='&#x78;'>",
            })
    void tagsAreToldFromWhatOnlyLooksLikeThem(String html) {
        assertThat(links(html)).containsExactly("http://h/dir/x");
        if (!html.contains("<svg") && !html.contains("<math")) {
            assertThat(Jsoup.parse(html, PAGE).select("a[href]").eachAttr("abs:href"))
                    .containsExactly("http://h/dir/x");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<body><a href=x></a><frame src=no>",
                "<frameset><a href=no></a><frame src=x></frameset>",
                "text<frameset><frame src=no></frameset><a href=x>",
                "<p><a href=no></a></p><frameset><frame src=x>",
                "<svg><u><style><a href=no></style></u><a href=x>",
                "<svg><font color=red><style><a href=no></style></font><a href=x>",
                "<math><annotation-xml encoding=text/html><style><a href=no></style></annotation-xml></math><a href=x>",
                "<math><mi><a href=x></a></mi></math>",
                "<svg><base href=/no/></svg><a href=x>",
                "<svg><a href=x></a></svg>",
                "<svg><iframe src=no></iframe><area href=no></svg><a href=x>",
                "<template><a href=no></a><base href=/no/></template><a href=x>",
                "<div><template><template></template><a href=no></template></div><a href=x>",
                "<table><tr><a href=x></table>",
                "<a href=x><table><a href=x></table>",
            })
    void theTreeIsThatOfTheStandard(String html) {
        assertThat(links(html)).containsExactly("http://h/dir/x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<svg><title>no</title></svg><title> t </title>",
                "<template><title>no</title></template><title>t</title>",
                "<title>t</title><title>no</title>",
                "<title>&#116;</title>",
            })
    void theTitleIsThatOfTheDocument(String html) {
        assertThat(read(html).title()).isEqualTo("t");
    }

    @Test
    void aNulInATitleIsReplaced() {
        assertThat(read("<title>a\0b</title>").title()).isEqualTo("a\uFFFDb");
    }

    @Test
    void whatIsOpenWhenTheTreeIsDroppedIsReadOn() {
        String many = "<p>x</p>".repeat(30_000);

        assertThat(links("<div><a href=1>" + many + "</a><a href=2></div>" + many + "<a href=3>"))
                .containsExactly("http://h/dir/1", "http://h/dir/2", "http://h/dir/3");
        assertThat(links("<table><tr><td>" + many + "<a href=1></a>" + many + "</table><a href=2>"))
                .containsExactly("http://h/dir/1", "http://h/dir/2");
        assertThat(links("<table><div>" + many + "<a href=1></a>" + many + "</div><tr><td><a href=2>"))
                .containsExactly("http://h/dir/1", "http://h/dir/2");
        assertThat(links("<template>" + many + "<a href=1></a>" + many + "</template><a href=2>"))
                .containsExactly("http://h/dir/2");
        assertThat(links("<math><annotation-xml encoding=text/html>" + many + "<style><a href=1></style><a href=2>"))
                .containsExactly("http://h/dir/2");
        assertThat(read("<!--" + " ".repeat((128 << 10) - 10) + "--><title>a" + " ".repeat(5000) + "b</title>" + many)
                        .title())
                .isEqualTo("a b");
    }

    @Test
    void aPageOfUsualSizeIsNotCut() {
        LinkExtractor.Document document = read("<p>x<a href=x>".repeat(100_000) + "<a href=end>");

        assertThat(document.isCut()).isFalse();
        assertThat(document.links()).containsExactly("http://h/dir/x", "http://h/dir/end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<", "</"})
    void aTagNameWithoutEndIsCut(String start) {
        LinkExtractor.Document document = read("<a href=1></a>" + start + "a".repeat(7 << 20) + " x><a href=2>");

        assertThat(document.links()).containsExactly("http://h/dir/1", "http://h/dir/2");
        assertThat(document.isCut()).isTrue();
    }

    @Test
    void aPageOfTooManyTagNamesIsCut() {
        String html = "<a href=1></a>"
                + IntStream.range(0, 1_000_000).mapToObj(i -> "<x" + i + ">").collect(Collectors.joining())
                + "<a href=2>";
        LinkExtractor.Document document = read(html);

        assertThat(document.links()).containsExactly("http://h/dir/1");
        assertThat(document.isCut()).isTrue();
    }

    @Test
    void aPageThatTakesTooMuchTimeIsCut() {
        byte[] body = ("<a href=1></a>" + "x ".repeat(100_000) + "<a href=2>").getBytes(UTF_8);
        FetchResult.Page page = page(body, "UTF-8", "text/html", List.of());
        AtomicLong seconds = new AtomicLong();

        LinkExtractor slow = new LinkExtractor("", false, () -> seconds.getAndIncrement() * 1_000_000_000);
        LinkExtractor.Document document = read(slow, page, beyondLimit);

        assertThat(document.links()).containsExactly("http://h/dir/1");
        assertThat(document.isCut()).isTrue();
    }

    @Test
    void linksBeyondTheirSumOfCharactersAreCounted() {
        String many =
                IntStream.range(0, 10_000).mapToObj(i -> "<a href=" + i + ">").collect(Collectors.joining());
        LinkExtractor.Document document = read("<base href='/" + "b".repeat(4000) + "/'>" + many);

        assertThat(document.links().stream().mapToInt(String::length).sum())
                .isBetween(LinkExtractor.MAX_LINK_CHARS - 5000, LinkExtractor.MAX_LINK_CHARS);
        assertThat(document.links().size() + beyondLimit.sum()).isEqualTo(10_000);
        read(many);
        assertThat(document.links().size() + beyondLimit.sum()).isEqualTo(10_000);
    }

    @Test
    void referencesBeyondTheirSumOfCharactersAreCounted() {
        String html = IntStream.range(0, 100)
                .mapToObj(i -> "<a href='mailto:" + i + "x".repeat(60_000) + "'>")
                .collect(Collectors.joining());
        LongAdder refused = new LongAdder();
        FetchResult.Page page = page(html.getBytes(UTF_8), "UTF-8", "text/html", List.of());
        new LinkExtractor("", false)
                .read(
                        PAGE,
                        page,
                        List.of(),
                        (reference, reason, isResource) -> (reason == null ? beyondLimit : refused).increment());

        assertThat(refused.sum()).isEqualTo(LinkExtractor.MAX_LINK_CHARS / 60_010);
        assertThat(refused.sum() + beyondLimit.sum()).isEqualTo(100);
    }

    @Test
    @Tag("slow")
    @Timeout(1200)
    void manyWorkersReadHostilePagesAtOnce() throws Exception {
        List<byte[]> bodies = Stream.of(
                        "<a href=x><div></a></div>", "<form><div><input></div>", "<table><b>", "<a href=x>", "<!---->")
                .map(part -> part.repeat((1 << 20) / part.length()).getBytes(UTF_8))
                .toList();
        ExecutorService workers = Executors.newFixedThreadPool(32);
        try {
            List<Callable<LinkExtractor.Document>> reads = IntStream.range(0, 32)
                    .mapToObj(i -> (Callable<LinkExtractor.Document>)
                            () -> read(bodies.get(i % bodies.size()), "UTF-8", "text/html", List.of()))
                    .toList();
            for (Future<LinkExtractor.Document> read : workers.invokeAll(reads)) {
                assertThat(read.get().isCut()).isFalse();
            }
        } finally {
            workers.shutdown();
        }
    }

    @Test
    void whereXmlMayCloseATagItIsClosed() {
        byte[] body = "<html><head><title/><script src='s'/></head><a href='x'/><![CDATA[<a href='no'>]]></html>"
                .getBytes(UTF_8);

        assertThat(read(body, "UTF-8", "application/xhtml+xml", List.of()).links())
                .containsExactly("http://h/dir/x");
    }

    @ParameterizedTest
    @CsvSource({
        "a?b=1&amp;c=2, http://h/dir/a?b=1&c=2",
        "a?b=1&c=2, http://h/dir/a?b=1&c=2",
        "a?b=1&copy=2, http://h/dir/a?b=1&copy=2",
        "a&lt;b, http://h/dir/a%3Cb",
        "&eacute;, http://h/dir/%C3%A9",
        "&amp;amp;, http://h/dir/&amp;",
        "&#47;&#x78;, http://h/x",
        "a&, http://h/dir/a&",
    })
    void charactersThatAreWrittenByNameAreRead(String reference, String link) {
        assertThat(links("<a href='" + reference + "'>")).containsExactly(link);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UTF-8",
                "ISO-8859-1",
                "UTF-16LE",
                "UTF-16",
                "Shift_JIS",
                "ISO-2022-JP",
                "GB18030",
                "Big5",
                "EUC-KR",
                "windows-1252"
            })
    void aCharsetThatLiesOrIsOddDoesNoHarm(String name) {
        Charset charset = Charset.forName(name);
        String html = "<title>t</title><a href='/x'>y</a>";

        assertThat(read(html.getBytes(charset), name, "text/html", List.of()).links())
                .containsExactly("http://h/x");
        assertThat(read(html.getBytes(charset), null, "text/html", List.of()).links())
                .isNotNull();
        assertThat(read(html.getBytes(UTF_8), name, "text/html", List.of()).links())
                .isNotNull();
        assertThat(read(html.getBytes(UTF_16LE), name, "text/html", List.of()).links())
                .isNotNull();
        assertThat(read(("<meta charset='" + name + "'>" + html).getBytes(ISO_8859_1), null, "text/html", List.of())
                        .links())
                .containsExactly("http://h/x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"utf-7", "no such", "\"", "x-user-defined", "\u0000", "auto-detect"})
    void aCharsetThatIsNoneCountsAsUtf8(String name) {
        byte[] html =
                ("<meta http-equiv=x content='text/html; charset=" + name + "'><title>\u00FC</title>").getBytes(UTF_8);

        assertThat(read(html, null, "text/html", List.of()).title()).isEqualTo("\u00FC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-32", "IBM037"})
    void aCharsetThatOnlyJavaKnowsCountsAsUtf8(String name) {
        byte[] odd = "<a href='/x'>".getBytes(Charset.forName(name));

        assertThat(read(odd, name, "text/html", List.of()).links()).isNotNull();
        assertThat(read("<a href='/\u00FC'>".getBytes(UTF_8), name, "text/html", List.of())
                        .links())
                .containsExactly("http://h/%C3%BC");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nofollow | true | false",
                "NOINDEX, NoFollow | true | true",
                "none | true | true",
                "all | false | false",
                "index, follow | false | false",
                "sieve: nofollow | true | false",
                "otherbot: nofollow | false | false",
                "otherbot: noindex, nofollow | false | false",
                "otherbot: noindex, sieve: nofollow | true | false",
                "sievebot: nofollow | false | false",
                "unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow | true | false",
                "unavailable_after: Fri, 25 Jun 2030 15:00:00 GMT, nofollow | true | false",
                "unavailable_after: Friday, 25-Jun-30 15:00:00 GMT, noindex, nofollow | true | true",
                "unavailable_after: 2030-06-25T15:00:00+02:00; nofollow | true | false",
                "otherbot: unavailable_after: Fri, 25 Jun 2030 15:00:00 GMT, nofollow | false | false",
                "some-rule: 1, nofollow | true | false",
                "some-rule : 1; other-rule:2 noindex | false | true",
                "otherbot: max-snippet: 5, nofollow | false | false",
                "sieve: some-rule: 1, nofollow | true | false",
                "noindex nofollow | true | true",
                "noindex; nofollow | true | true",
                "max-image-preview: none, noindex | false | true",
                "max-snippet: 5, noindex | false | true",
                "*: noindex | false | true",
                ", :, : : , nofollow: | false | false",
            })
    void theServerMayAskThatLinksAreNotFollowed(String field, boolean isNofollow, boolean isNoindex) {
        LinkExtractor.Document document =
                read("<a href=x>".getBytes(UTF_8), "UTF-8", "text/html", List.of("noarchive", field));

        assertThat(document.isNofollow()).isEqualTo(isNofollow);
        assertThat(document.isNoindex()).isEqualTo(isNoindex);
        assertThat(document.links()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<meta name=robots content=nofollow> | true | false",
                "<META NAME='ROBOTS' CONTENT='NoIndex,NOFOLLOW'> | true | true",
                "<meta name=sieve content=none> | true | true",
                "<meta name=googlebot content=none> | false | false",
                "<meta name=robots content='noindex nofollow'> | true | true",
                "<meta name=robots content='noindex;nofollow'> | true | true",
                "<meta name=robots content='max-image-preview: none'> | false | false",
                "<meta content=nofollow> | false | false",
                "<meta property=robots content=nofollow> | true | false",
                "<meta name=x property=robots content=nofollow> | false | false",
                "<meta name=robots> | false | false",
                "<meta name=robots content=noindex><meta name=sieve content=nofollow> | true | true",
                "<!-- <meta name=robots content=nofollow> --> | false | false",
                "<a rel=nofollow href=x> | false | false",
            })
    void thePageMayAskThatItsLinksAreNotFollowed(String html, boolean isNofollow, boolean isNoindex) {
        LinkExtractor.Document document = read(html);

        assertThat(document.isNofollow()).isEqualTo(isNofollow);
        assertThat(document.isNoindex()).isEqualTo(isNoindex);
    }

    @Test
    void piecesInAnyOrderAreRead() {
        String[] pieces = {
            "<",
            ">",
            "</",
            "/",
            "a",
            " href=",
            "'",
            "\"",
            "x",
            "<!--",
            "-->",
            "<script",
            "</script>",
            "<title>",
            "<svg>",
            "</svg>",
            "=",
            "&amp;",
            "&#",
            "\0",
            "\uFFFF",
            "<base href=",
            "<meta ",
            "charset=",
            "utf-16",
            "]]>",
            "<![CDATA[",
        };
        long seed = 7;
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder html = new StringBuilder();
            for (int j = random.nextInt(30); j >= 0; j--) {
                html.append(pieces[random.nextInt(pieces.length)]);
            }
            String type = random.nextBoolean() ? "text/html" : "application/xhtml+xml";
            assertThat(read(html.toString().getBytes(UTF_8), null, type, List.of()))
                    .as("seed %d: %s", seed, html)
                    .isNotNull();
        }
    }
}
