package dev.sieve.parse;

import dev.sieve.fetch.FetchResult;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jsoup.parser.Parser;

/**
 * Reads a document: its title, where it leads to, and what it asks of robots.
 *
 * <p>Links are {@code a} and {@code area} (href), {@code iframe} and {@code frame} (src), and {@code link} with a rel of
 * next or prev; they are relative to the first {@code base} whose href is one that can be followed. A rel of nofollow
 * changes nothing. A charset in a byte order mark wins over the server's, which wins over the document's own.
 *
 * <p>No tree is made of the document: its tags alone tell the links, so that a page of a megabyte cannot grow into a tree
 * of a gigabyte. Memory is that of the distinct references, time is in proportion to the bytes.
 *
 * <p>References are cut at their fragments and made distinct before any is resolved, since most of a page's links are
 * to the same few pages and resolving is what costs.
 */
public final class LinkExtractor {
    /** How many distinct references of a page are links; the others are counted. */
    public static final int MAX_LINKS = 10_000;

    /** A longer reference is no link, even if all of it were escapes of a few letters each. */
    private static final int MAX_REFERENCE = 16 * UrlNormalizer.MAX_LENGTH;

    private static final int MAX_TITLE = 10_000;

    private LinkExtractor() {}

    /**
     * What a document says.
     *
     * @param title its title, white space folded; empty when it has none
     * @param links the distinct URLs that can be followed, in the order of the document, as URLs to fetch
     * @param beyondLimit references that were not looked at, since there were {@link #MAX_LINKS} before them; those of
     *     them that are equal count each
     * @param isNofollow whether it asks, or the server does, that its links are not followed
     * @param isNoindex whether it asks, or the server does, that it is not shown in an index
     */
    public record Document(String title, List<String> links, long beyondLimit, boolean isNofollow, boolean isNoindex) {}

    /** Receives what a document refers to beside its links. */
    public interface Rest {
        /** Nobody is told. */
        Rest NOBODY = new Rest() {};

        /**
         * A reference that leads to nothing that can be fetched.
         *
         * @param reference as it is written; only its beginning when it is far too long
         */
        default void refused(String reference, Refusal reason) {}

        /**
         * A reference that is not looked at, since there were {@link #MAX_LINKS} before it; comes as often as it
         * stands.
         */
        default void beyondLimit(String reference) {}
    }

    /** Reads the document in a page's body, which may be cut or broken in any way, for a robot without a name. */
    public static Document read(String url, FetchResult.Page page) {
        return read(url, page, "");
    }

    /** The same for a robot of this name, which may be empty. */
    public static Document read(String url, FetchResult.Page page, String productToken) {
        return read(url, page, productToken, Rest.NOBODY);
    }

    /**
     * Reads the document in a page's body, which may be cut or broken in any way.
     *
     * @param productToken the name by which it may address this robot; may be empty
     * @param rest is told of the references that are not among the links, each distinct one that is refused once
     */
    public static Document read(String url, FetchResult.Page page, String productToken, Rest rest) {
        DocumentText text = DocumentText.of(page.body(), page.charset());
        RobotsDirectives robots = new RobotsDirectives(productToken);
        robots.header(page.headers().getOrDefault("x-robots-tag", List.of()));
        Collector collector = new Collector(url, text, robots, rest);
        boolean isXml = page.type().equals("application/xhtml+xml");
        new HtmlScanner(text.bytes(), text.bytes().length, isXml, collector).scan();
        return new Document(
                collector.title == null ? "" : collector.title,
                resolve(collector.base(), collector.references, rest),
                collector.beyondLimit,
                robots.isNofollow(),
                robots.isNoindex());
    }

    private static List<String> resolve(UrlNormalizer.Base base, Collection<String> references, Rest rest) {
        Set<String> links = new LinkedHashSet<>();
        for (String reference : references) {
            String link = base.resolve(reference);
            if (link != null) {
                links.add(link);
            } else {
                rest.refused(reference, base.refusal());
            }
        }
        return new ArrayList<>(links);
    }

