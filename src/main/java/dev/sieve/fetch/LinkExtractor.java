package dev.sieve.fetch;

import dev.sieve.url.UrlNormalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.select.NodeVisitor;

/**
 * Reads a document: its title and where it leads to.
 *
 * <p>Links are {@code a} and {@code area} (href), {@code iframe} and {@code frame} (src), and {@code link} with a rel of
 * next or prev; they are relative to the first {@code base} whose href is one that can be followed. A charset in a byte
 * order mark wins over the server's, which wins over the document's own.
 *
 * <p>References are cut at their fragments and made distinct before any is resolved, since most of a page's links are
 * to the same few pages and resolving is what costs.
 */
public final class LinkExtractor {
    private LinkExtractor() {}

    /**
     * What a document says.
     *
     * @param title its title, white space folded; empty when it has none
     * @param links the distinct URLs that can be followed, in the order of the document, as URLs to fetch
     */
    public record Document(String title, List<String> links) {}

    /** Reads the document in a page's body, which may be cut or broken in any way. */
    public static Document read(String url, FetchResult.Page page) {
        org.jsoup.nodes.Document html;
        try {
            html = Jsoup.parse(new ByteArrayInputStream(page.body()), page.charset(), url);
        } catch (IOException e) {
            throw new AssertionError("an array cannot fail to be read", e);
        }
        Visitor visitor = new Visitor(url);
        html.traverse(visitor);
        return new Document(html.title(), resolve(visitor.base(), visitor.references));
    }

    private static List<String> resolve(UrlNormalizer.Base base, Collection<String> references) {
        Set<String> links = new LinkedHashSet<>();
        for (String reference : references) {
            String link = base.resolve(reference);
            if (link != null) {
                links.add(link);
            }
        }
        return new ArrayList<>(links);
    }

    /** Collects references and the base, in one walk over the document. */
    private static final class Visitor implements NodeVisitor {
        private final UrlNormalizer.Base url;
        private UrlNormalizer.Base base;
        private final Set<String> references = new LinkedHashSet<>();

        Visitor(String url) {
            this.url = UrlNormalizer.base(url);
        }

        UrlNormalizer.Base base() {
            return base == null ? url : base;
        }

        @Override
        public void head(Node node, int depth) {
            if (node instanceof Element element) {
                switch (element.normalName()) {
                    case "a", "area" -> add(element, "href");
                    case "iframe", "frame" -> add(element, "src");
                    case "link" -> {
                        if (leadsOn(element.attr("rel"))) {
                            add(element, "href");
                        }
                    }
                    case "base" -> setBase(element);
                    default -> {}
                }
            }
        }

        private static boolean leadsOn(String rel) {
            for (String word : rel.trim().split("\\s+", -1)) {
                if (word.equalsIgnoreCase("next") || word.equalsIgnoreCase("prev")) {
                    return true;
                }
            }
            return false;
        }

        private void setBase(Element element) {
            String target = base == null && element.hasAttr("href") ? url.resolve(element.attr("href")) : null;
            if (target != null) {
                base = UrlNormalizer.base(target);
            }
        }

        private void add(Element element, String attribute) {
            if (element.hasAttr(attribute)) {
                String reference = element.attr(attribute);
                int fragment = reference.indexOf('#');
                references.add(fragment < 0 ? reference : reference.substring(0, fragment));
            }
        }
    }
}
