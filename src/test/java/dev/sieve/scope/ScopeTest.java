package dev.sieve.scope;

import static dev.sieve.scope.Scope.Kind.ANY;
import static dev.sieve.scope.Scope.Kind.DOMAIN;
import static dev.sieve.scope.Scope.Kind.HOST;
import static dev.sieve.scope.Scope.Kind.PREFIX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.url.UrlNormalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class ScopeTest {

    @ParameterizedTest
    @CsvSource({
        "HOST, http://example.com/a/b, http://example.com/, true",
        "HOST, http://example.com/a/b, https://example.com/, true",
        "HOST, https://example.com/, http://example.com./, true",
        "HOST, http://example.com/, http://www.example.com/, false",
        "HOST, http://example.com/, http://example.com:8080/, false",
        "HOST, http://127.0.0.1:8101/, http://127.0.0.1:8101/x, true",
        "HOST, http://127.0.0.1:8101/, http://127.0.0.1:9000/, false",
        "HOST, http://127.0.0.1:8101/, https://127.0.0.1:8101/, true",
        "HOST, http://h/, https://h:80/, false",
        "HOST, http://example.com/, http://example.com.evil.org/, false",
        "HOST, http://[::1]:81/, http://[::1]:82/, false",
        "DOMAIN, http://www.example.com/, https://blog.example.com/, true",
        "DOMAIN, http://www.example.com/, http://example.com./, true",
        "DOMAIN, http://www.example.com/, http://notexample.com/, false",
        "DOMAIN, http://www.example.com/, http://www.example.com:81/, false",
        "DOMAIN, http://a.co.uk/, http://b.co.uk/, false",
        "DOMAIN, http://a.github.io/, http://b.github.io/, false",
        "DOMAIN, http://github.io/, http://b.github.io/, false",
        "DOMAIN, http://10.0.0.1/, http://11.0.0.1/, false",
        "DOMAIN, http://localhost:81/, http://localhost:81/x, true",
        "PREFIX, http://h/docs/index.html, http://h/docs/, true",
        "PREFIX, http://h/docs/index.html, https://h/docs/a/b?c, true",
        "PREFIX, http://h/docs/index.html, http://h/docs, false",
        "PREFIX, http://h/docs/index.html, http://h/docs2/, false",
        "PREFIX, http://h/docs/?q=/a/b/, http://h/docs/x, true",
        "PREFIX, http://h/docs, http://h/x, true",
        "PREFIX, http://h/%7Euser/, http://h/~user/x, true",
        "PREFIX, http://h./docs/, http://h/docs/x, true",
        "PREFIX, http://h:81/docs/, http://h/docs/x, false",
        "PREFIX, http://h/Docs/, http://h/docs/, false",
        "ANY, http://h/, https://elsewhere:81/x, true"
    })
    void kindDecidesFromTheSeed(Scope.Kind kind, String seed, String url, boolean in) {
        Scope scope = Scope.builder(kind).build();
        scope.addSeed(seed);
        SkipReason reason = scope.skipReason(url, 1);
        assertThat(reason == null ? null : reason.rule()).isEqualTo(in ? null : "out of scope");
        assertThat(scope.skipReason(seed, 0)).isNull();
    }

    @Test
    void withoutSeedsOnlyAnyIsInScope() {
        for (Scope.Kind kind : Scope.Kind.values()) {
            boolean in = Scope.builder(kind).build().skipReason("http://h/", 0) == null;
            assertThat(in).isEqualTo(kind == ANY);
        }
    }

    @Test
    void firstRuleThatAppliesIsNamed() {
        Scope scope = Scope.builder(HOST)
                .maxDepth(2)
                .exclude("\\.pdf$")
                .include("/docs/")
                .include("/blog/")
                .build();
        scope.addSeed("http://h/");

        assertSkipped(scope.skipReason("http://other/x.pdf", 3), "too deep", "depth at most 2");
        assertSkipped(scope.skipReason("http://other/x.pdf", 2), "out of scope", "not the host and port of a seed");
        assertSkipped(scope.skipReason("http://h/docs/x.pdf", 2), "excluded", "exclude \\.pdf$");
        assertSkipped(scope.skipReason("http://h/x", 2), "not included", "no include expression matches");
        assertThat(scope.skipReason("http://h/blog/x", 2)).isNull();
        assertThat(scope.admittedBy("http://h/blog/x")).isEqualTo("include /blog/");
    }

    @Test
    void seedIsJudgedLikeAnyOtherUrl() {
        Scope scope = Scope.builder(ANY).include("/docs/").maxDepth(0).build();
        scope.addSeed("http://h/");
        assertThat(scope.skipReason("http://h/", 0).rule()).isEqualTo("not included");
        assertThat(scope.skipReason("http://h/docs/", 0)).isNull();
        assertThat(scope.skipReason("http://h/docs/", 1).rule()).isEqualTo("too deep");
    }

    @Test
    void seedsMayBeAddedWhileTheCrawlGoesOn() {
        Scope scope = Scope.builder(DOMAIN).build();
        scope.addSeed("http://a.org/");
        assertThat(scope.skipReason("http://b.org/", 1).rule()).isEqualTo("out of scope");
        scope.addSeed("http://b.org/");
        assertThat(scope.skipReason("http://b.org/", 1)).isNull();
    }

    @Test
    void prefixesAnswerAsALoopOverThemWould() {
        long seed = 42;
        Random random = new Random(seed);
        List<String> prefixes = new ArrayList<>();
        Scope scope = Scope.builder(PREFIX).build();
        for (int i = 0; i < 200; i++) {
            String directory = randomPath(random);
            prefixes.add(directory);
            scope.addSeed(directory + "page");
        }
        for (int i = 0; i < 20_000; i++) {
            String url = randomPath(random) + "x";
            boolean expected = prefixes.stream().anyMatch(url::startsWith);
            assertThat(scope.skipReason(url, 1) == null)
                    .as("%s, seed %d", url, seed)
                    .isEqualTo(expected);
        }
    }

    private static String randomPath(Random random) {
        StringBuilder url = new StringBuilder("http://h/");
        for (int n = 1 + random.nextInt(5); n > 0; n--) {
            url.append((char) ('a' + random.nextInt(4)))
                    .append(random.nextBoolean() ? "" : "-")
                    .append('/');
        }
        return url.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HOST", "PREFIX"})
    void hundredThousandSeedsAreLookedUpNotSearched(Scope.Kind kind) {
        Scope scope = Scope.builder(kind).build();
        for (int i = 0; i < 100_000; i++) {
            scope.addSeed("http://site" + i + ".org/a/");
        }
        for (int i = 0; i < 110_000; i++) {
            boolean in = scope.skipReason("http://site" + i + ".org/a/b", 1) == null;
            if (in != (i < 100_000)) {
                assertThat(in).as("site %d", i).isEqualTo(i < 100_000);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'(.*)/(.*)/(.*)/(.*)=(.*)&z$', /=&a, 900",
        "(a|b)*c, a, 100000",
        "'(?:/[^/]+)*\\.pdf$', /a, 40000",
        "(a+)+$, a!, 4000",
        "'(x+x+)+y', x, 4000",
        "'(?s)(.*)(.*)(.*)(.*)(.*)#', a, 4000"
    })
    void expressionThatDoesNotEndIsGivenUp(String regex, String part, int length) {
        String url = "http://h/" + part.repeat(length / part.length());
        Scope excluding = Scope.builder(ANY).exclude(regex).build();
        Scope including = Scope.builder(ANY).include(regex).build();
        Scope eitherOf = Scope.builder(ANY).include(regex).include("^http").build();

        assertThat(rule(excluding, url)).isIn("gave up", null);
        assertThat(rule(including, url)).isIn("gave up", "not included");
        assertThat(eitherOf.skipReason(url, 0)).isNull();
    }

    @Test
    void expressionThatIsGivenUpKeepsTheUrlOutAndIsNamed() {
        String url = "http://h/" + "x".repeat(4000);
        String rule = "(x+x+)+y needs too many steps";
        assertSkipped(Scope.builder(ANY).exclude("(x+x+)+y").build().skipReason(url, 0), "gave up", "exclude " + rule);
        assertSkipped(Scope.builder(ANY).include("(x+x+)+y").build().skipReason(url, 0), "gave up", "include " + rule);
    }

    @Test
    void ordinaryExpressionEndsOnTheLongestUrl() {
        String url = "http://h/" + "a".repeat(UrlNormalizer.MAX_LENGTH - 9);
        Scope scope = Scope.builder(ANY)
                .exclude("\\.(pdf|zip|jpe?g)$")
                .exclude("^https?://[^/]*/cgi-bin/")
                .build();
        assertThat(scope.skipReason(url, 0)).isNull();
    }

    @Test
    void invalidExpressionIsRefusedWithItsTextAndPosition() {
        assertThatThrownBy(() -> Scope.builder(ANY).exclude("a(b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("exclude a(b: Unclosed group at position 3");
        assertThatThrownBy(() -> Scope.builder(ANY).include("*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("include *: Dangling meta character '*' at position 0");
        assertThatThrownBy(() -> Scope.builder(ANY).include("(".repeat(100_000) + ")".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void negativeDepthIsRefused() {
        assertThatThrownBy(() -> Scope.builder(ANY).maxDepth(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }

    private static String rule(Scope scope, String url) {
        SkipReason reason = scope.skipReason(url, 0);
        return reason == null ? null : reason.rule();
    }

    private static void assertSkipped(SkipReason reason, String rule, String detail) {
        assertThat(reason).isEqualTo(new SkipReason(rule, detail));
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test/cdn-cgi/l/email-protection, true",
        "https://b.test/cdn-cgi/l/email-protection?x, true",
        "http://a.test/cdn-cgi/challenge-platform/scripts/jsd/main.js, true",
        "http://a.test/cdn-cgi/rum?, true",
        "http://a.test/cdn-cgi/image/width=80/a.png, false",
        "http://a.test/cdn-cgi/trace, false",
        "http://a.test/docs/cdn-cgi/l/email-protection, false",
        "http://a.test/?u=/cdn-cgi/l/email-protection, false"
    })
    void addressesOfServicesAreExcludedWhereverTheyAre(String url, boolean isExcluded) {
        SkipReason reason = Scope.builder(Scope.Kind.HOST).build().exclusion(url);

        assertThat(reason != null && SkipRule.SERVICE.is(reason)).isEqualTo(isExcluded);
    }
}
