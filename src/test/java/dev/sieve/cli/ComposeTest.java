package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks compose.yaml as far as that is possible without a container engine. */
class ComposeTest {
    private static final String FILE = Pages.read(Pages.PROJECT.resolve("docs/compose.yaml"));

    /** A name and a list in the syntax of JSON. */
    private static final Pattern WORKER =
            Pattern.compile("hostname: (worker-\\d)\\n +command: (\\[.*])\\n", Pattern.MULTILINE);

    @Test
    void everyWorkerStartsTheProgramWithOutputsOfItsOwn() throws IOException {
        List<String> crawls = new ArrayList<>();
        Set<String> outputs = new HashSet<>();
        Matcher worker = WORKER.matcher(FILE);
        while (worker.find()) {
            String[] command = new ObjectMapper().readValue(worker.group(2), String[].class);
            Main.commandLine().parseArgs(command);
            List<String> words = new ArrayList<>(List.of(command));

            // Prometheus requests the live page by this name.
            assertThat(FILE).contains("\"" + worker.group(1) + ":8484\"");
            assertThat(words.remove("--live=" + worker.group(1) + ":8484")).isTrue();
            assertThat(outputs.add(words.remove(words.indexOf("-o") + 1))).isTrue();
            crawls.add(String.join(" ", words));
        }
        assertThat(crawls).hasSize(3);
        assertThat(Set.copyOf(crawls)).as("the same crawl").hasSize(1);
    }

    @Test
    void theImageIsThatOfThisVersion() {
        Matcher version =
                Pattern.compile("<version>(.*?)</version>").matcher(Pages.read(Pages.PROJECT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(FILE).contains("image: sieve:" + version.group(1) + "\n");
    }

    @Test
    void whatAServiceNamesIsDefined() throws Exception {
        JsonNode compose = Yaml.read(FILE);
        for (JsonNode service : compose.get("services")) {
            for (JsonNode config : service.path("configs")) {
                assertThat(compose.get("configs").has(config.get("source").asText()))
                        .isTrue();
            }
            for (JsonNode volume : service.path("volumes")) {
                String source = volume.asText().replaceFirst(":.*", "");
                assertThat(source.equals("./data") || compose.get("volumes").has(source))
                        .isTrue();
            }
            service.path("depends_on")
                    .fieldNames()
                    .forEachRemaining(
                            name -> assertThat(compose.get("services").get(name).has("healthcheck"))
                                    .isTrue());
        }
        for (JsonNode config : compose.get("configs")) {
            if (config.has("content")) {
                assertThat(Yaml.read(config.get("content").asText()).isObject()).isTrue();
            } else {
                assertThat(Pages.PROJECT
                                .resolve("docs")
                                .resolve(config.get("file").asText()))
                        .exists();
            }
        }
    }
}
