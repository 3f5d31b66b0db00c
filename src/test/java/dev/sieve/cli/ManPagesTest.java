package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The man pages that are kept with the sources are those of the commands. */
class ManPagesTest {
    @Test
    void thePagesAreThoseOfTheCommands(@TempDir Path folder) throws IOException {
        assertThat(ManPages.write(folder))
                .as("hash of the man pages; to make them anew:"
                        + " mvn -B -q -Pman test-compile exec:exec asciidoctor:process-asciidoc")
                .isEqualTo(ManPages.committedHash());
        assertThat(names(ManPages.FOLDER, ".1")).contains("sieve", "sieve-demo").isEqualTo(names(folder, ".adoc"));
        assertThat(ManPages.FOLDER.resolve("sieve.1")).content().contains(".TH \"SIEVE\"", "\\-\\-max\\-pages");
    }

    private static Set<String> names(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(suffix))
                    .map(name -> name.substring(0, name.length() - suffix.length()))
                    .collect(Collectors.toSet());
        }
    }
}
