package dev.sieve.parse;

import dev.sieve.fetch.FetchResult;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

/**
 * Reads an HTML or XHTML document: its title, its links, and its requests to robots.
 *
 * <p>Links are {@code a} and {@code area} (href), {@code iframe} and {@code frame} (src), and {@code link} with a rel of
 * next or prev; they are relative to the first {@code base} whose href can be followed. A rel of nofollow changes
 * nothing. What is inside of a {@code template} does not count. A meta refresh, {@code xlink:href} in SVG and links made
 * by scripts are not followed.
 *
 * <p>The charset is, in this order, that of the byte order mark, of the Content-Type, or of the first meta element that
 * declares one; otherwise UTF-8. Labels have the meaning that browsers give them.
 *
 * <p>jsoup parses the document, as a stream: memory does not grow with the number of its elements, and CPU time is
 * limited, see {@link Document#isCut}. At most 8 MiB of HTML are read at once, and not more documents than there are
 * processors; further callers wait.
 *
 * <p>References are cut at their fragments and made distinct before any is resolved, since most links of a page lead
 * to the same few pages and resolving is expensive.
 */
public final class LinkExtractor {
    /** How many distinct references of a page are links; the others are counted. */
    public static final int MAX_LINKS = 10_000;

    /** How many characters the links of a page have in sum; the links beyond are counted. */
    public static final int MAX_LINK_CHARS = 1 << 20;

    /** A longer reference is not a link. */
    private static final int MAX_REFERENCE = 16 * UrlNormalizer.MAX_LENGTH;

    private static final int MAX_TITLE = 10_000;

    /** The sum of the documents being read, which may take sixteen times as much memory. */
    private static final int MAX_KIB = 8 << 10;

    /** The least that a document counts for, so that there are not more of them than processors. */
    private static final int MIN_KIB =
            Math.max(1, MAX_KIB / Runtime.getRuntime().availableProcessors());

    private static final Semaphore KIB = new Semaphore(MAX_KIB, true);

    /** CPU time for a document: several times what the largest of the usual ones take. */
    private static final long MAX_CPU_NANOS = 3_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private LinkExtractor() {}

    /**
     * What a document says.
     *
     * @param title its title, white space folded; empty when it has none
     * @param links the distinct URLs that can be followed, in the order of the document, as URLs to fetch
     * @param beyondLimit references that are not among the links because {@link #MAX_LINKS} or {@link #MAX_LINK_CHARS}
     *     was reached; equal ones may count each
     * @param isNofollow whether the document or the server requests that its links are not followed
     * @param isNoindex whether the document or the server requests that it is not shown in an index
     * @param isCut whether only the beginning of the document was read, since it took more CPU time than it may, had
     *     more tag names than any page has, or made the parser fail
     */
    public record Document(
            String title, List<String> links, long beyondLimit, boolean isNofollow, boolean isNoindex, boolean isCut) {}

    /** Receives what a document refers to beside its links. */
    public interface Rest {
        /** Receives nothing. */
        Rest NONE = new Rest() {};

        /**
         * A reference that leads to nothing that can be fetched.
         *
         * @param reference as it is written; only its beginning when it is far too long
         */
        default void refused(String reference, Refusal reason) {}

        /** A reference beyond the limits of a page; may be called several times for equal ones. */
        default void beyondLimit(String reference) {}
    }

    /** Reads the document in a page's body, which may be cut or broken in any way, for a robot without a name. */
    public static Document read(String url, FetchResult.Page page) {
        return read(url, page, "");
    }

    /** The same for a robot of this name, which may be empty. */
    public static Document read(String url, FetchResult.Page page, String productToken) {
        return read(url, page, productToken, Rest.NONE);
    }

    /**
     * Reads the document in a page's body, which may be cut or broken in any way.
     *
     * @param productToken the name by which it may address this robot; may be empty
     * @param rest receives the references that are not among the links, each distinct one that is refused once
     */
    public static Document read(String url, FetchResult.Page page, String productToken, Rest rest) {
        return read(url, page, productToken, rest, LinkExtractor::cpuNanos);
    }

    /** The same with another clock for the CPU time of this thread. */
    static Document read(String url, FetchResult.Page page, String productToken, Rest rest, LongSupplier cpuNanos) {
        int kib = Math.max(MIN_KIB, Math.min(MAX_KIB, page.body().length >> 10));
        KIB.acquireUninterruptibly(kib);
        try {
            RobotsDirectives robots = new RobotsDirectives(productToken);
            robots.header(page.headers().getOrDefault("x-robots-tag", List.of()));
            Collector collector = new Collector(url, robots, rest);
            boolean isCut = walk(page, collector, cpuNanos);
            List<String> links = collector.links();
            return new Document(
                    collector.title(), links, collector.beyondLimit, robots.isNofollow(), robots.isNoindex(), isCut);
        } finally {
            KIB.release(kib);
        }
    }

