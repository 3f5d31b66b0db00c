package dev.sieve.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines with checksums. */
class LineFileTest {
    private static final long OWNER = 0x1234_5678_9abc_def0L;
    private static final LineFile.Kind KIND =
            new LineFile.Kind("words", 2, "a word", "", word -> word.matches("[a-z]+"));
    private static final List<String> WORDS = List.of("one", "two", "three", "four");

    private final FakeDisk disk = new FakeDisk();
    private final List<String> lines = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    @BeforeEach
    void write() throws IOException {
        LineFile.replace(disk, KIND, OWNER, WORDS);
    }

    private LineFile.Content read() throws IOException {
        lines.clear();
        problems.clear();
        return LineFile.read(disk, KIND, OWNER, 0, (position, line) -> lines.add(line), problems::add);
    }

    private String text() {
        return new String(disk.bytes("words"), ISO_8859_1);
    }

    private void text(String text) {
        disk.replace("words", text.getBytes(ISO_8859_1));
    }

    @Test
    void theFormatIsFrozen() {
        assertThat(text()).isEqualTo("""
                        # sieve words 2 123456789abcdef0 5446ee32
                        65c5c90b 1 one
                        55ba78b5 2 two
                        7849575a 3 three
                        b772ef96 4 four
                        """);
    }

    @Test
    void linesAreReadAgainAndAppendedTo() throws IOException {
        LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> lines.add(line));
        assertThat(lines).isEqualTo(WORDS);
        file.add("five");
        file.flush();
        file.add("six");
        file.force();
        assertThat(file.last()).isEqualTo(6);
        file.close();

