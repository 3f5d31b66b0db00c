package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.sieve.fetch.FetchResult;
import dev.sieve.io.LocalDisk;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.UrlParts;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a sitemap by the protocol of sitemaps.org, version 0.9, with the HTML pages of the crawl that have a status from 200 to
 * 299 and that search engines may list, and when they were last modified, if the server says so.
 *
 * <p>What is more than a file may have, by its URLs or its bytes before compression, is in files {@code sitemap-1.xml}, {@code
 * sitemap-2.xml} and so on. Then the first file is the index of these, with URLs in the root of the first page's site.
 *
 * <p>In a crawl with rounds, a page that is not modified stays as it was, and one that is gone is removed.
 */
final class SitemapSink extends DocumentSink {
    private static final int MAX_URLS = 50_000;
    private static final long MAX_BYTES = 50L << 20;
    /** Longer ones are not allowed. */
    private static final int MAX_URL = 2047;

    private static final String XMLNS = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    private static final String START = Xml.DECLARATION + "<urlset" + XMLNS;
    private static final String END = "</urlset>\n";

    private final Path file;

    SitemapSink(Path file, OutputOpening opening) throws IOException {
        super(file, opening);
        this.file = file;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        if (visit.isCheck() || visit.result().isNotModified()) {
            return;
        }
        FetchResult.Page page = visit.page();
        String url = visit.url();
        if (page != null && page.isSuccess() && visit.content().isIndexed() && url.length() <= MAX_URL) {
            Instant modified = page.lastModified();
            boolean isPast = modified != null
                    && !modified.isBefore(Instant.EPOCH)
                    && !modified.isAfter(visit.timing().fetchedAt());
            String date = isPast ? "<lastmod>" + modified + "</lastmod>" : "";
            add(url, "<url><loc>" + Xml.escaped(url) + "</loc>" + date + "</url>");
        } else if (visit.history() != null) {
            add(url, "");
        }
    }

    @Override
    public void skipped(Skip skip) throws IOException {
        if (SkipRule.ROBOTS.is(skip.reason())) {
            add(skip.url(), "");
        }
    }

    @Override
    void write() throws IOException {
        int count = 0;
        String origin;
        try (Entries entries = entries()) {
            origin = UrlParts.origin(entries.name());
            while (entries.hasNext()) {
                count++;
                replace(DocumentFormat.part(file, count), out -> writePart(entries, out));
            }
        }
        if (count == 1) {
            Files.move(DocumentFormat.part(file, 1), file, REPLACE_EXISTING, ATOMIC_MOVE);
        } else {
            int last = count;
            replace(file, out -> writeIndex(origin, last, out));
        }
        for (Map.Entry<Integer, Path> each : DocumentFormat.parts(file).entrySet()) {
            if (each.getKey() > (count == 1 ? 0 : count)) {
                Files.delete(each.getValue());
            }
        }
    }

    private interface Content {
        void writeTo(Writer out) throws IOException;
    }

    private void replace(Path target, Content content) throws IOException {
        boolean isPacked = file.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
        LocalDisk.replace(target, out -> {
            OutputStream packed = isPacked ? new GZIPOutputStream(out) : out;
            try (Writer text = new BufferedWriter(new OutputStreamWriter(packed, UTF_8))) {
                content.writeTo(text);
            }
        });
    }

    private void writePart(Entries entries, Writer out) throws IOException {
        out.write(START);
        long bytes = (long) START.length() + END.length();
        for (int urls = 0; urls < MAX_URLS && entries.hasNext(); urls++) {
            bytes += entries.text().length() + 1;
            if (bytes > MAX_BYTES) {
                break;
            }
            out.append(entries.text()).append('\n');
            entries.next();
        }
        out.write(END);
    }

    private void writeIndex(String origin, int count, Writer out) throws IOException {
        out.write(Xml.DECLARATION + "<sitemapindex" + XMLNS);
        for (int number = 1; number <= count; number++) {
            String path = DocumentFormat.part(file, number).toUri().getRawPath();
            String url = origin + path.substring(path.lastIndexOf('/'));
            out.write("<sitemap><loc>" + Xml.escaped(url) + "</loc></sitemap>\n");
        }
        out.write("</sitemapindex>\n");
    }
}
