package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UrlCodeTest {
    private static byte[] encode(byte[] text, int from, int to) {
        byte[] code = UrlCode.room(to - from);
        return Arrays.copyOf(code, UrlCode.encode(text, from, to, code));
    }

    @Test
    void eachTextIsReadAsItWasWritten() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] text = new byte[random.nextInt(80)];
            random.nextBytes(text);
            if (i % 2 == 0) {
                for (int j = 0; j < text.length; j++) {
                    text[j] = (byte) (' ' + (text[j] & 0xff) % 95);
                }
            }
            int from = random.nextInt(text.length + 1);
            byte[] code = encode(text, from, text.length);

            assertThat(code.length).isLessThanOrEqualTo(UrlCode.MAX_GROWTH * (text.length - from));
            assertThat(text.length - from).isLessThanOrEqualTo(UrlCode.MAX_CHARACTERS * code.length);
            byte[] read = new byte[text.length];
            assertThat(UrlCode.decode(code, 0, code.length, read, from)).isEqualTo(text.length - from);
            assertThat(Arrays.copyOfRange(read, from, text.length))
                    .isEqualTo(Arrays.copyOfRange(text, from, text.length));
        }
    }

    @Test
    void theShortestCodesHaveTwoBits() {
        byte[] text = "////////".getBytes(UTF_8);
        assertThat(encode(text, 0, text.length).length * UrlCode.MAX_CHARACTERS).isEqualTo(text.length);
    }

    @Test
    void aUsualUrlTakesLessThanTwoThirds() {
        for (String url : new String[] {
            "https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/BitSet.html",
            "https://en.wikipedia.org/wiki/Huffman_coding",
            "https://www.example.com/shop/item?id=1234567&page=2"
        }) {
            byte[] text = url.getBytes(UTF_8);
            assertThat(encode(text, 0, text.length).length).isLessThan(text.length * 2 / 3);
        }
    }

    @Test
    void aCutOrOverlongCodeIsDamaged() {
        assertThat(length()).isZero();
        byte[] code = encode("ä".getBytes(UTF_8), 0, 1);
        assertThat(length(code)).isEqualTo(1);
        assertThat(length(Arrays.copyOf(code, code.length - 1))).isEqualTo(-1);
        byte[] more = Arrays.copyOf(code, code.length + 1);
        more[code.length] = -1;
        assertThat(length(more)).isEqualTo(-1);
    }

    private static int length(byte... code) {
        return UrlCode.decode(code, 0, code.length, null, 0);
    }
}
