package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("hostile")
class LinkExtractorTest {
    private static final String PAGE = "http://h/dir/page";

    private static LinkExtractor.Document read(byte[] body, String charset) {
        String contentType = charset == null ? "text/html" : "text/html; charset=" + charset;
        Map<String, List<String>> headers = Map.of("content-type", List.of(contentType));
        FetchResult.Page page = new FetchResult.Page(200, headers, "text/html", body, body.length, false);
        return Documents.read(PAGE, page, new TextDigest());
    }

    private static List<String> links(String html) {
        return read(html.getBytes(UTF_8), "UTF-8").links();
    }

    @Test
    void linksAreWhatAReaderCanFollow() {
        assertThat(links("""
                <link rel="next" href="n"><link rel="Prev alternate" href="p"><link rel="stylesheet" href="css">
                <a href="a">a</a> <map><area href="area"></map> <iframe src="i"></iframe> <img src="img">
                <a name="x">no link</a> <form action="f"></form> <script src="s"></script>"""))
                .containsExactly(
                        "http://h/dir/n", "http://h/dir/p", "http://h/dir/a", "http://h/dir/area", "http://h/dir/i");
    }

    @Test
    void framesAreLinks() {
        assertThat(links("<html><frameset><frame src='f'></frameset></html>")).containsExactly("http://h/dir/f");
    }

    @Test
    void eachUrlIsThereOnceInTheOrderOfTheDocument() {
        assertThat(links("<a href='b#1'></a><a href='a'></a><a href='b'></a><a href='/dir/a#2'></a><a href='./b'></a>"))
                .containsExactly("http://h/dir/b", "http://h/dir/a");
    }

    @Test
    void firstBaseCountsUnlessItCannotBeUsed() {
        for (String unusable : List.of("javascript:1", "data:text/html,x", "", "http://[::1")) {
            assertThat(links("<base href='" + unusable + "'><base href='http://other/x/'><a href='y'>"))
                    .as(unusable)
                    .containsExactly("http://h/dir/y");
        }
        assertThat(links("<base target=_blank><base href='http://other/x/'><base href='http://third/'><a href='y'>"))
                .containsExactly("http://other/x/y");
        assertThat(links("<base href='/up/'><a href='y'>")).containsExactly("http://h/up/y");
    }

    @Test
    void whatCannotBeFetchedIsNoLink() {
        assertThat(
                        links(
                                "<a href='mailto:a@b'></a><a href='javascript:x()'></a><a href='data:,x'></a>"
                                        + "<a href='http://a..b/'></a><a href='http://[0:1:2:3:4:5:6::8]/'></a><a href=' &#x6a;ava\nscript:1'></a><a href='ok'></a>"))
                .containsExactly("http://h/dir/ok");
    }

    @Test
    void aBlankBeforeAFragmentBelongsToTheUrl() {
        assertThat(
                        links(
                                "<a href='a #f'></a><a href='a '></a><a href='a#'></a><a href='b?c\u0001#f'></a><a href=' #f'>"))
                .containsExactly("http://h/dir/a%20", "http://h/dir/a", "http://h/dir/b?c%01", "http://h/dir/page");
    }

    @Test
    void linksInCommentsAndScriptsAreNone() {
        assertThat(links("<!-- <a href='c'> --><script>'<a href=s>'</script><textarea><a href='t'></textarea>"))
                .isEmpty();
    }

    @Test
    void theServersCharsetWinsOverTheDocuments() {
        byte[] latin = "<meta charset='utf-8'><title>\u00FC</title><a href='/\u00FC'>".getBytes(ISO_8859_1);

        LinkExtractor.Document document = read(latin, "ISO-8859-1");

        assertThat(document.title()).isEqualTo("\u00FC");
        assertThat(document.links()).containsExactly("http://h/%C3%BC");
    }

    @Test
    void theDocumentsCharsetCountsWhereTheServerNamesNone() {
        byte[] latin = "<meta charset='iso-8859-1'><title>\u00FC</title>".getBytes(ISO_8859_1);

        assertThat(read(latin, null).title()).isEqualTo("\u00FC");
    }

    @Test
    void aByteOrderMarkWinsOverAll() {
        byte[] text = "\uFEFF<title>\u00FC</title><a href='x'>".getBytes(UTF_16LE);

        assertThat(read(text, "ISO-8859-1").title()).isEqualTo("\u00FC");
        assertThat(read(text, null).links()).containsExactly("http://h/dir/x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "0;url=r | r",
                "~ 5 ; URL = r ~ | r",
                "5,r | r",
                "5 r | r",
                "0.5;url=r | r",
                ".5;r | r",
                "0; url='r'x | r",
                "0; url=&quot;r&quot;x | r",
                "0;url='r | r",
                "0;'r | r",
                "0;ur | ur",
                "0;url | url",
                "0;url r | url%20r",
                "5 |",
                "5; |",
                "5; url= |",
                "url=r |",
                "x;url=r |",
                "5x;url=r |",
                "-1;url=r |",
                "~~ |"
            })
    void theTargetOfAMetaRefreshIsALink(String content, String target) {
        assertThat(links("<base href='/b/'><meta HTTP-Equiv=Refresh content=\"" + content + "\">"))
                .isEqualTo(target == null ? List.of() : List.of("http://h/b/" + target));
    }

