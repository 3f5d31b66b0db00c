package dev.sieve.robots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Google's compliance suite for robots.txt (github.com/google/robotstxt-spec-test), read from the folder that the system
 * property {@code sieve.vectors} names.
 */
class RobotsComplianceTest {

    @Test
    void everyExpectationThatIsNotSpecificToGoogleHolds() throws IOException {
        List<JsonNode> standard = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (JsonNode file : new ObjectMapper().readTree(vectors().toFile())) {
            byte[] content =
                    Base64.getDecoder().decode(file.get("robotstxt_b64").asText());
            for (JsonNode expected : file.get("expect")) {
                if (!expected.get("google_specific").asBoolean()) {
                    standard.add(expected);
                    RobotsRules rules =
                            RobotsRules.parse(content, expected.get("ua").asText());
                    if (rules.allows(expected.get("url").asText())
                            != expected.get("allowed").asBoolean()) {
                        broken.add(file.get("file").asText() + " " + expected);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(standard).hasSize(378);
    }

    private static Path vectors() {
        String folder = System.getProperty("sieve.vectors", "");
        Path file = Path.of(folder, "robots-ctc.json");
        assumeTrue(
                !folder.isBlank() && file.toFile().isFile(), "no folder of vectors is given: -Dsieve.vectors=FOLDER");
        return file;
    }
}
