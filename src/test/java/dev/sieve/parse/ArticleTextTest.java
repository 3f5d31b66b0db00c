package dev.sieve.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main part of pages that are articles, and of those that are none. */
class ArticleTextTest {
    private static final String SAYS_SO = "<meta property=og:type content=article>";

    private static final String SURROUNDINGS = """
            <body class="post tag-boats has-sidebar">
            <div class=header><a href=/>The Harbour Post</a></div>
            <div class=wrap>
            <div class=story><h1>The ferry</h1><div class=byline>By A. Sailor</div>%s
            <div class="share-buttons">Share this with your friends, or write a letter to the editor.</div></div>
            <div id=comments><h3>Comments</h3><p>%s</p><p>%s</p></div>
            <div class=right><ul><li><a href=/1>Harbour closed for a week</a><li><a href=/2>Storm is over</a></ul></div>
            </div>
            <div class=bottom>Imprint, all rights reserved</div>""";

    private static TextWriter.Kept read(String html, TextForm form) {
        TextWriter writer = form.writer();
        Documents.read("http://h.test/d/page", Documents.page("text/html", html), writer);
        return writer.finish();
    }

    private static String main(String html) {
        return read(html, TextForm.MAIN).text();
    }

    private static String plain(String html) {
        return read(html, TextForm.PLAIN).text();
    }

    /** Returns a sentence of its own for each topic. */
    private static String prose(String topic) {
        return "The " + topic + " was seen by many people on the pier, who say that it had been there since the early"
                + " morning, and that nobody knew what to do about the " + topic + ".";
    }

    private static String paragraphs(int count) {
        return IntStream.range(0, count)
                .mapToObj(each -> "<p>" + prose("ship" + each) + "</p>")
                .collect(Collectors.joining());
    }

    private static String news(String head) {
        return "<head>" + head + "</head>"
                + SURROUNDINGS.formatted(paragraphs(6), prose("first reader"), prose("second reader"));
    }

