package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.demo.DemoWeb;
import dev.sieve.demo.HostileHost;
import dev.sieve.judge.PolitenessJudge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the hostile host of the demo web sends is text in every file, and complete where the format allows it. */
@Timeout(120)
class HostileOutputsTest {
    /** A field of a line of CSV by RFC 4180, and what is after it. */
    private static final Pattern FIELD = Pattern.compile("(?:\"((?:[^\"]|\"\")*)\"|([^\",]*))(,|$)", Pattern.DOTALL);

    @TempDir
    private Path folder;

    private Map<String, Integer> expected;

    private void crawl() throws IOException {
        try (DemoWeb web = PolitenessJudge.web().hosts(2).pages(10).open();
                HostileHost hostile = new HostileHost()) {
            List<String> arguments = new ArrayList<>(List.of(
                    web.start(),
                    hostile.start(),
                    "--scope=any",
                    "--delay=0",
                    "--resolve=.test=127.0.0.1",
                    "--filter=exact",
                    "-q"));
            for (String file : List.of("x.txt", "x.jsonl", "x.csv", "x.tsv")) {
                arguments.add("-o" + folder.resolve(file));
            }
            arguments.add("--skipped=" + folder.resolve("skipped"));
            Run run = Run.of(Main.commandLine(), arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isZero();
            expected = web.expected().collect(Collectors.toMap(DemoWeb.Expected::url, DemoWeb.Expected::status));
            expected.putAll(hostile.documents());
        }
    }

    /** The lines, which end with a line feed and contain no other control character than tabs. */
    private List<String> lines(String file) throws IOException {
        String text = Files.readString(folder.resolve(file), UTF_8);
        assertThat(text).endsWith("\n");
        assertThat(text.codePoints().filter(c -> c != '\n' && c != '\t').mapToObj(Character::getType))
                .doesNotContain(
                        (int) Character.CONTROL,
                        (int) Character.FORMAT,
                        (int) Character.LINE_SEPARATOR,
                        (int) Character.PARAGRAPH_SEPARATOR,
                        (int) Character.SURROGATE);
        return List.of(text.split("\n"));
    }

    @Test
    void everyLineIsOneRecordWithItsFields() throws IOException {
        crawl();

        List<JsonNode> records = new ArrayList<>();
        for (String line : lines("x.jsonl")) {
            records.add(new ObjectMapper().readTree(line));
        }
        Map<String, Integer> statuses = new TreeMap<>();
        records.forEach(record ->
                statuses.put(record.get("key").asText(), record.get("status").asInt()));
        assertThat(statuses).isEqualTo(new TreeMap<>(expected));
        assertThat(records.stream().map(record -> record.get("title").asText()))
                .contains("<script>window.injected=1</script><b class=injected>bold</b>", "W".repeat(8192))
                .anyMatch(title -> title.contains("\u202e") && title.contains("\u061c"))
                .anyMatch(title -> title.contains("\u001b[31m"));

        assertThat(lines("x.txt")).hasSize((int)
                expected.values().stream().filter(status -> status == 200).count());
        assertThat(lines("x.tsv"))
                .allSatisfy(line -> assertThat(line.split("\t", -1)).hasSize(3));
        assertThat(lines("skipped"))
                .allSatisfy(line -> assertThat(line.split("\t", -1)).hasSize(3))
                .anyMatch(line -> line.startsWith("http://<script>window.injected=1</script>/\t"));
        csv(records);
    }

    private void csv(List<JsonNode> records) throws IOException {
        List<List<String>> table =
                lines("x.csv").stream().map(HostileOutputsTest::fields).toList();
        List<String> names = table.get(0);
        assertThat(table).hasSize(records.size() + 1).allMatch(row -> row.size() == names.size());
        for (int i = 0; i < records.size(); i++) {
            List<String> row = table.get(i + 1);
            assertThat(row.get(names.indexOf("url")))
                    .isEqualTo(records.get(i).get("url").asText());
            // A spreadsheet would compute it.
            assertThat(row).noneMatch(field -> field.matches("(?s)[=+@\\t\\r-].*"));
        }
        assertThat(table.stream().map(row -> row.get(names.indexOf("title"))))
                .contains("'=cmd|' /C calc'!A0", "'@SUM(1+1)*cmd", "'-2+3", "\"=1+1\",\"x\"\"");
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        Matcher field = FIELD.matcher(line);
        int from = 0;
        do {
            assertThat(field.find(from) && field.start() == from).as(line).isTrue();
            fields.add(field.group(1) == null ? field.group(2) : field.group(1).replace("\"\"", "\""));
            from = field.end();
        } while (field.group(3).equals(","));
        assertThat(from).isEqualTo(line.length());
        return fields;
    }
}
