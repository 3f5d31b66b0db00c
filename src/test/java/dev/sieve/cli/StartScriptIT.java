package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The start script, with the program where the archive of a release has it. */
@Tag("process")
@Timeout(300)
class StartScriptIT {
    /** A Java that prints its options and the arguments of the program. */
    private static final String PRINTS_ARGUMENTS = """
            if [ "$1" = -version ]; then
                echo 'openjdk version "17.0.1" 2021-10-19' >&2
                exit
            fi
            for argument; do
                echo "<$argument>"
            done
            """;

    @TempDir
    private Path folder;

    private Path home;
    private Path script;

    @BeforeEach
    void install() throws Exception {
        home = Files.createDirectory(folder.resolve("a folder"));
        Path lib = Files.createDirectory(home.resolve("lib"));
        Files.copy(Path.of(System.getProperty("sieve.cli")), lib.resolve("sieve.jar"));
        script = Files.createDirectory(home.resolve("bin")).resolve("sieve");
        Files.copy(Path.of("src/cli/bin/sieve"), script, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private Programs.Result sieve(Map<String, String> environment, String... arguments) throws Exception {
        return new Programs(folder).run(environment, script, arguments);
    }

    private Path program(String path, String script) throws IOException {
        Path program = folder.resolve(path);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "#!/bin/sh\n" + script);
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** A folder with a program java, which behaves as written. */
    private Path javaHome(String java) throws IOException {
        program("java home/bin/java", java);
        return folder.resolve("java home");
    }

    @Test
    void itRunsThroughLinks() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("crawler"), bin.relativize(script));
        script = Files.createSymbolicLink(folder.resolve("link"), bin.resolve("crawler"));

        assertThat(sieve(Programs.thisJava(), "--version").output()).startsWith("sieve ");
    }

