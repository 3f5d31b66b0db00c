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

/** The sections that are added to the generated man pages. */
class ManPagesTest {
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
    void everyPageHasExamplesAndRefersToOthers(@TempDir Path folder) throws IOException {
        ManPages.write(folder);

        try (Stream<Path> pages = Files.list(folder)) {
            Set<String> names = pages.map(page -> page.getFileName().toString()).collect(Collectors.toSet());
            assertThat(names).contains("sieve.adoc", "sieve-demo.adoc");
            for (String name : names) {
                assertThat(folder.resolve(name))
                        .content()
                        .contains("== See Also", name.equals("sieve.adoc") ? "*sieve-demo*(1)" : "*sieve*(1)")
                        .contains(name.equals("sieve-completion.adoc") ? "To install it" : "== Examples");
            }
        }
        assertThat(folder.resolve("sieve.adoc"))
                .content()
                .contains("== Exit Status", "== Files", "== Environment", "http_proxy", "--max-pages");
    }
}
