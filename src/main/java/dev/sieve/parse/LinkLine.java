package dev.sieve.parse;

import dev.sieve.url.Fragment;
import dev.sieve.url.UrlNormalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;

/** Finds the line of a link, for people who repair it. */
public final class LinkLine {
    private static final int MAX_BYTES = 1 << 20;

    private LinkLine() {}

    /**
     * Returns the line, from 1, in which the first element begins that has a reference to a URL; 0 when none has, or
     * the document is larger than 1 MiB. References in a {@code style} element are not searched.
     *
     * @param document an HTML document
     * @param page its URL
     * @param url the URL with or without its fragment, or the text of a reference that is not a URL
     */
    public static int of(InputStream document, String page, String url) throws IOException {
        byte[] html = document.readNBytes(MAX_BYTES + 1);
        if (html.length > MAX_BYTES) {
            return 0;
        }
        Parser parser = Parser.htmlParser().setTrackPosition(true);
        Document parsed = Jsoup.parse(new ByteArrayInputStream(html), null, page, parser);
        UrlNormalizer.Base base = UrlNormalizer.base(page, parsed.charset());
        Element named = parsed.selectFirst("base[href]");
        String target = named == null ? null : base.resolve(named.attr("href"));
        UrlNormalizer.Base from = target == null ? base : UrlNormalizer.base(target, parsed.charset());
        for (Element element : parsed.getAllElements()) {
            List<String> references = new ArrayList<>();
            DocumentElement read = new DocumentElement(element, reference -> null);
            references.add(Objects.requireNonNullElse(read.link(), ""));
            Resources.find(read, true, (reference, type) -> references.add(reference));
            if (references.stream().anyMatch(each -> !each.isEmpty() && leads(from, each, url))) {
                return element.sourceRange().start().lineNumber();
            }
        }
        return 0;
    }

    private static boolean leads(UrlNormalizer.Base base, String reference, String url) {
        int fragment = reference.indexOf('#');
        String whole = fragment < 0 ? reference : reference.substring(0, fragment);
        String resolved = base.resolve(whole);
        return url.equals(resolved == null ? whole : resolved) || url.equals(resolved + "#" + Fragment.of(reference));
    }
}