    @Test
    void refreshInTheHeaderIsFollowedLikeThatOfAMetaElement() {
        Map<String, List<String>> headers = Map.of("refresh", List.of("0; url='new'"));
        byte[] body = "<base href='/b/'>".getBytes(UTF_8);
        FetchResult.Page page = new FetchResult.Page(200, headers, "text/html", body, body.length, false);

        assertThat(Documents.read(PAGE, page).links()).containsExactly("http://h/b/new");
    }

    @Test
    void srcdocIsReadWithTheBaseOfItsPageOnly() {
        String html = "<base href=/b/><title>outer</title><iframe srcdoc='<title>inner</title><base href=/c/>"
                + "<meta name=robots content=nofollow><a href=in>x</a><iframe srcdoc=\"<a href=deeper>\"></iframe>'>";
        LinkExtractor.Document document = read(html.getBytes(UTF_8), "UTF-8");

        assertThat(document.links()).containsExactly("http://h/b/in");
        assertThat(document.title()).isEqualTo("outer");
        assertThat(document.isNofollow()).isFalse();
    }

    @Test
    void aLinkInSvgMayHaveTheOldName() {
        assertThat(links("<svg><a xlink:href=old></a><a xlink:href=no href=new></a><a></a></svg><a xlink:href=no></a>"))
                .containsExactly("http://h/dir/old", "http://h/dir/new");
    }

    @ParameterizedTest
    @CsvSource({
        "windows-1251, EFF0E8, /%D0%BF%D1%80%D0%B8?q=%EF%F0%E8",
        "iso-8859-1, FC80, /%C3%BC%E2%82%AC?q=%FC%80",
        "shift_jis, 835C, /%E3%82%BD?q=%83\\",
        "iso-2022-jp, 1B244224221B2842, /%E3%81%82?q=%1B$B$%22%1B(B",
        "gb2312, D6D0, /%E4%B8%AD?q=%D6%D0",
        "utf-8, C3BC, /%C3%BC?q=%C3%BC",
        "utf-16, , /?q="
    })
    void aQueryIsEncodedInTheCharsetOfItsPage(String charset, String hex, String link) {
        String text = hex == null ? "" : new String(HexFormat.of().parseHex(hex), ISO_8859_1);
        String html = "<base href='/x?" + text + "'><a href='/" + text + "?q=" + text + "#" + text + "'><a href=''>";
        byte[] body = html.getBytes(charset.equals("utf-16") ? UTF_16LE : ISO_8859_1);
        String query = link.substring(link.indexOf('=') + 1);

        assertThat(read(body, charset).links()).containsExactly("http://h" + link, "http://h/x?" + query);
        if (!charset.equals("utf-16")) {
            byte[] declared = ("<meta charset=" + charset + ">" + html).getBytes(ISO_8859_1);
            assertThat(read(declared, null).links()).containsExactly("http://h" + link, "http://h/x?" + query);
        }
    }

    @Test
    void aCharacterThatTheCharsetLacksIsAReferenceToIt() {
        byte[] page = "<a href='?a=&#x2603;&amp;b=&#x1F600;&#xD800;ü'>".getBytes(ISO_8859_1);
        assertThat(read(page, "latin1").links())
                .containsExactly(PAGE + "?a=%26%239731%3B&b=%26%23128512%3B%26%2365533%3B%FC");
        byte[] japanese = "<a href='?\u001b$B$\"\u001b(B&#x1F600;&#x3042;'>".getBytes(ISO_8859_1);
        assertThat(read(japanese, "iso-2022-jp").links())
                .containsExactly(PAGE + "?%1B$B$%22%1B(B%26%23128512%3B%1B$B$%22%1B(B");
    }

    @Test
    void anythingCanBeRead() {
        Random random = new Random(5);
        for (int i = 0; i < 200; i++) {
            byte[] junk = new byte[random.nextInt(2000)];
            random.nextBytes(junk);
            assertThat(read(junk, null).links()).isNotNull();
        }
        assertThat(read("<div>".repeat(100_000).getBytes(UTF_8), "UTF-8").links())
                .isEmpty();
    }
}
