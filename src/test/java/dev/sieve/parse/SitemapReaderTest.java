package dev.sieve.parse;

import static dev.sieve.fetch.HostileServer.gzip;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.Endless;
import dev.sieve.fetch.HostileServer;
import dev.sieve.parse.SitemapReader.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(1200)
class SitemapReaderTest {
    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    private static final String URL_SET = HEAD + "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";

    private final List<String> pages = new ArrayList<>();
    private final List<String> sitemaps = new ArrayList<>();
    private final Map<String, Instant> modified = new HashMap<>();

    private void add(String url, Instant time) {
        pages.add(url);
        if (time != null) {
            modified.put(url, time);
        }
    }

    private Outcome read(InputStream file) {
        try {
            return SitemapReader.read(file, this::add, sitemaps::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Outcome read(byte[] file) {
        return read(new ByteArrayInputStream(file));
    }

    private Outcome read(String file) {
        return read(file.getBytes(UTF_8));
    }

    private static String url(String location) {
        return "<url><loc>" + location + "</loc><lastmod>2026-01-01</lastmod></url>";
    }

    private static InputStream endless(LongFunction<String> part) {
        return new Endless(URL_SET + url("http://h/first"), part);
    }

    @Test
    void aUrlSetListsPages() {
        Outcome outcome = read(URL_SET
                + url("\n http://H/a?x=1&amp;y=&#50; \n")
                + url("<![CDATA[http://h/b?x&y]]>")
                + url("http://h/b?x&amp;y")
                + "</urlset>");

        assertThat(pages).containsExactly("http://h/a?x=1&y=2", "http://h/b?x&y", "http://h/b?x&y");
        assertThat(sitemaps).isEmpty();
        assertThat(outcome).isEqualTo(new Outcome(true, 3, 0, List.of(), 0, ""));
    }

    @Test
    void anIndexListsSitemaps() {
        Outcome outcome = read(HEAD + "<sitemapindex><sitemap><loc>http://h/1.xml.gz</loc></sitemap></sitemapindex>");

        assertThat(sitemaps).containsExactly("http://h/1.xml.gz");
        assertThat(pages).isEmpty();
        assertThat(outcome).isEqualTo(new Outcome(true, 1, 0, List.of(), 0, ""));
    }

    @Test
    void onlyTheLocationOfAPageIsTaken() {
        read(
                "<sm:urlset xmlns:sm='x'><sm:url><sm:loc>http://h/a</sm:loc>"
                        + "<image:image><image:loc>http://h/a.png</image:loc></image:image>"
                        + "<xhtml:link rel='alternate' href='http://h/de'/></sm:url><url><video:video>"
                        + "<video:content_loc>http://h/v</video:content_loc></video:video><loc>http://h/b</loc></url></sm:urlset>");

        assertThat(pages).containsExactly("http://h/a", "http://h/b");
    }

    @Test
    void aTextListsAPageALine() {
        Outcome outcome = read("\uFEFFhttp://h/a\r\n\r\n  http://h/b \nnot a url\nhttp://h/c");

        assertThat(pages).containsExactly("http://h/a", "http://h/b", "http://h/c");
        assertThat(outcome).isEqualTo(new Outcome(true, 3, 1, List.of("not a url"), 0, ""));
    }

    @Test
    void aFeedListsThePagesOfItsItems() {
        read("<rss version='2.0'><channel><link>http://h/</link><item><title>x</title><link>http://h/1</link></item>"
                + "<item><link>http://h/2</link><guid>http://h/3</guid></item></channel></rss>");
        read("<rdf:RDF><channel><link>http://h/</link></channel><item><link>http://h/4</link></item></rdf:RDF>");
        read("<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://h/'/><entry><link href='http://h/5'/>"
                + "<link rel='edit' href='http://h/edit'/></entry>"
                + "<entry><link rel='alternate' href='http://h/6'/></entry></feed>");

        assertThat(pages).containsExactly("http://h/1", "http://h/2", "http://h/4", "http://h/5", "http://h/6");
    }

    @Test
    void aFileThatIsPackedIsUnpackedWhateverItIsCalled() {
        assertThat(read(gzip((URL_SET + url("http://h/a") + "</urlset>").getBytes(UTF_8))))
                .isEqualTo(new Outcome(true, 1, 0, List.of(), 0, ""));
        assertThat(read(gzip("http://h/b\n".getBytes(UTF_8)))).isEqualTo(new Outcome(true, 1, 0, List.of(), 0, ""));
        assertThat(pages).containsExactly("http://h/a", "http://h/b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uFEFF", "\n\n \t", "\uFEFF\r\n", "<!-- made by hand -->\n"})
    void whatStandsInFrontOfAFileIsSkipped(String front) {
        String head = front.startsWith("<") ? "" : HEAD;

        assertThat(read(front + head + "<urlset>" + url("http://h/a") + "</urlset>"))
                .isEqualTo(new Outcome(true, 1, 0, List.of(), 0, ""));
    }

    @Test
    void aFileMayBeInUtf16() {
        String xml = "<?xml version='1.0' encoding='UTF-16'?><urlset>" + url("http://h/\u00e4") + "</urlset>";

        read(xml.getBytes(UTF_16));
        read(("\uFEFF" + xml).getBytes(UTF_16LE));
        read("http://h/text\n".getBytes(UTF_16));

        assertThat(pages).containsExactly("http://h/%C3%A4", "http://h/%C3%A4", "http://h/text");
    }

    @Test
    void bytesThatAreNoTextEndNoFile() {
        byte[] file = (HEAD + "<urlset><title>~</title>" + url("http://h/a") + "</urlset>").getBytes(UTF_8);
        file[HEAD.length() + "<urlset><title>".length()] = (byte) 0xe4;

        assertThat(read(file)).isEqualTo(new Outcome(true, 1, 0, List.of(), 0, ""));
    }

    @Test
    void whatIsNoUrlIsCounted() {
        Outcome outcome =
                read(URL_SET + url("/relative") + url("") + url("mailto:a@b") + url("http://h/" + "x".repeat(10_000))
                        + url("http://[0:1:2:3:4:5:6::8]/") + url("http://h/a") + "</urlset>");
        assertThat(outcome.urls()).isEqualTo(1);
        assertThat(outcome.invalid()).isEqualTo(5);
        assertThat(outcome.invalidTexts())
                .hasSize(5)
                .contains("/relative", "mailto:a@b")
                .allMatch(text -> text.length() < 210);
        assertThat(read(URL_SET + url("x").repeat(3000) + "</urlset>").invalidTexts())
                .hasSize(1000);
        assertThat(read("http://h/a\nhttp://[0:1:2:3:4:5:6::8]/\nhttp://h/b"))
                .isEqualTo(new Outcome(true, 2, 1, List.of("http://[0:1:2:3:4:5:6::8]/"), 0, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"</url>", "<url><loc>http://h/b</url></urlset>", "<url>\u0001", "<", "<url a a>"})
    void theUrlsBeforeAnErrorCountAndItsPlaceIsNamed(String error) {
        Outcome outcome = read(URL_SET + "\n" + url("http://h/a") + "\n" + error);

        assertThat(pages).containsExactly("http://h/a");
        assertThat(outcome.isSitemap()).isTrue();
        assertThat(outcome.problem()).startsWith("line 4, column ");
    }

    @Test
    void theUrlsBeforeABreakInThePackingCount() {
        byte[] packed = gzip((URL_SET + url("http://h/a") + noise(200_000)).getBytes(UTF_8));
        byte[] cut = new byte[packed.length / 2];
        System.arraycopy(packed, 0, cut, 0, cut.length);

        Outcome outcome = read(cut);

        assertThat(pages).startsWith("http://h/a");
        assertThat(outcome.problem()).isEqualTo("the member of gzip ends early");
        assertThat(outcome.urls()).isEqualTo(pages.size()).isGreaterThan(20_000);
    }

    @Test
    void allWholeEntriesBeforeABreakInThePackingCount() {
        byte[] packed = gzip((URL_SET + noise(3) + "</urlset>").getBytes(UTF_8));
        assertThat(read(Arrays.copyOf(packed, packed.length - 9)).urls()).isEqualTo(3);

        byte[] lines = gzip("http://h/first\nhttp://h/second".getBytes(UTF_8));
        pages.clear();
        read(Arrays.copyOf(lines, lines.length - 8));
        assertThat(pages).containsExactly("http://h/first");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<urlset><loc>http://h/1</loc><loc>http://h/2</loc></urlset> | http://h/1 http://h/2 |",
                "<sitemapindex><url><loc>http://h/1</loc></url></sitemapindex> | http://h/1 |",
                "<urlset><sitemap><loc>http://h/s</loc></sitemap></urlset> | | http://h/s",
                "<sitemapindex><loc>http://h/s</loc></sitemapindex> | | http://h/s",
                "<URLSET><Url><LOC>http://h/1</LOC></Url></URLSET> | http://h/1 |",
                "<urlset><url><x><loc>http://h/no</loc></x></url></urlset> | |",
            })
    void elementsInTheWrongPlaceAreUnderstood(String file, String pageUrls, String sitemapUrls) {
        assertThat(read(file).problem()).isEmpty();
        assertThat(String.join(" ", pages)).isEqualTo(pageUrls == null ? "" : pageUrls);
        assertThat(String.join(" ", sitemaps)).isEqualTo(sitemapUrls == null ? "" : sitemapUrls);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "http://h/?x=1&y=2 | http://h/?x=1&y=2",
                "http://h/?x=1&amp;amp;y=2 | http://h/?x=1&amp;y=2",
                "http://h/caf&eacute;&AMP;x | http://h/caf%C3%A9&x",
                "http://h/&LT;&unknown | http://h/%3C&unknown",
                "http://h/&#x2F;&#47; | http://h///",
                "<![CDATA[http://h/?x&y]]]><![CDATA[&z]]> | http://h/?x&y]&z",
                "http://h/&unknown; | -",
                "http://h/&#0;&#xD800; | -",
                "http://h/\u000Bx | -",
                "http://h/\uFFFD | -",
            })
    void wrongEscapeCostsAtMostItsEntry(String location, String url) {
        // Over the whole length of every buffer.
        String before = URL_SET + "<!-- " + "-x".repeat(4050) + " -->";
        for (int i = 0; i < 60; i++) {
            pages.clear();
            Outcome outcome = read(before + " ".repeat(i) + url(location) + url("http://h/next") + "</urlset>");

            assertThat(outcome.problem()).isEmpty();
            assertThat(outcome.invalid()).isEqualTo(url == null ? 1 : 0);
            assertThat(pages).last().isEqualTo("http://h/next");
            assertThat(pages.size() == 2 ? pages.get(0) : null).isEqualTo(url);
        }
    }

    @Test
    void declaredEncodingIsUsed() {
        String file = "<?xml version='1.0' encoding='iso-8859-1'?><urlset>" + url("http://h/\u00FC") + "</urlset>";

        read(file.getBytes(ISO_8859_1));
        read("\uFEFF" + file);

        assertThat(pages).containsExactly("http://h/%C3%BC", "http://h/%C3%BC");
    }

    private static String noise(int entries) {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < entries; i++) {
            text.append(url("http://h/" + random.nextLong()));
        }
        return text.toString();
    }

    @Test
    void aBrokenStreamThrowsAfterItsUrls() {
        IOException broken = new IOException("reset");
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw broken;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                throw broken;
            }
        };
        InputStream start = new ByteArrayInputStream((URL_SET + url("http://h/a")).getBytes(UTF_8));