    @Test
    void optionsAndArgumentsReachTheProgramAsTheyAre() throws Exception {
        Path java = javaHome(PRINTS_ARGUMENTS + "exit 7\n");

        Programs.Result run = sieve(
                Map.of("JAVA_HOME", java.toString(), "JAVA_OPTS", "-Da=1", "SIEVE_OPTS", " -Xmx99m  -Db=/* "),
                "a b",
                "",
                "*",
                "$HOME");

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.output().lines())
                .filteredOn(line -> !line.startsWith("<-XX:"))
                .containsExactly(
                        "<-Da=1>",
                        "<-Xmx99m>",
                        "<-Db=/*>",
                        "<-jar>",
                        "<" + home.toRealPath().resolve("lib/sieve.jar") + ">",
                        "<a b>",
                        "<>",
                        "<*>",
                        "<$HOME>");
    }

    @Test
    void optionsOfTheUserComeLastAndOneCollectorIsChosen() throws Exception {
        Path java = javaHome(PRINTS_ARGUMENTS);
        String option = "-XX:Tier4InvocationThreshold=5";
        Map<String, String> user = Map.of("JAVA_HOME", java.toString(), "JAVA_OPTS", option + " -XX:+UseZGC");

        List<String> crawl = sieve(user, "http://h/").output().lines().toList();

        assertThat(crawl).doesNotContain("<-XX:+UseSerialGC>").contains("<-Xms128m>", "<-XX:+UseZGC>");
        assertThat(crawl.stream().filter(line -> line.startsWith("<-XX:Tier4InvocationThreshold=")))
                .hasSize(2)
                .last()
                .isEqualTo("<" + option + ">");
        assertThat(sieve(Map.of("JAVA_HOME", java.toString()), "serve").output())
                .doesNotContain("-XX:");
    }

    @Test
    void anOlderJavaIsRefusedByItsVersion() throws Exception {
        for (String version : List.of("1.8.0_392", "11.0.21", "9")) {
            Path java = javaHome("echo 'Picked up JAVA_TOOL_OPTIONS: -Da=b' >&2\n" + "echo 'openjdk version \""
                    + version + "\" 2023-10-17' >&2\n");

            Programs.Result refused = new Programs.Result(
                    1, "sieve: Java 17 or later is required: " + java + "/bin/java is version " + version + "\n");
            assertThat(sieve(Map.of("JAVA_HOME", java.toString()), "--version")).isEqualTo(refused);

            Path release = Files.writeString(
                    javaHome("echo started").resolve("release"),
                    "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
            assertThat(sieve(Map.of("JAVA_HOME", java.toString()), "--version")).isEqualTo(refused);
            Files.delete(release);
        }
    }

    @Test
    void aMissingJavaIsAnErrorThatSaysWhereItWasSearched() throws Exception {
        // All that the script calls, and no java.
        for (String tool : List.of("readlink", "sed", "head")) {
            program("tools/" + tool, "PATH='" + System.getenv("PATH") + "' exec " + tool + " \"$@\"\n");
        }

        assertThat(sieve(Map.of("PATH", folder.resolve("tools").toString()), "--version"))
                .isEqualTo(new Programs.Result(
                        1, "sieve: Java 17 or later is required: JAVA_HOME is not set, and no java is in PATH\n"));
        assertThat(sieve(Map.of("JAVA_HOME", "/none"), "--version"))
                .isEqualTo(new Programs.Result(1, "sieve: JAVA_HOME is /none, but there is no /none/bin/java\n"));
        Path broken = javaHome("echo 'no runtime present'\nexit 1\n");
        assertThat(sieve(Map.of("JAVA_HOME", broken.toString()), "--version"))
                .isEqualTo(new Programs.Result(1, "sieve: " + broken + "/bin/java does not run: no runtime present\n"));
    }

    private List<Path> cached() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("cache/sieve"))) {
            return files.toList();
        }
    }

    @Test
    void helpStartsWithTheClassesThatEarlierHelpHasLeft() throws Exception {
        // Java 17 leaves out the classes of a jar whose path contains a space.
        home = Files.move(home, folder.resolve("home"));
        script = home.resolve("bin/sieve");
        Programs.Result first = sieve(Programs.thisJava(), "--help");
        assertThat(first.output()).startsWith("Usage: sieve ").contains("--max-pages");
        assertThat(cached()).hasSize(1);
        Path loaded = folder.resolve("loaded");

        Programs.Result second = sieve(
                Map.of("JAVA_HOME", System.getProperty("java.home"), "SIEVE_OPTS", "-Xlog:class+load:file=" + loaded),
                "--help");

        assertThat(second).isEqualTo(first);
        assertThat(Files.readAllLines(loaded))
                .anyMatch(line -> line.contains("dev.sieve.cli.Main source: shared objects file (top)"));
    }

    /** As an image that jlink has made, or a Java without this feature. */
    @Test
    @Tag("slow")
    void aJavaThatCannotArchiveClassesStarts() throws Exception {
        Programs.Result help = sieve(Programs.thisJava(), "--help");
        Path java = javaHome("""
                case "$*" in
                    *-XX:ArchiveClassesAtExit=*)
                        echo 'DynamicDumpSharedSpaces is unsupported when base CDS archive is not loaded'
                        exit 1
                        ;;
                esac
                exec '%s/bin/java' "$@"
                """.formatted(System.getProperty("java.home")));

        assertThat(sieve(Map.of("JAVA_HOME", java.toString(), "XDG_CACHE_HOME", folder + "/c"), "--help"))
                .isEqualTo(help);
    }

    @Test
    void aCollectorOfTheUserIsTheOnlyOne() throws Exception {
        Map<String, String> java =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "JAVA_OPTS", "-XX:+UseParallelGC");

        assertThat(sieve(java, "--version").output()).startsWith("sieve ");
    }

    @Test
    @Tag("slow")
    void argumentsAreReadInTheLocaleOfCron() throws Exception {
        for (String locale : List.of("C", "POSIX", "xx_YY.UTF-8")) {
            Programs.Result why = sieve(
                    Map.of("JAVA_HOME", System.getProperty("java.home"), "LC_ALL", locale),
                    "why",
                    "http://example.org/\u00e9",
                    "http://example.org/");
            assertThat(why.output()).as(locale).startsWith("crawled: ");
        }
    }

    @Test
    @Tag("slow")
    void classesThatDoNotFitAreIgnoredInSilence() throws Exception {
        Programs.Result help = sieve(Programs.thisJava(), "--help");
        Files.setPosixFilePermissions(cached().get(0), PosixFilePermissions.fromString("rw-------"));
        Files.writeString(cached().get(0), "damaged");

        assertThat(sieve(Programs.thisJava(), "--help")).isEqualTo(help);
        assertThat(sieve(Map.of("XDG_CACHE_HOME", "/dev/null"), "--help")).isEqualTo(help);
    }
}
