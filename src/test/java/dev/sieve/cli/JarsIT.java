package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** The jars have the entries that module systems, tools and IDEs look for. */
class JarsIT {
    private static final String CLI = System.getProperty("sieve.cli");

    private static JarFile open(String end) throws IOException {
        return new JarFile(Path.of(CLI.replace("-cli.jar", end)).toFile());
    }

    private static Attributes manifest(String end) throws IOException {
        try (JarFile jar = open(end)) {
            return jar.getManifest().getMainAttributes();
        }
    }

    @Test
    void theJarHasTheNameOfItsModule() throws IOException {
        Attributes manifest = manifest(".jar");

        assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo("dev.sieve");
        assertThat(manifest.getValue("Implementation-Version")).isNotBlank();
        assertThat(manifest.getValue("Main-Class")).isNull();
    }

    @Test
    void theJarHasWhatCanBeEmbeddedAndNoMore() throws IOException {
        try (JarFile jar = open(".jar");
                JarFile program = open("-program.jar");
                JarFile runnable = open("-cli.jar")) {
            assertThat(jar.getEntry("dev/sieve/crawl/Crawler.class")).isNotNull();
            for (String name : List.of("cli/Main", "demo/DemoWeb", "serve/FrontierServer")) {
                String entry = "dev/sieve/" + name + ".class";
                assertThat(jar.getEntry(entry)).isNull();
                assertThat(program.getEntry(entry)).isNotNull();
                assertThat(runnable.getEntry(entry)).isNotNull();
            }
        }
    }

    /** With slf4j-api, the jar is all that a project which embeds the queue needs. */
    @Test
    void twoJarsAreEnoughToEmbedTheQueue(@TempDir Path folder) throws Exception {
        String slf4j = Path.of(Logger.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        String classPath = CLI.replace("-cli.jar", ".jar") + File.pathSeparator + slf4j;
        Programs programs = new Programs(folder);

        Programs.Result compiled = programs.run(
                Map.of(),
                Path.of(System.getProperty("java.home"), "bin", "javac"),
                "-Xlint:all",
                "-Werror",
                "-d",
                ".",
                "-cp",
                classPath,
                Path.of("src/it/embed/src/main/java/embed/App.java")
                        .toAbsolutePath()
                        .toString());
        Programs.Result run = programs.run(
                Map.of(),
                Path.of(System.getProperty("java.home"), "bin", "java"),
                "-cp",
                "." + File.pathSeparator + classPath,
                "embed.App");

        assertThat(compiled.exitCode()).as(compiled.output()).isZero();
        assertThat(run.output())
                .contains(
                        "add com.squareup.okhttp3:okhttp-jvm to the class path",
                        "true false https://example.org/ false");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void theJarOfTheProgramRuns() throws IOException {
        Attributes manifest = manifest("-cli.jar");

        assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo("dev.sieve");
        assertThat(manifest.getValue("Main-Class")).isEqualTo("dev.sieve.cli.Main");
        assertThat(manifest.getValue("Multi-Release")).isEqualTo("true");
        assertThat(manifest.getValue("Implementation-Version"))
                .isEqualTo(manifest(".jar").getValue("Implementation-Version"));
    }

    @Test
    @Tag("release")
    void thereAreJarsOfTheSourcesAndTheDocumentation() throws IOException {
        try (JarFile sources = open("-sources.jar");
                JarFile documentation = open("-javadoc.jar")) {
            for (String name : new String[] {"dev/sieve/Frontier", "dev/sieve/polite/HostSchedule"}) {
                assertThat(sources.getEntry(name + ".java")).isNotNull();
                assertThat(documentation.getEntry(name + ".html")).isNotNull();
            }
            assertThat(documentation.getEntry("dev/sieve/package-summary.html")).isNotNull();
        }
    }
}
