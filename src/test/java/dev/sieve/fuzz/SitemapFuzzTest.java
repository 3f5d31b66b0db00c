package dev.sieve.fuzz;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.parse.SitemapReader;
import dev.sieve.url.UrlNormalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any file is read to its end or to an error, and each URL passed on is normalised and counted. */
@Tag("hostile")
public class SitemapFuzzTest {
    private static final String[] WORDS = Fuzzer.words("""
            <?xml version='1.0'?>  <?xml version='1.1' encoding='x'?>  <urlset>  </urlset>  <url>  </url>  <loc>
            </loc>  <sitemapindex>  <sitemap>  </sitemap>  </sitemapindex>  <rss><channel>  <item>  <link>
            </link>  </item>  <feed>  <entry>  <link href='http://h/f'/>  </entry>  </feed>  http://h/a
            http://[0:1:2:3:4:5:6::8]/  &amp;  &x;  &#0;  &#x110000;  <!DOCTYPE x [<!ENTITY x 'y'>]>  <!--  -->
            <![CDATA[  ]]>  <  >  \0  \ufffe  \ud800  <?p ?>  <x:loc xmlns:x='y'>  </x:loc>  =  '
            """, "\n", " ", "x".repeat(9000));

    @Test
    void everyFileIsRead() {
        Fuzzer.run(
                SitemapFuzzTest::fuzzerTestOneInput,
                1_600,
                "0<?xml version='1.0'?>\n<urlset><url><loc>http://h/a&amp;b</loc></url><url><loc> http://h/c </loc></url></urlset>",
                "0<sitemapindex><sitemap><loc>http://h/s.xml</loc></sitemap></sitemapindex>",
                "0<feed><entry><link rel='alternate' href='http://h/f'/></entry></feed>",
                "0http://h/a\nhttp://h/b\r\n# c\n");
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String text = Fuzzer.text(input, WORDS);
        int form = input.length == 0 ? 0 : (input[0] & 0xff) >> 1 & 7;
        byte[] file = text.getBytes(form == 1 ? UTF_16 : UTF_8);
        if (form == 2) {
            file = cut(gzip(file), input.length);
        }
        List<String> urls = new ArrayList<>();
        SitemapReader.Outcome outcome =
                SitemapReader.read(new ByteArrayInputStream(file), (url, modified) -> urls.add(url), urls::add);
        if (outcome.urls() != urls.size() || !urls.stream().allMatch(url -> url.equals(UrlNormalizer.parse(url)))) {
            throw new AssertionError(outcome + " " + urls + ": " + text);
        }
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    /** Damages one byte of many files. */
    private static byte[] cut(byte[] bytes, int at) {
        if (at < bytes.length) {
            bytes[at] ^= 1;
        }
        return bytes;
    }
}
