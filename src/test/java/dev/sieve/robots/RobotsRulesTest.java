package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class RobotsRulesTest {

    private static RobotsRules rules(String... lines) {
        return RobotsRules.parse(String.join("\n", lines).getBytes(UTF_8), "sieve");
    }

    @Test
    void nothingIsForbiddenByAnEmptyFile() {
        assertThat(rules("").allows("http://h/x")).isTrue();
        assertThat(RobotsRules.ALLOW_ALL.allows("http://h/x")).isTrue();
    }

    @Test
    void denyAllForbidsEverything() {
        RobotsRules none = rules("User-agent: *", "Disallow: /");
        assertThat(none.allows("http://h")).isFalse();
        assertThat(none.allows("/x?y")).isFalse();
        assertThat(none.allows("http://h?y")).isFalse();
    }

    @Test
    void pathsAndWholeUrlsAreAskedAlike() {
        RobotsRules rules = rules("User-agent: *", "Disallow: /a?b");
        assertThat(rules.allows("/a?b=c")).isFalse();
        assertThat(rules.allows("https://user@h:81/a?b=c#d")).isFalse();
        assertThat(rules.allows("http://h/x#/a?b")).isTrue();
        assertThat(rules.allows("http://h/x?u=http://h/a?b")).isTrue();
    }

    @Test
    void ownGroupHoldsAloneWhereverItStands() {
        RobotsRules rules =
                rules("User-agent: SIEVE/2.0", "Disallow: /own", "User-agent: *", "Disallow: /", "User-agent: sieve");
        assertThat(rules.allows("/own")).isFalse();
        assertThat(rules.allows("/x")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"siev", "sieves", "sieve-images", "my sieve", "*sieve"})
    void aNameThatIsAlmostOursIsNotOurs(String name) {
        assertThat(rules("User-agent: " + name, "Disallow: /").allows("/x")).isTrue();
    }

    @Test
    void aProductTokenIsTheBeginningOfAUserAgent() {
        assertThat(RobotsRules.productToken("My-Bot_x/1.0 (+http://h/)")).isEqualTo("My-Bot_x");
        assertThat(RobotsRules.productToken("(none)")).isEmpty();
        assertThat(RobotsRules.parse("User-agent: /\nDisallow: /".getBytes(UTF_8), "")
                        .allows("/"))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "/*.php$,      /a.php.php,     true",
        "/*.php$,      /a.php?x,       false",
        "/a*b*c,       /a/b/c/d,       true",
        "/a*b*c,       /a/c/b,         false",
        "/a*a,         /a,             false",
        "/a$b,         /a$bc,          true",
        "/$,           /,              true",
        "/$,           /a,             false",
        "/*$,          /a,             true",
        "*/a,          /b/a,           true",
        "*,            /,              true",
        "/a**b,        /axb,           true",
        "a,            /a,             false",
        "/%7Ejoe,      /~joe/x,        true",
        "/~joe,        /%7ejoe/x,      true",
        "/%2f,         /%2F,           true",
        "/a%2Fb,       /a/b,           false",
        "/%24,         /$,             true",
        "/%24,         /%24,           true",
        "/a%24,        /a$b,           true",
        "/a%24$,       /a$b,           false",
        "/a$b,         /a%24b,         true",
        "/star-%2A,    /star-*,        true",
        "/star-%2a,    /star-%2A,      true",
        "/star-%2A,    /star-x,        false",
        "/star-*,      /star-%2A,      true",
        "/*%2A$,       /x/*,           true",
        "/%2A%2A,      /*x,            false",
        "/caf\u00e9,   /caf%c3%a9/x,   true",
    })
    void patternsMatchAsTheStandardSays(String pattern, String path, boolean matches) {
        assertThat(rules("User-agent: *", "Disallow: " + pattern).allows(path)).isEqualTo(!matches);
    }

    @ParameterizedTest
    @CsvSource({
        "/%,   /$a,   false",
        "/%,   /*a,   false",
        "/%,   /'a,   false",
        "/%,   /%24a, true",
        "/%2,  /$a,   false",
        "/%2,  /%24a, true",
        "/%24, /$a,   true",
        "/*%$, /$,    false",
        "/*%,  /%zz,  true",
        "/\u000224, /%24a, false",
    })
    void halfAnEscapeMatchesOnlyWhatIsSent(String pattern, String path, boolean matches) {
        assertThat(rules("User-agent: *", "Disallow: /", "Allow: " + pattern).allows(path))
                .isEqualTo(matches);
        assertThat(rules("User-agent: *", "Disallow: " + pattern).allows(path)).isEqualTo(!matches);
    }

    @Test
    void spellingAnotherWayOpensNothing() {
        RobotsRules rules = rules("User-agent: *", "Disallow: /secret", "Allow: /%73ecret/open");
        assertThat(rules.allows("/%73ecret")).isFalse();
        assertThat(rules.allows("/secret/open")).isFalse();
        assertThat(rules.allows("/%73ecret/open")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            value = {
                "/a|b, /a%7Cb",
                "/a%7Cb, /a%7Cb",
                "/?a|b, /?a|b",
                "/?a%7cb, /?a|b",
                "/{id}, /%7Bid%7D",
                "/?{id}, /?{id}",
                "/a b, /a%20b",
                "/?<\"^`>, /?%3C%22^`%3E",
                "/?n=o'clock, /?n=o%27clock",
                "/o'clock, /o'clock"
            })
    void charactersMatchInEachSpelling(String pattern, String path) {
        RobotsRules rules = rules("User-agent: *", "Disallow: " + pattern);
        assertThat(rules.allows(path)).isFalse();
        assertThat(rules.allows("http://h" + path + "/x")).isFalse();
        assertThat(rules.allows("/x" + path)).isTrue();
    }

    @Test
    void crawlDelayIsThatOfTheGroup() {
        RobotsRules rules =
                rules("User-agent: *", "Crawl-delay: 1", "User-agent: sieve", "Crawl-delay: 2.5", "Disallow: /x");
        assertThat(rules.crawlDelay()).contains(Duration.ofMillis(2500));
        assertThat(rules("User-agent: other", "Crawl-delay: 9", "Disallow:", "User-agent: *", "Disallow:")
                        .crawlDelay())
                .isEmpty();
    }

    @Test
    void theLongestCrawlDelayCounts() {
        assertThat(rules("User-agent: *", "Crawl-delay: 5", "Crawl-delay: 9", "Crawl-delay: 7")
                        .crawlDelay())
                .contains(Duration.ofSeconds(9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e9", "99999999999", "1e300"})
    void anEndlessCrawlDelayIsCut(String value) {
        assertThat(rules("User-agent: *", "Crawl-delay: " + value).crawlDelay()).contains(RobotsRules.MAX_CRAWL_DELAY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "NaN", "Infinity", "0x10", "ten", "", "1d", "1e-3"})
    void aCrawlDelayThatIsNoNumberIsNone(String value) {
        RobotsRules rules = rules("User-agent: *", "Crawl-delay: " + value, "Disallow: /x");
        assertThat(rules.crawlDelay()).isEmpty();
        assertThat(rules.allows("/x")).isFalse();
    }

    @Test
    void aCrawlDelayDoesNotEndAGroup() {
        RobotsRules rules = rules("User-agent: sieve", "Crawl-delay: 1", "User-agent: other", "Disallow: /x");
        assertThat(rules.allows("/x")).isFalse();
    }

    @Test
    void sitemapsAreThoseOfTheWholeFile() {
        assertThat(rules("Sitemap: http://h/1.xml", "User-agent: x", "sitemap:/2.xml", "SITEMAP: http://h/1.xml")
                        .sitemaps())
                .containsExactly("http://h/1.xml", "/2.xml");
    }

    @Test
    void excessSitemapsAreLeftOutAndCounted() {
        String[] lines = IntStream.rangeClosed(0, RobotsParser.MAX_SITEMAPS + 5)
                .mapToObj(i -> "Sitemap: http://h/" + (i == 0 ? "x".repeat(RobotsParser.MAX_SITEMAP_LENGTH) : i))
                .toArray(String[]::new);

        RobotsRules rules = rules(lines);

        assertThat(rules.sitemaps())
                .hasSize(RobotsParser.MAX_SITEMAPS)
                .startsWith("http://h/1")
                .endsWith("http://h/" + RobotsParser.MAX_SITEMAPS);
        assertThat(rules.sitemapsLeftOut()).isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "User-agent: *\rDisallow: /x\r",
                "User-agent: *\r\n\r\n\r\nDisallow: /x",
                "User-agent: *\nDisalow: /x\n",
                "User-agent: *\ndisallow /x\n",
                "\0\nUser-agent: *\n\0\u0001\nDisallow: /x\n",
                "<html>\nUser-agent: *\n<br>\nDisallow: /x\n",
            })
    void commonMistakesAreForgiven(String text) {
        assertThat(rules(text).allows("/x")).isFalse();
        assertThat(rules(text).allows("/y")).isTrue();
    }

    @Test
    void everyByteOrderMarkIsSkipped() {
        String text = "User-agent: *\nDisallow: /x";
        byte[] utf16 = ("\ufeff" + text).getBytes(UTF_16LE);
        assertThat(rules("\ufeff" + text).allows("/x")).isFalse();
        assertThat(RobotsRules.parse(("\u00ef" + text).getBytes(ISO_8859_1), "sieve")
                        .allows("/x"))
                .isFalse();
        assertThat(RobotsRules.parse(utf16, "sieve").allows("/x")).isFalse();
    }

    @Test
    void whatLiesBeyondTheLimitDoesNotCount() {
        String head = "User-agent: *\nDisallow: /x\n";
        String filler = "#".repeat(99) + "\n";
        String text = head + filler.repeat(5120) + "Disallow: /late\n";
        RobotsRules rules = rules(text);
        assertThat(rules.allows("/x")).isFalse();
        assertThat(rules.allows("/late")).isTrue();
    }

    @Test
    void aRuleThatIsCutInTwoDoesNotCount() {
        String head = "User-agent: *\nDisallow: /\n";
        String padding = "#".repeat(RobotsRules.MAX_BYTES - head.length() - "\nAllow: /".length());
        assertThat(rules(head + padding + "\nAllow: /only/this").allows("/x")).isFalse();
    }

    @Test
    void anEndlessLineIsCutAndTheNextOneRead() {
        RobotsRules rules = rules("User-agent: *", "Disallow: /" + "a".repeat(200_000), "Disallow: /x");
        assertThat(rules.allows("/x")).isFalse();
        assertThat(rules.allows("/y")).isTrue();
    }

    @Test
    void slowPatternsAreBoundedAndCloseTheHost() {
        StringBuilder text = new StringBuilder("User-agent: *\n");
        for (int i = 0; i < 240; i++) {
            text.append("Disallow: /*").append("a".repeat(2000)).append(i).append('\n');
        }
        assertThat(rules(text.toString()).allows("/" + "a".repeat(4000))).isFalse();
        assertThat(rules(text.toString()).allows("/b")).isTrue();
    }

    @Test
    void manyStarsAreOne() {
        String stars = "Disallow: /" + "*".repeat(400) + "a$\n";
        RobotsRules rules = rules("User-agent: *\n" + stars.repeat(1000));
        assertThat(rules.allows("/" + "b".repeat(4000))).isTrue();
        assertThat(rules.allows("/" + "b".repeat(4000) + "a")).isFalse();
        assertThat(rules.memoryBytes()).isLessThan(10_000);
    }

    @Test
    void manyGroupsAreReadOnce() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < RobotsRules.MAX_BYTES; i++) {
            text.append("User-agent:x").append((char) ('a' + i % 26)).append("\nDisallow:/\n");
        }
        assertThat(rules(text.toString()).allows("/x")).isTrue();
        assertThat(rules(text.toString()).memoryBytes()).isLessThan(10_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Allow:*N\n",
                "allow:a\n",
                "Disallow: /N%61%2A\u00e9\n",
                "Allow: /%61N*a*a*a*a\n",
                "Sitemap:/N\u30c4\n"
            })
    void rulesOfAFullFileTakeLittleMoreMemoryThanTheFile(String line) {
        StringBuilder text = new StringBuilder("User-agent: *\nUser-agent: sieve\n");
        for (int i = 0; text.length() < RobotsRules.MAX_BYTES; i++) {
            text.append(line.replace("N", Integer.toString(i, 36)));
        }
        RobotsRules rules = rules(text.toString());
        assertThat(rules.allows("/zzzz")).isTrue();
        assertThat(rules.memoryBytes()).isLessThan(1_100_000);
    }

    @Test
    void rulesForOthersTakeNoMemory() {
        StringBuilder text = new StringBuilder("User-agent: sieve\nDisallow: /x\nUser-agent: *\n");
        for (int i = 0; text.length() < RobotsRules.MAX_BYTES; i++) {
            text.append("Disallow: /").append(i).append('\n');
        }
        assertThat(rules(text.toString()).memoryBytes()).isLessThan(1000);
    }

    @Test
    void signalsAreThoseOfTheGroupWithTheLongestPath() {
        String text = """
                User-Agent: other
                Content-Signal: ai-train=yes
                User-Agent: *
                Content-Signal: search=yes, ai-train=no # a comment
                Content-Usage: train-ai=n
                content-usage : /ai-ok/ train-ai=y
                CONTENT-USAGE: /ai-ok/ x=y
                Content-Usage: /ai-ok/*.pdf$ z
                Disallow: /never/
                User-Agent: own
                Content-Usage: own
                User-Agent: third
                Disallow: /
                """;
        RobotsRules any = RobotsRules.parse(text.getBytes(UTF_8), "any");
        String signal = "search=yes, ai-train=no";
        assertThat(any.signals("http://h/a"))
                .isEqualTo(Map.of("content-signal", signal, "content-usage", "train-ai=n"));
        assertThat(any.signals("/ai-ok/a?b")).containsEntry("content-usage", "train-ai=y, x=y");
        assertThat(any.signals("/ai-ok/a.pdf")).containsEntry("content-usage", "z");
        assertThat(any.allows("/never/a")).isFalse();
        RobotsRules own = RobotsRules.parse(text.getBytes(UTF_8), "own");
        assertThat(own.signals("/")).isEqualTo(Map.of("content-usage", "own"));
        assertThat(own.allows("/a")).isFalse();
        assertThat(RobotsRules.parse(text.getBytes(UTF_8), "other").signals("/"))
                .isEqualTo(Map.of("content-signal", "ai-train=yes"));
        assertThat(RobotsRules.ALLOW_ALL.signals("/")).isEmpty();
    }

    @Test
    void manyLongSignalsTakeLittleMemoryAndTime() {
        String line = "Content-Usage: /" + "a*".repeat(5000) + " " + "x".repeat(5000) + "\n";
        RobotsRules rules = RobotsRules.parse(("User-agent: *\n" + line.repeat(30)).getBytes(UTF_8), "");
        assertThat(rules.memoryBytes()).isLessThan(1 << 20);
        assertThat(rules.signals("/" + "a".repeat(4000)).values()).allMatch(each -> each.length() < 16 * 502);
    }
}
