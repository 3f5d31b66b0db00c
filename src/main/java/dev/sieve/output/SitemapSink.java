package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;

import dev.sieve.fetch.FetchResult;
import dev.sieve.io.LocalDisk;
import dev.sieve.url.UrlParts;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a sitemap by the protocol of sitemaps.org, version 0.9, with the HTML pages of the crawl that have a status
 * from 200 to 299 and that search engines may list, and when they were last modified, if the server says so.
 *
 * <p>What is more than a file may have, by its URLs or its bytes before compression, is in files {@code sitemap-1.xml},
 * {@code sitemap-2.xml} and so on. Then the first file is the index of these, with URLs in the root of the first page's
 * site.
 *
 * <p>In a crawl with rounds, a page that is not modified stays as it was, and so does one of which a visit has found
 * out nothing. One that is gone, has moved, or may not be listed any more is removed.
 */
final class SitemapSink extends DocumentSink {
    private static final int MAX_URLS = 50_000;
    private static final long MAX_BYTES = 50L << 20;
    /** Longer ones are not allowed. */
    private static final int MAX_URL = 2047;

    private static final String XMLNS = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    private static final String START = Xml.DECLARATION + "<urlset" + XMLNS;
    private static final String END = "</urlset>\n";

    private final OutputOpening opening;

    SitemapSink(Path file, OutputOpening opening) throws IOException {
        super(file, opening);
        this.opening = opening;
    }

    @Override
    public void accept(Visit visit) throws IOException {
        FetchResult.Page page = visit.page();
        String url = visit.url();
        if (visit.isCheck()
                || (visit.result().isNotModified() && visit.content().isIndexed())) {
            return;
        }
        if (page != null && page.isSuccess() && visit.content().isIndexed() && url.length() <= MAX_URL) {
            Instant modified = page.lastModified();
            boolean isPast = modified != null
                    && !modified.isBefore(Instant.EPOCH)
                    && !modified.isAfter(visit.timing().fetchedAt());
            String date = isPast ? "<lastmod>" + modified + "</lastmod>" : "";
            add(url, "<url><loc>" + Xml.escaped(url) + "</loc>" + date + "</url>");
        } else if (visit.history() != null && visit.history().change() != Change.FAILED) {
            add(url, "");
        }
    }

    @Override
    void write() throws IOException {
        List<Path> parts = new ArrayList<>();
        // Under a name that no other file has, since most sitemaps are one.
        Path first = file.resolveSibling(file.getFileName() + ".first");
        try (Entries entries = entries()) {
            String origin = UrlParts.origin(entries.name());
            replace(first, out -> writePart(entries, out));
            if (entries.hasNext()) {
                for (int number = free(1); Files.exists(first) || entries.hasNext(); number = free(number + 1)) {
                    Path part = DocumentFormat.part(file, number);
                    if (Files.exists(first)) {
                        Files.move(first, part, REPLACE_EXISTING, ATOMIC_MOVE);
                    } else {
                        replace(part, out -> writePart(entries, out));
                    }
                    parts.add(part);
                }
                replace(file, out -> writeIndex(origin, parts, out));
            } else {
                Files.move(first, file, REPLACE_EXISTING, ATOMIC_MOVE);
            }
        }
        for (Path each : DocumentFormat.parts(file).values()) {
            if (!each.equals(file) && !parts.contains(each) && isOwn(each)) {
                Files.delete(each);
            }
        }
        for (Path part : parts) {
            isOwn(part);
            opening.ends().flushed(part, new FileEnd(Files.size(part), 0, 0));
        }
        opening.ends().flush();
    }

    /** Returns the first number from one on whose file this may write: none of another crawl, unless files are overwritten. */
    private int free(int from) throws IOException {
        int number = from;
        while (opening.how() != TRUNCATE_EXISTING
                && Files.exists(DocumentFormat.part(file, number))
                && !isOwn(DocumentFormat.part(file, number))) {
            number++;
        }
        return number;
    }

    /** Returns whether a part is as this job has written it. */
    private boolean isOwn(Path part) throws IOException {
        FileEnd end = opening.ends().stored(part);
        return end != null && end.length() == Files.size(part);
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

    private void writeIndex(String origin, List<Path> parts, Writer out) throws IOException {
        out.write(Xml.DECLARATION + "<sitemapindex" + XMLNS);
        for (Path part : parts) {
            String path = part.toUri().getRawPath();
            String url = origin + path.substring(path.lastIndexOf('/'));
            out.write("<sitemap><loc>" + Xml.escaped(url) + "</loc></sitemap>\n");
        }
        out.write("</sitemapindex>\n");
    }
}
