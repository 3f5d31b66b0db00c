package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The jars contain the licences of what is in them, and the list of parts is right. */
class LicencesIT {
    private static final Path CLI = Path.of(System.getProperty("sieve.cli"));
    private static final Path SERVE = beside("-serve.jar");

    private static Path beside(String end) {
        return CLI.resolveSibling(CLI.getFileName().toString().replace("-cli.jar", end));
    }

    private static String text(JarFile jar, String name) throws IOException {
        assertThat(jar.getEntry(name)).as(name).isNotNull();
        try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void allJarsContainTheLicenceOfTheProject() throws IOException {
        for (Path path : Set.of(CLI, SERVE, beside(".jar"))) {
            try (JarFile jar = new JarFile(path.toFile())) {
                assertThat(text(jar, "META-INF/LICENSE")).isEqualTo(Files.readString(Path.of("LICENSE")));
            }
        }
    }

    @Test
    void everyBundledLibraryIsListedWithItsLicence() throws IOException {
        Set<String> packages = new TreeSet<>();
        for (Path path : Set.of(CLI, SERVE)) {
            try (JarFile jar = new JarFile(path.toFile())) {
                String thirdParty = text(jar, "META-INF/THIRD-PARTY.txt");
                Set<String> inThis = jar.stream()
                        .map(entry -> entry.getName().replaceFirst("^META-INF/versions/\\d+/", ""))
                        .filter(name -> name.endsWith(".class") && !name.startsWith("dev/sieve/"))
                        .map(LicencesIT::root)
                        .collect(Collectors.toSet());

                assertThat(inThis).allMatch(thirdParty::contains);
                assertThat(thirdParty)
                        .contains(
                                "Eclipse Public License - v 2.0",
                                "Copyright (c) 2004-2023 QOS.ch",
                                "Mozilla Public License",
                                "Jukka Kurkela",
                                "Copyright 2008, Google Inc.");
                packages.addAll(inThis);
            }
        }
        assertThat(packages).contains("okhttp3", "org.jsoup", "ch.qos.logback.core", "io.netty", "com.google.protobuf");
    }

    /** Every licence and notice that a library contains is in the one file for all of them, also after an update. */
    @Test
    void everyLicenceAndNoticeOfALibraryIsIncluded() throws IOException {
        Set<String> found = new TreeSet<>();
        try (JarFile jar = new JarFile(CLI.toFile());
                JarFile serve = new JarFile(SERVE.toFile())) {
            String thirdParty = words(text(jar, "META-INF/THIRD-PARTY.txt"));
            for (Path library : bundled(jar, serve)) {
                try (JarFile from = new JarFile(library.toFile())) {
                    for (JarEntry entry : Collections.list(from.entries())) {
                        if (entry.getName().matches("META-INF/.*(LICENSE|NOTICE)(\\.\\w+)?")) {
                            String text = words(text(from, entry.getName()));
                            assertThat(text.startsWith("Apache License Version 2.0, January 2004")
                                            || thirdParty.contains(text))
                                    .as("%s of %s", entry.getName(), library)
                                    .isTrue();
                            found.add(entry.getName().replaceFirst(".*/", ""));
                        }
                    }
                }
            }
        }
        assertThat(found).contains("LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE", "Schubfach-LICENSE");
    }

    @Test
    @Tag("release")
    void theListOfPartsNamesTheLibrariesInBothJars() throws IOException {
        JsonNode parts =
                new ObjectMapper().readTree(beside("-cyclonedx.json").toFile()).get("components");
        Set<String> names = StreamSupport.stream(parts.spliterator(), false)
                .map(part ->
                        part.get("name").asText() + "-" + part.get("version").asText() + ".jar")
                .collect(Collectors.toSet());
        try (JarFile jar = new JarFile(CLI.toFile());
                JarFile serve = new JarFile(SERVE.toFile())) {
            String table = text(jar, "META-INF/THIRD-PARTY.txt").split("Apache-2.0: the text is", -1)[0];

            assertThat(bundled(jar, serve))
                    .extracting(library -> library.getFileName().toString())
                    .containsExactlyInAnyOrderElementsOf(names);
            assertThat(parts).allMatch(part -> table.contains(part.get("name").asText()));
        }
    }

    /** The jars of the class path that are in one of these: those of which it has the first file. */
    private static List<Path> bundled(JarFile... jars) throws IOException {
        List<Path> bundled = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!path.endsWith(".jar")) {
                continue;
            }
            try (JarFile library = new JarFile(path)) {
                if (library.stream()
                        .filter(entry -> entry.getName().matches(".*(?<!module-info)\\.class|.*\\.umd\\.min\\.js"))
                        .findFirst()
                        .filter(entry -> !entry.getName().startsWith("dev/sieve/"))
                        .filter(entry -> Arrays.stream(jars).anyMatch(jar -> jar.getEntry(entry.getName()) != null))
                        .isPresent()) {
                    bundled.add(Path.of(path));
                }
            }
        }
        return bundled;
    }

    private static String words(String text) {
        return String.join(" ", text.strip().split("\\s+", -1));
    }

    /** The package that a library is known by: its first name; below the names of domains, up to four. */
    private static String root(String entry) {
        String[] names = entry.substring(0, entry.lastIndexOf('/')).split("/", -1);
        int count = Map.of("ch", 4, "com", 3, "io", 2, "org", 2).getOrDefault(names[0], 1);
        return String.join(".", Arrays.copyOf(names, Math.min(count, names.length)));
    }
}
