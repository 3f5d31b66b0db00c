package dev.sieve.parse;

import dev.sieve.fetch.FetchResult;
import dev.sieve.url.Fragment;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/**
 * Reads an HTML or XHTML document: its title, its links, its directives for robots, and what identifies its text.
 *
 * <p>Links are {@code a} and {@code area} (href; in SVG also xlink:href), {@code iframe} and {@code frame} (src, and the
 * links in a srcdoc), {@code link} with a rel of next or prev, and the target of a refresh in a meta element or a header
 * field, whatever its delay; they are relative to the first {@code base}, if that can be used. Links made by scripts or
 * within a {@code template} that is not a shadow root are not found. A rel of nofollow changes nothing: such a link is
 * followed like any other. A page whose robots directives say nofollow has its links here as well, and the caller must
 * not follow them, see {@link Document#isNofollow}.
 *
 * <p>If the caller takes them, the {@link Resources} that the document needs are found as well.
 *
 * <p>If the caller takes them, the parts of the document to which a link may lead are found as well, and the {@linkplain
 * Fragment fragments} of its links {@code a} and {@code area}.
 *
 * <p>The charset is, in this order, that of the byte order mark, of the Content-Type, or of the first meta element that
 * declares one, or of the XML declaration, which comes first in XHTML; otherwise UTF-8. Labels have the same meaning as in
 * browsers. As in browsers, the query of a link is encoded in the charset of the document.
 *
 * <p>jsoup parses the document as a stream: memory does not grow with the number of its elements, and CPU time is
 * limited, see {@link Document#isCut}. At most 8 MiB of HTML, and as many documents as there are processors, are read
 * at the same time; further calls wait.
 */
public final class LinkExtractor {
    /** The largest number of distinct references of a page that are links; the others are counted. */
    public static final int MAX_LINKS = 20_000;

    /** The largest number of characters in all links of a page; the links beyond are counted. */
    public static final int MAX_LINK_CHARS = 1 << 20;

    /** The heap that the links of a page may take, and their copies while they are queued: the characters and objects. */
    public static final int DOCUMENT_BYTES = 11 << 19;

    /** A longer reference is not a link. */
    private static final int MAX_REFERENCE = 16 * UrlNormalizer.MAX_LENGTH;

    private static final int MAX_TITLE = 10_000;

    /** How many bytes of a style sheet are read. */
    private static final int MAX_STYLE_SHEET = 2 << 20;

    /** Elements with links, in the document in an attribute. */
    private static final Set<String> LINKS_OF_FRAME = Set.of("a", "area", "iframe", "frame");

    /** The content of a meta refresh, by the HTML standard, "shared declarative refresh steps". */
    private static final Pattern REFRESH = Pattern.compile("(?s)[\t\n\f\r ]*(?:[0-9]+|(?=\\.))[0-9.]*+"
            + "(?:[;,]|[\t\n\f\r ]++[;,]?)[\t\n\f\r ]*+"
            + "(?:[Uu][Rr][Ll][\t\n\f\r ]*+=[\t\n\f\r ]*+)?(?<target>.*)");

    /** The size of all documents read at the same time, which may need sixteen times as much memory. */
    private static final int MAX_KIB = 8 << 10;

    /** The smallest size that a document counts as, so that the number of documents is limited as well. */
    private static final int MIN_KIB =
            Math.max(1, MAX_KIB / Runtime.getRuntime().availableProcessors());

    private static final Semaphore KIB = new Semaphore(MAX_KIB, true);

    /** The largest CPU time of a document: several times that of large real ones. */
    private static final long MAX_CPU_NANOS = 3_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private LinkExtractor() {}

    /**
     * The content of a document.
     *
     * @param title its title with white space folded; empty when there is none
     * @param links the distinct URLs to request, in document order
     * @param beyondLimit references that are not links because {@link #MAX_LINKS} or {@link #MAX_LINK_CHARS} was
     *     reached; equal ones may be counted repeatedly
     * @param isNofollow whether the page or the server requests that its links are not followed
     * @param isNoindex whether the page or the server requests that it is not indexed
     * @param isCut whether only a part of the document was read, since it had too many tag names, took too much CPU
     *     time, or made the parser fail
     * @param description the content of its first meta element of this name with white space folded; empty when there is
     *     none
     * @param canonical the target of its first link element with a rel of canonical, as a URL to request; null without one
     * @param text what identifies its visible text; null when that was not requested
     * @param wordsHash a hash of its words, without the title and texts with a slash: error pages show their own path; 0
     *     without words
     */
    public record Document(
            String title,
            List<String> links,
            long beyondLimit,
            boolean isNofollow,
            boolean isNoindex,
            boolean isCut,
            String description,
            @Nullable String canonical,
            @Nullable PageText text,
            long wordsHash) {}

