package dev.sieve.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Makes the man pages of the commands: AsciiDoc by picocli's generator, to which sections such as examples are added, and
 * which Asciidoctor converts. That takes longer than the rest of the packaging, so the pages are kept with the sources, beside
 * a hash of the AsciiDoc that they come from.
 */
final class ManPages {
    static final Path FOLDER = Path.of("src/cli/man");
    static final Path SECTIONS = FOLDER.resolve("sections");
    private static final Path HASH = FOLDER.resolve("asciidoc.sha256");

    private ManPages() {}

    public static void main(String[] args) throws IOException {
        Path asciidoc = Files.createDirectories(Path.of(args[0]));
        Files.createDirectories(FOLDER);
        Files.writeString(HASH, write(asciidoc) + "\n");
    }

    static String committedHash() throws IOException {
        return Files.readString(HASH).strip();
    }

    /** Writes the pages into an empty folder and returns the hash of them all. */
    static String write(Path folder) throws IOException {
        CommandLine program = Main.commandLine();
        Stream.concat(Stream.of(program), program.getSubcommands().values().stream())
                .map(CommandLine::getCommandSpec)
                // A page for each version would differ in nothing else.
                .forEach(command -> command.versionProvider(null).version("Sieve"));
        CommandSpec command = program.getCommandSpec();
        int exitCode = ManPageGenerator.generateManPage(folder.toFile(), null, new boolean[0], false, command);
        if (exitCode != 0) {
            throw new IOException("the generator of man pages failed: " + exitCode);
        }
        try (Stream<Path> files = Files.list(folder)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            List<Path> pages = files.sorted().toList();
            for (Path page : pages) {
                complete(page, pages);
                digest.update(Files.readAllBytes(page));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Adds the sections that the generator does not write. */
    private static void complete(Path page, List<Path> all) throws IOException {
        StringBuilder text = new StringBuilder(Files.readString(page).replace("==  Exit codes: ", "== Exit Status"));
        Path sections = SECTIONS.resolve(page.getFileName());
        if (Files.exists(sections)) {
            text.append('\n').append(Files.readString(sections));
        }
        String others = all.stream()
                .map(ManPages::name)
                .filter(name -> name(page).equals("sieve") ? !name.equals("sieve") : name.equals("sieve"))
                .map(name -> "*" + name + "*(1)")
                .collect(Collectors.joining(", "));
        text.append("\n== See Also\n\n").append(others).append('\n');
        Files.writeString(page, text);
    }

    private static String name(Path page) {
        return page.getFileName().toString().replaceFirst("\\.adoc$", "");
    }
}
