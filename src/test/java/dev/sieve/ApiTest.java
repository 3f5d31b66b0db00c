package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The packages that a crawler embeds keep each class and each member with which another program was compiled: whatever
 * {@code api.txt} lists is still there, with the same types. What is new is added to that file at a release.
 */
class ApiTest {
    private static final List<String> PACKAGES = List.of("", "bloom", "durable", "url", "polite");
    private static final Path LISTED = Path.of("src/test/resources/dev/sieve/api.txt");
    private static final Path NOW = Path.of("target/api.txt");

    @Test
    void noClassOrMemberIsRemovedOrChanged() throws Exception {
        List<String> now = members();
        Files.write(NOW, now);

        assertThat(now)
                .as("%s, compared with %s: to change the API before a release, copy it there", NOW, LISTED)
                .containsAll(Files.readAllLines(LISTED))
                .anyMatch(line -> line.contains("dev.sieve.Sieve: public boolean push(java.lang.String);"));
    }

    /** Returns the accessible classes and members in the words of javap, each after the name of its class. */
    private static List<String> members() throws Exception {
        Path classes = Path.of(
                Sieve.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> arguments = new ArrayList<>(List.of("-protected"));
        for (String name : PACKAGES) {
            try (Stream<Path> files = Files.list(classes.resolve("dev/sieve").resolve(name))) {
                files.map(Path::toString)
                        .filter(file -> file.endsWith(".class") && !file.matches(".*(\\$\\d+|package-info)\\.class"))
                        .sorted()
                        .forEach(arguments::add);
            }
        }
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        int exitCode = ToolProvider.findFirst("javap").orElseThrow().run(out, out, arguments.toArray(String[]::new));
        if (exitCode != 0) {
            throw new IOException("javap: " + text);
        }
        List<String> members = new ArrayList<>();
        String type = null;
        for (String line : text.toString().lines().toList()) {
            if (line.endsWith("{")) {
                type = line.startsWith("public ") ? line.replaceFirst(" \\{$", "") : null;
                if (type != null) {
                    members.add(type);
                }
            } else if (type != null && line.startsWith("  ")) {
                members.add(type.replaceFirst("^.*?(?:class|interface) ([\\w.$]+).*$", "$1") + ": " + line.strip());
            }
        }
        return members;
    }
}
