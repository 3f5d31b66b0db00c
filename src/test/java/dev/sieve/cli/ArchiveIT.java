package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive of a release, unpacked into an empty folder. */
@Tag("process")
@Tag("release")
@Timeout(300)
class ArchiveIT {
    private static final String CLI = System.getProperty("sieve.cli");
    private static final Path TAR = Path.of(CLI.replace("-cli.jar", ".tar.gz"));
    private static final Path ZIP = Path.of(CLI.replace("-cli.jar", ".zip"));

    @TempDir
    private Path folder;

    private Path home;
    private Path script;

    @BeforeEach
    void unpack() throws Exception {
        Path unpacked = Files.createDirectory(folder.resolve("a folder"));
        new Programs(folder).run(unpacked, Map.of(), List.of("tar", "-xzf", TAR.toString()));
        home = unpacked.resolve(Path.of(CLI).getFileName().toString().replace("-cli.jar", ""));
        script = home.resolve("bin/sieve");
    }

    private Programs.Result sieve(Map<String, String> environment, String... arguments) throws Exception {
        return new Programs(folder).run(environment, script, arguments);
    }

    @Test
    void itsStartScriptCrawlsTheDemoWeb() throws Exception {
        Programs.Result demo = sieve(Programs.thisJava(), "demo", "--hosts", "5", "--pages", "50", "-o", "urls.txt");

        assertThat(demo.exitCode()).as(demo.output()).isZero();
        assertThat(demo.output()).contains("Done in", "of the 50 pages");
        assertThat(Files.readAllLines(folder.resolve("urls.txt")))
                .hasSizeBetween(48, 50)
                .doesNotHaveDuplicates();
    }

    @Test
    void itHasTheScriptOfCompletions() throws Exception {
        assertThat(sieve(Programs.thisJava(), "completion").output())
                .contains("max-pages")
                .isEqualTo(Files.readString(home.resolve("completion/sieve.bash")));
    }

    @Test
    void itHasAManPageOfEachCommand() throws Exception {
        Set<String> commands = Main.commandLine().getSubcommands().keySet();

        assertThat(home.resolve("man/man1/sieve.1"))
                .content()
                .contains(".TH \"SIEVE\"", "\\-\\-max\\-pages", ".SH \"EXIT STATUS\"");
        assertThat(commands)
                .contains("demo")
                .allSatisfy(command -> assertThat(home.resolve("man/man1/sieve-" + command + ".1"))
                        .content()
                        .contains(".SH \"SEE ALSO\"", "\\fBsieve\\fP(1)"));
    }

    @Test
    void everyLinkOfTheReadmeLeadsToAFile() throws Exception {
        List<String> targets = Pattern.compile("]\\(([^)]*)\\)")
                .matcher(Files.readString(home.resolve("README.md")))
                .results()
                .map(link -> link.group(1))
                .toList();

        assertThat(targets)
                .contains("seeds.txt", "LICENSE")
                .allSatisfy(target -> assertThat(home.resolve(target)).exists());
        try (Stream<Path> files = Files.list(home)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .containsExactlyInAnyOrderElementsOf(targets);
        }
    }

    @Test
    void bothArchivesContainTheSame() throws Exception {
        Map<String, String> fromTar = contents(home);

        try (FileSystem zip = FileSystems.newFileSystem(
                URI.create("jar:" + ZIP.toUri()), Map.of("enablePosixFileAttributes", true))) {
            assertThat(contents(zip.getPath(home.getFileName().toString()))).isEqualTo(fromTar);
        }
        assertThat(fromTar.keySet())
                .contains(
                        "LICENSE",
                        "THIRD-PARTY.txt",
                        "README.md",
                        "CHANGELOG.md",
                        "sieve.cdx.json",
                        "man/man1/sieve.1");
        assertThat(fromTar.get("bin/sieve")).startsWith("rwxr-xr-x ");
        assertThat(fromTar.get("THIRD-PARTY.txt")).startsWith("rw-r--r-- ");
        assertThat(Files.mismatch(home.resolve("lib/sieve.jar"), Path.of(CLI))).isEqualTo(-1);
        Path serve = Path.of(CLI.replace("-cli.jar", "-serve.jar"));
        assertThat(Files.mismatch(home.resolve("lib").resolve(serve.getFileName()), serve))
                .isEqualTo(-1);
        assertThat(Files.readString(home.resolve("bin/sieve.bat")).split("\r\n", -1))
                .hasSizeGreaterThan(10)
                .noneMatch(line -> line.contains("\n"));
    }

    /** The files below a folder by their relative names: permissions, and a hash of the content. */
    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        List<Path> files = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(folder)) {
            paths.filter(Files::isRegularFile).forEach(files::add);
        }
        for (Path file : files) {
            contents.put(
                    folder.relativize(file).toString(),
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) + " "
                            + Arrays.hashCode(Files.readAllBytes(file)));
        }
        return contents;
    }
}
