package dev.sieve.stage;

import dev.sieve.parse.DocumentElement;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.url.Fragment;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the parts of a document to which a link may lead, and the {@linkplain Fragment fragments} of its links {@code a} and {@code area}. */
final class PartReader implements DocumentReader {
    private final Consumer<String> parts;
    private final Consumer<String> beyondLimit;
    private final Set<String> references = new LinkedHashSet<>();
    private int chars;
    /** By which references are resolved. */
    private @Nullable DocumentElement last;

    /**
     * Creates a reader.
     *
     * @param parts receives the id of each element, and the name of each link; equal ones perhaps repeatedly
     * @param beyondLimit receives the references with a fragment that are too many
     */
    PartReader(Consumer<String> parts, Consumer<String> beyondLimit) {
        this.parts = parts;
        this.beyondLimit = beyondLimit;
    }

    @Override
    public void begin(DocumentElement element) {
        add(element.value("id"));
        boolean isLink = element.name().equals("a");
        if (isLink && element.isHtml()) {
            add(element.value("name"));
        }
        String reference = isLink || element.name().equals("area") ? element.link() : null;
        if (reference == null || Fragment.of(reference).isEmpty()) {
            return;
        }
        last = element;
        boolean hasRoom = references.size() < LinkExtractor.MAX_LINKS
                && chars + reference.length() <= LinkExtractor.MAX_LINK_CHARS;
        if (hasRoom && references.add(reference)) {
            chars += reference.length();
        } else if (!references.contains(reference)) {
            beyondLimit.accept(reference);
        }
    }

    private void add(String part) {
        if (!part.isEmpty()) {
            parts.accept(part);
        }
    }

    /** Passes on each link to a part of a document once: the URL of the document, which is one of the links, and the fragment. */
    void links(Collection<String> links, BiConsumer<String, String> receiver) {
        Set<String> known = new HashSet<>(links);
        Set<String> passed = new HashSet<>();
        for (String reference : references) {
            String url = last == null ? null : last.resolve(reference);
            int fragment = url == null ? -1 : url.indexOf('#');
            if (url != null && fragment > 0 && known.contains(url.substring(0, fragment)) && passed.add(url)) {
                receiver.accept(url.substring(0, fragment), url.substring(fragment + 1));
            }
        }
    }
}
