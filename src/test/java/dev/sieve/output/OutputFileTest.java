package dev.sieve.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputFileTest {
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void textIsInTheFileAfterAFlush(boolean forces) throws IOException {
        Path path = folder.resolve("out.txt");
        try (Writer out = OutputFile.open(path, StandardOpenOption.CREATE_NEW, forces)) {
            out.write("caf\u00e9\n");
            out.flush();
            assertThat(path).hasContent("caf\u00e9\n");
        }
        try (Writer out = OutputFile.open(path, StandardOpenOption.APPEND, forces)) {
            out.write("more\n");
        }
        assertThat(path).hasContent("caf\u00e9\nmore\n");
        assertThatThrownBy(() -> OutputFile.open(path, StandardOpenOption.CREATE_NEW, forces))
                .isInstanceOf(FileAlreadyExistsException.class);
        OutputFile.open(path, StandardOpenOption.TRUNCATE_EXISTING, forces).close();
        assertThat(path).isEmptyFile();
    }

    @Test
    void aThreadThatWasInterruptedWritesAndForces() throws IOException {
        Path path = folder.resolve("out.txt");
        try (Writer out = OutputFile.open(path, StandardOpenOption.CREATE_NEW, true)) {
            Thread.currentThread().interrupt();
            out.write("a\n");
            out.flush();
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(path).hasContent("a\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFullDiskIsNamedWithItsFileAndNothingMoreIsWritten(boolean forces) throws IOException {
        Assumptions.assumeTrue(Files.isWritable(FULL), "no " + FULL);
        Writer out = OutputFile.open(FULL, StandardOpenOption.APPEND, forces);
        out.write("a\n");

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(out::flush)
                    .isInstanceOf(IOException.class)
                    .hasMessage("cannot write /dev/full: No space left on device");
        }
        assertThatThrownBy(out::close).hasMessageContaining("/dev/full");
    }

    /** A file whose disk is full after some bytes, as a tmpfs is. */
    private static FileOutputStream onFullDisk(Path path, int room) throws IOException {
        return new FileOutputStream(path.toFile(), true) {
            private int left = room;

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                super.write(bytes, from, Math.min(left, length));
                left -= length;
                if (left < 0) {
                    throw new IOException("No space left on device");
                }
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAFullDiskTheFileEndsWithTheLastFlush(boolean isInterrupted) throws IOException {
        Path path = Files.writeString(folder.resolve("out.txt"), "earlier\n");
        OutputFile file = new OutputFile(
                path.toString(), onFullDisk(path, 12), OutputFile.Kind.FILE, new FileEnd(8, 0, 0), () -> {}, end -> {});
        Writer out = file.writer();
        out.write("first\n");
        out.flush();
        out.write("second\n");

        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        assertThatThrownBy(out::flush).hasMessage("cannot write " + path + ": No space left on device");

        assertThat(Thread.interrupted()).isEqualTo(isInterrupted);
        assertThat(path).hasContent("earlier\nfirst\n");
        assertThatThrownBy(out::close).hasMessageContaining(path.toString());
        assertThat(path).hasContent("earlier\nfirst\n");
    }

    @Test
    void anEndIsPassedOnAfterItsBytesAreForced() throws IOException {
        Path path = folder.resolve("out.txt");
        List<String> events = new ArrayList<>();
        OutputFile file = new OutputFile(
                path.toString(),
                new FileOutputStream(path.toFile()),
                OutputFile.Kind.FILE,
                FileEnd.EMPTY,
                () -> events.add("force " + Files.size(path)),
                end -> events.add("end " + end.length()));
        try (Writer out = file.writer()) {
            out.write("first\n");
            assertThat(events).isEmpty();
            out.flush();
            out.flush();
            out.write("second\n");
            out.flush();
        }
        assertThat(events).containsSubsequence("force 6", "end 6", "force 6", "force 13", "end 13");
        assertThat(events).filteredOn(each -> each.startsWith("end")).hasSize(2);
    }

    @Test
    void aFileThatCannotBeOpenedIsNamedWithTheReason() {
        Path path = folder.resolve("no/such/out.txt");

        assertThatThrownBy(() -> OutputFile.open(path, StandardOpenOption.APPEND, true))
                .isInstanceOf(IOException.class)
                .hasMessage(path + " (No such file or directory)");
    }
}
