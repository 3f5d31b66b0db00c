package dev.sieve.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sieve.FilterKind;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.SieveStats;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrontierMetricsTest {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

    /** The registry does not keep frontiers in memory. */
    private final List<Sieve> kept = new ArrayList<>();

    private Sieve withUrls(Sieve sieve, int urls) {
        kept.add(sieve);
        IntStream.range(0, urls).forEach(i -> sieve.push("https://example.org/" + i));
        return sieve;
    }

    @Test
    void theMetersHaveTheNumbersOfTheFrontier() {
        Frontier frontier = withUrls(new Sieve(1000), 500);
        frontier.push("https://example.org/1");
        Lease first = frontier.take(0);
        frontier.take(0);
        frontier.done(first);
        new FrontierMetrics(frontier).bindTo(registry);
        SieveStats stats = frontier.stats();

        assertThat(counter("sieve.urls.accepted")).isEqualTo(500);
        assertThat(counter("sieve.urls.seen")).isEqualTo(1);
        assertThat(counter("sieve.urls.done")).isEqualTo(1);
        assertThat(gauge("sieve.urls.pending")).isEqualTo(498);
        assertThat(gauge("sieve.urls.leased")).isEqualTo(1);
        assertThat(gauge("sieve.filter.fill")).isEqualTo(0.5, offset(0.05));
        assertThat(gauge("sieve.filter.size")).isEqualTo((double) stats.estimatedSize());
        assertThat(gauge("sieve.filter.capacity")).isEqualTo(1000);
        assertThat(gauge("sieve.filter.memory")).isEqualTo((double) stats.memoryBytes());
        assertThat(gauge("sieve.filter.false.positive")).isEqualTo(stats.falsePositiveRate());
        assertThat(gauge("sieve.estimated.missed")).isEqualTo(stats.estimatedMissed());
    }

    private double counter(String name) {
        return registry.get(name).functionCounter().count();
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    @Test
    void exactFilterIsNeverFull() {
        new FrontierMetrics(withUrls(
                        Sieve.builder().capacity(10).filter(FilterKind.EXACT).build(), 100))
                .bindTo(registry);

        assertThat(gauge("sieve.filter.size")).isEqualTo(100);
        assertThat(gauge("sieve.filter.fill")).isZero();
    }

    @Test
    void metersThatAreReadTogetherShareOneSnapshot() {
        AtomicInteger reads = new AtomicInteger();
        Meters<Sieve, SieveStats> meters = Meters.of(registry, withUrls(new Sieve(10), 3), sieve -> {
            reads.incrementAndGet();
            return sieve.stats();
        });
        FrontierMetrics.bind(meters);
        registry.getMeters()
                .forEach(each -> each.measure()
                        .forEach(value -> assertThat(value.getValue()).isFinite()));
        assertThat(reads).hasValue(1);

        clock.add(Duration.ofSeconds(1));
        registry.getMeters()
                .forEach(each -> each.measure()
                        .forEach(value -> assertThat(value.getValue()).isFinite()));
        assertThat(reads).hasValue(2);
    }

    @Test
    void prometheusGetsTheNamesOfItsConventions() throws Exception {
        Sieve sieve = withUrls(new Sieve(1000), 3);
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new FrontierMetrics(sieve).bindTo(prometheus);

        String text = prometheus.scrape();
        assertThat(text.lines().filter(line -> !line.startsWith("#")).map(line -> line.replaceFirst(" .*", "")))
                .containsExactlyInAnyOrder("""
                        sieve_estimated_missed_pages sieve_filter_capacity_urls
                        sieve_filter_false_positive_ratio sieve_filter_fill_ratio sieve_filter_memory_bytes
                        sieve_filter_size_urls sieve_urls_accepted_total sieve_urls_done_total sieve_urls_leased
                        sieve_urls_pending sieve_urls_seen_total""".split("\\s+", -1));
        assertThat(text).contains("\nsieve_urls_accepted_total 3.0\n");
        Promtool.requireMetrics(text);
        assertThat(sieve.pending()).isEqualTo(3);
    }

    @Test
    void documentedAlertRulesAreAccepted(@TempDir Path folder) throws Exception {
        Matcher yaml = Pattern.compile("```yaml\n(groups:\n.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/operating.md")));
        assumeTrue(yaml.find(), "docs/operating.md has no alert rules");
        Path file = Files.writeString(folder.resolve("rules.yml"), yaml.group(1));

        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new FrontierMetrics(new Sieve(1000)).bindTo(prometheus);
        String text = prometheus.scrape();
        assertThat(Pattern.compile("expr: (\\S+) ").matcher(yaml.group(1)).results())
                .hasSize(2)
                .allSatisfy(expression -> assertThat(text).contains("\n" + expression.group(1) + " "));
        Promtool.requireRules(file, 2);
    }
}
