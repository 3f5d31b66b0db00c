package dev.sieve.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a crash leaves at the end of a file of lines is removed; what another program wrote is not. */
class UnfinishedLinesTest {
    private static final int BLOCK = 512;

    @TempDir
    private Path folder;

    /** Writes a file, in which each 0 stands for that many zeros. */
    private Path file(String text, int zeros) throws IOException {
        String content = text.replace("0", "\0".repeat(zeros));
        return Files.write(folder.resolve("a.txt"), content.getBytes(ISO_8859_1));
    }

    private static UnfinishedLines read(Path file) throws IOException {
        return new UnfinishedLines(file, text -> "http".startsWith(text) || text.startsWith("http"));
    }

    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "http:a|0,http:a|,",
                "http:a|http:b0,http:a|,http:b",
                "http:a|http:b,http:a|,http:b",
                "0,,",
                "ht0,,ht"
            })
    void anUnfinishedLastLineIsRemoved(String before, String after, String text) throws IOException {
        for (int zeros : new int[] {1, 464, 70_000}) {
            Path file = file(before.replace('|', '\n'), zeros);
            long size = Files.size(file);

            UnfinishedLines lines = read(file);

            assertThat(lines.isForeign()).isFalse();
            Removal removal = lines.remove();
            assertThat(file).hasContent(after == null ? "" : after.replace('|', '\n'));
            assertThat(removal.bytes()).isEqualTo(size - Files.size(file));
            assertThat(removal.text()).isEqualTo(text == null ? "" : text);
            assertThat(removal.copy()).isNull();
            assertThat(read(file).remove().bytes()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http:a|http:b0c|http:d|http:e, http:a|http:d|",
        "http:a|0http:b|0|http:d|0, http:a|http:d|",
        "http:a|http:b0|http:c|http0, http:a|http:c|"
    })
    void wholeLinesAfterAHoleAreKept(String before, String after) throws IOException {
        Path file = file(before.replace('|', '\n'), 600);
        byte[] whole = Files.readAllBytes(file);

        Removal removal = read(file).remove();

        assertThat(file).hasContent(after.replace('|', '\n'));
        assertThat(removal.position()).isEqualTo(7);
        assertThat(removal.bytes()).isEqualTo(whole.length - Files.size(file));
        assertThat(removal.copy()).isEqualTo(folder.resolve("a.txt-7.broken"));
        assertThat(removal.copy()).hasBinaryContent(Arrays.copyOfRange(whole, 7, whole.length));
    }

    @Test
    void aFileWhoseFirstLineIsDamagedBeginsAnew() throws IOException {
        Path file = file("url,k0http:a,|http:b|".replace('|', '\n'), 100);
        byte[] whole = Files.readAllBytes(file);

        Removal removal = new UnfinishedLines(file, "url,key"::startsWith).remove();

        assertThat(file).isEmptyFile();
        assertThat(removal.copy()).hasBinaryContent(whole);
        assertThat(removal.bytes()).isEqualTo(whole.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mine", "http:a|mine", "http:a|mine0", "http:a|0|mine", "m0"})
    void theEndOfAFileOfAnotherProgramIsForeign(String text) throws IOException {
        assertThat(read(file(text.replace('|', '\n'), 10)).isForeign()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "|", "http:a|http:b|", "mine|", "mine0|http:a|", "m0i0n0e0|"})
    void aFileWithoutAnUnfinishedLineIsLeftAlone(String text) throws IOException {
        Path file = file(text.replace('|', '\n'), 1);
        byte[] whole = Files.readAllBytes(file);

        UnfinishedLines lines = read(file);

        assertThat(lines.isForeign()).isFalse();
        assertThat(lines.remove().bytes()).isZero();
        assertThat(file).hasBinaryContent(whole);
    }

    @Test
    void onlyTheLastMegabytesAreSearchedForHoles() throws IOException {
        Path file = file("http:a\nhttp:0\n", 3);
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(out.length() + FileEnd.MAX_BYTES + 1);
            out.seek(out.length());
            out.write("\nhttp:b\n".getBytes(ISO_8859_1));
        }
        assertThat(read(file).remove().bytes()).isZero();

        Path large = file("http:a\n", 0);
        try (RandomAccessFile out = new RandomAccessFile(large.toFile(), "rw")) {
            out.setLength(2 * FileEnd.MAX_BYTES);
        }
        assertThat(read(large).remove().bytes()).isEqualTo(2 * FileEnd.MAX_BYTES - 7);
        assertThat(large).hasContent("http:a\n");
    }

    @Test
    void theTextOfARemovedLineCannotControlATerminal() throws IOException {
        assertThat(read(file("http:\u001b[31m", 0)).remove().text()).isEqualTo("http:?[31m");
    }

    /** Any blocks of what was written after some position are zeros, and the file ends anywhere after it. */
    @Test
    void whateverBlocksAreMissingOnlyWholeLinesAreLeft() throws IOException {
        Random random = new Random(20261122);
        for (int round = 0; round < 500; round++) {
            List<String> written = new ArrayList<>();
            int forced = 0;
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(60); i >= 0; i--) {
                written.add("http://host/" + "path/".repeat(random.nextInt(40)) + i);
                text.append(written.get(written.size() - 1)).append('\n');
                forced = random.nextInt(4) == 0 ? text.length() : forced;
            }
            byte[] bytes = text.toString().getBytes(ISO_8859_1);
            List<String> safe =
                    written.subList(0, (int) text.substring(0, forced).lines().count());
            bytes = Arrays.copyOf(bytes, forced + random.nextInt(bytes.length - forced + 1));
            for (int at = forced; at < bytes.length; at = (at / BLOCK + 1) * BLOCK) {
                if (random.nextInt(3) == 0) {
                    Arrays.fill(bytes, at, Math.min(bytes.length, (at / BLOCK + 1) * BLOCK), (byte) 0);
                }
            }
            Path file = Files.write(folder.resolve("b.txt"), bytes);

            Removal removal = read(file).remove();

            List<String> left = Files.readAllLines(file);
            assertThat(left)
                    .as("round %d", round)
                    .isEqualTo(written.stream().filter(left::contains).toList());
            assertThat(left.subList(0, safe.size())).as("round %d", round).isEqualTo(safe);
            assertThat(Files.readString(file)).isEqualTo(left.isEmpty() ? "" : String.join("\n", left) + "\n");
            assertThat(read(file).remove().bytes()).isZero();
            if (removal.copy() != null) {
                assertThat(removal.copy())
                        .hasBinaryContent(Arrays.copyOfRange(bytes, (int) removal.position(), bytes.length));
                Files.delete(removal.copy());
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("b.txt"));
        }
    }

    @Test
    void aFileThatCannotBeReadIsNamed() {
        Path absent = folder.resolve("no.txt");

        assertThatThrownBy(() -> read(absent)).isInstanceOf(IOException.class).hasMessageContaining(absent.toString());
    }
}
