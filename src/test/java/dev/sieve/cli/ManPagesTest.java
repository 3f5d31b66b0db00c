package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

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

    static List<Arguments> examples() throws IOException {
        List<Arguments> examples = new ArrayList<>();
        try (Stream<Path> files = Files.list(ManPages.SECTIONS)) {
            for (Path file : files.sorted().toList()) {
                for (String line : Files.readAllLines(file)) {
                    if (line.startsWith(" sieve ")) {
                        examples.add(Arguments.of(file.getFileName().toString(), line.strip()));
                    }
                }
            }
        }
        return examples;
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyExampleIsACommandOfItsPage(String page, String example) {
        String[] words = example.replaceFirst("^sieve ", "").split(" ");

        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(words);

        String command = parsed.hasSubcommand() ? "sieve-" + words[0] : "sieve";
        assertThat(page).isIn(command + ".adoc", "sieve.adoc", "sieve-repair.adoc");
    }

    @Test
    void everyPageHasExamplesAndRefersToOthers() throws IOException {
        for (String name : names(ManPages.FOLDER, ".1")) {
            assertThat(ManPages.FOLDER.resolve(name + ".1"))
                    .content()
                    .contains(".SH \"SEE ALSO\"", name.equals("sieve") ? "\\fBsieve\\-demo\\fP(1)" : "\\fBsieve\\fP(1)")
                    .contains(name.equals("sieve-completion") ? "TO INSTALL IT" : ".SH \"EXAMPLES\"");
        }
        assertThat(ManPages.FOLDER.resolve("sieve.1"))
                .content()
                .contains(".SH \"EXIT STATUS\"", ".SH \"FILES\"", ".SH \"ENVIRONMENT\"", "http_proxy");
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
