package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Runs and compares what the README and the pages in docs/ show. */
@Tag("process")
@Tag("slow")
@Timeout(1200)
class ReadmeIT {
    /** Only against hanging: on a loaded machine with an empty repository, a build takes minutes. */
    private static final int LIMIT_SECONDS = 1000;

    private static final Path PROJECT = Pages.PROJECT;

    // On disk: the order of the files in a folder, which is another one in memory, decides on the search index of
    // javadoc.
    @TempDir(factory = TempDirFactory.Standard.class)
    private Path folder;

    @TempDir(factory = TempDirFactory.Standard.class)
    private Path temporary;

    private static String readme() {
        return Pages.text();
    }

    private static List<String> blocks(String language) {
        return Pages.blocks(language);
    }

    private String run(Path directory, Map<String, String> environment, String... command) throws Exception {
        Path output = Files.createTempFile(temporary, "readme", null);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            boolean isOver = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(isOver).as(text).isTrue();
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** The first command, and then the release, which takes the classes of the first build. */
    @Test
    @Tag("release")
    void theFirstCommandAndAReleaseMakeTheSameFiles() throws Exception {
        copyProject();
        useRepositoryAndSettingsOfThisBuild();
        String command = blocks("sh").get(0).strip();

        String output = run(folder, Map.of(), "bash", "-c", command);

        assertThat(command.lines()).hasSize(1);
        assertThat(output).contains("filter 100 % full", "Done in", "of the 5,000 pages");
        assertSame(".jar", "-cli.jar", "-serve.jar");

        String release = "mvn -B package -Prelease -DskipTests";
        assertThat(Path.of("docs/operating.md")).content().contains(release);
        removeTests();

        // The same but for Java in an archive, and in addition the files for Maven Central, without their signatures.
        run(
                folder,
                Map.of(),
                "bash",
                "-c",
                release.replace("package", "deploy")
                        + " -q -Dmaven.main.skip=true -Dwithout.java=true"
                        + " -DaltDeploymentRepository=central::file:target/central");

        assertSame("-sources.jar", "-javadoc.jar", ".zip", ".tar.gz", "-cyclonedx.json");
        assertThatCentralAcceptsIt(folder.resolve("target/central/dev/sieve/sieve"));
    }

    /** Leaves of the tests what writes the man pages: to compile the others, which are not run, takes a minute. */
    private void removeTests() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("src/test/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.endsWith("ManPages.java")) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Central's list: https://central.sonatype.org/publish/requirements/. */
    private static void assertThatCentralAcceptsIt(Path project) throws IOException {
        List<String> files;
        try (Stream<Path> paths = Files.walk(project)) {
            files = paths.filter(Files::isRegularFile).map(Path::toString).toList();
        }
        for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar", ".pom")) {
            for (String hash : List.of("", ".md5", ".sha1")) {
                assertThat(files)
                        .filteredOn(
                                file -> file.matches(".*/sieve-[\\d.]+(-[\\d.]+-\\d+)?" + Pattern.quote(end + hash)))
                        .as(end + hash)
                        .hasSize(1);
            }
        }
        String pom =
                files.stream().filter(file -> file.endsWith(".pom")).findFirst().orElseThrow();
        assertThat(Path.of(pom))
                .content()
                .contains("<groupId>dev.sieve</groupId>", "<artifactId>sieve</artifactId>", "<version>")
                .contains("<name>", "<description>", "<url>https://", "<license>", "<developer>", "<email>")
                .contains("<scm>", "<connection>scm:git:", "<developerConnection>scm:git:")
                .doesNotContain("${", "<parent>", "<repositories>");
    }

    private void assertSame(String... ends) throws IOException {
        Path cli = Path.of(System.getProperty("sieve.cli"));
        for (String end : ends) {
            String name = cli.getFileName().toString().replace("-cli.jar", end);
            assertThat(Files.mismatch(folder.resolve("target").resolve(name), cli.resolveSibling(name)))
                    .as("first byte of %s that differs in a second build", name)
                    .isEqualTo(-1);
        }
    }

    /** Maven reads options from this file before those of the command. */
    private void useRepositoryAndSettingsOfThisBuild() throws IOException {
        List<String> options = new ArrayList<>();
        options.add("-Dmaven.repo.local=" + System.getProperty("sieve.repository"));
        Path settings = Path.of(System.getProperty("sieve.settings"));
        if (Files.exists(settings)) {
            options.add("--settings");
            options.add(settings.toString());
        }
        Files.write(folder.resolve(".mvn/maven.config"), options);
    }

    private void copyProject() throws IOException {
        for (String name : List.of(
                "pom.xml",
                "README.md",
                "CONTRIBUTING.md",
                "CHANGELOG.md",
                "LICENSE",
                "seeds.txt",
                "docs",
                ".mvn",
                "src")) {
            try (Stream<Path> paths = Files.walk(PROJECT.resolve(name))) {
                for (Path path : paths.toList()) {
                    Path copy = folder.resolve(PROJECT.relativize(path).toString());
                    Files.createDirectories(copy.getParent());
                    if (!Files.isDirectory(path)) {
                        Files.copy(path, copy, StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        }
    }

    @Test
    void contributingAndCiRunTheSameCommand() throws IOException {
        assertThat(blocks("sh").get(1)).isEqualTo("mvn -B verify\n");
        assertThat(PROJECT.resolve("CONTRIBUTING.md")).content().contains("| `mvn -B verify -Pci` |");
        assertThat(PROJECT.resolve(".ci/run")).content().contains("\nmvn -B verify -Pci ");
    }

    @Test
    void theFirstProgramRunsOnTheJarAlone() throws Exception {
        String program = blocks("java").get(0);
        assertThat(program.lines().count()).isLessThanOrEqualTo(15);
        Path source = Files.writeString(folder.resolve("Embedded.java"), program);

        String output = run(folder, Map.of(), java(), "-cp", System.getProperty("sieve.cli"), source.toString());

        assertThat(output)
                .contains("visit https://example.org/\nvisit https://example.org/a\n3 seen before, 0 pending\n");
    }

    @Test
    void theExamplesHaveAsManyLinesAsTheTableSays() throws IOException {
        List<MatchResult> rows = Pattern.compile(
                        "^\\| \\[.*\\((?:\\.\\./)?(src/it/\\w+)\\)[^|]*\\|[^|]*\\| (\\d+) \\|", Pattern.MULTILINE)
                .matcher(readme())
                .results()
                .toList();
        assertThat(rows).hasSize(4);
        for (MatchResult row : rows) {
            long lines = 0;
            try (Stream<Path> files = Files.walk(PROJECT.resolve(row.group(1)).resolve("src/main"))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java") && !each.endsWith("Main.java"))
                        .toList()) {
                    lines += Files.readAllLines(file).size();
                }
            }
            assertThat(lines).as(row.group(1)).isEqualTo(Long.parseLong(row.group(2)));
        }
    }

    @Test
    void theExamplesCanBeCopied() throws IOException {
        List<Path> examples;
        try (Stream<Path> folders = Files.list(PROJECT.resolve("src/it"))) {
            // The clients in other languages have no build.
            examples = folders.filter(each -> Files.exists(each.resolve("pom.xml")))
                    .toList();
        }
        assertThat(examples).hasSize(5);
        for (Path example : examples) {
            assertThat(Files.readAllLines(example.resolve("README.md"))).hasSizeBetween(5, 12);
            // The build of the example replaces nothing in it, and so builds a copy as it is.
            assertThat(example.resolve("pom.xml"))
                    .content()
                    .contains("<artifactId>sieve</artifactId>\n      <version>" + version() + "</version>")
                    .doesNotContain("@");
        }
    }

    private static String version() throws IOException {
        String project = Files.readString(PROJECT.resolve("pom.xml"));
        return project.substring(project.indexOf("<version>") + "<version>".length(), project.indexOf("</version>"));
    }

    @Test
    void theTopLevelIsBare() throws IOException {
        try (Stream<Path> files = Files.list(PROJECT)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> !name.startsWith(".") && !name.equals("target"))
                            .collect(Collectors.toSet()))
                    .containsExactlyInAnyOrder(
                            "src",
                            "docs",
                            "seeds.txt",
                            "README.md",
                            "pom.xml",
                            "LICENSE",
                            "CHANGELOG.md",
                            "CONTRIBUTING.md");
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
