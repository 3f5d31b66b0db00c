package dev.sieve.parse;

import dev.sieve.url.Fragment;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects the links of a document, the resources if they are wanted, its title, and what its head says of it. */
final class Links implements DocumentReader {
    static final int MAX_LINKS = 20_000;
    static final int MAX_CHARS = 1 << 20;

    /** A longer reference is not a link. */
    private static final int MAX_REFERENCE = 16 * UrlNormalizer.MAX_LENGTH;

    /** The content of a meta refresh, by the HTML standard, "shared declarative refresh steps". */
    private static final Pattern REFRESH = Pattern.compile("(?s)[\t\n\f\r ]*(?:[0-9]+|(?=\\.))[0-9.]*+"
            + "(?:[;,]|[\t\n\f\r ]++[;,]?)[\t\n\f\r ]*+"
            + "(?:[Uu][Rr][Ll][\t\n\f\r ]*+=[\t\n\f\r ]*+)?(?<target>.*)");

    private final RobotsDirectives robots;
    private final boolean takesResources;
    private final Unlinked unlinked;
    private final BooleanSupplier isTimeLeft;
    private final Set<String> references = new LinkedHashSet<>();
    /** The references of which no link without a rel of nofollow was found; later their URLs. */
    private final Set<String> nofollow = new HashSet<>();

    private final Map<String, Resource> resources = new LinkedHashMap<>();
    /** Whether the document in an attribute is read, of which only links and resources count; their base is that of the page. */
    private boolean isInFrame;

    private Charset charset = StandardCharsets.UTF_8;
    private UrlNormalizer.Base url;
    private UrlNormalizer.@Nullable Base base;
    private @Nullable String title;
    private @Nullable String canonical;
    private int referenceChars;
    private int linkChars;

    Links(String url, RobotsDirectives robots, boolean takesResources, Unlinked unlinked, BooleanSupplier isTimeLeft) {
        this.url = UrlNormalizer.base(url);
        this.robots = robots;
        this.takesResources = takesResources;
        this.unlinked = unlinked;
        this.isTimeLeft = isTimeLeft;
    }

    /** Sets the charset of the document, before its elements are read. */
    void setCharset(Charset charset) {
        this.charset = charset;
        url = UrlNormalizer.base(url.url(), charset);
    }

    @Override
    public void begin(DocumentElement element) {
        if (takesResources) {
            Resources.find(element, !robots.isNofollow(), this::addResource);
        }
        switch (element.name()) {
            case "a", "area" -> add(element);
            case "iframe", "frame" -> {
                add(element);
                readFrame(element.isHtml() ? element.value("srcdoc") : "");
            }
            case "link", "base", "meta" -> {
                if (!isInFrame && element.isHtml()) {
                    head(element);
                }
            }
            default -> {}
        }
    }

    private void head(DocumentElement element) {
        switch (element.name()) {
            case "link" -> {
                add(element);
                if (canonical == null && element.words("rel").contains("canonical")) {
                    canonical = value(element, "href");
                }
            }
            case "base" -> setBase(element);
            default -> {
                String name = value(element, "name");
                // Some pages name it by the wrong attribute.
                robots.meta(name.isEmpty() ? value(element, "property") : name, value(element, "content"));
                if (element.value("http-equiv").equalsIgnoreCase("refresh")) {
                    addRefresh(value(element, "content"));
                }
            }
        }
    }

    @Override
    public void end(DocumentElement element) {
        if (takesResources && element.name().equals("style")) {
            StyleSheet.read(element.content(), this::addResource);
        } else if (title == null && element.name().equals("title") && element.isHtml() && !isInFrame) {
            title = element.foldedText();
        }
    }

    /** Returns the value of an attribute; empty when there is none, or it is far too long. */
    private static String value(DocumentElement element, String attribute) {
        String value = element.value(attribute);
        return value.length() > MAX_REFERENCE ? "" : value;
    }

    private void readFrame(String html) {
        if (!html.isEmpty() && !isInFrame) {
            isInFrame = true;
            byte[] bytes = html.getBytes(StandardCharsets.UTF_8);
            DocumentText document = new DocumentText(bytes, 0, StandardCharsets.UTF_8, true);
            new HtmlStream(document, false, isTimeLeft, List.of(this), this::resolve).read();
            isInFrame = false;
        }
    }

    /** Sets the base to that of the first element with one; one that cannot be used is the URL of the page. */
    private void setBase(DocumentElement element) {
        if (base == null && element.has("href")) {
            String target = url.resolve(value(element, "href"));
            base = target == null ? url : UrlNormalizer.base(target, charset);
        }
    }