    @Test
    void anArticleIsWithoutWhatIsAroundIt() {
        assertThat(main(news(SAYS_SO))).isEqualTo(plain("<h1>The ferry</h1>" + paragraphs(6)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<meta property=article:published_time content=2026-01-01>",
                "<script type='application/ld+json'>{\"@context\": \"x\", \"@type\": [\"NewsArticle\"]}</script>",
                "<script type='application/ld+json'>[{\"@type\":\"BlogPosting\"}]</script>",
            })
    void aPageSaysInManyWaysThatItIsAnArticle(String head) {
        assertThat(main(news(head))).isEqualTo(main(news(SAYS_SO)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<meta property=og:type content=website>",
                "<script type='application/ld+json'>{\"@type\": \"TechArticle\"}</script>",
                "<script>{\"@type\": \"NewsArticle\"}</script>",
            })
    void aPageThatSaysNothingKeepsItsText(String head) {
        assertThat(main(news(head))).isEqualTo(plain(news(head)));
    }

    @Test
    void figuresAndListsOfLinksAreNoPartOfAnArticle() {
        String story = "<p>" + prose("captain") + "<figure>A boat<figcaption>Photo: me</figcaption></figure>"
                + "<ul><li><a href=/a>Read this as well</a></ul><ul><li>" + prose("list") + "</ul>"
                + "<h2>After the storm</h2>" + paragraphs(4);

        assertThat(main(news(SAYS_SO).replace(paragraphs(6), story)))
                .isEqualTo(plain("<h1>The ferry</h1><p>" + prose("captain") + "<ul><li>" + prose("list")
                        + "</ul><h2>After the storm</h2>" + paragraphs(4)));
    }

    @Test
    void anArticleOfSeveralPartsIsWhole() {
        String part = "<div><div>%s</div></div>";
        String parts = part.formatted(paragraphs(4)) + "<div class=ad>Buy a boat today</div>"
                + part.formatted("<p>" + prose("second part") + "<p>" + prose("third part"));

        assertThat(main(news(SAYS_SO).replace(paragraphs(6), parts)))
                .contains(prose("ship0"), prose("third part"))
                .doesNotContain("Buy a boat", "reader");
    }

    @Test
    void aListOfTeasersKeepsItsText() {
        String teasers = IntStream.range(0, 12)
                .mapToObj(each ->
                        "<div class=item><h2><a href=/%1$d>Title %1$d</a></h2><p>%2$s <a href=/%1$d>More</a></div>"
                                .formatted(each, prose("teaser" + each)))
                .collect(Collectors.joining());

        assertThat(main(SAYS_SO + "<nav>menu</nav><h1>News</h1><div class=list>" + teasers + "</div><p>Page 1 of 9"))
                .contains(prose("teaser0"), "Title 7", prose("teaser11"));
    }

    @Test
    void documentationKeepsItsText() {
        String page = "<nav>menu</nav><main><div class=section><h1>open()</h1><dl><dt>open(file)<dd>" + prose("file")
                + "</dl><pre>open('a', mode='rb')</pre>" + paragraphs(2)
                + "<table><tr><th>mode<th>meaning<tr><td>r<td>read"
                + "<tr><td>w<td>write</table><p class=note>Short.</p><ul><li><a href=/io>io</a>"
                + "<li><a href=/os>os</a></ul>"
                + "</div><div class=section>" + paragraphs(2) + "<pre>close(f)</pre></div></main>";
        String text = plain(page.replace("<nav>menu</nav>", ""));

        assertThat(main(page)).isEqualTo(text);
        assertThat(main(SAYS_SO + page)).isEqualTo(text);
    }

    @Test
    void aForumKeepsItsPosts() {
        String posts = IntStream.range(0, 8)
                .mapToObj(each -> "<div class=post><div class=name>user" + each + "</div><div class=content>"
                        + prose("post" + each) + "</div></div>")
                .collect(Collectors.joining());
        String text = main(SAYS_SO + "<header>Forum</header><div id=thread><h1>How?</h1>" + posts + "</div>");

        assertThat(text).contains(prose("post0"), "user3", prose("post7"));
    }

    @Test
    void anEmptyMainElementIsNoMainPart() {
        String html = news(SAYS_SO).replace("<div class=wrap>", "<main></main><div class=wrap>");

        assertThat(main(html)).isEqualTo(main(news(SAYS_SO)));
    }

    @Test
    void anArticleNeedsNoParagraphs() {
        String lines =
                IntStream.range(0, 6).mapToObj(each -> prose("line" + each)).collect(Collectors.joining("<br><br>"));

        assertThat(main(news(SAYS_SO).replace(paragraphs(6), lines)))
                .startsWith("The ferry")
                .contains(prose("line0"), prose("line5"))
                .doesNotContain("Share", "reader", "Imprint");
    }

    @Test
    void aPageWithoutProseKeepsItsText() {
        String html =
                SAYS_SO + "<div class=menu><a href=/>Home</a></div><h1>Gallery</h1><div>A boat</div><div>A pier</div>";

        assertThat(main(html)).isEqualTo("Home\nGallery\nA boat\nA pier");
    }

    @Test
    void markdownHasTheSameArticle() {
        String story = "<p>" + prose("captain") + " <a href=/log>The log</a> has <code>more</code>.<p>" + prose("mate")
                + "<table><tr><th>day<th>wind<tr><td>one<td>two</table>" + paragraphs(3) + "<pre>a\n  b</pre>";
        String html = news(SAYS_SO).replace(paragraphs(6), story);

        assertThat(read(html, TextForm.MAIN_MARKDOWN).text())
                .isEqualTo(read("<h1>The ferry</h1>" + story, TextForm.MARKDOWN).text());
        assertThat(read(html, TextForm.MAIN).text()).isEqualTo(plain("<h1>The ferry</h1>" + story));
    }

    @ParameterizedTest
    @ValueSource(strings = {"div", "blockquote", "span", "ul><li", "a", "article", "form", "b"})
    void aDeepArticleIsFound(String element) {
        String html = "<head>" + SAYS_SO + "</head><div class=sidebar>Side</div>" + ("<" + element + ">").repeat(20_000)
                + paragraphs(4);

        assertThat(main(html)).contains(prose("ship0"), prose("ship3"));
    }

    @Test
    @Tag("slow")
    @Tag("hostile")
    void aHugePageKeepsAPartOfItsText() {
        String story = "<p>" + prose("captain") + "</p>";
        String[] pages = {
            story.repeat(30_000),
            "<div class='share share share'>x</div>".repeat(100_000) + story,
            "<div class='" + "a-".repeat(100_000) + "'>" + story,
            story + "<i>".repeat(300_000) + "word ".repeat(100_000),
        };
        for (String page : pages) {
            for (TextForm form : new TextForm[] {TextForm.MAIN, TextForm.MAIN_MARKDOWN}) {
                TextWriter.Kept kept = read(SAYS_SO + page, form);
                assertThat(kept.text()).contains(prose("captain"));
                assertThat(kept.text().length()).isLessThanOrEqualTo(TextWriter.MAX_CHARS);
            }
        }
    }
}
