package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The jars contain the licences of what is in them. */
class LicencesIT {
    private static final Path CLI = Path.of(System.getProperty("sieve.cli"));
    private static final Path EMBEDDED =
            CLI.resolveSibling(CLI.getFileName().toString().replace("-cli.jar", ".jar"));

    private static String text(JarFile jar, String name) throws IOException {
        assertThat(jar.getEntry(name)).as(name).isNotNull();
        try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void bothJarsContainTheLicenceOfTheProject() throws IOException {
        for (Path path : Set.of(CLI, EMBEDDED)) {
            try (JarFile jar = new JarFile(path.toFile())) {
                assertThat(text(jar, "META-INF/LICENSE")).isEqualTo(Files.readString(Path.of("LICENSE")));
            }
        }
    }

    @Test
    void everyBundledLibraryIsListedWithItsLicence() throws IOException {
        try (JarFile jar = new JarFile(CLI.toFile())) {
            String thirdParty = text(jar, "META-INF/THIRD-PARTY.txt");
            Set<String> packages = jar.stream()
                    .map(entry -> entry.getName().replaceFirst("^META-INF/versions/\\d+/", ""))
                    .filter(name -> name.endsWith(".class") && !name.startsWith("dev/sieve/"))
                    .map(LicencesIT::root)
                    .collect(Collectors.toSet());

            assertThat(packages).contains("okhttp3", "org.jsoup", "ch.qos.logback.core");
            assertThat(packages).allMatch(thirdParty::contains);
            assertThat(thirdParty)
                    .contains(
                            "Eclipse Public License - v 2.0",
                            "Copyright (c) 2004-2023 QOS.ch",
                            "Mozilla Public License");
            assertThat(text(jar, "META-INF/jsoup/LICENSE")).contains("Jonathan Hedley");
        }
    }

    /** The package that a library is known by: its first name; below ch and org, up to four. */
    private static String root(String entry) {
        String[] names = entry.substring(0, entry.lastIndexOf('/')).split("/", -1);
        int count = names[0].equals("ch") ? 4 : names[0].equals("org") ? 2 : 1;
        return String.join(".", Arrays.copyOf(names, Math.min(count, names.length)));
    }
}
