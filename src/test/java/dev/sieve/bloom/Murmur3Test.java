package dev.sieve.bloom;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Murmur3Test {
    private static final int SEED = 20_26;

    /** The reference's own check: keys {0, 1, .. i-1} with seed 256 - i, the hash of whose hashes is one number. */
    @Test
    void agreesWithTheVerificationValueOfTheReference() {
        byte[] key = new byte[256];
        ByteBuffer hashes = ByteBuffer.allocate(256 * 16).order(ByteOrder.LITTLE_ENDIAN);
        long[] hash = new long[2];
        for (int i = 0; i < 256; i++) {
            key[i] = (byte) i;
            Murmur3.hash(key, 0, i, 256 - i, hash, 0);
            hashes.putLong(hash[0]).putLong(hash[1]);
        }
        Murmur3.hash(hashes.array(), 0, hashes.capacity(), 0, hash, 0);
        assertThat((int) hash[0]).isEqualTo(0x6384BA69);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 0, 0000000000000000, 0000000000000000",
        "hello, 0, cbd8a7b341bd9b02, 5b1e906a48ae1d19",
        "The quick brown fox jumps over the lazy dog, 0, e34bbc7bbc071b6c, 7a433ca9c49a9347"
    })
    void hashesKnownKeysAsOthersDo(String key, long seed, String h1, String h2) {
        assertThat(Murmur3.hash(key, seed))
                .containsExactly(Long.parseUnsignedLong(h1, 16), Long.parseUnsignedLong(h2, 16));
    }

    @Test
    void anyLengthAtAnyOffsetHashesAsByItself() {
        Random random = new Random(SEED);
        byte[] buffer = new byte[200];
        random.nextBytes(buffer);
        for (int length = 0; length <= 100; length++) {
            for (int from = 0; from <= 33; from++) {
                byte[] alone = Arrays.copyOfRange(buffer, from, from + length);
                long seed = random.nextLong();
                long[] out = new long[4];
                Murmur3.hash(buffer, from, from + length, seed, out, 1);
                long[] expected = textbook(alone, seed);
                assertThat(out)
                        .as("length %d, offset %d, seed %d", length, from, seed)
                        .containsExactly(0, expected[0], expected[1], 0);
                long[] tight = new long[2];
                Murmur3.hash(alone, 0, length, seed, tight, 0);
                assertThat(tight).containsExactly(expected);
            }
        }
    }

    @Test
    void keyIsHashedByItsUtf8Bytes() {
        String key = "https://münchen.test/日本/😀";
        assertThat(Murmur3.hash(key, 7)).containsExactly(textbook(key.getBytes(UTF_8), 7));
    }

    @Test
    void halfASurrogatePairCountsAsAQuestionMark() {
        assertThat(Murmur3.hash("a\ud83db", 1)).containsExactly(Murmur3.hash("a?b", 1));
    }

    @Test
    void seedsGiveDifferentHashes() {
        assertThat(Murmur3.hash("https://a.test/", 1L << 40)).isNotEqualTo(Murmur3.hash("https://a.test/", 0));
    }

    @Test
    void partOutsideOfTheBytesIsRefused() {
        byte[] bytes = new byte[20];
        assertThatThrownBy(() -> Murmur3.hash(bytes, 5, 21, 0, new long[2], 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Murmur3.hash(bytes, 5, 4, 0, new long[2], 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Murmur3.hash(bytes, 0, 20, 0, new long[2], 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** The hash byte by byte, as slow and as plain as can be. */
    private static long[] textbook(byte[] key, long seed) {
        long c1 = 0x87c37b91114253d5L;
        long c2 = 0x4cf5ad432745937fL;
        long h1 = seed;
        long h2 = seed;
        int whole = key.length / 16 * 16;
        for (int at = 0; at < whole; at += 16) {
            h1 ^= Long.rotateLeft(littleEndian(key, at, at + 8) * c1, 31) * c2;
            h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
            h2 ^= Long.rotateLeft(littleEndian(key, at + 8, at + 16) * c2, 33) * c1;
            h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
        }
        h2 ^= Long.rotateLeft(littleEndian(key, whole + 8, key.length) * c2, 33) * c1;
        h1 ^= Long.rotateLeft(littleEndian(key, whole, Math.min(whole + 8, key.length)) * c1, 31) * c2;
        h1 ^= key.length;
        h2 ^= key.length;
        h1 += h2;
        h2 += h1;
        h1 = finish(h1);
        h2 = finish(h2);
        h1 += h2;
        h2 += h1;
        return new long[] {h1, h2};
    }

    private static long littleEndian(byte[] bytes, int from, int to) {
        long value = 0;
        for (int i = from; i < to; i++) {
            value |= (bytes[i] & 0xffL) << (8 * (i - from));
        }
        return value;
    }

    private static long finish(long h) {
        h ^= h >>> 33;
        h *= 0xff51afd7ed558ccdL;
        h ^= h >>> 33;
        h *= 0xc4ceb9fe1a85ec53L;
        return h ^ (h >>> 33);
    }
}
