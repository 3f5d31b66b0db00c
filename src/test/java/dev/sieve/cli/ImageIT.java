package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The container image: what is in it, and how it starts. It is not run, and its base is empty. */
@Tag("release")
@Tag("process")
@Tag("slow")
@Timeout(600)
class ImageIT {
    private static final Path IMAGE = Path.of(System.getProperty("sieve.cli").replace("-cli.jar", "-image.tar"));

    @TempDir
    private Path folder;

    private String run(String... command) throws Exception {
        Programs.Result result = new Programs(folder).run(Path.of("").toAbsolutePath(), Map.of(), List.of(command));
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    private JsonNode json(String name) throws Exception {
        return new ObjectMapper().readTree(run("tar", "-xOf", IMAGE.toString(), name));
    }

    @Test
    void itHasTheReleaseAndStartsItAsAnotherUserThanRoot() throws Exception {
        List<String> build =
                new ArrayList<>(List.of("mvn", "-B", "-q", "-f", "src/image", "package", "-Dbase=scratch"));
        build.add("-Dmaven.repo.local=" + System.getProperty("sieve.repository"));
        Path settings = Path.of(System.getProperty("sieve.settings"));
        if (Files.exists(settings)) {
            build.addAll(List.of("--settings", settings.toString()));
        }

        run(build.toArray(String[]::new));

        JsonNode config = json("config.json").get("config");
        assertThat(config.get("Entrypoint")).hasToString("[\"/opt/sieve/bin/sieve\"]");
        assertThat(config.get("User").asText()).isEqualTo("65534:65534");
        assertThat(config.get("WorkingDir").asText()).isEqualTo("/data");
        StringBuilder files = new StringBuilder();
        for (JsonNode layer : json("manifest.json").get(0).get("Layers")) {
            run("tar", "-C", folder.toString(), "-xf", IMAGE.toString(), layer.asText());
            files.append(
                    run("tar", "--utc", "-tvzf", folder.resolve(layer.asText()).toString()));
        }
        // Java shares the classes of the jar only if its time is that of the release.
        assertThat(files.toString().lines().map(line -> line.replaceAll(" +", " ")))
                .anyMatch(line -> line.startsWith("-rwxr-xr-x 0/0 ") && line.endsWith(" opt/sieve/bin/sieve"))
                .anyMatch(line -> line.startsWith("-rwxr-xr-x 0/0 ") && line.endsWith(" opt/sieve/runtime/bin/java"))
                .anyMatch(line -> line.endsWith(" 2026-11-20 00:00 opt/sieve/lib/sieve.jar"))
                .anyMatch(line -> line.endsWith(" opt/sieve/lib/sieve.jsa"));
    }
}
