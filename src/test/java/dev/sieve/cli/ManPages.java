package dev.sieve.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Makes the man pages of the commands: AsciiDoc by picocli's generator, which Asciidoctor converts. That takes longer than
 * the rest of the packaging, so the pages are kept with the sources, beside a hash of the AsciiDoc that they come from.
 */
final class ManPages {
    static final Path FOLDER = Path.of("src/cli/man");
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
                digest.update(Files.readAllBytes(page));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
