package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive with a Java runtime, and the package for Debian, run without any other Java. */
@Tag("release")
@Tag("process")
@Timeout(300)
class WithJavaIT {
    private static final Path CLI = Path.of(System.getProperty("sieve.cli"));
    private static final String NAME = CLI.getFileName().toString().replace("-cli.jar", "");
    private static final Path TAR = CLI.resolveSibling(NAME + "-java-" + System.getProperty("os.arch") + ".tar.gz");
    private static final Path DEB = CLI.resolveSibling(NAME + ".deb");

    @TempDir
    private Path folder;

    private Path tools;

    /** All that the script calls, and no java. */
    @BeforeEach
    void writeTools() throws Exception {
        tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : List.of("readlink", "locale")) {
            Path program = tools.resolve(tool);
            Files.writeString(program, "#!/bin/sh\nexec /usr/bin/" + tool + " \"$@\"\n");
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private Programs.Result run(String... command) throws Exception {
        return new Programs(folder).run(folder, Map.of(), List.of(command));
    }

    /** Runs a program with nothing in its environment but a PATH that has no java. */
    private Programs.Result alone(Path program, String options, String... arguments) throws Exception {
        String[] start = {"/usr/bin/env", "-i", "PATH=" + tools, "SIEVE_OPTS=" + options, program.toString()};
        String[] command = Arrays.copyOf(start, start.length + arguments.length);
        System.arraycopy(arguments, 0, command, start.length, arguments.length);
        return run(command);
    }

    @Test
    void theArchiveCrawlsWithoutAnotherJavaWhereverItIs() throws Exception {
        run("tar", "-xzf", TAR.toString());
        Path home = Files.move(folder.resolve(NAME), folder.resolve("a folder"));
        Path script = home.resolve("bin/sieve");

        Programs.Result demo = alone(script, "", "demo", "--hosts", "5", "--pages", "50", "--report", "report.html");
        Programs.Result help = alone(script, "-Xlog:class+load:file=loaded", "--help");

        assertThat(demo.output()).contains("Done in", "of the 50 pages");
        assertThat(demo.exitCode()).isZero();
        assertThat(help.output()).startsWith("Usage: sieve ");
        assertThat(Files.readAllLines(folder.resolve("loaded")))
                .filteredOn(line ->
                        line.contains("dev.sieve.cli.Main source:") || line.contains("picocli.CommandLine source:"))
                .hasSize(2)
                .allMatch(line -> line.contains("shared objects file"));
        assertThat(home.resolve("lib/sieve.jar")).hasSameBinaryContentAs(CLI);
        assertThat(alone(script, "", "serve", "--help").exitCode()).isZero();
    }

    @Test
    void thePackageForDebianHasItsFilesWhereTheyBelong() throws Exception {
        assumeTrue(Files.exists(DEB), "dpkg-deb is not installed (package dpkg)");

        assertThat(run("dpkg-deb", "--info", DEB.toString()).output())
                .contains("Package: sieve\n", "Depends: libc6", "Maintainer: ");
        assertThat(run("dpkg-deb", "--contents", DEB.toString()).output())
                .contains(
                        "./usr/bin/sieve -> ../lib/sieve/bin/sieve",
                        "./usr/lib/sieve/lib/sieve.jsa",
                        "./usr/lib/sieve/runtime/bin/java",
                        "./usr/share/bash-completion/completions/sieve",
                        "./usr/share/doc/sieve/copyright",
                        "./usr/share/man/man1/sieve.1.gz")
                .doesNotContain("sieve.bat");
    }

    @Test
    void thePackageForDebianIsInstalledRunAndRemoved() throws Exception {
        assumeTrue(Files.exists(DEB), "dpkg-deb is not installed (package dpkg)");
        assumeTrue(run("id", "-u").output().strip().equals("0"), "only root can install a package");
        assumeTrue(!Files.exists(Path.of("/usr/bin/sieve")), "another sieve is installed");
        try {
            Programs.Result install = run("dpkg", "--install", DEB.toString());
            assertThat(install.exitCode()).as(install.output()).isZero();

            Programs.Result demo = alone(Path.of("/usr/bin/sieve"), "", "demo", "--hosts", "2", "--pages", "20");
            assertThat(demo.output()).contains("of the 20 pages");
            assertThat(demo.exitCode()).isZero();
        } finally {
            run("dpkg", "--purge", "sieve");
        }
        assertThat(Path.of("/usr/bin/sieve")).doesNotExist();
        assertThat(Path.of("/usr/lib/sieve")).doesNotExist();
    }
}
