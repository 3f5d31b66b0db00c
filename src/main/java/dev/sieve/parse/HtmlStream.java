package dev.sieve.parse;

import java.nio.charset.Charset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jsoup.parser.StreamParser;
import org.jsoup.parser.Tag;
import org.jsoup.parser.TagSet;
import org.jsoup.select.NodeFilter;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a document in tree order, of which only a part is in memory at a time.
 *
 * <p>The parser reports each complete element, but not in document order, and not those that it moved; so the reports
 * are only counted. After every {@link #BATCH} elements and attributes the tree is walked, and all elements are dropped
 * that are not open. An ordinary page is walked once, at its end.
 */
final class HtmlStream {
    /** Elements and attributes between two walks; most pages have fewer. */
    private static final int BATCH = 8192;

    /** Characters between two walks, since text and comments are not reported. */
    private static final int BATCH_CHARS = 128 << 10;

    /** Attributes of html and body, which the parser compares with those of each further body tag. */
    private static final int MAX_ROOT_ATTRIBUTES = 32;

    /** Distinct tag names, which the parser keeps until the end of the page. */
    private static final int MAX_NAMES = 2000;

    /** Reads of 1,024 to 2,048 characters between two checks of the time. */
    private static final int READS_PER_CHECK = 16;

    /** What the parser reopens after an end tag of an element around it. */
    private static final Set<String> FORMATTING =
            Set.of("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u");

    /** The modes of a template that is the shadow root of the element around it, and thus displayed. */
    private static final Set<String> SHADOW_ROOTS = Set.of("open", "closed");

    /** The tags of HTML for a document in XML; null for one in HTML. Looking one up copies it: not safe for many threads. */
    private final @Nullable TagSet htmlTags;

    private final DocumentReader[] readers;
    private final UnaryOperator<@Nullable String> resolver;
    private final DocumentText text;
    private final BooleanSupplier isTimeLeft;
    private final StreamParser parser;
    private final HtmlReader reader;
    private Document document = new Document("");
    private int names;
    private int weight;
    private int chars;
    private int reads;
    private boolean isWalking;
    private boolean hasWalked;
    private boolean hasFailed;
    /** Elements that the last sweep kept, until the next walk finds them: their beginning was visited. */
    private Set<Element> kept = Set.of();
    /** Those of them whose end was visited as well, although the parser may add to them. */
    private final Set<Element> ended = Collections.newSetFromMap(new IdentityHashMap<>());
    /** All elements of the tree, as the walk of a sweep finds them; null during other walks. */
    private @Nullable List<Element> swept;

    /**
     * Makes a stream.
     *
     * @param isXml whether to parse by the rules of XML rather than HTML
     * @param isTimeLeft returns whether to continue
     * @param readers receive its elements and its visible text
     * @param resolver returns the URL of a reference in it
     */
    HtmlStream(
            DocumentText text,
            boolean isXml,
            BooleanSupplier isTimeLeft,
            List<? extends DocumentReader> readers,
            UnaryOperator<@Nullable String> resolver) {
        this.readers = readers.toArray(DocumentReader[]::new);
        this.resolver = resolver;
        this.text = text;
        this.isTimeLeft = isTimeLeft;
        htmlTags = isXml ? TagSet.Html() : null;
        // Not reused for the next page, since a parser stores every tag name.
        Parser rules = isXml ? Parser.xmlParser() : Parser.htmlParser();
        rules.tagSet().onNewTag(this::newTag);
        parser = new StreamParser(rules);
        reader = new HtmlReader(text, this::mayRead);
    }

    /** Makes jsoup parse the content of script in SVG as elements, as the standard requires, and see what is a block in XML. */
    private void newTag(Tag tag) {
        names++;
        if (!DocumentElement.isHtml(tag.namespace())) {
            tag.clear(Tag.Data).clear(Tag.RcData);
            return;
        }
        Tag html = htmlTags == null ? null : htmlTags.get(tag.normalName(), Parser.NamespaceHtml);
        for (int each : new int[] {Tag.Block, Tag.TextBoundary}) {
            if (html != null && html.is(each)) {
                tag.set(each);
            }
        }
    }

    /** Whether only a part of the document was read: a limit was reached, or the parser failed. */
    boolean isCut() {
        return hasFailed || reader.isCut();
    }

    /**
     * Reads the document, unless it declares another charset.
     *
     * @return null, or the declared charset if no element was visited
     */
    @Nullable
    Charset read() {
        boolean isCertain = text.isCertain();
        try (parser) {
            document = parser.parse(reader, "").document();
            for (Iterator<Element> elements = parser.iterator(); elements.hasNext(); ) {
                Element element = elements.next();
                Charset declared = isCertain || hasWalked ? null : DocumentText.declared(element);
                if (declared != null && !declared.equals(text.charset())) {
                    return declared;
                }
                isCertain |= declared != null;
                weight += 1 + element.attributesSize();
                if (weight > BATCH) {
                    sweep();
                }
            }
        } catch (RuntimeException | StackOverflowError e) {
            if (isWalking) {
                throw e;
            }
            // An error in the parser: the elements before it count.
            hasFailed = true;
        }
        walk(List.of());
        return null;
    }

    /** Called between two tokens or within one, when the tree is consistent. */
    private boolean mayRead(int count) {
        chars += count;
        if (chars > BATCH_CHARS) {
            sweep();
        }
        Element root = document.firstElementChild();
        if (root != null) {
            limitAttributes(root);
            Element body = root.lastElementChild();
            if (body != null) {
                limitAttributes(body);
            }
        }
        reads++;
        return names <= MAX_NAMES && (reads % READS_PER_CHECK != 0 || isTimeLeft.getAsBoolean());
    }

    /** Whether the text in an element is not that of the page, but its content. */
    private static boolean hasContent(Element element) {
        return switch (element.normalName()) {
            case "title", "script", "style" -> true;
            default -> false;
        };
    }

    private static void limitAttributes(Element element) {
        if (element.attributesSize() > MAX_ROOT_ATTRIBUTES) {
            element.clearAttributes();
        }
    }

    private void walk(List<Element> open) {
        hasWalked = true;
        isWalking = true;
        document.filter(new Walk(open));
        isWalking = false;
    }

    /** An element whose end was visited earlier, and how much was visited before it in this walk. */
    private record Reopened(Element element, long before) {}

    /** Visits the elements and the text, of which a word may begin before a sweep and end after it. */
    private final class Walk implements NodeFilter {
        private final List<Element> open;
        /** The elements around the node whose end was visited earlier, the innermost one first. */
        private final Deque<Reopened> reopened = new ArrayDeque<>();

        /** The elements around the node, by their depth, as far as they are not reopened or too deep. */
        private final @Nullable DocumentElement[] path = new DocumentElement[64];

        private long visited;

        /** Makes a walk; the elements may be open, by their depth. */
        Walk(List<Element> open) {
            this.open = open;
        }

        @Override
        public FilterResult head(Node node, int depth) {
            if (node instanceof TextNode part) {
                text(part);
            }
            if (!(node instanceof Element element)) {
                return FilterResult.CONTINUE;
            }
            // In most pages no element was kept, and the look-up of a new one takes long, since it makes an identity
            // hash.
            if (kept.isEmpty() || !kept.remove(element)) {
                visited++;
                DocumentElement begun = new DocumentElement(element, resolver);
                path[Math.min(depth, path.length - 1)] = begun;
                for (DocumentReader reader : readers) {
                    reader.begin(begun);
                }
            } else if (ended.contains(element)) {
                reopened.push(new Reopened(element, visited));
            }
            boolean isInert = element.nameIs("template")
                    && DocumentElement.isHtml(element.tag().namespace())
                    && !SHADOW_ROOTS.contains(element.attr("shadowrootmode").toLowerCase(Locale.ROOT));
            if (swept != null) {
                swept.addAll(isInert ? element.getAllElements() : List.of(element));
            }
            return isInert ? FilterResult.SKIP_CHILDREN : FilterResult.CONTINUE;
        }

        private void text(TextNode part) {
            Element parent = part.parent();
            if (parent != null && !hasContent(parent)) {
                visited++;
                String words = part.getWholeText();
                for (DocumentReader reader : readers) {
                    reader.text(words);
                }
            }
        }

        @Override
        public FilterResult tail(Node node, int depth) {
            if (node instanceof Element element && hasEnded(element, depth)) {
                DocumentElement begun = path[Math.min(depth, path.length - 1)];
                boolean isSame = begun != null && begun.is(element);
                DocumentElement ended = isSame ? begun : new DocumentElement(element, resolver);
                for (DocumentReader reader : readers) {
                    reader.end(ended);
                }
            }
            return FilterResult.CONTINUE;
        }

        /** Whether to pass on the end of an element: once, unless the parser has added to it since. */
        private boolean hasEnded(Element element, int depth) {
            Reopened last = reopened.peek();
            if (last != null && last.element.equals(element)) {
                return reopened.pop().before != visited;
            }
            boolean isOpen = depth < open.size() && open.get(depth).equals(element);
            boolean hasEnded = !isOpen || element.nextSibling() != null;
            if (isOpen && hasEnded) {
                ended.add(element);
            }
            return hasEnded;
        }
    }

    /**
     * Walks the tree and drops all elements except those that may be open: the last one of the document, the last one
     * in that, and so on. In broken tables the parser also adds to the element before the innermost open table.
     *
     * <p>The remaining elements lose their attributes, so that the next walk does not find them again, and formatting
     * elements, so that the parser does not copy them when it reopens these. The parser needs those of annotation-xml.
     */
    private void sweep() {
        weight = 0;
        chars = 0;
        List<Element> open = lastOf(document);
        List<Element> all = new ArrayList<>();
        swept = all;
        walk(open);
        swept = null;
        Element table = null;
        for (Element element : open) {
            table = element.nameIs("table") ? element : table;
        }
        List<Element> beforeTable = table == null ? List.of() : lastOf(table.previousElementSibling());
        open.forEach(HtmlStream::clearAttributes);
        beforeTable.forEach(HtmlStream::clearAttributes);
        for (Element element : all) {
            if (FORMATTING.contains(element.normalName())) {
                element.clearAttributes();
            }
            if (!hasContent(element) || element.childrenSize() > 0) {
                element.empty();
            }
        }
        link(open);
        link(beforeTable);
        if (table != null && !beforeTable.isEmpty()) {
            table.before(beforeTable.get(0));
        }
        kept = Collections.newSetFromMap(new IdentityHashMap<>());
        kept.addAll(open);
        kept.addAll(beforeTable);
        ended.addAll(beforeTable);
        ended.retainAll(kept);
    }

    private static void clearAttributes(Element element) {
        if (!element.nameIs("annotation-xml")) {
            element.clearAttributes();
        }
    }

    /** Returns an element, its last child, the last child of that, and so on. */
    private static List<Element> lastOf(@Nullable Element outermost) {
        List<Element> path = new ArrayList<>();
        for (Element element = outermost; element != null; element = element.lastElementChild()) {
            path.add(element);
        }
        return path;
    }

    private static void link(List<Element> path) {
        for (int i = 1; i < path.size(); i++) {
            path.get(i - 1).appendChild(path.get(i));
        }
    }
}
