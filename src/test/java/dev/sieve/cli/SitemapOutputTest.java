package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.parse.SitemapReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sitemap has the pages that search engines may list. */
@Timeout(120)
class SitemapOutputTest {
    private static final String MODIFIED = "Tue, 03 Jun 2025 11:05:30 GMT";

    @TempDir
    private Path folder;

    @AutoClose
    private final Site server = new Site("127.0.0.1");

    private final String site = server.url("");

    private void page(String path, String headers, String html) {
        page(path, 200, headers, html);
    }

    private void page(String path, int status, String headers, String html) {
        Site.Reply reply =
                Site.status(status).field("Content-Type", "text/html").body(html);
        for (String field : headers.isEmpty() ? new String[0] : headers.split("; ")) {
            String[] parts = field.split(": ", 2);
            reply.field(parts[0], parts[1]);
        }
        server.answer(path, reply);
    }

    private Path sitemap() {
        return folder.resolve("sitemap.xml");
    }

    private Run crawl(String... options) {
        List<String> all = new ArrayList<>(List.of(site + "/", "--delay", "0", "--retries", "0", "-q"));
        all.addAll(List.of("--concurrency", "1", "-o", sitemap().toString()));
        all.addAll(List.of(options));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    /** Returns the paths of the pages, each with its date. */
    private Map<String, String> listed() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (InputStream in = Files.newInputStream(sitemap())) {
            SitemapReader.Outcome outcome = SitemapReader.read(
                    in,
                    (url, date) -> {
                        assertThat(url).startsWith(site);
                        assertThat(found.put(url.substring(site.length()), String.valueOf(date)))
                                .isNull();
                    },
                    url -> assertThat(url).isNull());
            assertThat(outcome.problem()).isEmpty();
        }
        return found;
    }

    @Test
    void onlyPagesThatMayBeListedAreInASitemap() throws IOException {
        page(
                "/",
                "Last-Modified: " + MODIFIED,
                Site.links(
                                "/a?b=1&c=2",
                                "/own",
                                "/other",
                                "/noindex",
                                "/header",
                                "/image",
                                "/gone",
                                "/moved",
                                "/no/robots")
                        + Site.links("http://localhost:1/elsewhere"));
        page("/a?b=1&c=2", "", "a");
        page("/own", "", "<link rel=canonical href='" + site + "/own#top'>");
        page("/other", "", "<link rel=canonical href='/own'>");
        page("/noindex", "", "<meta name=robots content='noindex'>");
        page("/header", "X-Robots-Tag: none", "header");
        page("/image", "Content-Type: image/png", "image");
        server.redirect("/moved", "/own");
        page("/robots.txt", "Content-Type: text/plain", "User-agent: *\nDisallow: /no/");
        page("/no/robots", "", "robots");

        assertThat(crawl("--check-links").exitCode()).isZero();

        assertThat(listed()).isEqualTo(Map.of("/", "2025-06-03T11:05:30Z", "/a?b=1&c=2", "null", "/own", "null"));
        assertThat(folder.resolve("sitemap.xml.lines")).doesNotExist();
    }

    @Test
    void aResumedJobAddsItsPages() throws IOException {
        page("/", "", Site.links("/a"));
        page("/a", "", Site.links("/b"));
        page("/b", "", "b");
        String job = folder.resolve("job").toString();

        assertThat(crawl("--job", job, "--max-pages", "1").exitCode()).isZero();
        assertThat(listed().keySet()).containsExactly("/");
        assertThat(crawl("--job", job).exitCode()).isZero();
        assertThat(listed().keySet()).containsExactly("/", "/a", "/b");

        Files.delete(folder.resolve("sitemap.xml.lines"));
        Run run = crawl("--job", job);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("sitemap.xml: this job has not written it; move it away");
    }

