package dev.sieve.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
        Assumptions.assumeTrue(Files.isWritable(FULL));
        Writer out = OutputFile.open(FULL, StandardOpenOption.APPEND, forces);
        out.write("a\n");

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(out::flush)
                    .isInstanceOf(IOException.class)
                    .hasMessage("cannot write /dev/full: No space left on device");
        }
        assertThatThrownBy(out::close).hasMessageContaining("/dev/full");
    }

    @Test
    void aFileThatCannotBeOpenedIsNamedWithTheReason() {
        Path path = folder.resolve("no/such/out.txt");

        assertThatThrownBy(() -> OutputFile.open(path, StandardOpenOption.APPEND, true))
                .isInstanceOf(IOException.class)
                .hasMessage(path + " (No such file or directory)");
    }
}
