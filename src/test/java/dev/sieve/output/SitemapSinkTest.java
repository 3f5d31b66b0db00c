package dev.sieve.output;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.FetchResult;
import dev.sieve.parse.SitemapReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SitemapSinkTest {
    private static final String SITE = "https://a.test";
    private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

    @TempDir
    private Path folder;

    private final List<String> sitemaps = new ArrayList<>();

    private static Visit visit(String url, Map<String, List<String>> headers) {
        return new Visit(
                url,
                url,
                0,
                null,
                new FetchResult.Page(200, headers, "text/html", new byte[1], 1, false),
                new Visit.Timing(NOW, Duration.ZERO, Duration.ZERO),
                new Visit.Content("", List.of(), List.of(), true),
                Visit.Marks.NONE,
                null,
                null,
                -1);
    }

    private Path write(String name, StandardOpenOption how, List<String> urls) throws IOException {
        Path file = folder.resolve(name);
        OutputFormat format = OutputFormats.of(file, null);
        assertThat(format).isNotNull();
        try (PageSink sink = format.open(file, new OutputOpening(how, false, FileEnds.NONE, "", ""))) {
            for (String url : urls) {
                sink.accept(visit(url, Map.of()));
            }
            sink.flush();
            assertThat(file.resolveSibling(name + ".lines")).exists();
        }
        return file;
    }

    private List<String> read(String name) throws IOException {
        List<String> pages = new ArrayList<>();
        sitemaps.clear();
        try (InputStream in = Files.newInputStream(folder.resolve(name))) {
            SitemapReader.Outcome outcome = SitemapReader.read(in, (url, date) -> pages.add(url), sitemaps::add);
            assertThat(outcome.problem()).isEmpty();
            assertThat(outcome.beyondLimit() + outcome.invalid()).isZero();
        }
        return pages;
    }

    private List<String> names() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'Wed, 25 Nov 2026 11:00:00 GMT', <lastmod>2026-11-25T11:00:00Z</lastmod>",
        "'Wed, 25 Nov 2026 12:00:01 GMT', ''",
        "'Wed, 31 Dec 1969 23:59:59 GMT', ''",
        "'yesterday', ''"
    })
    void aDateInThePastIsWritten(String header, String element) throws IOException {
        Path file = folder.resolve("sitemap.xml");
        OutputOpening opening = new OutputOpening(CREATE_NEW, false, FileEnds.NONE, "", "");
        try (PageSink sink = new SitemapSink(file, opening)) {
            sink.accept(visit(SITE + "/?a=1&b='", Map.of("last-modified", List.of(header))));
        }

        assertThat(file)
                .content()
                .contains("\n<url><loc>" + SITE + "/?a=1&amp;b=&apos;</loc>" + element + "</url>\n</urlset>\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sitemap.xml", "sitemap.xml.gz"})
    void aSitemapIsSplitAfter50000Urls(String name) throws IOException {
        List<String> urls =
                IntStream.range(0, 50_001).mapToObj(i -> SITE + "/" + i).toList();
        write(name, CREATE_NEW, urls.subList(0, 50_000));
        assertThat(names()).containsExactly(name);
        assertThat(read(name)).isEqualTo(urls.subList(0, 50_000));

        write(name, TRUNCATE_EXISTING, urls);

        String first = name.replace(".xml", "-1.xml");
        String second = name.replace(".xml", "-2.xml");
        assertThat(names()).containsExactlyInAnyOrder(name, first, second);
        assertThat(read(name)).isEmpty();
        assertThat(sitemaps).containsExactly(SITE + "/" + first, SITE + "/" + second);
        assertThat(read(first)).isEqualTo(urls.subList(0, 50_000));
        assertThat(read(second)).isEqualTo(urls.subList(50_000, 50_001));

        write(name, TRUNCATE_EXISTING, urls.subList(0, 1));
        assertThat(names()).containsExactlyInAnyOrder(name, first, second);
    }

    /** The ends of files, as a job keeps them. */
    private static final class Ends implements FileEnds {
        private final Map<Path, FileEnd> all = new HashMap<>();

        @Override
        public FileEnd stored(Path file) {
            return all.get(file);
        }

        @Override
        public void flushed(Path file, FileEnd end) {
            all.put(file, end);
        }
    }

    @Test
    void aJobDeletesAndReplacesOnlyItsOwnParts() throws IOException {
        Path file = folder.resolve("sitemap.xml");
        Ends ends = new Ends();
        Files.writeString(folder.resolve("sitemap-2.xml"), "mine");
        Files.writeString(folder.resolve("sitemap-2024.xml"), "mine");
        for (int run = 0; run < 2; run++) {
            try (SitemapSink sink = new SitemapSink(file, new OutputOpening(APPEND, false, ends, "", ""))) {
                for (int i = 0; i < 50_001; i++) {
                    sink.add(SITE + "/" + i, "<url><loc>" + SITE + "/" + i + "</loc></url>");
                }
            }
            assertThat(read("sitemap.xml")).isEmpty();
            assertThat(sitemaps).containsExactly(SITE + "/sitemap-1.xml", SITE + "/sitemap-3.xml");
            assertThat(read("sitemap-3.xml")).hasSize(1);
        }
        try (SitemapSink sink = new SitemapSink(file, new OutputOpening(APPEND, false, ends, "", ""))) {
            sink.add(SITE + "/0", "");
        }

        assertThat(names()).containsExactly("sitemap-2.xml", "sitemap-2024.xml", "sitemap.xml", "sitemap.xml.lines");
        assertThat(folder.resolve("sitemap-2.xml")).hasContent("mine");
    }

    @Test
    @Tag("slow")
    void aSitemapIsSplitAfter50Megabytes() throws IOException {
        String path = "x".repeat(2047 - SITE.length() - 6);
        List<String> urls = IntStream.range(10_000, 35_500)
                .mapToObj(i -> SITE + "/" + i + path)
                .toList();
        write("a b&sitemap.xml", CREATE_NEW, urls);

        assertThat(read("a b&sitemap.xml")).isEmpty();
        assertThat(sitemaps).containsExactly(SITE + "/a%20b&sitemap-1.xml", SITE + "/a%20b&sitemap-2.xml");
        List<String> both = new ArrayList<>(read("a b&sitemap-1.xml"));
        both.addAll(read("a b&sitemap-2.xml"));
        assertThat(both).isEqualTo(urls);
        assertThat(Files.size(folder.resolve("a b&sitemap-1.xml"))).isBetween((50L << 20) - 2100, 50L << 20);
    }

    @Test
    void aUrlThatIsTooLongIsLeftOut() throws IOException {
        String url = SITE + "/" + "x".repeat(2047 - SITE.length() - 1);
        write("sitemap.xml", CREATE_NEW, List.of(url, url + "x"));

        assertThat(read("sitemap.xml")).containsExactly(url);
    }

    @Test
    void aCompressedSitemapIsOne() throws IOException {
        Path file = write("sitemap.xml.gz", CREATE_NEW, List.of(SITE + "/"));

        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            assertThat(new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset ");
        }
    }

    @Test
    void anEarlierSitemapStaysWhenThereIsNoPage() throws IOException {
        Path file = write("sitemap.xml", CREATE_NEW, List.of(SITE + "/"));
        assertThatThrownBy(() -> write("sitemap.xml", CREATE_NEW, List.of()))
                .isInstanceOf(FileAlreadyExistsException.class);

        write("sitemap.xml", TRUNCATE_EXISTING, List.of());

        assertThat(names()).containsExactly("sitemap.xml");
        assertThat(file).content().contains(SITE);
    }
}