    /** Receives the references of a document that are not links. */
    public interface Rest {
        /** Ignores all references. */
        Rest NONE = new Rest() {};

        /** Receives a reference that cannot be requested, as written; only its beginning when it is far too long. */
        default void refused(String reference, Refusal reason) {}

        /** Whether the text, if it is read, is also sketched. */
        default boolean takesSketch() {
            return false;
        }

        /** Whether to find the resources that the document needs. */
        default boolean takesResources() {
            return false;
        }

        /** Receives the URL of a resource, once. */
        default void resource(String url, Resource type) {}

        /** Whether to find the parts of the document, and the fragments of its links. */
        default boolean takesParts() {
            return false;
        }

        /** Receives the id of an element, or the name of a link; equal ones may be received repeatedly. */
        default void part(String name) {}

        /** Receives a link to a part of a document, once: the URL of the document, and the fragment. */
        default void linkToPart(String url, String fragment) {}

        /** Receives a reference to a resource that cannot be requested, as written. */
        default void refusedResource(String reference, Refusal reason) {}

        /** Receives a reference beyond the limits of a page; equal ones may be received repeatedly. */
        default void beyondLimit(String reference) {}

        /** Returns in which form to pass on the visible text; null to leave it out. */
        default @Nullable TextForm textForm() {
            return null;
        }

        /**
         * Receives the visible text, at most a million characters.
         *
         * @param isCut whether it is longer
         */
        default void text(String text, boolean isCut) {}

        /** Returns whether to pass on what the document says of itself. */
        default boolean takesMeta() {
            return false;
        }

        /** Receives what the document says of itself: texts, numbers, and maps and lists of texts, by the names of fields. */
        default void meta(Map<String, Object> meta) {}
    }

    /**
     * Reads the document in the body of a page, which may be incomplete or not valid.
     *
     * @param productToken the name of this robot in directives; may be empty
     * @param takesText whether to compute the {@link Document#text}
     * @param rest receives the references that are not links, each distinct one that is refused once
     */
    public static Document read(String url, FetchResult.Page page, String productToken, boolean takesText, Rest rest) {
        return read(url, page, productToken, takesText, rest, LinkExtractor::cpuNanos);
    }

    /** Does the same with another clock for the CPU time of this thread. */
    static Document read(
            String url,
            FetchResult.Page page,
            String productToken,
            boolean takesText,
            Rest rest,
            LongSupplier cpuNanos) {
        int kib = Math.max(MIN_KIB, Math.min(MAX_KIB, page.body().length >> 10));
        KIB.acquireUninterruptibly(kib);
        try {
            RobotsDirectives robots = RobotsDirectives.of(page, productToken);
            TextDigest digest = takesText ? new TextDigest(rest.takesSketch()) : null;
            Collector collector = new Collector(url, robots, digest, rest);
            boolean isCut = walk(page, collector, cpuNanos);
            String refresh = page.header("refresh");
            collector.addRefresh(refresh == null || refresh.length() > MAX_REFERENCE ? "" : refresh);
            List<String> links = collector.links();
            collector.resources();
            collector.passText();
            if (collector.metadata != null) {
                rest.meta(collector.metadata.finish(page.header("content-language")));
            }
            return new Document(
                    collector.title(),
                    links,
                    collector.beyondLimit,
                    robots.isNofollow(),
                    robots.isNoindex(),
                    isCut,
                    collector.description,
                    collector.canonical(),
                    digest == null ? null : digest.finish(),
                    collector.wordsHash);
        } finally {
            KIB.release(kib);
        }
    }

    /**
     * Reads a style sheet.
     *
     * @param rest receives the resources that it names, and those beyond the limits of a page
     * @return whether only its beginning was read
     */
    public static boolean readStyleSheet(String url, FetchResult.Page page, Rest rest) {
        Collector collector = new Collector(url, new RobotsDirectives(""), null, rest);
        String label = page.header("content-type");
        Charset charset = label == null ? null : CharsetLabels.charset(CharsetLabels.inContentType(label));
        int length = Math.min(page.body().length, MAX_STYLE_SHEET);
        String css = new String(page.body(), 0, length, charset == null ? CharsetLabels.UTF_8 : charset);
        StyleSheet.read(css, collector::addResource);
        collector.resources();
        return length < page.body().length;
    }

