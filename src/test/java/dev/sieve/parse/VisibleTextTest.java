package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The text of a page that is kept in its record. */
class VisibleTextTest {
    private static final String PAGE = "http://h.test/d/page";

    /** A text, and whether it is longer. */
    private record Kept(String text, boolean isCut, PageText digest) {}

    private static Kept read(String html, TextForm form) {
        TextWriter writer = form.writer();
        TextDigest digest = new TextDigest();
        Documents.read(PAGE, Documents.page("text/html", html), writer, digest);
        TextWriter.Kept kept = writer.finish();
        return new Kept(kept.text(), kept.isCut(), digest.finish());
    }

    private static String text(String html) {
        return read(html, TextForm.PLAIN).text;
    }

    private static String main(String html) {
        return read(html, TextForm.MAIN).text;
    }

    private static String markdown(String html) {
        return read(html, TextForm.MARKDOWN).text;
    }

    @Test
    void eachBlockIsALineOfWords() {
        assertThat(
                        text(
                                "<title>T</title><h1>A\n  <b>b</b>ig\u00a0<i>head</i></h1><p>one<br>two <p>three<ul><li>x<li>y</ul>z"))
                .isEqualTo("A big head\none\ntwo\nthree\nx\ny\nz");
        assertThat(text("<table><tr><th>a<th>b<tr><td>1<td><p>2</table>after")).isEqualTo("a\tb\n1\n2\nafter");
        assertThat(text("<select><option>s<option>t</select><button>ok</button>go<details><summary>more</summary>yes"))
                .isEqualTo("s\nt\nok go\nmore\nyes");
        assertThat(
                        text(
                                "<style>x</style><script>y</script><template>z</template><noscript>n</noscript><svg><title>t</title>"))
                .isEqualTo("n");
        assertThat(text("<pre>  a\n  b</pre>&lt;b&gt; \0")).isEqualTo("a b\n<b>");
        assertThat(text("")).isEmpty();
    }

    @Test
    void aShadowRootInTheMarkupIsDisplayed() {
        String html = "a<div><template shadowrootmode=%s>b<a href=/l>c</a></template></div>d";

        assertThat(text(html.formatted("open"))).isEqualTo("a\nbc\nd");
        assertThat(text(html.formatted("Closed"))).isEqualTo("a\nbc\nd");
        assertThat(text(html.formatted("no"))).isEqualTo("a\nd");
    }

    @Test
    void theDigestIsThatOfTheTextInOneLine() {
        Random random = new Random(36);
        String[] parts = {
            "<p>", "</p>", "<b>", "</b>", "<td>", "<tr>", "<table>", "</table>", "<br>", " ", "\n", "é", "w", "x"
        };
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            html.append(parts[random.nextInt(parts.length)]);
        }

        Kept kept = read(html.toString(), TextForm.PLAIN);

