package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageTextTest {
    private static PageText text(String html) {
        TextDigest digest = new TextDigest();
        digest.sketch();
        Documents.read("http://h/", Documents.page("text/html", html), digest);
        return digest.finish();
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
    void sketchTellsSimilarTextsFromOthers() {
        Random random = new Random(2);
        int found = 0;
        int wrong = 0;
        for (int i = 0; i < 200; i++) {
            List<String> words = new ArrayList<>();
            while (words.size() < 500) {
                words.add(Integer.toString(random.nextInt(1000), 36));
            }
            Sketch sketch = sketch(words);
            found += sketch.distance(sketch(changed(words, 10, random))) <= Sketch.NEAR ? 1 : 0;
            // A third of the shingles of each text is not in the other: a similarity of one half.
            wrong += sketch.distance(sketch(changed(words, 65, random))) <= Sketch.NEAR ? 1 : 0;
        }
        assertThat(found).isGreaterThanOrEqualTo(190);
        assertThat(wrong).isZero();
    }

    private static Sketch sketch(List<String> words) {
        return Objects.requireNonNull(text(String.join(" ", words)).sketch());
    }

    private static List<String> changed(List<String> words, int count, Random random) {
        List<String> other = new ArrayList<>(words);
        for (int i = 0; i < count; i++) {
            other.set(random.nextInt(other.size()), "x" + random.nextInt(100_000));
        }
        return other;
    }

    @Test
    void sketchHasTheBitOfTheLeastHashInEachClass() {
        long least = (1L << 10) | 3;
        long next = (1L << 30) | 5;
        Sketch.Builder builder = new Sketch.Builder();
        assertThat(builder.build().bits(0, 31)).isZero();

        builder.add((1L << 20) | 3);
        builder.add(least);
        builder.add(next);

        assertThat(builder.build().bits(3, 4)).isEqualTo((int) Sketch.Builder.mix(least >>> 1) & 1);
        assertThat(builder.build().bits(4, 5)).isEqualTo((int) Sketch.Builder.mix((next >>> 1) + 1) & 1);
    }

    @Test
    void sketchIsReadFromItsText() {
        byte[] bytes = new byte[Sketch.BITS / Byte.SIZE];
        Arrays.fill(bytes, 0, 8, (byte) 0xff);
        bytes[7] = (byte) 0xfe;
        bytes[15] = 3;
        String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        Sketch sketch = Objects.requireNonNull(Sketch.parse(text));

        assertThat(sketch.base64()).isEqualTo(text);
        assertThat(sketch.bits(0, 3)).isEqualTo(0b011);
        assertThat(sketch.distance(Objects.requireNonNull(Sketch.parse("A".repeat(text.length())))))
                .isEqualTo(65);
        assertThat(Sketch.parse("A".repeat(text.length() - 1) + "+")).isNull();
        assertThat(Sketch.parse("A".repeat(text.length() + 1))).isNull();
        assertThat(Sketch.parse(null)).isNull();
    }
}