    /** Returns whether the document was cut. */
    private static boolean walk(FetchResult.Page page, Collector collector, LongSupplier cpuNanos) {
        long end = cpuNanos.getAsLong() + MAX_CPU_NANOS;
        BooleanSupplier isTimeLeft = () -> cpuNanos.getAsLong() <= end;
        collector.isTimeLeft = isTimeLeft;
        boolean isXml = page.type().equals("application/xhtml+xml");
        DocumentText text = DocumentText.of(page);
        collector.setCharset(text.charset());
        HtmlStream stream = new HtmlStream(text, isXml, isTimeLeft, collector);
        Charset declared = stream.read();
        if (declared != null) {
            collector.setCharset(declared);
            stream = new HtmlStream(text.in(declared), isXml, isTimeLeft, collector);
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

    /** Collects references, the base, the title and the digest of the text. */
    private static final class Collector implements HtmlStream.Visitor {
        private final RobotsDirectives robots;
        private final List<TextReceiver> texts = new ArrayList<>();
        private final @Nullable TextWriter text;
        private final @Nullable Metadata metadata;
        private long wordsHash;
        private final Rest rest;
        private final Set<String> references = new LinkedHashSet<>();
        private final Map<String, Resource> resources = new LinkedHashMap<>();

        private final boolean takesResources;
        private final boolean takesParts;
        /** The fragments of references without them. */
        private final Map<String, Set<String>> fragments = new LinkedHashMap<>();

        private BooleanSupplier isTimeLeft = () -> true;
        /** Whether the document in an attribute is read. */
        private boolean isInFrame;

        private Charset charset = StandardCharsets.UTF_8;
        private UrlNormalizer.Base url;
        private UrlNormalizer.@Nullable Base base;
        private @Nullable Element title;
        private String description = "";
        private @Nullable String canonical;
        private int referenceChars;
        private int linkChars;
        private int linksToParts;
        private int fragmentChars;
        private long beyondLimit;

        Collector(String url, RobotsDirectives robots, @Nullable TextDigest digest, Rest rest) {
            this.url = UrlNormalizer.base(url);
            this.robots = robots;
            this.rest = rest;
            if (digest != null) {
                texts.add(digest);
            }
            metadata = rest.takesMeta() ? new Metadata() : null;
            TextForm form = rest.textForm();
            if (form != null) {
                text = form.isMain() ? new MainText(writer(form), writer(form)) : writer(form);
                texts.add(text);
            } else {
                text = null;
            }
            takesResources = rest.takesResources();
            takesParts = rest.takesParts();
        }

        private TextWriter writer(TextForm form) {
            return form.isMarkdown() ? new Markdown(this::whole) : new PlainText();
        }

        /** Sets the charset of the document. Called before its elements are visited. */
        void setCharset(Charset charset) {
            this.charset = charset;
            url = UrlNormalizer.base(url.url(), charset);
        }

        @Override
        public void textNode(TextNode node) {
            String words = node.getWholeText();
            // Single marks are half of the texts of highlighted code.
            boolean isMark = words.length() == 1 && !Character.isLetterOrDigit(words.charAt(0));
            if (isMark || words.isBlank() || words.indexOf('/') >= 0) {
                return;
            }
            Node parent = node.parent();
            if (parent != null && !parent.nameIs("title")) {
                wordsHash = (wordsHash ^ words.hashCode()) * 0x9e3779b97f4a7c15L;
            }
        }

        @Override
        public List<TextReceiver> texts() {
            return isInFrame ? List.of() : texts;
        }

        void passText() {
            if (text == null) {
                return;
            }
            StringBuilder whole = text.finish();
            boolean isCut = whole.length() > TextWriter.MAX_CHARS;
            if (isCut) {
                int end = TextWriter.MAX_CHARS;
                whole.setLength(Character.isHighSurrogate(whole.charAt(end - 1)) ? end - 1 : end);
            }
            rest.text(whole.toString(), isCut);
        }

        /** Returns the URL of a reference with its fragment; null when it cannot be requested. */
        private @Nullable String whole(String reference) {
            String target = reference.length() > MAX_REFERENCE ? null : from().resolve(withoutFragment(reference));
            String fragment = target == null ? "" : Fragment.of(reference);
            return fragment.isEmpty() ? target : target + "#" + fragment;
        }

        @Override
        public void element(Element element) {
            if (takesResources) {
                Resources.find(element, !robots.isNofollow(), this::addResource);
            }
            String name = element.normalName();
            if (isInFrame && !LINKS_OF_FRAME.contains(name)) {
                return;
            }
            if (takesParts && !isInFrame) {
                addPart(element.attr("id"));
            }
            if (metadata != null
                    && !isInFrame
                    && HtmlStream.isHtml(element.tag().namespace())) {
                metadata.element(element);
            }
            switch (name) {
                case "a" -> {
                    boolean isSvg = element.tag().namespace().equals(Parser.NamespaceSvg);
                    addLink(element, isSvg && !element.hasAttr("href") ? "xlink:href" : "href");
                    if (takesParts
                            && !isInFrame
                            && HtmlStream.isHtml(element.tag().namespace())) {
                        addPart(element.attr("name"));
                    }
                }
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
                case "area" -> addLink(element, "href");
                case "iframe", "frame" -> {
                    add(element, "src");
                    readFrame(element.attr("srcdoc"));
                }
                case "link" -> {
                    List<String> rel = Resources.words(value(element, "rel"));
                    if (rel.contains("next") || rel.contains("prev")) {
                        add(element, "href");
                    }
                    if (canonical == null && rel.contains("canonical")) {
                        canonical = value(element, "href");
                    }
                }
                case "base" -> setBase(element);
                case "meta" -> {
                    String name = value(element, "name");
                    // Some pages name it by the wrong attribute.
                    robots.meta(name.isEmpty() ? value(element, "property") : name, value(element, "content"));
                    if (description.isEmpty() && name.equalsIgnoreCase("description")) {
                        description = folded(value(element, "content"));
                    }
                    if (element.attr("http-equiv").equalsIgnoreCase("refresh")) {
                        addRefresh(value(element, "content"));
                    }
                }
                default -> title = title == null ? element : title;
            }
        }

        /** Reads the document in an attribute, of which only links and resources count; their base is that of the page. */
        private void readFrame(String html) {
            if (!html.isEmpty() && !isInFrame) {
                isInFrame = true;
                DocumentText document =
                        new DocumentText(html.getBytes(StandardCharsets.UTF_8), 0, StandardCharsets.UTF_8, true);
                new HtmlStream(document, false, isTimeLeft, this).read();
                isInFrame = false;
            }
        }

        /** Sets the base to that of the first element with one; one that cannot be used is the URL of the page. */
        private void setBase(Element element) {
            if (base == null && element.hasAttr("href")) {
                String target = url.resolve(value(element, "href"));
                base = target == null ? url : UrlNormalizer.base(target, charset);
            }
        }

        /** Adds the target of a refresh, if there is one other than the page itself. */
        private void addRefresh(String content) {
            Matcher refresh = REFRESH.matcher(content);
            if (refresh.matches() && !refresh.group("target").isEmpty()) {
                String target = refresh.group("target");
                char quote = target.charAt(0);
                boolean isQuoted = quote == '"' || quote == '\'';
                int end = isQuoted ? target.indexOf(quote, 1) : -1;
                add(target.substring(isQuoted ? 1 : 0, end < 0 ? target.length() : end));
            }
        }

        private void addPart(String name) {
            if (!name.isEmpty()) {
                rest.part(name);
            }
        }

        private void addLink(Element element, String attribute) {
            add(element, attribute);
            if (takesParts && !isInFrame) {
                addFragment(element.attr(attribute));
            }
        }

        private void addFragment(String reference) {
            if (reference.length() > MAX_REFERENCE) {
                return;
            }
            String fragment = Fragment.of(reference);
            String whole = fragment.isEmpty() ? "" : withoutFragment(reference);
            if (fragment.isEmpty() || !references.contains(whole)) {
                return;
            }
            if (linksToParts < MAX_LINKS && fragmentChars + fragment.length() <= MAX_LINK_CHARS) {
                boolean isNew = fragments
                        .computeIfAbsent(whole, each -> new LinkedHashSet<>())
                        .add(fragment);
                linksToParts += isNew ? 1 : 0;
                fragmentChars += isNew ? fragment.length() : 0;
            } else {
                addBeyondLimit(reference);
            }
        }

        private void add(Element element, String attribute) {
            String reference = element.attr(attribute);
            if (!reference.isEmpty() || element.hasAttr(attribute)) {
                add(reference);
            }
        }

        /** Adds a reference to a resource, unless it is that of a part of the document, or contains the resource. */
        private void addResource(String reference, Resource type) {
            if (reference.isEmpty()
                    || reference.startsWith("#")
                    || reference.regionMatches(true, 0, "data:", 0, 5)
                    || reference.regionMatches(true, 0, "about:", 0, 6)) {
                return;
            }
            if (reference.length() > MAX_REFERENCE) {
                rest.refusedResource(reference.substring(0, UrlNormalizer.MAX_LENGTH), Refusal.TOO_LONG);
                return;
            }
            String whole = withoutFragment(reference);
            boolean isKnown = resources.containsKey(whole);
            boolean hasRoom = references.size() + resources.size() < MAX_LINKS
                    && referenceChars + whole.length() <= MAX_LINK_CHARS;
            if (isKnown || hasRoom) {
                referenceChars += isKnown ? 0 : whole.length();
                resources.merge(whole, type, Resource::stricter);
            } else {
                addBeyondLimit(whole);
            }
        }

        private void add(String reference) {
            if (reference.length() > MAX_REFERENCE) {
                rest.refused(reference.substring(0, UrlNormalizer.MAX_LENGTH), Refusal.TOO_LONG);
                return;
            }
            String whole = withoutFragment(reference);
            if (references.size() < MAX_LINKS && referenceChars + whole.length() <= MAX_LINK_CHARS) {
                referenceChars += references.add(whole) ? whole.length() : 0;
            } else if (!references.contains(whole)) {
                addBeyondLimit(whole);
            }
        }

        /** Removes the fragment, except its mark after a blank, which is part of the URL unless it is at the end. */
        private static String withoutFragment(String reference) {
            int fragment = reference.indexOf('#');
            boolean isAfterBlank = fragment > 0 && reference.charAt(fragment - 1) <= ' ';
            return fragment < 0 ? reference : reference.substring(0, isAfterBlank ? fragment + 1 : fragment);
        }

        private void addBeyondLimit(String reference) {
            beyondLimit++;
            rest.beyondLimit(reference);
        }

        /** Returns the value of an attribute; empty when there is none, or it is far too long. */
        private static String value(Element element, String attribute) {
            String value = element.attr(attribute);
            return value.length() > MAX_REFERENCE ? "" : value;
        }

        String title() {
            StringBuilder whole = new StringBuilder();
            for (Node node : title == null ? List.<Node>of() : title.childNodes()) {
                if (node instanceof TextNode part && whole.length() < MAX_TITLE) {
                    whole.append(part.getWholeText());
                }
            }
            return folded(whole.toString());
        }

        private static String folded(String whole) {
            return whole.substring(0, Math.min(whole.length(), MAX_TITLE))
                    .strip()
                    .replaceAll("\\s+", " ");
        }

        @Nullable
        String canonical() {
            return canonical == null || canonical.isEmpty() ? null : from().resolve(withoutFragment(canonical));
        }

        /** Passes on the resources, each once. */
        void resources() {
            Map<String, Resource> urls = new LinkedHashMap<>();
            resources.forEach((reference, type) -> {
                String resource = resolved(reference, rest::refusedResource);
                if (resource != null) {
                    urls.merge(resource, type, Resource::stricter);
                }
            });
            urls.forEach(rest::resource);
        }

        List<String> links() {
            Set<String> links = new LinkedHashSet<>();
            Map<String, Set<String>> parts = new LinkedHashMap<>();
            for (String reference : references) {
                String link = resolved(reference, rest::refused);
                if (link != null) {
                    links.add(link);
                    if (fragments.containsKey(reference)) {
                        parts.computeIfAbsent(link, each -> new LinkedHashSet<>())
                                .addAll(fragments.get(reference));
                    }
                }
            }
            parts.forEach((link, names) -> names.forEach(name -> rest.linkToPart(link, name)));
            return new ArrayList<>(links);
        }

        /** Returns the URL of a reference; null when it is passed on because it is refused, or beyond the limit. */
        private @Nullable String resolved(String reference, BiConsumer<String, Refusal> refused) {
            String resolved = linkChars > MAX_LINK_CHARS ? null : from().resolve(reference);
            linkChars += resolved == null ? 0 : resolved.length();
            if (linkChars > MAX_LINK_CHARS) {
                addBeyondLimit(reference);
                return null;
            }
            if (resolved == null) {
                refused.accept(reference, Objects.requireNonNull(from().refusal()));
            }
            return resolved;
        }

        private UrlNormalizer.Base from() {
            return base == null ? url : base;
        }
    }
}