        assertThat(read()).isEqualTo(new LineFile.Content(disk.bytes("words").length, 6));
        assertThat(lines).hasSize(6).endsWith("five", "six");
        assertThat(problems).isEmpty();
        assertThat(disk.handles()).isZero();
    }

    @Test
    void everyFlippedBitIsFoundAndOnlyItsLineIsLost() throws IOException {
        byte[] whole = disk.bytes("words");
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] bytes = whole.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace("words", bytes);
            try {
                read();
            } catch (IOException e) {
                problems.add(e.getMessage());
            }

            assertThat(problems).as("bit %d", bit).isNotEmpty().doesNotContainNull();
            assertThat(WORDS).containsAll(lines);
            boolean isLineFeed = whole[bit / 8] == 10;
            assertThat(lines).as("bit %d", bit).hasSizeGreaterThanOrEqualTo(isLineFeed ? 2 : 3);
        }
    }

    @Test
    void everyCutIsReadAsACrash() throws IOException {
        byte[] whole = disk.bytes("words");
        int header = text().indexOf('\n') + 1;
        for (int length = header; length < whole.length; length++) {
            disk.replace("words", Arrays.copyOf(whole, length));
            assertThat(read().last()).isEqualTo(lines.size()).isLessThan(WORDS.size());
            assertThat(problems).isEmpty();

            disk.replace("words", Arrays.copyOf(Arrays.copyOf(whole, length), whole.length));
            assertThat(read().last()).isEqualTo(lines.size()).isLessThan(WORDS.size());
            assertThat(problems).isEmpty();
        }
    }

    /** A power cut may leave later blocks of what was not forced, and not earlier ones. */
    @Test
    void aHoleInWhatWasNotForcedIsIgnoredWithAllThatFollows() throws IOException {
        String whole = text();
        text(whole.replace("55ba78b5 2 two\n784", "\0".repeat(18)));
        assertThat(read().last()).isEqualTo(1);
        assertThat(problems).isEmpty();
        assertThat(lines).containsExactly("one");

        try (LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {})) {
            assertThat(file.unfinished()).isEqualTo(whole.length() - whole.indexOf("55ba"));
            assertThat(disk.bytes("words")).hasSize(whole.length());
            file.add("later");
            file.flush();
            assertThat(file.unfinished()).isZero();
        }
        read();
        assertThat(problems).isEmpty();
        assertThat(lines).containsExactly("one", "later");
    }

    @Test
    void aHoleInWhatWasForcedIsDamage() throws IOException {
        try (LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {})) {
            file.add("five");
            file.force();
            file.add("six");
            file.add("seven");
            file.flush();
        }
        assertThat(text()).contains(" 5 five\n").contains(" 6+ six\n").contains(" 7 seven\n");
        String whole = text();

        text(whole.replace("five", "\0".repeat(4)));
        read();
        assertThat(problems).containsExactly("words: line 6 is damaged");
        assertThat(lines).hasSize(6).endsWith("six", "seven");

        text(whole.replace("seven", "\0".repeat(5)));
        read();
        assertThat(problems).isEmpty();
        assertThat(lines).hasSize(6).endsWith("six");
    }

    @Test
    void appendingStartsAfterTheLastWholeLine() throws IOException {
        text(text() + "\0\0\0");
        try (LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {})) {
            file.add("five");
            file.flush();
        }

        read();
        assertThat(problems).isEmpty();
        assertThat(lines).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource({
        "1-2-2-3-4, line 4 is a copy of an earlier one, one-two-three-four",
        "1-3-2-4, missing before line 3: 1, one-three-four",
        "1-4, missing before line 3: 2, one-four",
        "2-3-4, missing before line 2: 1, two-three-four"
    })
    void aDoubledMovedOrMissingLineIsFound(String order, String problem, String kept) throws IOException {
        String[] all = text().split("(?<=\n)", -1);
        StringBuilder text = new StringBuilder(all[0]);
        for (String line : order.split("-", -1)) {
            text.append(all[Integer.parseInt(line)]);
        }
        text(text.toString());

        read();

        assertThat(problems).first().isEqualTo("words: " + problem);
        assertThat(String.join("-", lines)).isEqualTo(kept);
    }

    @Test
    void aFileOfAnotherOwnerIsNotBelieved() throws IOException {
        LineFile.replace(disk, KIND, OWNER + 1, WORDS);
        read();
        assertThat(problems).containsExactly("words: belongs to another job");
        assertThat(lines).isEmpty();
    }

    @Test
    void aLineOfAnotherOwnerOrFileIsNotBelieved() throws IOException {
        String own = text();
        String[] all = own.split("(?<=\n)", -1);
        LineFile.replace(disk, KIND, OWNER + 1, WORDS);
        String foreign = text().split("(?<=\n)", -1)[2];
        text(own.replace(all[2], foreign));
        read();
        assertThat(problems).containsExactly("words: line 3 is damaged");

        LineFile.replace(disk, new LineFile.Kind("other", 2, "a word", "", line -> true), OWNER, WORDS);
        text(own.replace(all[2], new String(disk.bytes("other"), ISO_8859_1).split("(?<=\n)", -1)[2]));
        read();
        assertThat(problems).containsExactly("words: line 3 is damaged");
    }

    @Test
    void aLineThatIsNotOfItsKindIsNotPassedOn() throws IOException {
        LineFile.replace(disk, KIND, OWNER, List.of("one", "2"));
        read();
        assertThat(problems).containsExactly("words: line 3 is not a word");
        assertThat(lines).containsExactly("one");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anotherVersionIsRefusedAndLeftAlone(int version) throws IOException {
        LineFile.replace(disk, new LineFile.Kind("words", version, "a word", "", line -> true), OWNER, WORDS);
        String content = text();
        assertThatThrownBy(this::read)
                .isInstanceOf(IOException.class)
                .hasMessage("words: version " + version + ", which this Sieve does not read; start anew in another"
                        + " directory");
        assertThat(text()).isEqualTo(content);
    }

    @Test
    void rewritingKeepsWholeLinesOnly() throws IOException {
        text(text().replace("two", "tvo"));
        LineFile.Writing kept = out -> LineFile.read(
                disk,
                KIND,
                OWNER,
                0,
                (position, line) -> {
                    if (!line.equals("four")) {
                        out.accept(line);
                    }
                },
                problems::add);
        assertThat(LineFile.replace(disk, KIND, OWNER, true, kept)).isEqualTo(2);
        assertThat(problems).containsExactly("words: line 3 is damaged");

        assertThat(read().last()).isEqualTo(2);
        assertThat(problems).isEmpty();
        assertThat(lines).containsExactly("one", "three");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteThatFailedIsCutOffAndWrittenAgain(boolean isShort) throws IOException {
        LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {});
        file.add("five");
        disk.failAt(disk.calls(), isShort ? FakeDisk.Fault.SHORT : FakeDisk.Fault.DONE_AND_DENIED);
        assertThatThrownBy(file::flush).isInstanceOf(UncheckedIOException.class).hasMessageContaining("words");
        read();
        assertThat(lines).isEqualTo(WORDS);

        file.flush();
        read();
        assertThat(lines).hasSize(5);
        assertThat(problems).isEmpty();
        file.close();
    }

    /** The disk fails during a write, and again when what was written is to be removed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsAppendedAfterTornBytes(boolean isShort) throws IOException {
        try (LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {})) {
            file.add("five");
            file.add("six");
            disk.failFrom(disk.calls(), isShort ? FakeDisk.Fault.SHORT : FakeDisk.Fault.DONE_AND_DENIED);
            assertThatThrownBy(file::flush).isInstanceOf(UncheckedIOException.class);
            assertThatThrownBy(file::flush).isInstanceOf(UncheckedIOException.class);
            assertThat(file.last(false)).isEqualTo(4);
            disk.failAt(Integer.MAX_VALUE, FakeDisk.Fault.REFUSED);
            file.add("seven");
            file.flush();
            assertThat(file.last(false)).isEqualTo(7);
            assertThat(file.last(true)).isZero();
        }

        read();
        assertThat(problems).isEmpty();
        assertThat(lines).hasSize(7).endsWith("five", "six", "seven");
    }

    @Test
    void aHoleInLinesThatAreKnownIsDamage() throws IOException {
        text(text().replace("55ba78b5 2 two\n784", "\0".repeat(18)));
        for (long known = 0; known <= 4; known++) {
            lines.clear();
            problems.clear();
            LineFile.read(disk, KIND, OWNER, known, (position, line) -> lines.add(line), problems::add);

            assertThat(lines).isEqualTo(known < 2 ? List.of("one") : List.of("one", "four"));
            assertThat(problems)
                    .isEqualTo(
                            known < 2
                                    ? List.of()
                                    : List.of("words: line 3 is damaged", "words: missing before line 4: 1"));
        }
    }

    @Test
    void aHoleInAFileThatIsNotForcedIsDamage() throws IOException {
        try (LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {})) {
            file.markAll();
            file.add("five");
            file.add("six");
            file.flush();
        }
        text(text().replace("five", "\0".repeat(4)));

        read();
        assertThat(problems).containsExactly("words: line 6 is damaged");
        assertThat(lines).hasSize(5).endsWith("six");
    }

    @Test
    void aLineIsFoundAtItsPosition() throws IOException {
        FakeDisk disk = new FakeDisk();
        List<Long> positions = new ArrayList<>();
        String longWord = "x".repeat(3000);
        try (LineFile file = LineFile.open(disk, KIND, OWNER, 0, (position, line) -> {})) {
            for (String word : List.of("one", longWord, "three")) {
                positions.add(file.add(word));
            }
            assertThat(file.line(positions.get(1))).isEqualTo(longWord);
            assertThat(file.line(positions.get(2))).isEqualTo("three");
            assertThatThrownBy(() -> file.line(positions.get(0) + 1)).hasMessageContaining("is damaged");
            assertThatThrownBy(() -> file.line(1_000_000)).hasMessageContaining("is damaged");
        }
        List<Long> found = new ArrayList<>();
        LineFile.open(disk, KIND, OWNER, 0, (position, line) -> found.add(position))
                .close();
        assertThat(found).isEqualTo(positions);
    }
}
