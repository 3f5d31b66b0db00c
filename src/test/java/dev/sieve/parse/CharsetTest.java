package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.nio.charset.Charset;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A document is decoded as a browser decodes it. */
class CharsetTest {
    private static String title(String contentType, byte[] body) {
        Map<String, List<String>> headers =
                contentType.isEmpty() ? Map.of() : Map.of("content-type", List.of(contentType));
        return read(new FetchResult.Page(200, headers, "text/html", body, body.length, false))
                .title();
    }

    private static LinkExtractor.Document read(FetchResult.Page page) {
        return Documents.read("http://h/", page);
    }

    private static byte[] bytes(String before, String hex, String after) {
        byte[] title = HexFormat.of().parseHex(hex);
        return (before + new String(title, ISO_8859_1) + after).getBytes(ISO_8859_1);
    }

    @ParameterizedTest
    @CsvSource({
        "iso-8859-1, 93532094938094, \u201CS \u201D\u201C\u20AC\u201D",
        "ISO-8859-1, 80, \u20AC",
        "latin1, 80, \u20AC",
        "ascii, 80, \u20AC",
        "iso-8859-10, A1, \u0104",
        "l6, BF, \u014B",
        "iso-8859-14, A1, \u1E02",
        "iso-8859-9, 80D0, \u20AC\u011E",
        "iso885915, A4, \u20AC",
        "x-cp1251, EFF0E8, \u043F\u0440\u0438",
        "koi8-r, D0D2C9, \u043F\u0440\u0438",
        "koi8-ru, A4, \u0454",
        "866, AFE0A8, \u043F\u0440\u0438",
        "dos-874, A1, \u0E01",
        "macintosh, 80, \u00C4",
        "shift_jis, 8740FBFC, \u2460\u9AD9",
        "x-sjis, 8740, \u2460",
        "euc-jp, ADA1, \u2460",
        "iso-2022-jp, 1B2442242A1B2842, \u304A",
        "gb2312, 9EE3, \u70AA",
        "x-gbk, 9EE3, \u70AA",
        "gb18030, 8139EE39, \u3400",
        "big5, A4A4, \u4E2D",
        "euc-kr, 8141, \uAC02",
        "korean, 8141, \uAC02",
        "utf8, C3BC, \u00FC",
    })
    void labelsHaveTheMeaningThatBrowsersGiveThem(String label, String hex, String title) {
        assertThat(title("text/html; charset=" + label, bytes("<title>", hex, "</title>")))
                .isEqualTo(title);
        assertThat(title("", bytes("<meta charset=" + label + "><title>", hex, "</title>")))
                .isEqualTo(title);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cp037",
                "IBM037",
                "UTF-32",
                "utf-7",
                "windows-31k",
                "x-MacRoman",
                "iso-2022-kr",
                "",
                "no-such-charset",
                "\"",
                "\u00A7\u00A7"
            })
    void labelsThatOnlyJavaKnowsAreRefused(String label) {
        byte[] body = ("<meta charset='" + label + "'><title>\u00FC</title>").getBytes(UTF_8);

        assertThat(title("text/html; charset=" + label, body)).isEqualTo("\u00FC");
        assertThat(title("text/html; charset=" + label, "<meta charset=x-cp1252><title>\u00FC".getBytes(ISO_8859_1)))
                .isEqualTo("\u00FC");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<meta charset = latin1>",
                "<meta charset=' latin1 '>",
                "<META CHARSET=Latin1>",
                "<meta charset=no-such><meta charset=latin1>",
                "<meta charset=latin1><meta charset=utf-8>",
                "<meta http-equiv=Content-Type content='text/html; charset=latin1'>",
                "<meta content='text/html;charset = \"latin1\"; x' http-equiv=content-type>",
                "<meta http-equiv=content-type content='charset charset=latin1'>",
                "<script></script><style></style><link href=s><meta charset=latin1>",
                "<title></title><svg></svg><p><meta charset=latin1>",
            })
    void theDocumentMayDeclareItsCharset(String meta) {
        assertThat(read(page(meta + "<a href='/\u00FC'>")).links()).containsExactly("http://h/%C3%BC");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<meta content='text/html; charset=latin1'>",
                "<meta http-equiv=refresh content='text/html; charset=latin1'>",
                "<meta http-equiv=content-type content='charset=\"latin1'>",
                "<meta name=charset content=latin1>",
                "<!-- <meta charset=latin1> -->",
                "<script>'<meta charset=latin1>'</script>",
            })
    void otherMetasDoNotDeclareIt(String meta) {
        assertThat(read(page(meta + "<a href='/\u00FC'>")).links()).containsExactly("http://h/%EF%BF%BD");
    }

    private static FetchResult.Page page(String latin) {
        byte[] body = latin.getBytes(ISO_8859_1);
        return new FetchResult.Page(200, Map.of(), "text/html", body, body.length, false);
    }

    @Test
    void aDeclarationCountsBehindTheFirstBytesToo() {
        byte[] body = ("<style>" + " ".repeat(20_000) + "</style><title>\u00FC</title><meta charset=latin1>")
                .getBytes(ISO_8859_1);

        assertThat(title("", body)).isEqualTo("\u00FC");
    }

    @Test
    void utf16InADeclarationMeansUtf8() {
        assertThat(title("", "<meta charset=utf-16><title>\u00FC</title>".getBytes(UTF_8)))
                .isEqualTo("\u00FC");
    }

    @Test
    void utf16InTheHeaderIsLittleEndianUnlessMarked() {
        String html = "<title>\u00FC</title>";

        assertThat(title("text/html; charset=utf-16", html.getBytes(UTF_16LE))).isEqualTo("\u00FC");
        assertThat(title("text/html; charset=utf-16", html.getBytes(Charset.forName("UTF-16"))))
                .isEqualTo("\u00FC");
    }

    @Test
    void markBeforeHeaderBeforeDocument() {
        byte[] marked = "\uFEFF<meta charset=latin1><title>\u00FC</title>".getBytes(UTF_8);
        byte[] body = "<meta charset=koi8-r><title>\u00FC</title>".getBytes(ISO_8859_1);

        assertThat(title("text/html; charset=latin1", marked)).isEqualTo("\u00FC");
        assertThat(title("text/html;charset=\"latin1\"", body)).isEqualTo("\u00FC");
    }

    @Test
    void xmlDeclarationCountsFirstInXhtmlAndLastInHtml() {
        String declared = "<?xml version='1.0' encoding=\"ISO-8859-1\"?>";
        byte[] plain = (declared + "<html><title>\u00FC</title></html>").getBytes(ISO_8859_1);
        byte[] meta = (declared + "<html><head><meta charset='utf-8'/><title>\u00FC</title></head></html>")
                .getBytes(ISO_8859_1);
        String xhtml = "application/xhtml+xml";

        assertThat(read(new FetchResult.Page(200, Map.of(), xhtml, plain, plain.length, false))
                        .title())
                .isEqualTo("\u00FC");
        assertThat(read(new FetchResult.Page(200, Map.of(), xhtml, meta, meta.length, false))
                        .title())
                .isEqualTo("\u00FC");
        assertThat(title("", plain)).isEqualTo("\u00FC");
        assertThat(title("", meta)).isEqualTo("\uFFFD");
    }

    @Test
    void everyLabelIsDecoded() {
        assertThat(CharsetLabels.charset("\t UTF8\n")).isEqualTo(CharsetLabels.UTF_8);
        assertThat(CharsetLabels.charset("us-ascii")).isEqualTo(CharsetLabels.charset("windows-1252"));
        assertThat(CharsetLabels.charset("utf\u212A8")).isNull();
    }
}
