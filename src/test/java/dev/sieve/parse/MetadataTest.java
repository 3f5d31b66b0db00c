package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a document says of itself. */
class MetadataTest {
    private static Map<String, Object> read(String html, Map<String, List<String>> headers) {
        Metadata metadata = new Metadata();
        FetchResult.Page page = Documents.page("text/html", html.getBytes(UTF_8), headers);
        Documents.read("http://h.test/", page, metadata);
        return metadata.finish(page.header("content-language"));
    }

    private static Map<String, Object> read(String html) {
        return read(html, Map.of());
    }

    @Test
    void eachFieldIsAsThePageHasIt() {
        assertThat(read("""
                <html lang=" de-AT "><head><meta name=Author content=" A. Writer "><meta name=author content=other>
                <meta property="og:title" content="T &amp; t"><meta property="OG:image" content=a><meta name="og:image" content=b>
                <meta property="og:image" content=c><meta property="article:published_time" content="2026-01-02">
                <meta name="dcterms.modified" content="yesterday"><meta name=date content=late><meta property=ogre content=no>
                <script type="application/ld+json"> {"a": "</b>"} </script><script type="Application/LD+JSON">[</script>
                <script type="application/json">{}</script>"""))
                .isEqualTo(Map.of(
                        "language",
                        "de-AT",
                        "author",
                        "A. Writer",
                        "published",
                        "2026-01-02",
                        "modified",
                        "yesterday",
                        "open_graph",
                        Map.of(
                                "og:title",
                                "T & t",
                                "og:image",
                                List.of("a", "b", "c"),
                                "article:published_time",
                                "2026-01-02"),
                        "json_ld",
                        List.of("{\"a\": \"</b>\"}", "[")));
        assertThat(read("<p>x<svg><script type='application/ld+json'>1</script></svg>"))
                .isEmpty();
    }

    @Test
    void propertiesAreAListAndTypesHaveParameters() {
        assertThat(read("<meta property=' og:title  twitter:title\nog:x' content=t>"
                        + "<script type='application/ld+json; charset=utf-8'>1</script>"
                        + "<script type='application/ld+jsonx'>2</script>"))
                .isEqualTo(Map.of("open_graph", Map.of("og:title", "t", "og:x", "t"), "json_ld", List.of("1")));
    }

    @Test
    void theLanguageOfTheServerIsTheLast() {
        Map<String, List<String>> headers = Map.of("content-language", List.of("en"));
        assertThat(read("x", headers)).isEqualTo(Map.of("language", "en"));
        assertThat(read("<meta http-equiv=Content-Language content=fr>", headers))
                .isEqualTo(Map.of("language", "fr"));
        assertThat(read("<html lang=''><meta http-equiv=Content-Language content=fr>", headers))
                .isEqualTo(Map.of("language", "fr"));
    }

    @Test
    void anElementIsReadWhereTheTreeIsDropped() {
        String filler = "<p>" + "x".repeat(99_999);
        for (int i = 0; i < 40; i++) {
            String json = "{\"n\": \"" + "y".repeat(1000 * i) + "\"}";
            assertThat(read(filler + "z".repeat(1000 * i) + "<script type='application/ld+json'>" + json + "</script>"))
                    .isEqualTo(Map.of("json_ld", List.of(json)));
        }
    }

    @Test
    @Tag("hostile")
    void thereIsABound() {
        Map<String, Object> many = read("<meta property='og:image' content='" + "v".repeat(50) + "'>".repeat(1)
                + "<meta property=og:image content=w><meta name=author content=x>".repeat(100_000));
        assertThat((List<?>) ((Map<?, ?>) many.get("open_graph")).get("og:image"))
                .hasSize(64);
        String json = "<script type='application/ld+json'>" + "j".repeat(5 << 20) + "</script>";
        assertThat(read(json + "<script type='application/ld+json'>{}</script>"))
                .isEqualTo(Map.of("json_ld", List.of("{}"), "json_ld_left_out", 1));
        assertThat(read("<script type='application/ld+json'>1</script>".repeat(100_000)))
                .containsEntry("json_ld_left_out", 100_000 - 64);
        assertThat(read("<html lang='" + "l".repeat(1 << 20) + "'>")
                        .get("language")
                        .toString())
                .hasSize(2000);
    }
}
