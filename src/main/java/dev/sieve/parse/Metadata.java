package dev.sieve.parse;

import dev.sieve.fetch.MediaType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects what a document says of itself: language, author, dates, properties of Open Graph, and JSON-LD. Nothing is interpreted. */
public final class Metadata implements DocumentReader {
    private static final int MAX_VALUES = 64;
    private static final int MAX_CHARS = 2_000;
    private static final int MAX_NAME = 100;
    private static final int MAX_JSON_CHARS = 1 << 16;

    private static final Set<String> PUBLISHED = Set.of(
            "article:published_time",
            "citation_publication_date",
            "date",
            "dc.date",
            "dc.date.issued",
            "dcterms.created",
            "dcterms.date",
            "dcterms.issued");
    private static final Set<String> MODIFIED =
            Set.of("article:modified_time", "dc.date.modified", "dcterms.modified", "last-modified", "og:updated_time");

    /** The names of Open Graph: its own, and those of its types. */
    private static final Pattern OPEN_GRAPH = Pattern.compile("(?:og|article|book|profile|music|video):.+");

    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final Map<String, Object> openGraph = new LinkedHashMap<>();
    private final List<String> jsonLd = new ArrayList<>();
    private int values;
    private int jsonChars;
    private int leftOut;
    /** The element with JSON-LD that is open. */
    private @Nullable DocumentElement open;

    @Override
    public void begin(DocumentElement element) {
        switch (element.isHtml() ? element.name() : "") {
            case "html" -> first("language", element.value(element.has("lang") ? "lang" : "xml:lang"));
            case "meta" -> {
                String attribute = element.value("property").isEmpty() ? "name" : "property";
                attribute = element.value(attribute).isEmpty() ? "http-equiv" : attribute;
                if (element.value(attribute).length() <= MAX_NAME) {
                    // A list, by RDFa.
                    element.words(attribute).forEach(each -> meta(each, element.value("content")));
                }
            }
            case "script" -> {
                boolean isJson = MediaType.essence(element.value("type")).equals("application/ld+json");
                open = isJson ? element : null;
            }
            default -> {}
        }
    }

    @Override
    public void end(DocumentElement element) {
        if (element.equals(open)) {
            open = null;
            script(element.content().strip());
        }
    }

    private void meta(String name, String content) {
        if (PUBLISHED.contains(name)) {
            first("published", content);
        } else if (MODIFIED.contains(name)) {
            first("modified", content);
        } else if (name.equals("author")) {
            first("author", content);
        } else if (name.equals("content-language")) {
            first("language", content);
        }
        if (OPEN_GRAPH.matcher(name).matches() && values < MAX_VALUES) {
            values++;
            openGraph.merge(name, cut(content), Metadata::both);
        }
    }

    private void script(String json) {
        if (json.length() > MAX_JSON_CHARS - jsonChars || jsonLd.size() == MAX_VALUES) {
            leftOut++;
        } else if (!json.isEmpty()) {
            jsonChars += json.length();
            jsonLd.add(json);
        }
    }

    private void first(String field, String value) {
        if (!value.isBlank()) {
            fields.putIfAbsent(field, cut(value));
        }
    }

    private static String cut(String value) {
        return value.strip().substring(0, Math.min(value.strip().length(), MAX_CHARS));
    }

    /** Returns the list of a text, or list of texts, and another text. */
    private static Object both(Object before, Object text) {
        List<Object> all = before instanceof List<?> list ? new ArrayList<>(list) : new ArrayList<>(List.of(before));
        all.add(text);
        return all;
    }

    /**
     * Returns the fields with a value, which are texts, maps of texts, lists of texts, or numbers.
     *
     * @param language the language that the server has named; null for none
     */
    public Map<String, Object> finish(@Nullable String language) {
        first("language", language == null ? "" : language);
        if (!openGraph.isEmpty()) {
            fields.put("open_graph", openGraph);
        }
        if (!jsonLd.isEmpty()) {
            fields.put("json_ld", jsonLd);
        }
        if (leftOut > 0) {
            fields.put("json_ld_left_out", leftOut);
        }
        return fields;
    }
}