    /** Adds the target of a refresh, if there is one other than the page itself. */
    void addRefresh(String content) {
        Matcher refresh = REFRESH.matcher(content.length() > MAX_REFERENCE ? "" : content);
        if (refresh.matches() && !refresh.group("target").isEmpty()) {
            String target = refresh.group("target");
            char quote = target.charAt(0);
            boolean isQuoted = quote == '"' || quote == '\'';
            int end = isQuoted ? target.indexOf(quote, 1) : -1;
            add(target.substring(isQuoted ? 1 : 0, end < 0 ? target.length() : end), false);
        }
    }

    /** Adds a reference to a resource, unless it is that of a part of the document, or contains the resource. */
    void addResource(String reference, Resource type) {
        if (reference.isEmpty()
                || reference.startsWith("#")
                || reference.regionMatches(true, 0, "data:", 0, 5)
                || reference.regionMatches(true, 0, "about:", 0, 6)) {
            return;
        }
        String whole = withinLimits(reference, resources.keySet(), true);
        if (whole != null) {
            resources.merge(whole, type, Resource::stricter);
        }
    }

    private void add(DocumentElement element) {
        String reference = element.link();
        if (reference != null) {
            add(reference, element.has("rel") && element.words("rel").contains("nofollow"));
        }
    }

    private void add(String reference, boolean isNofollow) {
        String whole = withinLimits(reference, references, false);
        if (whole != null && references.add(whole) && isNofollow) {
            nofollow.add(whole);
        } else if (whole != null && !isNofollow) {
            nofollow.remove(whole);
        }
    }

    /** Returns a reference without its fragment, if it is a known one, or there is room for it; else null. */
    private @Nullable String withinLimits(String reference, Set<String> known, boolean isResource) {
        if (reference.length() > MAX_REFERENCE) {
            unlinked.receive(reference.substring(0, UrlNormalizer.MAX_LENGTH), Refusal.TOO_LONG, isResource);
            return null;
        }
        String whole = withoutFragment(reference);
        if (known.contains(whole)) {
            return whole;
        } else if (references.size() + (isResource ? resources.size() : 0) < MAX_LINKS
                && referenceChars + whole.length() <= MAX_CHARS) {
            referenceChars += whole.length();
            return whole;
        }
        unlinked.receive(whole, null, isResource);
        return null;
    }

    /** Removes the fragment, except its mark after a blank, which is part of the URL unless it is at the end. */
    private static String withoutFragment(String reference) {
        int fragment = reference.indexOf('#');
        boolean isAfterBlank = fragment > 0 && reference.charAt(fragment - 1) <= ' ';
        return fragment < 0 ? reference : reference.substring(0, isAfterBlank ? fragment + 1 : fragment);
    }

    /** Returns the URL of a reference with its fragment; null when it cannot be requested. */
    @Nullable
    String resolve(String reference) {
        String target = reference.length() > MAX_REFERENCE ? null : from().resolve(withoutFragment(reference));
        String fragment = target == null ? "" : Fragment.of(reference);
        return fragment.isEmpty() ? target : target + "#" + fragment;
    }

    String title() {
        return title == null ? "" : title;
    }

    /** Returns the canonical URL that the document names; null without one. */
    @Nullable
    String canonical() {
        return canonical == null || canonical.isEmpty() ? null : from().resolve(withoutFragment(canonical));
    }

    /** Returns the distinct URLs of the resources. To be called once, after {@link #urls}. */
    Map<String, Resource> resources() {
        Map<String, Resource> urls = new LinkedHashMap<>();
        resources.forEach((reference, type) -> {
            String resource = url(reference, true);
            if (resource != null) {
                urls.merge(resource, type, Resource::stricter);
            }
        });
        return urls;
    }

    /** Returns the distinct URLs of the links. To be called once. */
    List<String> urls() {
        Set<String> links = new LinkedHashSet<>();
        Set<String> followed = new HashSet<>();
        for (String reference : references) {
            String link = url(reference, false);
            if (link != null) {
                links.add(link);
                if (!nofollow.isEmpty() && !nofollow.contains(reference)) {
                    followed.add(link);
                }
            }
        }
        if (!nofollow.isEmpty()) {
            nofollow.clear();
            nofollow.addAll(links);
            nofollow.removeAll(followed);
        }
        return new ArrayList<>(links);
    }

    /** Returns those of the {@link #urls}, which were called before, to which all links have a rel of nofollow. */
    Set<String> nofollow() {
        return nofollow;
    }

    /** Returns the URL of a reference; null when it is passed on because it is refused, or beyond the limit. */
    private @Nullable String url(String reference, boolean isResource) {
        String resolved = linkChars > MAX_CHARS ? null : from().resolve(reference);
        linkChars += resolved == null ? 0 : resolved.length();
        if (linkChars > MAX_CHARS) {
            unlinked.receive(reference, null, isResource);
            return null;
        }
        if (resolved == null) {
            unlinked.receive(reference, Objects.requireNonNull(from().refusal()), isResource);
        }
        return resolved;
    }

    private UrlNormalizer.Base from() {
        return base == null ? url : base;
    }
}
