package dev.sieve.job;

import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.CapturedLog;
import dev.sieve.io.FakeDisk;
import dev.sieve.output.FileEnd;
import dev.sieve.output.FileEnds;
import dev.sieve.output.LineFormat;
import dev.sieve.output.LineSink;
import dev.sieve.output.OutputFile;
import dev.sieve.output.OutputOpening;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputLengthsTest {
    private static final long OWNER = 7;

    @TempDir
    private Path folder;

    private void write(FileEnds ends, String name, String flushed, String rest) throws IOException {
        AtomicReference<Writer> out = new AtomicReference<>();
        try (LineSink sink = LineFormat.open(
                folder.resolve(name), new OutputOpening(APPEND, false, ends, "", ""), (writer, continues) -> {
                    out.set(writer);
                    return LineFormat.TXT.sink(writer, continues);
                })) {
            out.get().write(flushed);
            sink.flush();
            ends.flush();
            Files.writeString(folder.resolve(name), rest, APPEND);
        }
    }

    @Test
    void theFileStaysSmallAndTheLastLengthCounts() throws IOException {
        FakeDisk disk = new FakeDisk();
        Path output = folder.resolve("\u00e4 %\n.txt");
        Path other = folder.resolve("other");
        try (OutputLengths lengths = OutputLengths.open(disk, OWNER)) {
            lengths.opened(other, new FileEnd(1, 1, 1), 0);
            lengths.opened(output, new FileEnd(0, 0, 0), 0);
            for (int i = 1; i <= 50_000; i++) {
                lengths.flushed(output, new FileEnd(i, 1, -i));
                lengths.flush();
                lengths.flush();
            }
        }
        assertThat(disk.bytes("crawl-outputs").length).isLessThan(20_000 * 200);
        try (OutputLengths lengths = OutputLengths.open(disk, OWNER)) {
            assertThat(lengths.stored(output)).isEqualTo(new FileEnd(50_000, 1, -50_000));
            assertThat(lengths.stored(other)).isEqualTo(new FileEnd(1, 1, 1));
            assertThat(lengths.stored(folder.resolve("none"))).isNull();
        }
    }

    @Test
    void anOutputIsTheSameByWhateverWayItIsNamed() throws IOException {
        FakeDisk disk = new FakeDisk();
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        try (OutputLengths lengths = OutputLengths.open(disk, OWNER)) {
            lengths.opened(folder.resolve("a"), new FileEnd(1, 1, 1), 0);

            assertThat(lengths.stored(link.resolve("a"))).isNotNull();
            assertThat(lengths.stored(folder.resolve("./link/a"))).isNotNull();
        }
    }

    @Test
    void lengthsAreBesideAnOutputUntilItIsWhole() throws IOException {
        Path output = folder.resolve("a.txt");
        Path lengths = folder.resolve("a.txt.lengths");
        try (FileEnds ends = SharedLengths.open(List.of(output), OWNER)) {
            write(ends, "a.txt", "first\n", "");
            assertThat(lengths).isDirectory();
        }
        assertThat(lengths).doesNotExist();
        try (FileEnds ends = SharedLengths.open(List.of(output), OWNER)) {
            write(ends, "a.txt", "second\n", "unfini");
        }
        try (CapturedLog log = new CapturedLog();
                FileEnds ends = SharedLengths.open(List.of(output), OWNER)) {
            write(ends, "a.txt", "third\n", "");
            assertThat(log.lines()).containsExactly(output + ": removed 6 bytes that a crash had left unfinished");
        }
        assertThat(output).hasContent("first\nsecond\nthird\n");
        assertThat(lengths).doesNotExist();
    }

    @Test
    void lengthsAreTakenOverInAnyOrderOfOutputs() throws IOException {
        Path a = folder.resolve("a.txt");
        Path b = folder.resolve("b.txt");
        try (FileEnds ends = SharedLengths.open(List.of(a, b), OWNER)) {
            write(ends, "a.txt", "first\n", "unfini");
        }
        try (FileEnds ends = SharedLengths.open(List.of(b, a), OWNER)) {
            write(ends, "a.txt", "second\n", "");
        }
        try (FileEnds ends = SharedLengths.open(List.of(a, b), OWNER)) {
            write(ends, "a.txt", "third\n", "");
        }
        assertThat(a).hasContent("first\nsecond\nthird\n");
        assertThat(folder.resolve("a.txt.lengths")).doesNotExist();
        assertThat(folder.resolve("b.txt.lengths")).doesNotExist();
    }

    @Test
    void aSecondWorkerWithTheSameOutputIsRefused() throws IOException {
        Path a = folder.resolve("a.txt");
        try (FileEnds ends = SharedLengths.open(List.of(a), OWNER)) {
            for (List<Path> outputs : List.of(List.of(a), List.of(folder.resolve("b.txt"), a))) {
                assertThatThrownBy(() -> SharedLengths.open(outputs, OWNER))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("a.txt.lengths: in use by process");
            }
            write(ends, "a.txt", "first\n", "unfini");
            assertThat(folder.resolve("a.txt.lengths")).isDirectory();
        }
        assertThat(folder.resolve("b.txt.lengths")).doesNotExist();
        try (FileEnds ends = SharedLengths.open(List.of(a), OWNER)) {
            write(ends, "a.txt", "second\n", "");
        }
        assertThat(a).hasContent("first\nsecond\n");
        assertThat(folder.resolve("a.txt.lengths")).doesNotExist();
    }

    @Test
    void theLengthsOfAnotherCrawlAreReplaced() throws IOException {
        Path output = folder.resolve("a.txt");
        try (FileEnds ends = SharedLengths.open(List.of(output), OWNER)) {
            write(ends, "a.txt", "first\n", "second\n");
        }
        try (CapturedLog log = new CapturedLog();
                FileEnds ends = SharedLengths.open(List.of(output), OWNER + 1)) {
            write(ends, "a.txt", "third\n", "");
            assertThat(log.lines()).hasSize(1).first().asString().contains("a.txt.lengths", "belongs to another job");
        }
        assertThat(output).hasContent("first\nsecond\nthird\n");
    }

    @Test
    void anOutputThatAnotherProcessWritesIsRefused() throws IOException {
        Path output = folder.resolve("a.txt");
        try (Writer out = OutputFile.open(output, APPEND, false)) {
            assertThatThrownBy(() -> SharedLengths.open(List.of(output), OWNER))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process is writing this file");
            out.write("x");
        }
        assertThat(folder.resolve("a.txt.lengths")).doesNotExist();
    }
}
