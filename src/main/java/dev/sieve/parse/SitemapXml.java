package dev.sieve.parse;

import dev.sieve.url.UrlNormalizer;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Finds the URLs in a sitemap that is XML: a {@code urlset}, a {@code sitemapindex} or a feed.
 *
 * <p>Namespaces and the prefixes of names are passed over, for many files have others than the protocol wants, or none.
 * A document type is skipped, whatever it declares: nothing is fetched for it, and no entity of it is known. Bytes that
 * are no text do not end a file, and what it says of its encoding does not count.
 *
 * <p>Memory is bounded, whatever is read. The parser holds one piece of markup, whose length the input limits, the
 * elements that are open and the names that it has met, of which no sitemap has many.
 */
final class SitemapXml {
    private static final int MAX_DEPTH = 100;
    private static final int MAX_NAMES = 1000;

    private final SitemapInput input;
    private final Consumer<String> pages;
    private final Consumer<String> sitemaps;
    private final Deque<String> path = new ArrayDeque<>();
    private final Set<String> names = new HashSet<>();
    private final StringBuilder text = new StringBuilder();
    private boolean isInUrl;
    private Form form;

    /** The kinds of documents, by where the URLs are in them. */
    private enum Form {
        URL_SET("url", "loc"),
        INDEX("sitemap", "loc"),
        RSS("item", "link"),
        ATOM("entry", "link");

        private final String parent;
        private final String element;

        Form(String parent, String element) {
            this.parent = parent;
            this.element = element;
        }

        static Form of(String root) {
            return switch (root) {
                case "urlset" -> URL_SET;
                case "sitemapindex" -> INDEX;
                case "rss", "RDF" -> RSS;
                case "feed" -> ATOM;
                default -> null;
            };
        }

        boolean isUrl(String outer, String name) {
            return name.equals(element) && outer.equals(parent);
        }
    }

    /**
     * A document that is yet to be read.
     *
     * @param pages is given each URL of a page as it stands there
     * @param sitemaps is given each URL of a sitemap as it stands there
     */
    SitemapXml(SitemapInput input, Consumer<String> pages, Consumer<String> sitemaps) {
        this.input = input;
        this.pages = pages;
        this.sitemaps = sitemaps;
    }

    /** Whether what was read so far is a sitemap, rather than some other document. */
    boolean isSitemap() {
        return form != null;
    }

    /**
     * Reads to the end, or to where it makes no sense.
     *
     * @throws XMLStreamException at what makes no sense, or cannot be read
     */
    void read() throws XMLStreamException {
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
        input.startPiece();
        try {
            return factory.createXMLStreamReader(new InputStreamReader(input, input.charset()));
        } catch (RuntimeException e) {
            throw new XMLStreamException(e.toString());
        }
    }

    private int next(XMLStreamReader xml) throws XMLStreamException {
        input.startPiece();
        try {
            return xml.next();
        } catch (RuntimeException e) {
            // The parser is not meant to throw these at what a file holds, and its authors have been mistaken before.
            throw new XMLStreamException(e.toString(), xml.getLocation());
        }
    }

    private void start(XMLStreamReader xml) throws XMLStreamException {
        String name = name(xml.getLocalName(), xml);
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            name(xml.getAttributeLocalName(i), xml);
        }
        if (path.isEmpty()) {
            form = Form.of(name);
            if (form == null) {
                throw new XMLStreamException("no sitemap and no feed, but <" + name + ">", xml.getLocation());
            }
        } else if (path.size() == MAX_DEPTH) {
            throw new XMLStreamException("elements nested more than " + MAX_DEPTH + " deep", xml.getLocation());
        }
        isInUrl = !path.isEmpty() && form.isUrl(path.peek(), name);
        text.setLength(0);
        path.push(name);
        if (isInUrl && form == Form.ATOM) {
            readLink(xml);
        }
    }

    /** In Atom, of the links of an entry the one without a relation, or of this relation, leads to its page. */
    private void readLink(XMLStreamReader xml) {
        String relation = xml.getAttributeValue(null, "rel");
        String target = xml.getAttributeValue(null, "href");
        isInUrl = false;
        if (target != null && (relation == null || relation.equals("alternate"))) {
            pages.accept(target);
        }
    }

    private void end() {
        path.pop();
        if (isInUrl) {
            isInUrl = false;
            (form == Form.INDEX ? sitemaps : pages).accept(text.toString());
        }
    }

    /** What is longer than any URL need not be kept whole to be no URL. */
    private void text(XMLStreamReader xml) {
        if (isInUrl && text.length() <= 2 * UrlNormalizer.MAX_LENGTH) {
            text.append(xml.getTextCharacters(), xml.getTextStart(), xml.getTextLength());
        }
    }

    /** A name without its prefix. The parser keeps every name it has met, so that there must not be many. */
    private String name(String name, XMLStreamReader xml) throws XMLStreamException {
        if (names.add(name) && names.size() > MAX_NAMES) {
            throw new XMLStreamException("more than " + MAX_NAMES + " names", xml.getLocation());
        }
        return name.substring(name.indexOf(':') + 1);
    }
}