    /** Collects references, the base and the title, in one walk over the tags. */
    private static final class Collector implements HtmlScanner.Visitor {
        private final UrlNormalizer.Base url;
        private final byte[] html;
        private final Charset charset;
        private final RobotsDirectives robots;
        private final Rest rest;
        private final Set<String> references = new LinkedHashSet<>();
        private UrlNormalizer.Base base;
        private String title;
        private long beyondLimit;

        Collector(String url, DocumentText text, RobotsDirectives robots, Rest rest) {
            this.url = UrlNormalizer.base(url);
            html = text.bytes();
            charset = text.charset();
            this.robots = robots;
            this.rest = rest;
        }

        UrlNormalizer.Base base() {
            return base == null ? url : base;
        }

        @Override
        public void startTag(Tag tag, HtmlScanner attributes) {
            switch (tag) {
                case A, AREA -> add(attributes, HtmlScanner.HREF);
                case IFRAME, FRAME -> add(attributes, HtmlScanner.SRC);
                case LINK -> {
                    if (leadsOn(value(attributes, HtmlScanner.REL))) {
                        add(attributes, HtmlScanner.HREF);
                    }
                }
                case BASE -> setBase(value(attributes, HtmlScanner.HREF));
                case META -> setRobots(attributes);
                default -> {}
            }
        }

        @Override
        public void text(Tag tag, int from, int to) {
            if (tag == Tag.TITLE && title == null) {
                title = decoded(from, Math.min(to, from + MAX_TITLE), false)
                        .strip()
                        .replaceAll("\\s+", " ");
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

        private void setBase(String href) {
            String target = base == null && !href.isEmpty() ? url.resolve(href) : null;
            if (target != null) {
                base = UrlNormalizer.base(target);
            }
        }

        private void setRobots(HtmlScanner attributes) {
            if (robots.isMeant(value(attributes, HtmlScanner.NAME))) {
                robots.meta(value(attributes, HtmlScanner.CONTENT).toLowerCase(Locale.ROOT));
            }
        }

        private void add(HtmlScanner attributes, int attribute) {
            int from = attributes.from(attribute);
            if (from < 0) {
                return;
            }
            if (attributes.to(attribute) - from > MAX_REFERENCE) {
                rest.refused(decoded(from, from + UrlNormalizer.MAX_LENGTH, true), Refusal.TOO_LONG);
                return;
            }
            String reference = decoded(from, attributes.to(attribute), true);
            int fragment = reference.indexOf('#');
            String whole = fragment < 0 ? reference : reference.substring(0, fragment);
            if (references.size() < MAX_LINKS) {
                references.add(whole);
            } else if (!references.contains(whole)) {
                beyondLimit++;
                rest.beyondLimit(whole);
            }
        }

        /** The value of an attribute; empty when it has none, or one that is far too long. */
        private String value(HtmlScanner attributes, int attribute) {
            int from = attributes.from(attribute);
            int to = attributes.to(attribute);
            return from < 0 || to - from > MAX_REFERENCE ? "" : decoded(from, to, true);
        }

        private String decoded(int from, int to, boolean isAttribute) {
            String raw = new String(html, from, to - from, charset);
            int ampersand = raw.indexOf('&');
            if (ampersand < 0) {
                return raw;
            }
            String plain = raw.replace("&amp;", "&");
            // Where each of them was an ampersand written out, nothing else is left to be decoded.
            boolean onlyAmpersands = plain.length() == raw.length() - 4 * count(plain);
            return onlyAmpersands ? plain : Parser.unescapeEntities(raw, isAttribute);
        }

        private static int count(String text) {
            int count = 0;
            for (int i = text.indexOf('&'); i >= 0; i = text.indexOf('&', i + 1)) {
                count++;
            }
            return count;
        }
    }
}
