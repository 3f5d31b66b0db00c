package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTextTest {
    private static PageText text(String html) {
        byte[] body = html.getBytes(UTF_8);
        Map<String, List<String>> headers = Map.of("content-type", List.of("text/html; charset=utf-8"));
        FetchResult.Page page = new FetchResult.Page(200, headers, "text/html", body, body.length, false);
        LinkExtractor.Document document = LinkExtractor.read("http://h/", page, "", true, LinkExtractor.Rest.NONE);
        return Objects.requireNonNull(document.text());
    }

    private static long sha256(String text) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        return ByteBuffer.wrap(digest).getLong();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<p>Hello brave new wörld €",
                "<title>T</title><p>Hello\n <b>br</b>ave\u00a0new<option>wörld</option></p>€",
                "Hello<br>brave<div>new</div><ul><li>wörld<li>€</ul>",
                "<style>x{}</style><p>Hello<script>y</script> brave new<template>z</template> w<i>ö</i>rld &euro;",
                "<table>Hello<tr><td>brave<td>new</table><svg><style>q</style><title>t</title></svg> wörld €",
            })
    void digestIsThatOfTheVisibleWordsInAnyMarkup(String html) throws Exception {
        assertThat(text(html).digest()).isEqualTo(sha256("Hello brave new wörld €"));
        assertThat(text(html).words()).isEqualTo(5);
    }

    @Test
    void otherWordsHaveAnotherDigest() {
        assertThat(text("a bc").digest())
                .isNotEqualTo(text("ab c").digest())
                .isNotEqualTo(text("a b c").digest())
                .isNotEqualTo(text("bc a").digest());
        assertThat(text("<title>only a title</title>").words()).isZero();
    }

    @Test
    void wordsMayCrossTheBoundsUpToWhichThePageIsInMemory() throws Exception {
        Random random = new Random(22);
        StringBuilder plain = new StringBuilder();
        StringBuilder html = new StringBuilder("<div><p>");
        while (plain.length() < 600_000) {
            String word = Long.toString(random.nextLong(), 36);
            plain.append(plain.isEmpty() ? "" : " ").append(word);
            int cut = random.nextInt(word.length());
            html.append(word, 0, cut).append("<b>").append(word.substring(cut)).append("</b>");
            html.append(random.nextInt(9) == 0 ? "<p>" : " ");
        }

        PageText whole = text("<p>" + plain);

        assertThat(whole.digest()).isEqualTo(sha256(plain.toString()));
        assertThat(text(html.toString())).isEqualTo(whole);
    }

    @Test
    void bitOfSimHashIsThatOfMostFeatures() {
        SimHash hash = new SimHash();
        assertThat(hash.value()).isZero();

        hash.add(0b1100L | (1L << 63));
        hash.add(0b1010L | (1L << 63));
        hash.add(0b0110L);

        assertThat(hash.value()).isEqualTo(0b1110L | (1L << 63));
    }

    @Test
    void simHashEqualsAPlainCount() {
        Random random = new Random(1);
        SimHash hash = new SimHash();
        int[] counts = new int[Long.SIZE];
        for (int i = 0; i < 1000; i++) {
            long feature = i % 3 == 0 ? random.nextLong() : random.nextInt();
            hash.add(feature);
            for (int bit = 0; bit < Long.SIZE; bit++) {
                counts[bit] += ((feature >>> bit) & 1) == 1 ? 1 : -1;
            }
        }
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat((hash.value() >>> bit) & 1).isEqualTo(counts[bit] > 0 ? 1 : 0);
        }
    }
}
