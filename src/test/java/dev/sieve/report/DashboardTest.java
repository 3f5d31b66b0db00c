package dev.sieve.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.durable.DurableSieve;
import dev.sieve.serve.CrawlStats;
import dev.sieve.serve.FrontierServer;
import dev.sieve.stage.AllStages;
import java.awt.Rectangle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the dashboard for Grafana against the metrics of a crawl and of a server. */
class DashboardTest {
    /** A name in an expression; before it, nothing that makes it a label or a value. */
    private static final Pattern NAME = Pattern.compile("(?<![\\w\"$.])[a-z]\\w*(?!\\w*\\s*\\()");

    private static final Set<String> ADDED_BY_PROMETHEUS = Set.of("instance", "job");

    private static JsonNode dashboard() throws IOException {
        return new ObjectMapper().readTree(Path.of("docs/grafana.json").toFile());
    }

    private static List<String> expressions() throws IOException {
        List<String> expressions = dashboard().get("panels").findValuesAsText("expr");
        assertThat(expressions).hasSizeGreaterThan(12);
        return expressions;
    }

    /** The labels of each metric that a crawl exposes. */
    private static Map<String, Set<String>> metrics() throws IOException {
        try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(100), AllStages::of)) {
            return labels(new MetricsText(new CrawlRecord(), crawler).text());
        }
    }

    /** The labels of each metric that a server exposes. */
    private static Map<String, Set<String>> servedMetrics(Path folder) throws IOException {
        DurableSieve.open(folder.resolve("crawl-books"), 100).close();
        try (FrontierServer server = FrontierServer.builder(folder)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .open()) {
            return labels(new MetricsText(server.crawls(), name -> {
                        CrawlStats crawl = server.stats(name);
                        return new MetricsText.Served(crawl.frontier(), crawl.queues(), crawl.inProcess());
                    })
                    .text());
        }
    }

    private static Map<String, Set<String>> labels(String text) {
        Map<String, Set<String>> labels = new HashMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Set<String> own = labels.computeIfAbsent(line.split("[{ ]", 2)[0], each -> new TreeSet<>());
            own.addAll(names(line, "(\\w+)=\""));
        });
        return labels;
    }

    private static List<String> names(String text, String regex) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map(name -> name.group(1))
                .toList();
    }

    @Test
    void everyQueryNamesMetricsAndLabelsOfACrawlOrAServer(@TempDir Path folder) throws Exception {
        Map<String, Set<String>> ofCrawl = metrics();
        Map<String, Set<String>> ofServer = servedMetrics(folder);
        for (String expression : expressions()) {
            List<String> used = new ArrayList<>(names(expression, "(\\w+)=~?\""));
            names(expression, " by \\(([^)]*)\\)").forEach(list -> used.addAll(List.of(list.split(", *"))));
            used.removeAll(ADDED_BY_PROMETHEUS);
            String rest = expression.replaceAll("\\{[^}]*}|\\[[^]]*]| by \\([^)]*\\)", "");
            List<String> named =
                    NAME.matcher(rest).results().map(name -> name.group()).toList();
            Map<String, Set<String>> metrics = expression.contains("sieve_serve_") ? ofServer : ofCrawl;

            assertThat(named).as(expression).isNotEmpty().allSatisfy(name -> {
                assertThat(metrics).containsKey(name);
                assertThat(metrics.get(name)).containsAll(used);
            });
        }
        for (JsonNode variable : dashboard().get("templating").get("list")) {
            assertThat(List.of(ofCrawl, ofServer))
                    .allSatisfy(metrics -> assertThat(metrics.keySet())
                            .containsAll(names(variable.path("definition").asText(), "label_values\\((\\w+),")));
        }
        assertThat(names(Files.readString(Path.of("docs/operating.md")), "\n +expr: (\\w+)"))
                .containsExactly("sieve_filter_fill_ratio", "sieve_estimated_missed_pages")
                .isSubsetOf(ofCrawl.keySet())
                .isSubsetOf(ofServer.keySet());
        assertThat(ofServer.get("sieve_filter_fill_ratio")).containsExactly("crawl");
    }

    @Test
    void everyQueryIsAccepted(@TempDir Path folder) throws Exception {
        List<Map<String, String>> rules = new ArrayList<>();
        for (String expression : expressions()) {
            rules.add(Map.of(
                    "record",
                    "query" + rules.size(),
                    "expr",
                    expression.replace("$__rate_interval", "1m").replace("$job", ".*")));
        }
        Path file = folder.resolve("rules.yml");
        // JSON is YAML.
        new ObjectMapper().writeValue(file.toFile(), Map.of("groups", List.of(Map.of("name", "g", "rules", rules))));
        Promtool.requireRules(file, rules.size());
    }

    @Test
    void thePrometheusOfTheComposeFileIsAccepted(@TempDir Path folder) throws Exception {
        List<String> settings = names(
                Files.readString(Path.of("docs/compose.yaml")),
                "(?s)\\nconfigs:\\n  prometheus:\\n    content: \\|\\n(.*?)\\n  \\w");
        assertThat(settings).hasSize(1);
        Promtool.requireConfig(Files.writeString(
                folder.resolve("prometheus.yml"), settings.get(0).stripIndent()));
    }

    @Test
    void panelsDoNotOverlap() throws Exception {
        List<Rectangle> places = new ArrayList<>();
        Set<Integer> ids = new TreeSet<>();
        for (JsonNode panel : dashboard().get("panels")) {
            JsonNode at = panel.get("gridPos");
            Rectangle place = new Rectangle(
                    at.get("x").intValue(),
                    at.get("y").intValue(),
                    at.get("w").intValue(),
                    at.get("h").intValue());
            assertThat(ids.add(panel.get("id").intValue())).as(panel.toString()).isTrue();
            assertThat(new Rectangle(24, 1000).contains(place))
                    .as(panel.toString())
                    .isTrue();
            assertThat(places).as(panel.toString()).noneMatch(place::intersects);
            places.add(place);
        }
    }

    /** A dashboard that names a data source of the machine where it was made cannot be imported elsewhere. */
    @Test
    void theDataSourceIsAVariable() throws Exception {
        JsonNode dashboard = dashboard();
        assertThat(dashboard.get("templating").get("list").get(0).get("type").asText())
                .isEqualTo("datasource");
        assertThat(dashboard.findValues("datasource"))
                .allSatisfy(source -> assertThat(source.get("uid").asText()).isEqualTo("${datasource}"));
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(panel.get("targets")).allMatch(target -> target.has("datasource"));
        }
    }
}
