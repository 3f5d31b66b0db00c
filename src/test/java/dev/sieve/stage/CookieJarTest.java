package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Loss;
import dev.sieve.fetch.Cookie;
import dev.sieve.job.CrawlDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many cookies are kept, and from which files they are read. */
class CookieJarTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path folder;

    private static final Loss.Receiver NOT_COUNTED = (loss, sentence) -> {};

    private static CookieJar empty() throws IOException {
        return new CookieJar(null, List.of(), NOW);
    }

    private static void take(CookieJar jar, String url, String... fields) {
        changes(jar, url, fields);
    }

    private static boolean changes(CookieJar jar, String url, String... fields) {
        return jar.take(url, List.of(fields), NOW, NOT_COUNTED);
    }

    @Test
    void theCookiesThatWereUsedLeastRecentlyAreEvicted() throws IOException {
        CookieJar jar = empty();
        for (int i = 0; i < 500; i++) {
            Instant now = NOW.plusSeconds(i);
            jar.take("http://h" + i + ".a.test/", List.of("n" + i + "=v; Domain=a.test"), now, NOT_COUNTED);
        }
        String field = jar.field("http://a.test/", NOW);

        assertThat(field).startsWith("n320=v; ").endsWith("; n499=v");
        assertThat(field.split("; ")).hasSize(CookieJar.MOST_OF_DOMAIN);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSessionOutlivesACookiePerPage(boolean isNamed) throws IOException {
        Cookie named = Cookie.of("a.test\tFALSE\t/in\tFALSE\t0\tsession\t1");
        CookieJar jar = new CookieJar(null, isNamed ? List.of(named) : List.of(), NOW);
        Map<Loss, Integer> losses = new EnumMap<>(Loss.class);
        for (int i = 0; i < 400; i++) {
            Instant now = NOW.plusSeconds(i);
            String url = "http://a.test/" + (isNamed ? "" : "in");
            jar.field(url, now);
            String set = i == 0 && !isNamed ? "session=1" : "seen_" + i + "=1";
            jar.take(url, List.of(set), now, (loss, sentence) -> losses.merge(loss, 1, Integer::sum));
        }

        assertThat(jar.field("http://a.test/in", NOW)).contains("session=1").contains("seen_399=1");
        assertThat(losses).containsOnly(Map.entry(Loss.COOKIES_EVICTED, isNamed ? 221 : 220));
    }

    @Test
    void whatIsIgnoredIsCountedWithItsReason() throws IOException {
        List<String> sentences = new ArrayList<>();
        String[] fields =
                IntStream.range(0, 52).mapToObj(i -> i < 3 ? "secret" : "n=v").toArray(String[]::new);
        empty().take("http://a.test/x", List.of(fields), NOW, (loss, sentence) -> sentences.add(loss + " " + sentence));

        assertThat(sentences)
                .hasSize(5)
                .startsWith("COOKIES_IGNORED a cookie of http://a.test/x is ignored: it has no name")
                .endsWith("COOKIES_IGNORED a cookie of http://a.test/x is ignored: a response can set 50");
    }

    @Test
    void domainsOfTheUserAreEvictedLast() throws IOException {
        Cookie named = Cookie.of("user.test\tFALSE\t/\tFALSE\t0\tsession\t1");
        CookieJar jar = new CookieJar(null, List.of(named), NOW);
        for (int i = 0; i < 15_000; i++) {
            take(jar, "http://h" + i + ".test/", "n=v");
        }

        assertThat(jar.field("http://user.test/", NOW)).isEqualTo("session=1");
        assertThat(jar.field("http://h0.test/", NOW)).isEmpty();
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
    void cookiesOfTheLeastRecentDomainAreDropped() throws IOException {
        CookieJar jar = empty();
        int all = 30_000;
        for (int i = 0; i < all; i++) {
            take(jar, "http://h" + i + ".test/", "n=v");
            jar.field("http://h0.test/", NOW);
        }

        assertThat(jar.field("http://h0.test/", NOW)).isEqualTo("n=v");
        assertThat(jar.field("http://h1.test/", NOW)).isEmpty();
        assertThat(jar.field("http://h29999.test/", NOW)).isEqualTo("n=v");
        assertThat(IntStream.range(0, all)
                        .filter(i -> !jar.field("http://h" + i + ".test/", NOW).isEmpty())
                        .count())
                .isBetween(2_000L, 20_000L);
    }

    @Test
    void aChangeIsAnotherValueOrADeletionAndNotTheSameAgain() throws IOException {
        CookieJar jar = empty();

        assertThat(changes(jar, "http://a.test/", "n=v")).isTrue();
        assertThat(changes(jar, "http://a.test/", "n=v")).isFalse();
        assertThat(changes(jar, "http://a.test/", "n=w")).isTrue();
        assertThat(changes(jar, "http://a.test/", "n=; Max-Age=0")).isTrue();
        assertThat(changes(jar, "http://a.test/", "n=; Max-Age=0")).isFalse();
        assertThat(changes(jar, "http://a.test/", "n=v; Domain=b.test", "x")).isFalse();
        assertThat(jar.field("http://a.test/", NOW)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test/, n=x, true",
        "http://a.test/, n=; Max-Age=0, true",
        "http://a.test/, n=x; Domain=a.test, true",
        "http://a.test/, n=x; Path=/in/deeper, true",
        "http://a.test/, n=x; Path=/out, false",
        "http://a.test/, m=x, false",
        "http://b.test/, n=x, false",
        "https://a.test/, n=x, false",
    })
    void aResponseOverHttpLeavesACookieForHttpsAlone(String url, String field, boolean isIgnored) throws IOException {
        CookieJar jar = empty();
        take(jar, "https://a.test/", "n=v; Secure; Path=/" + (field.contains("Path") ? "in" : ""));

        assertThat(changes(jar, url, field)).isEqualTo(!isIgnored);
        if (isIgnored) {
            assertThat(jar.field("https://a.test/in/deeper/", NOW)).isEqualTo("n=v");
        }
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
        CookieJar jar = new CookieJar(null, CookieJar.read(file, problem -> {}), NOW);

        assertThat(jar.field("http://a.test/", NOW)).isEqualTo("s=1; last=");
        assertThat(jar.field("http://www.a.test/", NOW)).isEqualTo("s=1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ \"cookies\": [] } | 1: not a cookie: domain, TRUE or FALSE, path",
                "# x~~a.test FALSE / FALSE 0 n secret | 3: not a cookie: ",
            })
    void aFileWithoutACookieNamesItsFirstWrongLine(String text, String message) throws IOException {
        Path file = Files.writeString(folder.resolve("cookies.txt"), text.replace('~', '\n'));

        assertThatThrownBy(() -> CookieJar.read(file, problem -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(file + ":" + message)
                .message()
                .doesNotContain("secret");
    }

    @Test
    void wrongLinesAreNamedAndTheOthersAreRead() throws IOException {
        Path file = folder.resolve("cookies.txt");
        Files.write(
                file,
                "\ufeff# Netscape~a.test FALSE / FALSE 0 a M\u00fcnchen~a..test FALSE / FALSE 0 n secret~secret"
                        .concat(
                                "~a.test x / FALSE 0 n secret~a.test FALSE / FALSE soon n secret~a.test FALSE / FALSE -1 b 2~")
                        .concat("a.test FALSE x FALSE 0 n secret~a.test FALSE / FALSE 0 n ")
                        .replace(' ', '\t')
                        .replace('~', '\n')
                        .concat("\ufffd")
                        .getBytes(UTF_8));
        List<String> problems = new ArrayList<>();
        CookieJar jar = new CookieJar(null, CookieJar.read(file, problems::add), NOW);

        assertThat(jar.field("http://a.test/", NOW)).isEqualTo("a=M\u00fcnchen; b=2");
        assertThat(problems)
                .allMatch(problem -> problem.startsWith(file + ":") && !problem.contains("secret"))
                .extracting(
                        problem -> problem.substring(file.toString().length()).replaceFirst(",.*", ""))
                .containsExactly(
                        ":3: its domain is not the name of a host",
                        ":4: not a cookie: domain",
                        ":5: its second or fourth field is not TRUE or FALSE",
                        ":6: its expiry is not a number of seconds",
                        ":8: its path does not begin with a slash",
                        ":9: it has a character that cookies cannot have");
    }

    @Test
    void cookiesBeyondAsciiSurviveTheProcess() throws IOException {
        try (CrawlJob job = job()) {
            take(jar(job), "http://a.test/", "n=\u6625\u7bc0\u00fc");
        }
        try (CrawlJob job = job()) {
            assertThat(jar(job).field("http://a.test/", NOW)).isEqualTo("n=\u6625\u7bc0\u00fc");
        }
    }

    @Test
    void aFileThatDoesNotFitIntoTheMemoryIsRefused() throws IOException {
        Path file = Files.write(
                folder.resolve("cookies.txt"),
                IntStream.range(0, 20_000)
                        .mapToObj(i -> "h" + i + ".test\tFALSE\t/\tFALSE\t0\tn\tv")
                        .toList());

        assertThatThrownBy(() -> CookieJar.read(file, problem -> {}))
                .hasMessageEndingWith(": more cookies than fit into 4194304 bytes");
        assertThatThrownBy(() -> CookieJar.read(folder.resolve("none"), problem -> {}))
                .isInstanceOf(NoSuchFileException.class);
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
            take(jar(job), "http://b.test/", "gone=v", "kept=v");
            take(jar(job), "http://b.test/", "gone=; Max-Age=0");
            for (int i = 0; i < 2500; i++) {
                take(jar(job), "http://a.test/", "n=" + i);
            }
            jar(job).flush(false);
            assertThat(Files.readAllLines(stored)).hasSizeLessThan(1_010);
        }
        try (CrawlJob job = job()) {
            assertThat(jar(job).field("http://a.test/", NOW)).isEqualTo("n=2499");
            assertThat(jar(job).field("http://b.test/", NOW)).isEqualTo("kept=v");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sessionOfAnEarlierRunIsKeptWithTheCookiesOfToday(boolean isNamed) throws IOException {
        Cookie[] named = isNamed ? new Cookie[] {Cookie.of("a.test\tFALSE\t/\tFALSE\t0\tsession\told")} : new Cookie[0];
        String value = "v".repeat(4_000);
        try (CrawlJob job = job()) {
            CookieJar jar = jar(job, named);
            for (int i = 0; i < 600; i++) {
                Instant now = NOW.plusSeconds(i);
                jar.field("http://a.test/", now);
                String set = i == 0 ? "session=1" : "page_" + i + "=" + value;
                jar.take("http://a.test/", List.of(set), now, NOT_COUNTED);
                jar.take("http://h" + i + ".test/", List.of("n=" + value), now, NOT_COUNTED);
            }
        }
        try (CrawlJob job = job()) {
            String field = jar(job, named).field("http://a.test/", NOW);
            assertThat(field.startsWith("session=1; ")).isTrue();
            assertThat(field.contains("page_599=")).isTrue();
        }
    }

    @Test
    void anExpiredCookieIsNotOneOfTheSite() throws IOException {
        CookieJar jar = empty();
        take(jar, "http://a.test/", "n=v; Expires=Thu, 01 Jan 2026 00:00:10 GMT", "m=v");

        assertThat(jar.ofSite("http://b.a.test/", NOW)).hasSize(2);
        assertThat(jar.ofSite("http://b.a.test/", NOW.plusSeconds(11)))
                .extracting(Cookie::toString)
                .containsExactly("a.test/ m");
    }

    @Test
    void whatTheUserHasNamedIsKnownAfterManyCookies() throws IOException {
        Cookie named = Cookie.of("a.test\tFALSE\t/\tFALSE\t0\tn\told");
        try (CrawlJob job = job()) {
            for (int i = 0; i < 2000; i++) {
                take(jar(job, named), "http://b.test/", "n" + i + "=" + "v".repeat(4000));
            }
            take(jar(job, named), "http://a.test/", "n=new");
        }
        try (CrawlJob job = job()) {
            assertThat(jar(job, named).field("http://a.test/", NOW)).isEqualTo("n=new");
        }
    }

    @Test
    void aServerDeletesACookieOfTheUserUntilNamedAnew() throws IOException {
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
        try (CrawlJob job = job()) {
            assertThat(jar(job, Cookie.of("a.test\tFALSE\t/\tFALSE\t0\tn\tw")).field("http://a.test/", NOW))
                    .isEqualTo("n=w");
        }
        assertThat(Files.readString(folder.resolve("job").resolve("crawl-cookies"), US_ASCII))
                .doesNotContain("\tw", "\tv");
    }
}
