package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("hostile")
class LinkExtractorTest {
    private static final String PAGE = "http://h/dir/page";

    private static LinkExtractor.Document read(byte[] body, String charset) {
        String contentType = charset == null ? "text/html" : "text/html; charset=" + charset;
        Map<String, List<String>> headers = Map.of("content-type", List.of(contentType));
        FetchResult.Page page = new FetchResult.Page(200, headers, "text/html", body, body.length, false);
        return LinkExtractor.read(PAGE, page, "", LinkExtractor.Rest.NONE);
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
    void theFirstBaseThatCanBeFollowedCounts() {
        assertThat(
                        links(
                                "<base href='javascript:1'><base href='http://other/x/'><base href='http://third/'><a href='y'>"))
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
