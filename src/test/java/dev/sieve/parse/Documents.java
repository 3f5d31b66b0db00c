package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.fetch.FetchResult.Page;
import java.util.List;
import java.util.Map;

/** Reads documents for tests. */
public final class Documents {
    private Documents() {}

    public static Page page(String type, byte[] body, Map<String, List<String>> headers) {
        return new Page(200, headers, type, body, body.length, false);
    }

    /** Returns a page in UTF-8. */
    public static Page page(String type, String text) {
        return page(type, text.getBytes(UTF_8), Map.of("content-type", List.of(type + "; charset=utf-8")));
    }

    public static LinkExtractor.Document read(String url, Page page, DocumentReader... readers) {
        return new LinkExtractor("", false).read(url, page, List.of(readers), (reference, reason, isResource) -> {});
    }
}
