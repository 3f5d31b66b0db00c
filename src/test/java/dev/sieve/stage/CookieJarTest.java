package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.crawl.CrawlJob;
import dev.sieve.fetch.Cookie;
import dev.sieve.job.CrawlDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many cookies are kept, and from which files they are read. */
class CookieJarTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path folder;

    private static CookieJar empty() throws IOException {
        return new CookieJar(null, List.of(), NOW);
    }

    private static void take(CookieJar jar, String url, String... fields) {
        jar.take(url, List.of(fields), NOW);
    }

    @Test
    void theOldestCookiesOfADomainAreDropped() throws IOException {
        CookieJar jar = empty();
        for (int i = 0; i < 500; i++) {
            take(jar, "http://h" + i + ".a.test/", "n" + i + "=v; Domain=a.test");
        }
        String field = jar.field("http://a.test/", NOW);

        assertThat(field).startsWith("n320=v; ").endsWith("; n499=v");
        assertThat(field.split("; ")).hasSize(CookieJar.MOST_OF_DOMAIN);
    }

    @Test
    void aResponseSetsALimitedNumberOfCookies() throws IOException {
        CookieJar jar = empty();
        take(
                jar,
                "http://a.test/",
                IntStream.range(0, 900).mapToObj(i -> "n" + i + "=v").toArray(String[]::new));

        assertThat(jar.field("http://a.test/", NOW).split("; ")).hasSize(CookieJar.MOST_OF_RESPONSE);
    }

    @Test
    void theCookiesOfTheDomainThatWasUsedLeastRecentlyAreDropped() throws IOException {
        CookieJar jar = empty();
        for (int i = 0; i < 100_000; i++) {
            take(jar, "http://h" + i + ".test/", "n=v");
            jar.field("http://h0.test/", NOW);
        }

        assertThat(jar.field("http://h0.test/", NOW)).isEqualTo("n=v");
        assertThat(jar.field("http://h1.test/", NOW)).isEmpty();
        assertThat(jar.field("http://h99999.test/", NOW)).isEqualTo("n=v");
        assertThat(IntStream.range(0, 100_000)
                        .filter(i -> !jar.field("http://h" + i + ".test/", NOW).isEmpty())
                        .count())
                .isBetween(2_000L, 20_000L);
    }

    @Test
    void aChangeIsAnotherValueOrADeletionAndNotTheSameAgain() throws IOException {
        CookieJar jar = empty();

        assertThat(jar.take("http://a.test/", List.of("n=v"), NOW)).isTrue();
        assertThat(jar.take("http://a.test/", List.of("n=v"), NOW)).isFalse();
        assertThat(jar.take("http://a.test/", List.of("n=w"), NOW)).isTrue();
        assertThat(jar.take("http://a.test/", List.of("n=; Max-Age=0"), NOW)).isTrue();
        assertThat(jar.take("http://a.test/", List.of("n=; Max-Age=0"), NOW)).isFalse();
        assertThat(jar.take("http://a.test/", List.of("n=v; Domain=b.test", "x"), NOW))
                .isFalse();
        assertThat(jar.field("http://a.test/", NOW)).isEmpty();
    }

    @Test
    void filesOfCurlAndBrowsersAreRead() throws IOException {
        Path file = folder.resolve("cookies.txt");
        Files.writeString(file, """
                # Netscape HTTP Cookie File\r
                # https://curl.se/docs/http-cookies.html\r
                \r
                #HttpOnly_.a.test\tTRUE\t/\tFALSE\t0\ts\t1\r
                #comment
                a.test\tFALSE\t/\tFALSE\t1\told\t1
                a.test\tFALSE\t/\tFALSE\t9999999999\tlast\t""");
        CookieJar jar = new CookieJar(null, CookieJar.read(file), NOW);

        assertThat(jar.field("http://a.test/", NOW)).isEqualTo("s=1; last=");
        assertThat(jar.field("http://www.a.test/", NOW)).isEqualTo("s=1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ \"cookies\": [] } | 1: not a cookie: domain, TRUE or FALSE, path",
                "# x~~a.test FALSE / FALSE 0 n secret | 3: not a cookie: ",
                "a.test\tFALSE\t/\tFALSE\t0\tn\tv~a..test\tFALSE\t/\tFALSE\t0\tn\tsecret | 2: unexpected domain: a..test",
            })
    void aWrongLineIsNamedWithItsFile(String text, String message) throws IOException {
        Path file = Files.writeString(folder.resolve("cookies.txt"), text.replace('~', '\n'));

        assertThatThrownBy(() -> CookieJar.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(file + ":" + message)
                .message()
                .doesNotContain("secret");
    }

    @Test
    void aFileThatDoesNotFitIntoTheMemoryIsRefused() throws IOException {
        Path file = Files.write(
                folder.resolve("cookies.txt"),
                IntStream.range(0, 20_000)
                        .mapToObj(i -> "h" + i + ".test\tFALSE\t/\tFALSE\t0\tn\tv")
                        .toList());

        assertThatThrownBy(() -> CookieJar.read(file))
                .hasMessageEndingWith(": more cookies than fit into 4194304 bytes");
        assertThatThrownBy(() -> CookieJar.read(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    private CrawlJob job() throws IOException {
        return CrawlDirectory.open(folder.resolve("job"), builder -> builder.capacity(100));
    }

    private static CookieJar jar(CrawlJob job, Cookie... named) throws IOException {
        return job.part(CookieJar.class, files -> new CookieJar(files, List.of(named), NOW));
    }

    @Test
    void aFileThatGrowsIsReplacedByTheLinesThatCount() throws IOException {
        Path stored = folder.resolve("job").resolve("crawl-cookies");
        try (CrawlJob job = job()) {
            for (int i = 0; i < 6000; i++) {
                take(jar(job), "http://a.test/", "n=" + i + "v".repeat(4000));
                if (i == 3000) {
                    jar(job).flush(false);
                    assertThat(Files.size(stored)).isGreaterThan(10 << 20);
                }
            }
            take(jar(job), "http://b.test/", "gone=v", "kept=v");
            take(jar(job), "http://b.test/", "gone=; Max-Age=0");
            jar(job).flush(false);
            assertThat(Files.size(stored)).isLessThan(10 << 20);
        }
        try (CrawlJob job = job()) {
            assertThat(jar(job).field("http://a.test/", NOW)).startsWith("n=5999v");
            assertThat(jar(job).field("http://b.test/", NOW)).isEqualTo("kept=v");
            assertThat(Files.size(stored)).isLessThan(5000);
        }
    }

    @Test
    void aDeletionByAServerHoldsForACookieOfTheUserUntilItIsNamedAnew() throws IOException {
        Cookie named = Cookie.of("a.test\tFALSE\t/\tFALSE\t0\tn\tv");
        try (CrawlJob job = job()) {
            take(jar(job, named), "http://a.test/", "n=; Max-Age=0");
        }
        try (CrawlJob job = job()) {
            assertThat(jar(job, named).field("http://a.test/", NOW)).isEmpty();
        }
        try (CrawlJob job = job()) {
            assertThat(jar(job, Cookie.of("a.test\tFALSE\t/\tFALSE\t0\tn\tw")).field("http://a.test/", NOW))
                    .isEqualTo("n=w");
        }
        assertThat(Files.readString(folder.resolve("job").resolve("crawl-cookies"), US_ASCII))
                .doesNotContain("\tw", "\tv");
    }
}
