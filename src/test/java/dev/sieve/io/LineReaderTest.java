package dev.sieve.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines are read whole across blocks, and cut at the maximum. */
class LineReaderTest {
    private static final int MAX = 100_000;

    /** Returns the text in pieces of any length. */
    private static InputStream pieces(String text, Random random) {
        return new FilterInputStream(new ByteArrayInputStream(text.getBytes(ISO_8859_1))) {
            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                return super.read(bytes, from, 1 + random.nextInt(length));
            }
        };
    }

    @Test
    void linesAreWholeHoweverTheyArrive() throws IOException {
        Random random = new Random(20261122);
        for (int round = 0; round < 20; round++) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                lines.add("x".repeat(random.nextInt(random.nextInt(10) == 0 ? MAX + 1 : 100)));
            }
            List<String> read = new ArrayList<>();
            try (LineReader reader = new LineReader(pieces(String.join("\n", lines) + "\n", random), MAX)) {
                while (reader.next()) {
                    assertThat(reader.isTerminated()).isTrue();
                    assertThat(reader.isCut()).isFalse();
                    read.add(reader.text(ISO_8859_1));
                }
                assertThat(reader.next()).isFalse();
            }
            assertThat(read).isEqualTo(lines);
        }
    }

    @Test
    void aLongLineIsCutAndTheNextOneIsWhole() throws IOException {
        String text = "a".repeat(70_000) + "\n\nend";
        try (LineReader reader = new LineReader(new ByteArrayInputStream(text.getBytes(ISO_8859_1)), 10)) {
            assertThat(reader.next()).isTrue();
            assertThat(reader.isCut()).isTrue();
            assertThat(reader.text(ISO_8859_1)).isEqualTo("a".repeat(10));
            assertThat(reader.next()).isTrue();
            assertThat(reader.isCut()).isFalse();
            assertThat(reader.length()).isZero();
            assertThat(reader.next()).isTrue();
            assertThat(Arrays.copyOf(reader.bytes(), reader.length())).isEqualTo("end".getBytes(ISO_8859_1));
            assertThat(reader.isTerminated()).isFalse();
            assertThat(reader.next()).isFalse();
        }
    }
}
