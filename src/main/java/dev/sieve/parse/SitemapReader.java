package dev.sieve.parse;

import dev.sieve.url.Printable;
import dev.sieve.url.Seeds;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;
import javax.xml.stream.XMLStreamException;

/**
 * Reads sitemaps as version 0.9 of the protocol of sitemaps.org has them: XML that lists pages or further sitemaps, text
 * with a URL a line, and RSS and Atom feeds, each as it is or packed with gzip.
 *
 * <p>What a file is shows in its beginning; its type and its name, which are often wrong, do not matter. Files are taken
 * as they are met: with a byte order mark or blank lines in front, without a namespace or with another one. Of a file
 * that breaks off or makes no sense, the URLs before that count. URLs have to be written in full; where they may lead,
 * the caller decides.
 *
 * <p>A file is streamed: it takes some hundred kilobytes of memory, whatever is in it, and time in proportion to its
 * length. No entity is resolved, and no other file is opened.
 */
public final class SitemapReader {
    /** URLs of a sitemap that count, as the protocol limits them. */
    public static final int MAX_URLS = 50_000;

    /** Bytes of a sitemap that count, unpacked, as the protocol limits them. */
    public static final long MAX_BYTES = 50L << 20;

    /** A text that has more lines than this which are no URL is no sitemap. */
    private static final int MAX_INVALID_LINES = 1000;

    private final Consumer<String> pages;
    private final Consumer<String> sitemaps;
    private boolean isSitemap;
    private long urls;
    private long invalid;
    private long beyondLimit;
    private String problem = "";

    /**
     * What came of reading a file.
     *
     * @param isSitemap whether it is a sitemap at all
     * @param urls how many URLs were handed on
     * @param invalid entries that are no URL that can be fetched
     * @param beyondLimit further entries, beyond {@link #MAX_URLS}
     * @param problem why the file was not read to its end, and where, for people; empty when it was
     */
    public record Outcome(boolean isSitemap, long urls, long invalid, long beyondLimit, String problem) {}

    private SitemapReader(Consumer<String> pages, Consumer<String> sitemaps) {
        this.pages = pages;
        this.sitemaps = sitemaps;
    }

    /**
     * Reads a file.
     *
     * @param file left open
     * @param pages is given the URL of each page, as the normaliser spells it, in their order, duplicates included
     * @param sitemaps is given the URL of each sitemap that an index lists, in the same way
     * @throws IOException when the stream cannot be read; what was handed on before counts nevertheless
     */
    public static Outcome read(InputStream file, Consumer<String> pages, Consumer<String> sitemaps) throws IOException {
        SitemapReader reader = new SitemapReader(pages, sitemaps);
        SitemapInput.Source source = new SitemapInput.Source(file);
        try {
            reader.read(new SitemapInput(source, MAX_BYTES));
        } catch (IOException e) {
            reader.problem = Printable.of(String.valueOf(e.getMessage()));
        }
        source.check();
        return new Outcome(reader.isSitemap, reader.urls, reader.invalid, reader.beyondLimit, reader.problem);
    }

    private void read(SitemapInput input) throws IOException {
        if (input.isMarkup()) {
            readXml(input);
        } else {
            readText(input);
        }
        if (input.isCut()) {
            problem = "more than " + MAX_BYTES + " bytes";
        }
    }

    private void readXml(SitemapInput input) {
        SitemapXml xml =
                new SitemapXml(input, entry -> accept(entry.strip(), pages), entry -> accept(entry.strip(), sitemaps));
        try {
            xml.read();
        } catch (XMLStreamException e) {
            problem = Printable.of(place(e) + message(e));
        }
        isSitemap = xml.isSitemap();
    }

    private static String place(XMLStreamException e) {
        return e.getLocation() == null
                ? ""
                : "line " + e.getLocation().getLineNumber() + ", column "
                        + e.getLocation().getColumnNumber() + ": ";
    }

    /** The parser puts the place in front of what it says. */
    private static String message(XMLStreamException e) {
        String message = String.valueOf(e.getMessage());
        int start = message.indexOf("\nMessage: ");
        return start < 0 ? message : message.substring(start + "\nMessage: ".length());
    }

    private void readText(SitemapInput input) throws IOException {
        Seeds lines = new Seeds(url -> accept(url, pages), line -> {
            invalid++;
            if (invalid > MAX_INVALID_LINES) {
                input.end();
            }
        });
        lines.readList("sitemap", input);
        isSitemap = urls > 0 && invalid <= MAX_INVALID_LINES;
        if (invalid > MAX_INVALID_LINES) {
            problem = "more than " + MAX_INVALID_LINES + " lines that are no URL";
        } else if (urls == 0) {
            problem = "no sitemap: neither XML nor a URL in it";
        }
    }

    private void accept(String entry, Consumer<String> taker) {
        if (urls == MAX_URLS) {
            beyondLimit++;
            return;
        }
        String url = UrlNormalizer.parse(entry);
        if (url == null) {
            invalid++;
        } else {
            urls++;
            taker.accept(url);
        }
    }
}
