package dev.sieve.parse;

import dev.sieve.fetch.FetchResult;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an HTML or XHTML document: its title, its links, its directives for robots, and what identifies its text.
 *
 * <p>Links are {@code a} and {@code area} (href; in SVG also xlink:href), {@code iframe} and {@code frame} (src, and
 * the links in a srcdoc), {@code link} with a rel of next or prev, and the target of a refresh in a meta element or a
 * header field, whatever its delay; they are relative to the first {@code base}, if that can be used. Links made by
 * scripts or within a {@code template} that is not a shadow root are not found. Of those with a rel of nofollow, the
 * caller decides. A page whose robots directives say nofollow has its links here as well, and the caller must not
 * follow them, see {@link Document#isNofollow}.
 *
 * <p>If the caller takes them, the {@link Resources} that the document needs are found as well. Everything else is
 * found by the {@link DocumentReader}s of the caller.
 *
 * <p>The charset is, in this order, that of the byte order mark, of the Content-Type, or of the first meta element that
 * declares one, or of the XML declaration, which comes first in XHTML; otherwise UTF-8. Labels have the same meaning as
 * in browsers. As in browsers, the query of a link is encoded in the charset of the document.
 *
 * <p>jsoup parses the document as a stream: memory does not grow with the number of its elements, and CPU time is
 * limited, see {@link Document#isCut}. At most 8 MiB of HTML, and as many documents as there are processors, are read
 * at the same time; further calls wait.
 */
public final class LinkExtractor {
    /** The largest number of distinct references of a page that are links or resources. */
    public static final int MAX_LINKS = Links.MAX_LINKS;

    /** The largest number of characters in all links of a page. */
    public static final int MAX_LINK_CHARS = Links.MAX_CHARS;

    /** The heap that the links of a page may take, and their copies while they are queued: the characters and objects. */
    public static final int DOCUMENT_BYTES = 11 << 19;

    /** How many bytes of a style sheet are read. */
    private static final int MAX_STYLE_SHEET = 2 << 20;

    /** The size of all documents read at the same time, which may need sixteen times as much memory. */
    private static final int MAX_KIB = 8 << 10;

    /** The smallest size that a document counts as, so that the number of documents is limited as well. */
    private static final int MIN_KIB =
            Math.max(1, MAX_KIB / Runtime.getRuntime().availableProcessors());

    private static final Semaphore KIB = new Semaphore(MAX_KIB, true);

    /** The largest CPU time of a document: several times that of large real ones. */
    private static final long MAX_CPU_NANOS = 3_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String productToken;
    private final boolean takesResources;
    private final LongSupplier cpuNanos;

    /**
     * Creates an extractor.
     *
     * @param productToken the name of this robot in directives; may be empty
     * @param takesResources whether to find the resources that documents need
     */
    public LinkExtractor(String productToken, boolean takesResources) {
        this(productToken, takesResources, LinkExtractor::cpuNanos);
    }

    /** Creates an extractor with another clock for the CPU time of this thread. */
    LinkExtractor(String productToken, boolean takesResources, LongSupplier cpuNanos) {
        this.productToken = productToken;
        this.takesResources = takesResources;
        this.cpuNanos = cpuNanos;
    }

    /**
     * What every document has.
     *
     * @param title its title with white space folded; empty when there is none
     * @param links the distinct URLs to request, in document order
     * @param nofollow those of them to which all links have a rel of nofollow
     * @param resources the distinct URLs of the resources; none unless they are taken
     * @param isNofollow whether the page or the server requests that its links are not followed
     * @param isNoindex whether the page or the server requests that it is not indexed
     * @param isCut whether only a part of the document was read, since it had too many tag names, took too much CPU
     *     time, or made the parser fail
     * @param canonical the target of its first link element with a rel of canonical, as a URL to request; null without
     *     one
     */
    public record Document(
            String title,
            List<String> links,
            Set<String> nofollow,
            Map<String, Resource> resources,
            boolean isNofollow,
            boolean isNoindex,
            boolean isCut,
            @Nullable String canonical) {
        /** Stands for a document that cannot be read. */
        public static final Document UNREADABLE =
                new Document("", List.of(), Set.of(), Map.of(), false, false, true, null);

        /** Returns whether it could be read. */
        @SuppressWarnings("ReferenceEquality") // an empty document may be equal to it
        public boolean isRead() {
            return this != UNREADABLE;
        }
    }

    /**
     * Reads the document in the body of a page, which may be incomplete or not valid.
     *
     * @param readers read it as well
     * @param unlinked receives the references that are neither links nor resources
     */
    public Document read(
            String url, FetchResult.Page page, Collection<? extends DocumentReader> readers, Unlinked unlinked) {
        int kib = Math.max(MIN_KIB, Math.min(MAX_KIB, page.body().length >> 10));
        KIB.acquireUninterruptibly(kib);
        try {
            long end = cpuNanos.getAsLong() + MAX_CPU_NANOS;
            BooleanSupplier isTimeLeft = () -> cpuNanos.getAsLong() <= end;
            RobotsDirectives robots = RobotsDirectives.of(page, productToken);
            Links links = new Links(url, robots, takesResources, unlinked, isTimeLeft);
            List<DocumentReader> all =
                    Stream.concat(Stream.of(links), readers.stream()).toList();
            boolean isCut = walk(page, links, all, isTimeLeft);
            String refresh = page.header("refresh");
            links.addRefresh(refresh == null ? "" : refresh);
            return new Document(
                    links.title(),
                    links.urls(),
                    links.nofollow(),
                    links.resources(),
                    robots.isNofollow(),
                    robots.isNoindex(),
                    isCut,
                    links.canonical());
        } finally {
            KIB.release(kib);
        }
    }

    /** Reads a style sheet, which has resources, and is not to be indexed. It is cut if only its beginning was read. */
    public Document readStyleSheet(String url, FetchResult.Page page, Unlinked unlinked) {
        Links links = new Links(url, new RobotsDirectives(""), true, unlinked, () -> true);
        String label = page.header("content-type");
        Charset charset = label == null ? null : CharsetLabels.charset(CharsetLabels.inContentType(label));
        int length = Math.min(page.body().length, MAX_STYLE_SHEET);
        String css = new String(page.body(), 0, length, charset == null ? CharsetLabels.UTF_8 : charset);
        StyleSheet.read(css, links::addResource);
        boolean isCut = length < page.body().length;
        return new Document("", List.of(), Set.of(), links.resources(), false, true, isCut, null);
    }

    /** Returns whether the document was cut. */
    private static boolean walk(
            FetchResult.Page page, Links links, List<DocumentReader> readers, BooleanSupplier isTimeLeft) {
        boolean isXml = page.type().equals("application/xhtml+xml");
        DocumentText text = DocumentText.of(page);
        links.setCharset(text.charset());
        HtmlStream stream = new HtmlStream(text, isXml, isTimeLeft, readers, links::resolve);
        Charset declared = stream.read();
        if (declared != null) {
            links.setCharset(declared);
            stream = new HtmlStream(text.in(declared), isXml, isTimeLeft, readers, links::resolve);
            stream.read();
        }
        return stream.isCut();
    }

    /** Returns the CPU time of this thread; 0 when the JVM does not measure it, as for virtual threads. */
    private static long cpuNanos() {
        try {
            return THREADS.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException e) {
            return 0;
        }
    }
}
