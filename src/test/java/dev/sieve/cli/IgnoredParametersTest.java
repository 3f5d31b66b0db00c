package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** URLs that differ only in parameters that are ignored are one page, in all that a crawl does with pages. */
@Timeout(120)
class IgnoredParametersTest {
    private static final String[] IGNORED = {"--ignore-parameter", "utm_*", "--ignore-parameter=fbclid"};

    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(site.url("/"), "--delay", "0", "--per-host", "1"));
        all.addAll(List.of("-o", folder.resolve("pages.jsonl").toString()));
        all.addAll(List.of(IGNORED));
        all.addAll(List.of(options));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    /** The records of the last crawl by their paths. */
    private Map<String, JsonNode> records() throws IOException {
        Map<String, JsonNode> records = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("pages.jsonl"))) {
            JsonNode record = new ObjectMapper().readTree(line);
            records.put(record.get("url").asText().replace(site.url(""), ""), record);
        }
        return records;
    }

    @Test
    void aPageIsRequestedOnceAsItWasFound() throws IOException {
        site.page("/", "/a?utm_source=x&b=1", "/a?b=1", "/a?b=1&utm_medium=y&fbclid=z", "/a?b=2", "/?utm_source=home");
        site.page("/a?utm_source=x&b=1").page("/a?b=2");

        assertThat(crawl().exitCode()).isZero();

        assertThat(site.requests()).containsExactlyInAnyOrder("/", "/a?utm_source=x&b=1", "/a?b=2");
        assertThat(records().get("/a?utm_source=x&b=1").get("key").asText()).isEqualTo(site.url("/a?b=1"));
    }

    @Test
    void redirectToTheSamePageIsFollowed() throws IOException {
        site.page("/", "/a?utm_source=x", "/b", "/c?utm_source=x", "/c?utm_source=y");
        site.redirect("/a?utm_source=x", "/a").page("/a");
        site.redirect("/b", "/b?utm_source=b").page("/b?utm_source=b");
        site.redirect("/c?utm_source=x", "/d?utm_source=x").page("/d?utm_source=x");

        assertThat(crawl("--depth", "3").exitCode()).isZero();

        assertThat(site.requests())
                .containsOnlyOnce("/a", "/b?utm_source=b", "/d?utm_source=x")
                .doesNotContain("/c?utm_source=y");
    }

    @Test
    void redirectWithoutItsSessionIsFollowed() {
        List<String> links = new ArrayList<>();
        for (int i = 1; i < 6; i++) {
            for (int session = 0; session < 2; session++) {
                links.add("/p%d?sid=%032d".formatted(i, session));
                site.html(links.get(links.size() - 1), "<p>the same words " + i);
            }
        }
        links.add("/end");
        site.page("/", links.toArray(String[]::new)).page("/end", "/late?sid=" + "1".repeat(32));
        site.redirect("/late?sid=" + "1".repeat(32), "/late").page("/late");

        assertThat(crawl().exitCode()).isZero();

        assertThat(site.requests()).containsOnlyOnce("/late");
    }

    @Test
    void thePageThatIsItsOwnCanonicalOneIsIndexed() throws IOException {
        site.page("/", "/a?utm_source=x");
        site.html("/a?utm_source=x", "<link rel=canonical href=/a><p>a");

        Path sitemap = folder.resolve("sitemap.xml");
        assertThat(crawl("-o", sitemap.toString()).exitCode()).isZero();

        assertThat(Files.readString(sitemap)).contains(site.url("/a?utm_source=x"));
    }

    @Test
    void partsAndBrokenLinksAreThoseOfTheOnePage() throws IOException {
        site.page("/", "/a?utm_source=x", "/b#no", "/b", "/gone?utm_source=x");
        site.page("/a?utm_source=x", "/a?utm_source=y#no", "/gone?utm_source=x");
        site.html("/b", "<p id=yes>");

        assertThat(crawl(
                                "--check-fragments",
                                "--report",
                                folder.resolve("r.html").toString())
                        .exitCode())
                .isZero();

        assertThat(records().keySet()).contains("/a?utm_source=x#no", "/b#no");
        assertThat(Files.readString(folder.resolve("r.html")))
                .containsPattern("/gone\\?utm_source=x</bdi>.{0,60}<td>page</td><td class=\"n\" data-v=\"2\">");
    }

    @Test
    void anotherSpellingInEachRoundIsTheKnownPage() throws IOException {
        String[] job = {"--job", folder.resolve("job").toString(), "--again"};
        site.page("/", "/a?utm_source=1").page("/a?utm_source=1", "/");
        assertThat(crawl(job).exitCode()).isZero();

        site.page("/", "/a?utm_source=2").page("/a?utm_source=2", "/");
        Run second = crawl(job);

        assertThat(second.exitCode()).isZero();
        assertThat(second.err()).doesNotContain("new page", "no page links");
        assertThat(site.requests()).doesNotContain("/a?utm_source=2");
        assertThat(records().get("/a?utm_source=1").get("change").asText()).isNotEqualTo("new");
    }

    @Test
    void aJobContinuesWithOtherParameters() {
        String[] job = {"--job", folder.resolve("job").toString(), "--max-pages", "2"};
        site.page("/", "/a?utm_source=1", "/b?x=1", "/b?x=2").page("/a?utm_source=1");
        site.page("/b?x=1").page("/b?x=2");
        assertThat(crawl(job).exitCode()).isZero();

        assertThat(crawl("--job", job[1], "--ignore-parameter", "x").exitCode()).isZero();

        assertThat(site.requests()).containsOnlyOnce("/a?utm_source=1", "/b?x=1", "/b?x=2");
    }

    @Test
    void whyNamesTheOnePage() {
        Run run = Run.of(
                Main.commandLine(),
                "why",
                "http://h.test/a?utm_x=1&b=2",
                "http://h.test/a?b=2",
                "--ignore-parameter=utm_*");

        assertThat(run.out()).contains("crawled: a seed", "one page with http://h.test/a?b=2,");
    }

    @Test
    void dryRunShowsThePageOnce() {
        Run run = crawl("--dry-run", "--ignore-robots", site.url("/?utm_source=x"), site.url("/?b"));

        assertThat(run.out())
                .contains("parameters ignored: utm_*, fbclid", site.url("/?b"))
                .doesNotContain("=x");
    }

    @Test
    void whatIsNoNameIsRefusedInOneLine() {
        Run run = Run.of(Main.commandLine(), site.url("/"), "--ignore-parameter", "utm=*");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--ignore-parameter", "utm=*", "utm_*");
        assertThat(site.requests()).isEmpty();
    }
}
