package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.FetchResult.Page;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenderRuleTest {
    private static final String WORDS = "word ".repeat(60);
    private static final String SHELL =
            "<!DOCTYPE html><title>" + WORDS + "</title><div id=app></div><script src=a.js></script>";

    private static boolean needs(String html) {
        return new RenderRule("auto").needs("http://h/", html.getBytes(UTF_8));
    }

    private static Page page(String html) {
        return page(html, Map.of());
    }

    private static Page page(String html, Map<String, List<String>> headers) {
        byte[] body = html.getBytes(UTF_8);
        return new Page(200, headers, "text/html", body, body.length, false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<div id=app></div><script src=a.js></script>",
                "<SCRIPT>x()</SCRIPT><p>a few words<a href=/>home</a>",
                "<script>1</script><noscript>"
                        + "You need scripts. You need scripts. You need scripts. You need scripts. You need"
                        + " scripts. You need scripts. You need scripts. You need scripts. You need scripts. You need scripts."
                        + " You need scripts. You need scripts. You need scripts. You need scripts. You need scripts.</noscript>",
                "<script>1</script><!-- <a href=/x>x</a> -->",
                "<script>1",
                "<script src=a.js></script><style>a { color: red }"
            })
    void aPageWithScriptsAndLittleElseIsRendered(String html) {
        assertThat(needs(html)).isTrue();
    }

    @Test
    void aPageWithWordsButWithoutLinksIsRendered() {
        assertThat(needs(WORDS + "<script>1</script><a href='#part'>x</a><a href=javascript:x()>y</a><a name=x>z</a>"))
                .isTrue();
        assertThat(needs(WORDS + "<a href=/x>x</a><script>1</script>")).isFalse();
        assertThat(needs("<script>1</script>" + WORDS + "<area shape=rect href='../x'>"))
                .isFalse();
    }

    @Test
    void aPageWithoutScriptsIsNotRendered() {
        assertThat(needs("<p>a few words")).isFalse();
        assertThat(needs("<p>few<script type='application/ld+json'>{}</script>"))
                .isFalse();
        assertThat(needs("")).isFalse();
    }

    @Test
    void wordsAreCountedInLanguagesWithoutSpaces() {
        assertThat(needs("<script>1</script><a href=/>x</a><p>" + "網頁".repeat(100)))
                .isFalse();
    }

    @Test
    void whatRenderingAddsNothingToIsNotRenderedAgain() {
        RenderRule rule = new RenderRule("auto");
        byte[] shell = SHELL.getBytes(UTF_8);

        assertThat(rule.needs("http://h/a/1", shell)).isTrue();
        rule.learn("http://h/a/1", shell, page(SHELL), true);

        assertThat(rule.needs("http://h/a/2?x", shell)).isFalse();
        assertThat(rule.needs("http://h/b/2", shell)).isTrue();
        assertThat(rule.needs("http://other/a/2", shell)).isTrue();
    }

    @Test
    void whatRenderingAddsSomethingToIsRenderedAlways() {
        RenderRule rule = new RenderRule("auto");
        byte[] shell = SHELL.getBytes(UTF_8);
        rule.learn("http://h/a/1", shell, page("<a href=/x>x</a>" + SHELL), true);
        rule.learn("http://h/a/2", shell, page(SHELL), true);

        assertThat(rule.needs("http://h/a/3", shell)).isTrue();
    }

    @Test
    void aPageThatWasNotReadySaysNothingOfOthers() {
        RenderRule rule = new RenderRule("auto");
        byte[] shell = SHELL.getBytes(UTF_8);

        rule.learn("http://h/a/1", shell, page(SHELL), false);
        assertThat(rule.needs("http://h/a/2", shell)).isTrue();

        rule.learn("http://h/a/1", shell, page("<a href=/x>x</a>" + SHELL), false);
        rule.learn("http://h/a/2", shell, page(SHELL), true);
        assertThat(rule.needs("http://h/a/3", shell)).isTrue();
    }

    @Test
    void whereAPageLeadsByItselfIsALink() {
        RenderRule rule = new RenderRule("auto");
        String named = "<a href=/x>x</a>" + SHELL;
        Map<String, List<String>> leads = Map.of("refresh", List.of("0; url=http://h/x"));

        rule.learn("http://h/a/1", SHELL.getBytes(UTF_8), page(SHELL, leads), true);
        rule.learn("http://h/b/1", named.getBytes(UTF_8), page(named, leads), true);

        assertThat(rule.mayRender("http://h/a/2")).isTrue();
        assertThat(rule.mayRender("http://h/b/2")).isFalse();
    }

    @Test
    void aDocumentIsNeededUntilPagesAreKnownToBeFull() {
        RenderRule rule = new RenderRule("auto");
        assertThat(rule.mayRender("http://h/a")).isTrue();

        assertThat(rule.needs("http://h/a", (WORDS + "<a href=/x>x</a>").getBytes(UTF_8)))
                .isFalse();

        assertThat(rule.mayRender("http://h/b")).isFalse();
    }

    @Test
    void anExpressionSelectsUrls() {
        RenderRule rule = new RenderRule("/app/[0-9]+$");

        assertThat(rule.needs("http://h/app/1", new byte[0])).isTrue();
        assertThat(rule.mayRender("http://h/app/1")).isTrue();
        assertThat(rule.needs("http://h/app/x", SHELL.getBytes(UTF_8))).isFalse();
        assertThat(rule.mayRender("http://h/x")).isFalse();
        assertThat(new RenderRule("all").needs("http://h/x", new byte[0])).isTrue();
        assertThatThrownBy(() -> new RenderRule("(")).isInstanceOf(IllegalArgumentException.class);
    }

    /** No document takes time by the square of its length. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(
            strings = {
                "<",
                "<a ",
                "<script>",
                "<script ",
                "<!--",
                "<a href",
                "</",
                "\"",
                "<title>",
                "<a\t",
                "&",
                " ",
                "="
            })
    @Timeout(20)
    void aHostileDocumentCostsLittle(String part) {
        String html = "<a href=" + part.repeat((4 << 20) / part.length());

        byte[] document = html.getBytes(UTF_8);
        RenderRule rule = new RenderRule("auto");
        rule.learn("http://h/", document, page(html), true);

        assertThat(rule.mayRender("http://h/")).isFalse();
    }
}