    @Test
    void eachRoundRemovesPagesThatMayNoLongerBeListed() throws IOException {
        page("/", "ETag: \"1\"", Site.links("/same", "/gone", "/hidden", "/forbidden", "/moved"));
        page("/same", "ETag: \"1\"; Last-Modified: " + MODIFIED, "same");
        for (String path : List.of("/gone", "/hidden", "/forbidden", "/moved")) {
            page(path, "", path);
        }
        String[] again = {"--job", folder.resolve("job").toString(), "--again"};
        assertThat(crawl(again).exitCode()).isZero();
        assertThat(listed()).hasSize(6);

        page("/", "ETag: \"2\"", Site.links("/same", "/gone", "/hidden", "/forbidden", "/moved", "/new"));
        page("/new", "", "new");
        server.remove("/gone");
        page("/hidden", "", "<meta name=robots content=noindex>");
        page("/robots.txt", "Content-Type: text/plain", "User-agent: *\nDisallow: /forbidden");
        server.redirect("/moved", "/same");
        assertThat(crawl(again).exitCode()).isZero();

        assertThat(listed())
                .isEqualTo(Map.of("/", "null", "/same", "2025-06-03T11:05:30Z", "/new", "null", "/forbidden", "null"));

        server.close();
        assertThat(crawl(again).exitCode()).isEqualTo(3);
        assertThat(sitemap()).exists();
    }

    @Test
    void otherFilesAreNotOverwritten() throws IOException {
        page("/", "", "x");
        for (String name : List.of("sitemap.xml", "sitemap.xml.lines")) {
            Path mine = Files.writeString(folder.resolve(name), "mine");
            assertThat(crawl().err()).contains(name + " exists; use --force");
            Files.delete(mine);
        }
        Path first = Files.writeString(folder.resolve("sitemap-1.xml"), "mine");
        Path other = Files.writeString(folder.resolve("sitemap-2024.xml"), "mine");

        assertThat(crawl().exitCode()).isZero();
        assertThat(crawl("--force").exitCode()).isZero();
        String job = folder.resolve("job").toString();
        assertThat(crawl("--force", "--job", job).exitCode()).isZero();
        assertThat(crawl("--job", job).exitCode()).isZero();

        assertThat(List.of(first, other)).allSatisfy(file -> assertThat(file).hasContent("mine"));
        assertThat(listed().keySet()).containsExactly("/");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "500||",
                "503||",
                "403||",
                "403|cf-mitigated: challenge|wall",
                "302|Location: http://[|",
                "200|Content-Encoding: gzip|broken"
            })
    void aPageThatFailsForARoundStaysInTheSitemap(String failure) throws IOException {
        page("/", "ETag: \"1\"", Site.links("/a"));
        page("/a", "ETag: \"1\"", "a");
        String[] again = {"--job", folder.resolve("job").toString(), "--again"};
        crawl(again);
        String[] parts = failure.split("\\|", -1);
        page("/a", Integer.parseInt(parts[0]), parts[1], parts[2]);
        crawl(again);
        assertThat(listed().keySet()).containsExactly("/", "/a");

        page("/a", "ETag: \"1\"", "a");
        crawl(again);

        assertThat(listed().keySet()).containsExactly("/", "/a");
    }

    @Test
    void anUnmodifiedPageMayBeForbiddenToBeListed() throws IOException {
        page("/", "ETag: \"1\"", Site.links("/a"));
        page("/a", "ETag: \"1\"", "a");
        String[] again = {"--job", folder.resolve("job").toString(), "--again"};
        crawl(again);

        page("/a", "ETag: \"1\"; X-Robots-Tag: noindex", "a");
        crawl(again);

        assertThat(listed().keySet()).containsExactly("/");
    }

    @Test
    void aSitemapWithoutPagesIsMentioned() throws IOException {
        page("/", "", "<link rel=canonical href='http://other.test/'>");

        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, UTF_8));
        try {
            crawl();
        } finally {
            System.setErr(before);
        }

        assertThat(err.toString(UTF_8)).contains("sitemap.xml is not written: no page of this crawl belongs in it");
        assertThat(sitemap()).doesNotExist();
    }
}
