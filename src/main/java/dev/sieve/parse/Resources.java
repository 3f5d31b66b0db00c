package dev.sieve.parse;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The resources that a document needs: those of {@code img}, {@code source}, {@code video}, {@code audio}, {@code
 * track}, {@code script}, {@code link}, {@code embed}, {@code object}, image inputs, frames, and images, sprites and
 * scripts in SVG; all images of a srcset; what {@code style} elements and attributes name; backgrounds of the body and
 * of tables; and images for previews, which {@code meta} elements name.
 */
final class Resources {
    /** The types of a link element that name a resource, besides style sheets, preloads and prefetches. */
    private static final Set<String> LINKS = Set.of(
            "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "manifest", "modulepreload");

    /** What may be preloaded or prefetched and be an HTML document. */
    private static final Set<String> PRELOADED_DOCUMENTS = Set.of("", "fetch", "document", "embed", "object");

    /** Elements with a background, by the HTML standard, "Rendering". */
    private static final Set<String> WITH_BACKGROUND =
            Set.of("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th");

    private static final Set<String> PREVIEWS =
            Set.of("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src");

    private Resources() {}

    /**
     * Finds the resources of an element, except those in the content of {@code style}.
     *
     * @param takesFrames whether a document in a frame is a resource
     * @param found receives each reference as written, perhaps empty, and its type
     */
    static void find(DocumentElement element, boolean takesFrames, BiConsumer<String, Resource> found) {
        String style = element.value("style");
        if (!style.isEmpty()) {
            StyleSheet.read(style, found);
        }
        String name = element.name();
        switch (name) {
            case "img", "source" -> {
                add(element, "src", Resource.FILE, found);
                addImages(element.value("srcset"), found);
            }
            case "video" -> {
                add(element, "src", Resource.FILE, found);
                add(element, "poster", Resource.FILE, found);
            }
            case "audio", "track" -> add(element, "src", Resource.FILE, found);
            case "embed" -> add(element, "src", Resource.ANY, found);
            case "iframe", "frame" -> add(element, takesFrames ? "src" : "", Resource.ANY, found);
            case "input" ->
                add(element, element.value("type").equalsIgnoreCase("image") ? "src" : "", Resource.FILE, found);
            case "object" -> add(element, "data", Resource.ANY, found);
            case "script", "image", "feimage", "use" -> {
                boolean isHtml = element.isHtml();
                String reference = element.has("href") ? "href" : "xlink:href";
                add(element, name.equals("script") && isHtml ? "src" : reference, Resource.FILE, found);
            }
            case "link" -> addLink(element, found);
            case "meta" -> {
                List<String> names = element.words(element.has("property") ? "property" : "name");
                boolean isPreview = names.stream().anyMatch(PREVIEWS::contains);
                add(element, isPreview ? "content" : "", Resource.FILE, found);
            }
            default -> add(element, WITH_BACKGROUND.contains(name) ? "background" : "", Resource.FILE, found);
        }
    }

    private static void addLink(DocumentElement element, BiConsumer<String, Resource> found) {
        List<String> rel = element.words("rel");
        boolean isPreload = rel.contains("preload") || rel.contains("prefetch");
        String as = element.value("as").toLowerCase(Locale.ROOT);
        boolean isStyleSheet = rel.contains("stylesheet") || (isPreload && as.equals("style"));
        if (isStyleSheet || isPreload || rel.stream().anyMatch(LINKS::contains)) {
            boolean mayBeHtml = isPreload && PRELOADED_DOCUMENTS.contains(as);
            Resource file = mayBeHtml ? Resource.ANY : Resource.FILE;
            add(element, "href", isStyleSheet ? Resource.STYLE_SHEET : file, found);
            addImages(element.value("imagesrcset"), found);
        }
    }

    private static void addImages(String srcset, BiConsumer<String, Resource> found) {
        if (!srcset.isEmpty()) {
            Srcset.urls(srcset).forEach(url -> found.accept(url, Resource.FILE));
        }
    }

    private static void add(
            DocumentElement element, String attribute, Resource type, BiConsumer<String, Resource> found) {
        if (!attribute.isEmpty()) {
            found.accept(element.value(attribute).strip(), type);
        }
    }
}