        assertThatThrownBy(() -> SitemapReader.read(new SequenceInputStream(start, failing), this::add, sitemaps::add))
                .isSameAs(broken);
        assertThat(pages).containsExactly("http://h/a");
        assertThatThrownBy(() -> SitemapReader.read(failing, this::add, sitemaps::add))
                .isSameAs(broken);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01, 2026-01-02T00:00:00Z",
        " 2026-12-31 , 2027-01-01T00:00:00Z",
        "2026-01-01T10:20+02:00, 2026-01-01T08:20:00Z",
        "2026-01-01T10:20:30Z, 2026-01-01T10:20:30Z",
        "2026-01-01T10:20:30.5-01:00, 2026-01-01T11:20:30.5Z",
    })
    void theTimeOfAPageIsThatOfItsEntry(String text, Instant time) {
        read(URL_SET + "<url><lastmod>" + text
                + "</lastmod><loc>http://h/before</loc></url><url><loc>http://h/after</loc>"
                + "<changefreq>daily</changefreq><lastmod>" + text
                + "</lastmod></url><url><loc>http://h/none</loc></url>");
        assertThat(modified).isEqualTo(Map.of("http://h/before", time, "http://h/after", time));
        assertThat(pages).containsExactly("http://h/before", "http://h/after", "http://h/none");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "2026", "2026-01", "2026-02-30", "yesterday", "2026-01-01T10:20", "+999999999-12-31T00:00Z"})
    void aTimeThatIsNotAsExactAsADayIsNone(String text) {
        read(URL_SET + "<url><loc>http://h/a</loc><lastmod>" + text + "</lastmod></url></urlset>");
        assertThat(pages).containsExactly("http://h/a");
        assertThat(modified.values()).allMatch(time -> time.isAfter(Instant.parse("9999-01-01T00:00:00Z")));
    }

    @Test
    void whatTheTakerThrowsComesOut() {
        IllegalStateException full = new IllegalStateException("full");

        assertThatThrownBy(() -> SitemapReader.read(
                        new ByteArrayInputStream((URL_SET + url("http://h/a")).getBytes(UTF_8)),
                        (url, modified) -> {
                            throw full;
                        },
                        sitemaps::add))
                .isSameAs(full);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "<!DOCTYPE html><html><body><a href='http://h/'>x</a></body></html>",
                "Not found",
                "<",
                "{\"url\": \"http://h/\"}",
            })
    void whatIsNoSitemapSaysSo(String file) {
        Outcome outcome = read(file);

        assertThat(outcome.isSitemap()).isFalse();
        assertThat(outcome.problem()).isNotEmpty();
        assertThat(pages).isEmpty();
    }

    @Test
    void urlsBeyondTheLimitAreCounted() {
        StringBuilder text = new StringBuilder();
        StringBuilder xml = new StringBuilder(URL_SET);
        for (int i = 0; i < SitemapReader.MAX_URLS + 7; i++) {
            text.append("http://h/").append(i).append('\n');
            xml.append(url("http://h/" + i));
        }

        assertThat(read(text.toString())).isEqualTo(new Outcome(true, SitemapReader.MAX_URLS, 0, List.of(), 7, ""));
        assertThat(read(xml + "</urlset>")).isEqualTo(new Outcome(true, SitemapReader.MAX_URLS, 0, List.of(), 7, ""));
        assertThat(pages).hasSize(2 * SitemapReader.MAX_URLS);
    }

    @Test
    void anEndlessFileIsReadToTheLimit() {
        Outcome outcome = read(endless(i -> url("http://h/" + i)));

        assertThat(outcome.urls()).isEqualTo(SitemapReader.MAX_URLS);
        assertThat(outcome.beyondLimit()).isPositive();
        assertThat(outcome.problem()).isEqualTo("more than 52428800 bytes");
    }

    @Test
    void aBombOfGzipIsReadToTheLimit() {
        byte[] bomb = gzip((URL_SET + url("http://h/first") + " ".repeat(60 << 20)).getBytes(UTF_8));

        assertThat(read(bomb).problem()).isEqualTo("more than 52428800 bytes");
        assertThat(read(gzip(bomb)).isSitemap()).isFalse();
        assertThat(pages).containsExactly("http://h/first");
    }

    @Test
    void entitiesAreNeitherFetchedNorRepeated() throws IOException {
        try (HostileServer server = HostileServer.unjudged()) {
            String dtd =
                    "<!DOCTYPE urlset SYSTEM '" + server.url("/dtd") + "' [<!ENTITY file SYSTEM 'file:///etc/passwd'>"
                            + "<!ENTITY net SYSTEM '" + server.url("/entity") + "'><!ENTITY % p SYSTEM '"
                            + server.url("/parameter")
                            + "'> %p; <!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>";

            for (String entity : List.of("&file;", "&net;", "&b;")) {
                Outcome outcome = read(dtd + "<urlset>" + url("http://h/a") + url("http://h/" + entity) + "</urlset>");

                assertThat(outcome.problem()).isEmpty();
                assertThat(outcome.invalid()).isEqualTo(1);
            }

            assertThat(pages).containsExactly("http://h/a", "http://h/a", "http://h/a");
            assertThat(server.heads()).isEmpty();
        }
    }

    @Test
    void markupThatWouldFillTheHeapIsGivenUp() {
        String longPiece = "more than 131072 bytes";

        assertThat(read(endless(i -> i == 0 ? "<!-- " : "> -")).problem()).contains(longPiece);
        assertThat(read(endless(i -> i == 0 ? "<![CDATA[" : "]]")).problem()).contains(longPiece);
        assertThat(read(endless(i -> i == 0 ? "<url a='" : "x>")).problem()).contains(longPiece);
        assertThat(read(endless(i -> i == 0 ? "<?x " : "y")).problem()).contains(longPiece);
        assertThat(read(endless(i -> i == 0 ? "<url " : " attribute-of-a-name-" + i + "='b'"))
                        .problem())
                .contains(longPiece);
        assertThat(read(endless(i -> "<url>")).problem()).contains("nested more than 100 deep");
        assertThat(read(endless(i -> "<u" + i + "/>")).problem()).contains("more than 1000 names");
        assertThat(read(endless(i -> "<?u" + i + "?>")).problem()).contains("more than 1000 names");
        assertThat(read(endless(i -> "<u a" + i + "='b'/>")).problem()).contains("more than 1000 names");
        assertThat(read(new Endless("<!DOCTYPE x [", i -> "<!ENTITY a" + i + " 'b'>"))
                        .problem())
                .contains(longPiece);
    }

    @Test
    void oneTextWithoutEndIsNoUrl() {
        Outcome outcome = read(endless(i -> i == 0 ? "<url><loc>http://h/" : "x".repeat(1000)));

        assertThat(outcome.problem()).isEqualTo("more than 52428800 bytes");
        assertThat(pages).containsExactly("http://h/first");
    }

    @Test
    void junkIsGivenUpSoon() {
        Outcome outcome = read(new Endless("http://h/a\n", i -> "x\n"));

        assertThat(outcome.isSitemap()).isFalse();
        assertThat(outcome.problem()).isEqualTo("more than 1000 lines that are not URLs");
    }

    @Test
    void noBytesWhateverMakeItFail() {
        Random random = new Random(11);
        byte[] good = (URL_SET + url("http://h/a") + "<!-- c --><![CDATA[d]]></urlset>").getBytes(UTF_8);
        for (int i = 0; i < 3000; i++) {
            byte[] bytes = good.clone();
            for (int changes = random.nextInt(5); changes >= 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            assertThat(read(i % 3 == 0 ? gzip(bytes) : bytes).urls()).isLessThanOrEqualTo(1);
        }
    }
}
