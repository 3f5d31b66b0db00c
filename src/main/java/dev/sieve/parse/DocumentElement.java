package dev.sieve.parse;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/** An element of a document that is read. The same element may be several objects, which are equal. */
public final class DocumentElement {
    private static final int MAX_FOLDED = 10_000;

    /** The types of link elements that are links. */
    private static final Set<String> LINKS = Set.of("next", "prev");

    private final Element element;
    private final UnaryOperator<@Nullable String> resolver;

    DocumentElement(Element element, UnaryOperator<@Nullable String> resolver) {
        this.element = element;
        this.resolver = resolver;
    }

    boolean is(Element other) {
        return element.equals(other);
    }

    /** Returns the local name in lower case. */
    public String name() {
        return element.normalName();
    }

    /** Returns whether it is an element of HTML, and not one of SVG or MathML. */
    public boolean isHtml() {
        return isHtml(element.tag().namespace());
    }

    /** Whether a namespace is that of HTML, or of XML without a namespace. */
    static boolean isHtml(String namespace) {
        return namespace.equals(Parser.NamespaceHtml) || namespace.equals(Parser.NamespaceXml);
    }

    private boolean isSvg() {
        return element.tag().namespace().equals(Parser.NamespaceSvg);
    }

    public boolean has(String attribute) {
        return element.hasAttr(attribute);
    }

    /** Returns the value of an attribute; empty without one. */
    public String value(String attribute) {
        return element.attr(attribute);
    }

    /** Returns the value of an attribute with white space folded, at most 10,000 characters. */
    public String folded(String attribute) {
        return fold(value(attribute));
    }

    /** Returns the words of an attribute in lower case. */
    List<String> words(String attribute) {
        return List.of(value(attribute).toLowerCase(Locale.ROOT).trim().split("\\s+", -1));
    }

    /** Returns the reference of an element that is a link; null of others. */
    public @Nullable String link() {
        String attribute = switch (name()) {
            case "a" -> isSvg() && !has("href") ? "xlink:href" : "href";
            case "area" -> "href";
            case "iframe", "frame" -> "src";
            case "link" -> words("rel").stream().anyMatch(LINKS::contains) ? "href" : "";
            default -> "";
        };
        boolean isLink = !attribute.isEmpty() && (isHtml() || name().equals("a")) && has(attribute);
        return isLink ? value(attribute) : null;
    }

    /** Returns the URL of a reference, by the base found so far, with its fragment; null if it cannot be requested. */
    public @Nullable String resolve(String reference) {
        return resolver.apply(reference);
    }

    /** Returns what its beginning and its end mean for the words around it. */
    Gap gap() {
        return Gap.of(element);
    }

    /** Returns what is in a script or a style element: data in HTML, text in XML. */
    String content() {
        String text = element.wholeText();
        return text.isEmpty() ? element.data() : text;
    }

    /** Returns its own text with white space folded. */
    String foldedText() {
        return fold(element.wholeOwnText());
    }

    private static String fold(String text) {
        return text.substring(0, Math.min(text.length(), MAX_FOLDED)).strip().replaceAll("\\s+", " ");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DocumentElement same && element.equals(same.element);
    }

    @Override
    public int hashCode() {
        return element.hashCode();
    }
}
