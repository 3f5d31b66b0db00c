package dev.sieve.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.fetch.FetchResult;
import dev.sieve.parse.Digest;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.TextDigest;
import dev.sieve.parse.TextForm;
import dev.sieve.parse.TextWriter;
import dev.sieve.url.UrlNormalizer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jsoup.parser.Tag;
import org.jsoup.select.NodeFilter;
import org.junit.jupiter.api.Test;

/** Any document is read, with the links that a complete tree of it has. */
@org.junit.jupiter.api.Tag("hostile")
public class LinkFuzzTest {
    private static final String PAGE = "http://h/dir/page?q";
    private static final String REFRESH = "0;url=r";
    private static final String[] WORDS = Fuzzer.words("""
            <a href=x>  <a href='?\u0439'>  <a href=  </a>  <area href=y>  <iframe src=z>  </iframe>  <frameset>
            <frame src=w>  </frameset>  <link rel=next href=n>  <base href='/b/'>  <base href=//[1::2::3]/>
            <meta http-equiv=refresh content='0;url=r'>  charset=utf-16>  charset=koi8-r>
            name=robots content=none>  <title>  </title>  <svg>  </svg>  <svg><a xlink:href=s>  <math>  <mtext>
            <foreignObject>  <table>  <tr>  <td>  </table>  <p>  </p>  <b>  </b>  <form>  <select>  <option>
            <template>  </template>  <script>  </script>  <style>  <noscript>  <textarea>  <plaintext>  <!--
            -->  <![CDATA[  ]]>  <  >  </  '  "  =  &amp;  &#  &#x  \0  \ufffe  \ud800  t  /  <head>  </head>
            </body>  <li>  <div>  </div>  <a><a>  http://[0:1:2:3:4:5:6::8]/  #f
            """, "<meta ", " ", "\n", "<body ", "<html ");

    @Test
    void everyDocumentIsRead() {
        Fuzzer.run(
                LinkFuzzTest::fuzzerTestOneInput,
                1_600,
                "0<html><head><base href='/b/'><title>t</title></head><body><a href='x?\u0439#f'>x</a><table><a href=y></table>",
                "0<svg><a xlink:href=s></a><foreignObject><template><a href=no></template><a href=x>",
                "0<meta charset=koi8-r><meta http-equiv=refresh content='0;url=r'><frameset><frame src=w>");
    }

    public static void fuzzerTestOneInput(byte[] input) {
        String html = Fuzzer.text(input, WORDS);
        int form = input.length == 0 ? 0 : (input[0] & 0xff) >> 1 & 3;
        String type = form == 1 ? "application/xhtml+xml" : "text/html";
        String header = form == 0 ? type + "; charset=utf-8" : type;
        byte[] body = html.getBytes(UTF_8);
        Map<String, List<String>> headers = Map.of("content-type", List.of(header));
        FetchResult.Page page = new FetchResult.Page(200, headers, type, body, body.length, false);
        TextForm textForm = List.of(TextForm.values()).get(input.length == 0 ? 0 : (input[0] & 0xff) >> 3 & 3);
        TextWriter writer = textForm.writer();
        TextDigest digest = new TextDigest();
        digest.sketch();
        List<String> beyond = new ArrayList<>();
        LinkExtractor.Document document = new LinkExtractor("sieve", true)
                .read(PAGE, page, List.of(writer, digest), (reference, reason, isResource) -> {
                    if (reason == null) {
                        beyond.add(reference);
                    }
                });
        String kept = writer.finish().text();
        check(document.links().stream().allMatch(link -> link.equals(UrlNormalizer.parse(link))), "links", html);
        check(kept.chars().noneMatch(c -> c < '\t'), "marks of a table", html);
        boolean hasSurrogates = kept.chars().anyMatch(c -> Character.isSurrogate((char) c));
        if (textForm == TextForm.PLAIN && !hasSurrogates) {
            String line = kept.replace('\n', ' ').replace('\t', ' ');
            check(digest.finish().digest() == Digest.of(line.getBytes(UTF_8)), "digest of the text", html);
        }
        check(document.links().size() <= LinkExtractor.MAX_LINKS && beyond.isEmpty(), "bounds", html);
        if (form == 0 && !document.isCut() && !html.startsWith("\ufeff") && !html.startsWith("\ufffe")) {
            List<String> expected = linksOfTree(new String(body, UTF_8));
            boolean isEqual = expected == null || document.links().equals(expected);
            check(isEqual, document.links() + " instead of " + expected, html);
        }
    }

    /** Returns the links of a complete tree, by the documentation of {@link LinkExtractor}; null with an odd refresh. */
    private static List<String> linksOfTree(String html) {
        Parser parser = Parser.htmlParser();
        parser.tagSet().onNewTag(tag -> {
            if (!isHtml(tag.namespace())) {
                tag.clear(Tag.Data).clear(Tag.RcData);
            }
        });
        List<Element> elements = new ArrayList<>();
        Jsoup.parse(html, "", parser).filter((node, depth) -> {
            if (node instanceof Element element) {
                elements.add(element);
                if (element.normalName().equals("template")
                        && isHtml(element.tag().namespace())) {
                    return NodeFilter.FilterResult.SKIP_CHILDREN;
                }
            }
            return NodeFilter.FilterResult.CONTINUE;
        });
        UrlNormalizer.Base base = UrlNormalizer.base(PAGE);
        for (Element element : elements) {
            boolean isBase =
                    isHtml(element.tag().namespace()) && element.normalName().equals("base");
            if (isBase && element.hasAttr("href")) {
                // The first one counts, also if it cannot be used.
                String target = base.resolve(element.attr("href"));
                base = target == null ? base : UrlNormalizer.base(target);
                break;
            }
        }
        Set<String> links = new LinkedHashSet<>();
        for (Element element : elements) {
            if (element.attr("http-equiv").equalsIgnoreCase("refresh")
                    && !element.attr("content").equals(REFRESH)) {
                return null;
            }
            String reference = reference(element);
            String link = reference == null ? null : base.resolve(reference);
            if (link != null) {
                links.add(link);
            }
        }
        return List.copyOf(links);
    }

    private static String reference(Element element) {
        boolean isHtml = isHtml(element.tag().namespace());
        String name = element.normalName();
        if (name.equals("a")) {
            boolean isSvg = element.tag().namespace().equals(Parser.NamespaceSvg);
            return attribute(element, isSvg && !element.hasAttr("href") ? "xlink:href" : "href");
        } else if (isHtml
                && (name.equals("area")
                        || (name.equals("link") && element.attr("rel").equals("next")))) {
            return attribute(element, "href");
        } else if (isHtml && (name.equals("iframe") || name.equals("frame"))) {
            return attribute(element, "src");
        }
        return isHtml && name.equals("meta") && element.attr("http-equiv").equalsIgnoreCase("refresh") ? "r" : null;
    }

    private static String attribute(Element element, String name) {
        return element.hasAttr(name) ? element.attr(name) : null;
    }

    private static boolean isHtml(String namespace) {
        return namespace.equals(Parser.NamespaceHtml);
    }

    private static void check(boolean holds, String what, String html) {
        if (!holds) {
            throw new AssertionError(what + ": " + html);
        }
    }
}
