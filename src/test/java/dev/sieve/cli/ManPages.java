package dev.sieve.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Makes the man pages of the commands: AsciiDoc by picocli's generator, to which sections such as examples are added. A
 * release converts it with Asciidoctor.
 */
final class ManPages {
    /** Sections that the generator does not write. */
    static final Path SECTIONS = Path.of("src/cli/man");

    private ManPages() {}

    public static void main(String[] args) throws IOException {
        write(Files.createDirectories(Path.of(args[0])));
    }

    /** Writes the pages into a folder. */
    static void write(Path folder) throws IOException {
        CommandLine program = Main.commandLine();
        Stream.concat(Stream.of(program), program.getSubcommands().values().stream())
                .map(CommandLine::getCommandSpec)
                // A page for each version would differ in nothing else.
                .forEach(command -> command.versionProvider(null).version("Sieve"));
        CommandSpec command = program.getCommandSpec();
        int exitCode = ManPageGenerator.generateManPage(folder.toFile(), null, new boolean[0], true, command);
        if (exitCode != 0) {
            throw new IOException("the generator of man pages failed: " + exitCode);
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> pages = files.sorted().toList();
            for (Path page : pages) {
                complete(page, pages);
            }
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
