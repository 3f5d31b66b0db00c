package dev.sieve.parse;

import dev.sieve.url.UrlNormalizer;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Finds the URLs in an XML sitemap: a {@code urlset}, a {@code sitemapindex} or a feed.
 *
 * <p>Namespaces and prefixes are ignored, since many files use other ones than the protocol, or none. A document type
 * is ignored: nothing is fetched for it, and its entities are not resolved. A {@code loc} is a sitemap in a {@code
 * sitemap} or {@code sitemapindex}, and a page in a {@code url} or {@code urlset}, whatever the file is. Bytes that are
 * not valid text do not end a file.
 *
 * <p>Memory is bounded: the parser keeps one token, whose length the input limits, the open elements and the distinct
 * names, which are limited here.
 */
final class SitemapXml {
    private static final int MAX_DEPTH = 100;
    private static final int MAX_NAMES = 1000;

    /** A kind of document, by the element that contains a URL and the parents of this element. */
    private record Form(Set<String> parents, String element) {}

    /** The parents of the URL of a sitemap. */
    private static final Set<String> OF_SITEMAPS = Set.of("sitemap", "sitemapindex");

    private static final Form NONE = new Form(Set.of(), "");
    private static final Form SITEMAP = new Form(Set.of("url", "urlset", "sitemap", "sitemapindex"), "loc");
    private static final Form RSS = new Form(Set.of("item"), "link");
    private static final Form ATOM = new Form(Set.of("entry"), "link");

    /** By the name of the root element. */
    private static final Map<String, Form> FORMS =
            Map.of("urlset", SITEMAP, "sitemapindex", SITEMAP, "rss", RSS, "rdf", RSS, "feed", ATOM);

    private final SitemapInput input;
    private final BiConsumer<String, @Nullable String> pages;
    private final Consumer<String> sitemaps;
    private final Deque<String> path = new ArrayDeque<>();
    private final Set<String> names = new HashSet<>();
    private final StringBuilder text = new StringBuilder();
    private boolean isInUrl;
    private boolean isInDate;
    /** The URL of an entry that has not ended; null for none. */
    private @Nullable String location;
    /** Whether that is the URL of a sitemap. */
    private boolean isOfSitemap;
    /** When its page was modified, as written; null if that is not said. */
    private @Nullable String modified;

    private Form form = NONE;

    /** The consumers receive each URL of a page, with its {@code lastmod}, and of a sitemap as written. */
    SitemapXml(SitemapInput input, BiConsumer<String, @Nullable String> pages, Consumer<String> sitemaps) {
        this.input = input;
        this.pages = pages;
        this.sitemaps = sitemaps;
    }

    /** Whether the part read so far is a sitemap. */
    boolean isSitemap() {
        return !form.equals(NONE);
    }

    /** Reads to the end, or throws at the first error. */
    void read() throws XMLStreamException {
        try {
            readAll();
        } finally {
            endEntry();
        }
    }

    private void readAll() throws XMLStreamException {
        XMLStreamReader xml = open();
        for (int event = xml.getEventType(); event != XMLStreamConstants.END_DOCUMENT; event = next(xml)) {
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> start(xml);
                case XMLStreamConstants.END_ELEMENT -> end();
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> text(xml);
                case XMLStreamConstants.PROCESSING_INSTRUCTION -> name(xml.getPITarget(), xml);
                default -> {}
            }
        }
    }

    private XMLStreamReader open() throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        input.startToken();
        try {
            return factory.createXMLStreamReader(new SitemapText(new InputStreamReader(input, input.charset())));
        } catch (RuntimeException e) {
            throw new XMLStreamException(e.toString());
        }
    }

    private int next(XMLStreamReader xml) throws XMLStreamException {
        input.startToken();
        try {
            return xml.next();
        } catch (RuntimeException e) {
            // The parser has thrown these for the content of a file, although it should not.
            throw new XMLStreamException(e.toString(), xml.getLocation());
        }
    }

    private void start(XMLStreamReader xml) throws XMLStreamException {
        String name = name(xml.getLocalName(), xml);
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            name(xml.getAttributeLocalName(i), xml);
        }
        if (path.isEmpty()) {
            form = FORMS.getOrDefault(name, NONE);
            if (!isSitemap()) {
                throw new XMLStreamException("not a sitemap or feed, but <" + name + ">", xml.getLocation());
            }
        } else if (path.size() == MAX_DEPTH) {
            throw new XMLStreamException("elements nested more than " + MAX_DEPTH + " deep", xml.getLocation());
        }
        boolean isInEntry = !path.isEmpty() && form.parents.contains(path.peek());
        isInUrl = isInEntry && name.equals(form.element);
        isInDate = isInEntry && name.equals("lastmod");
        text.setLength(0);
        path.push(name);
        if (isInUrl && form.equals(ATOM)) {
            readLink(xml);
        }
    }

    /** In an Atom entry, the link without a relation, or with this relation, leads to its page. */
    private void readLink(XMLStreamReader xml) {
        String relation = xml.getAttributeValue(null, "rel");
        String target = xml.getAttributeValue(null, "href");
        isInUrl = false;
        if (target != null && (relation == null || relation.equals("alternate"))) {
            pages.accept(target, null);
        }
    }

    private void end() {
        String name = path.pop();
        if (isInUrl) {
            endEntry();
            modified = path.size() == 1 ? null : modified;
            location = text.toString();
            isOfSitemap = OF_SITEMAPS.contains(path.peek());
        } else if (isInDate) {
            modified = text.toString();
        }
        if (form.parents.contains(name)) {
            endEntry();
            modified = null;
        }
        isInUrl = false;
        isInDate = false;
    }

    /** Passes on the URL of an entry; an entry with several is several. */
    private void endEntry() {
        String entry = location;
        location = null;
        if (entry != null && isOfSitemap) {
            sitemaps.accept(entry);
        } else if (entry != null) {
            pages.accept(entry, modified);
        }
    }

    /** Appends text; when it is longer than any URL, the rest does not matter. */
    private void text(XMLStreamReader xml) {
        if ((isInUrl || isInDate) && text.length() <= 2 * UrlNormalizer.MAX_LENGTH) {
            text.append(xml.getTextCharacters(), xml.getTextStart(), xml.getTextLength());
        }
    }

    /** Returns a name in lower case without its prefix. The number of names is limited, since the parser keeps every name. */
    private String name(String name, XMLStreamReader xml) throws XMLStreamException {
        if (names.add(name) && names.size() > MAX_NAMES) {
            throw new XMLStreamException("more than " + MAX_NAMES + " names", xml.getLocation());
        }
        return name.substring(name.indexOf(':') + 1).toLowerCase(Locale.ROOT);
    }
}