    /** Returns whether the document was cut. */
    private static boolean walk(FetchResult.Page page, Collector collector, LongSupplier cpuNanos) {
        long end = cpuNanos.getAsLong() + MAX_CPU_NANOS;
        BooleanSupplier isTimeLeft = () -> cpuNanos.getAsLong() <= end;
        boolean isXml = page.type().equals("application/xhtml+xml");
        DocumentText text = DocumentText.of(page);
        HtmlStream stream = new HtmlStream(text, isXml, isTimeLeft, collector::visit);
        Charset declared = stream.read();
        if (declared != null) {
            stream = new HtmlStream(text.in(declared), isXml, isTimeLeft, collector::visit);
            stream.read();
        }
        return stream.isCut();
    }

    /** CPU time of this thread; 0 where the JVM does not measure it, as for virtual threads. */
    private static long cpuNanos() {
        try {
            return THREADS.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException e) {
            return 0;
        }
    }

    /** Collects references, the base and the title. */
    private static final class Collector {
        private final RobotsDirectives robots;
        private final Rest rest;
        private final Set<String> references = new LinkedHashSet<>();
        private final UrlNormalizer.Base url;
        private UrlNormalizer.Base base;
        private Element title;
        private int referenceChars;
        private long beyondLimit;

        Collector(String url, RobotsDirectives robots, Rest rest) {
            this.url = UrlNormalizer.base(url);
            this.robots = robots;
            this.rest = rest;
        }

        void visit(Element element) {
            switch (element.normalName()) {
                case "a" -> add(element, "href");
                case "area", "iframe", "frame", "link", "base", "meta", "title" -> {
                    if (HtmlStream.isHtml(element.tag().namespace())) {
                        visitHtml(element);
                    }
                }
                default -> {}
            }
        }

        private void visitHtml(Element element) {
            switch (element.normalName()) {
                case "area" -> add(element, "href");
                case "iframe", "frame" -> add(element, "src");
                case "link" -> {
                    if (leadsOn(value(element, "rel"))) {
                        add(element, "href");
                    }
                }
                case "base" -> setBase(value(element, "href"));
                case "meta" -> {
                    if (robots.isMeant(value(element, "name"))) {
                        robots.meta(value(element, "content"));
                    }
                }
                default -> title = title == null ? element : title;
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

        private void add(Element element, String attribute) {
            String reference = element.attr(attribute);
            if (reference.isEmpty() && !element.hasAttr(attribute)) {
                return;
            }
            if (reference.length() > MAX_REFERENCE) {
                rest.refused(reference.substring(0, UrlNormalizer.MAX_LENGTH), Refusal.TOO_LONG);
                return;
            }
            int fragment = reference.indexOf('#');
            String whole = fragment < 0 ? reference : reference.substring(0, fragment);
            if (references.size() < MAX_LINKS && referenceChars + whole.length() <= MAX_LINK_CHARS) {
                referenceChars += references.add(whole) ? whole.length() : 0;
            } else if (!references.contains(whole)) {
                isBeyondLimit(whole);
            }
        }

        private void isBeyondLimit(String reference) {
            beyondLimit++;
            rest.beyondLimit(reference);
        }

        /** The value of an attribute; empty when it has none, or one that is far too long. */
        private static String value(Element element, String attribute) {
            String value = element.attr(attribute);
            return value.length() > MAX_REFERENCE ? "" : value;
        }

        String title() {
            StringBuilder text = new StringBuilder();
            for (Node node : title == null ? List.<Node>of() : title.childNodes()) {
                if (node instanceof TextNode part && text.length() < MAX_TITLE) {
                    text.append(part.getWholeText());
                }
            }
            text.setLength(Math.min(text.length(), MAX_TITLE));
            return text.toString().strip().replaceAll("\\s+", " ");
        }

        List<String> links() {
            UrlNormalizer.Base from = base == null ? url : base;
            Set<String> links = new LinkedHashSet<>();
            int linkChars = 0;
            for (String reference : references) {
                String link = linkChars > MAX_LINK_CHARS ? null : from.resolve(reference);
                linkChars += link == null ? 0 : link.length();
                if (linkChars > MAX_LINK_CHARS) {
                    isBeyondLimit(reference);
                } else if (link == null) {
                    rest.refused(reference, from.refusal());
                } else {
                    links.add(link);
                }
            }
            return new ArrayList<>(links);
        }
    }
}
