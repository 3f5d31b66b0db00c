package dev.sieve.parse;

import dev.sieve.url.Printable;
import dev.sieve.url.Seeds;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;

/**
 * Reads sitemaps of version 0.9 of the protocol of sitemaps.org: XML that lists pages or sitemaps, text with one URL
 * per line, and RSS and Atom feeds, each optionally compressed with gzip.
 *
 * <p>The format is detected from the beginning of a file, since types and names are often wrong. Common deviations are
 * accepted: a byte order mark or blank lines in front, another namespace or none, elements in the wrong place or in
 * capitals, and wrong escapes ({@link SitemapText}). When a file is incomplete or not valid, the URLs before the error
 * count. URLs must be absolute; their targets are not checked.
 *
 * <p>A file is read as a stream, in some hundred kilobytes of memory and in linear time. Entities are not resolved, and
 * other files are not opened.
 */
public final class SitemapReader {
    /** The largest number of URLs of a sitemap, as in the protocol. */
    public static final int MAX_URLS = 50_000;

    /** The largest number of bytes of a sitemap, decompressed, as in the protocol. */
    public static final long MAX_BYTES = 50L << 20;

    /** The invalid entries that are returned. A text with more lines that are not URLs is not a sitemap. */
    static final int MAX_INVALID = 1000;

    private final BiConsumer<String, @Nullable Instant> pages;
    private final Consumer<String> sitemaps;
    private boolean isSitemap;
    private long urls;
    private long invalid;
    private final List<String> invalidTexts = new ArrayList<>();
    private long beyondLimit;
    private String problem = "";

    /**
     * The result of reading a file.
     *
     * @param isSitemap whether the file is a sitemap
     * @param urls the number of URLs passed on
     * @param invalid the number of entries that are not URLs that can be requested
     * @param invalidTexts the first thousand of them, printable, with at most 200 characters each
     * @param beyondLimit further entries, beyond {@link #MAX_URLS}
     * @param problem why and where reading stopped early, for people; empty when it did not
     */
    public record Outcome(
            boolean isSitemap, long urls, long invalid, List<String> invalidTexts, long beyondLimit, String problem) {}

    private SitemapReader(BiConsumer<String, @Nullable Instant> pages, Consumer<String> sitemaps) {
        this.pages = pages;
        this.sitemaps = sitemaps;
    }

    /**
     * Reads a file.
     *
     * @param file is not closed
     * @param pages receives the normalised URL of each page, in order, duplicates included; and when it was last
     *     modified, null if the sitemap does not say so. A date without a time is the end of the day, in UTC
     * @param sitemaps receives the URL of each sitemap in an index, in the same way
     * @throws IOException when the stream cannot be read; URLs passed on before count
     */
    public static Outcome read(InputStream file, BiConsumer<String, @Nullable Instant> pages, Consumer<String> sitemaps)
            throws IOException {
        SitemapReader reader = new SitemapReader(pages, sitemaps);
        SitemapInput.Source source = new SitemapInput.Source(file);
        try {
            reader.read(new SitemapInput(source, MAX_BYTES));
        } catch (IOException e) {
            reader.problem = Printable.of(Objects.requireNonNullElse(e.getMessage(), "it ends early"));
        }
        source.check();
        return new Outcome(
                reader.isSitemap,
                reader.urls,
                reader.invalid,
                List.copyOf(reader.invalidTexts),
                reader.beyondLimit,
                reader.problem);
    }

    private void read(SitemapInput input) throws IOException {
        if (input.isMarkup()) {
            readXml(input);
        } else {
            readText(input);
        }
        if (input.isCut()) {
            problem = "more than " + MAX_BYTES + " bytes";
        } else {
            input.check();
        }
    }

    private void readXml(SitemapInput input) {
        SitemapXml xml = new SitemapXml(
                input,
                (entry, modified) -> accept(entry.strip(), url -> pages.accept(url, instant(modified))),
                entry -> accept(entry.strip(), sitemaps));
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

    /** Returns the message of the parser without the location in front. */
    private static String message(XMLStreamException e) {
        String message = String.valueOf(e.getMessage());
        int start = message.indexOf("\nMessage: ");
        return start < 0 ? message : message.substring(start + "\nMessage: ".length());
    }

    private void readText(SitemapInput input) throws IOException {
        Seeds lines = new Seeds(url -> accept(url, page -> pages.accept(page, null)), line -> {
            refuse(line.text());
            if (invalid > MAX_INVALID) {
                input.end();
            }
        });
        lines.readList("sitemap", input);
        if (invalid > MAX_INVALID) {
            problem = "more than " + MAX_INVALID + " lines that are not URLs";
        } else if (urls == 0) {
            problem = "not a sitemap: neither XML nor a list of URLs";
        }
        isSitemap = problem.isEmpty();
    }

    /** Returns a time of W3C's profile of ISO 8601 that is as exact as a day; null for none. */
    private static @Nullable Instant instant(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String date = text.strip();
        try {
            return date.length() == "2000-01-01".length()
                    ? LocalDate.parse(date)
                            .plusDays(1)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant()
                    : OffsetDateTime.parse(date).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    private void refuse(String text) {
        if (invalid < MAX_INVALID) {
            invalidTexts.add(text);
        }
        invalid++;
    }

    private void accept(String entry, Consumer<String> consumer) {
        if (urls == MAX_URLS) {
            beyondLimit++;
            return;
        }
        String url = entry.indexOf(SitemapText.UNREADABLE) < 0 ? UrlNormalizer.parse(entry) : null;
        if (url == null) {
            refuse(Printable.of(entry));
        } else {
            urls++;
            consumer.accept(url);
        }
    }
}