        assertThat(kept.text).doesNotContainPattern("\\s\\s|^\\s|\\s$");
        assertThat(kept.digest.digest())
                .isEqualTo(Digest.of(
                        kept.text.replace('\n', ' ').replace('\t', ' ').getBytes(UTF_8)));
        assertThat(kept.isCut).isFalse();
    }

    @Test
    void theMainPartIsThatOfTheMainElements() {
        String page = "<header>logo</header><nav>menu</nav>%s<aside>ads</aside><footer>legal</footer>";
        assertThat(main(page.formatted("<main><header>h</header><p>text<nav>toc</nav></main>")))
                .isEqualTo("h\ntext");
        assertThat(main(page.formatted("before<div role=main>text</div>after<main>more</main>")))
                .isEqualTo("text\nmore");
        assertThat(main(page.formatted("before<article>one</article>between<article>two</article>")))
                .isEqualTo("one\ntwo");
        assertThat(main(page.formatted("<article>card</article><main>text</main><article>card</article>")))
                .isEqualTo("text");
        assertThat(main(page.formatted("text<section><footer>note</footer></section>")))
                .isEqualTo("text\nnote");
        assertThat(main(page.formatted("<div role='Navigation list'>x</div><nav role=presentation>text</nav>")))
                .isEqualTo("text");
        assertThat(main("<nav><main>no</main></nav>text<svg><main>svg")).isEqualTo("text svg");
        assertThat(main("<main>a</main></main><nav>b</nav></nav><main>c")).isEqualTo("a\nc");
    }

    @Test
    void markdownKeepsTheStructure() {
        assertThat(
                        markdown(
                                "<h1>One</h1><p>a <a href='../x?a=1#p'>link <b>b</b></a>!<h3>Two <a href=y>z</a></h3>c<br>d<hr>e"))
                .isEqualTo(
                        "# One\n\na [link b](http://h.test/x?a=1#p)!\n\n### Two [z](http://h.test/d/y)\n\nc  \nd\n\n***\n\ne");
        assertThat(markdown("<ul><li>a<ol start=9><li>b<p>c<li>d</ol><li><p>e</ul><blockquote>q<p>r</blockquote>s"))
                .isEqualTo("- a\n  9. b\n\n     c\n\n  10. d\n- e\n\n> q\n>\n> r\n\ns");
        assertThat(
                        markdown(
                                "x <code>a `b` <a href=c>c</a></code> <pre><code class='x language-js'>\n if\n\n  y\n</code></pre>z"))
                .isEqualTo("x ``a `b` c`` \n\n```js\n if\n\n  y\n```\n\nz".replace("`` \n", "``\n"));
        assertThat(markdown("<code>a</code><em><code>b</code></em><code>`</code> <code>c</code>"))
                .isEqualTo("`` ab` `` `c`");
        assertThat(markdown("<blockquote><pre>a\n\n\nb</pre></blockquote>")).isEqualTo("> ```\n> a\n>\n>\n> b\n> ```");
        assertThat(markdown("<ul><li><pre>a\n```\nb</pre></ul>")).isEqualTo("- ````\n  a\n  ```\n  b\n  ````");
        assertThat(markdown("<pre><div>one</div><div>two</div>three<br>four</pre>"))
                .isEqualTo("```\none\ntwo\nthree\nfour\n```");
    }

    @Test
    void aTableOfTextIsOneInMarkdown() {
        assertThat(
                        markdown(
                                "a<table><caption>c</caption><tr><th>k<th>v<tr><td colspan=2><p>1|2</p><p><code>x|y</code><td>5<tr><td>3<td>4</table>b"))
                .isEqualTo("a\n\nc\n\n| k | v |  |\n| --- | --- | --- |\n| 1\\|2 `x\\|y` |  | 5 |\n| 3 | 4 |\n\nb");
        assertThat(markdown("<table><tr><td><code>a|b</code> c|d<td><h2>Head</h2><ul><li>x</ul><tr><td>foot</table>"))
                .isEqualTo("`a|b` c|d\n\n## Head\n\n- x\n\nfoot");
        assertThat(markdown("<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>"))
                .isEqualTo("| a | b |\n| --- | --- |\n| c | d |");
        assertThat(markdown("<table><tr><td>one<tr><td>column</table>")).isEqualTo("one\n\ncolumn");
        assertThat(markdown("<ul><li><table><tr><td></table>x</ul>")).isEqualTo("- x");
    }

    @Test
    void whatWouldBeMarkupIsEscaped() {
        assertThat(
                        markdown(
                                "<p>*a* _b_ c_d [e] `f` ~g~ \\ &lt;b&gt; &amp;amp; 3 &lt; 4 &amp; 5<p># h<p>- i<p>1. j<p>12) k<p>+ l<p>&gt; m<p>--- n"))
                .isEqualTo(
                        "\\*a\\* \\_b\\_ c_d \\[e\\] \\`f\\` \\~g\\~ \\\\ \\<b> \\&amp; 3 \\< 4 & 5\n\n\\# h\n\n\\- i"
                                + "\n\n1\\. j\n\n12\\) k\n\n\\+ l\n\n\\> m\n\n\\--- n");
        assertThat(markdown("wow!<a href='/w_(x)'>[y]</a> <a href='?q=`|'> z </a><a href=mailto:m>m</a><a href=e></a>"))
                .isEqualTo("wow\\![\\[y\\]](<http://h.test/w_(x)>) [z](http://h.test/d/page?q=%60%7C) m");
    }

    @Test
    void blocksInALinkAndMisnestedElementsAreText() {
        assertThat(markdown("<a href=x><h2>t</h2><ul><li>i</ul></a>")).isEqualTo("[t i](http://h.test/d/x)");
        assertThat(markdown("<h2>a<table><tr><td>b</table>c</h2><code>d<pre>e</code>f</pre>"))
                .contains("## a b c")
                .contains("e");
        assertThat(markdown("</ul></li></table></blockquote>x<li>y")).isEqualTo("x\n- y");
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource
    @Tag("hostile")
    void aTextHasABound(TextForm form) {
        String[] pages = {
            "w".repeat(1_100_000),
            "\ud83d\ude00".repeat(1 << 19) + "x",
            "a ".repeat(600_000),
            "*".repeat(1_100_000),
            "<hr>x".repeat(150_000),
            "<td>x".repeat(200_000),
            "<table><tr>" + "<td colspan=20>x".repeat(60_000),
            "<blockquote>".repeat(600) + "x<br>".repeat(100_000),
            "<ul><li>".repeat(400) + "<p>x".repeat(100_000),
            "<pre>" + "\n".repeat(100_000) + "x\n".repeat(600_000),
            "<code>" + "`".repeat(1_100_000),
            "<p><code>x</code>".repeat(50_000),
            "<a href=u>x</a>".repeat(60_000),
        };
        for (String page : pages) {
            Kept kept = read(page, form);
            assertThat(kept.text.length()).isLessThanOrEqualTo(TextWriter.MAX_CHARS);
            assertThat(kept.isCut).isEqualTo(kept.text.length() >= TextWriter.MAX_CHARS - 1);
            assertThat(kept.text.chars().anyMatch(c -> c < '\t')).isFalse();
        }
    }

    @Test
    void aLongPageHasTheSameTextAsItsParts() {
        String part = "<h2>h</h2><p>a <a href=l>b</a></p><ul><li>c<li>d</ul><table><tr><td>1<td>2<tr><td>3<td>4</table>"
                + "<blockquote><pre>e\nf</pre></blockquote>";
        int parts = 4000;
        String expected = markdown(part);
        assertThat(difference(
                        markdown(part.repeat(parts)),
                        (expected + "\n\n").repeat(parts).strip()))
                .isEmpty();
        String main = "<nav>" + "n ".repeat(200_000) + "</nav><main>" + part.repeat(parts) + "</main>";
        assertThat(difference(
                        main(main + "x ".repeat(100_000)),
                        (text(part) + "\n").repeat(parts).strip()))
                .isEmpty();
    }

    /** Returns where two long texts begin to differ; empty when they are equal. */
    private static String difference(String text, String expected) {
        int at = Arrays.mismatch(text.toCharArray(), expected.toCharArray());
        return at < 0
                ? ""
                : at + " of " + expected.length() + ": "
                        + text.substring(Math.max(0, at - 100), Math.min(text.length(), at + 50));
    }

    @Test
    void aMainElementWithAFifthOfTheTextIsTheMainPart() {
        String story = "<div>" + "word ".repeat(40) + "</div>";

        assertThat(main("<nav>menu</nav><main></main>" + story))
                .isEqualTo("word ".repeat(40).strip());
        assertThat(main(story + "<article>A teaser.</article><footer>x</footer>"))
                .endsWith("word\nA teaser.");
        assertThat(main("<main>" + "text ".repeat(20) + "</main>" + story))
                .isEqualTo("text ".repeat(20).strip());
    }

    @Test
    void aCellThatSpansRowsMovesTheCellsBelow() {
        assertThat(markdown("<table><tr><th>a<th colspan=2>b<th>c<tr><td rowspan=2>1<td>2<td rowspan=0>3<td>4"
                        + "<tr><td>5<td>6<tr><td>7<td>8<td>9</table>"))
                .isEqualTo("""
                        | a | b |  | c |
                        | --- | --- | --- | --- |
                        | 1 | 2 | 3 | 4 |
                        |  | 5 |  | 6 |
                        | 7 | 8 |  | 9 |""");
    }

    @Test
    void referencesThatAreTextAreEscaped() {
        assertThat(markdown("<a href='/?a&amp;amp;b&amp;c=1'>l</a>")).isEqualTo("[l](http://h.test/?a&amp;amp;b&c=1)");
        assertThat(markdown("R&<b>amp;</b> A&B <<i>b>")).isEqualTo("R\\&amp; A\\&B \\<b>");
    }

    @Test
    void itemsHaveTheirNumbers() {
        assertThat(markdown("<ol start=0><li>a<li value=5>b<li>c</ol><ul><li value=3>d</ul>"))
                .isEqualTo("0. a\n5. b\n6. c\n\n- d");
    }

    @Test
    void adjacentCodeIsReadInLinearTime() {
        String text = markdown("<code>abcd</code>".repeat(100_000));

        assertThat(text).startsWith("`abcdabcd").contains("`<!-- -->`");
        assertThat(text.replaceAll("`|<!-- -->", "")).isEqualTo("abcd".repeat(100_000));
    }
}
