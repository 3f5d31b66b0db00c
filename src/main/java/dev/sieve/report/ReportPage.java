package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.io.BundledFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.url.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jsoup.nodes.DataNode;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/**
 * The report of a crawl as one page of HTML, which requires nothing but itself: its Content-Security-Policy forbids
 * every request, and every script and style but its own.
 */
public final class ReportPage {
    private static final String CHARTS = "/META-INF/resources/webjars/chart.js/4.5.1/dist/chart.umd.min.js";
    private static final String GENERATOR = "Sieve report";
    private static final int MARK_BYTES = 1000;

    private ReportPage() {}

    public static String page(CrawlRecord record, Instant now) {
        return page(record, now, "", List.of(), false);
    }

    /**
     * Returns the page of a crawl that is running, with a script that may call {@code sieve.update} with the result of
     * {@link #sections} and may request URLs of the same origin.
     */
    static String livePage(CrawlRecord record, Instant now, String script) {
        return page(record, now, "; connect-src 'self'", List.of(script), true);
    }

    private static String page(
            CrawlRecord record, Instant now, String moreAllowed, List<String> moreScripts, boolean isLive) {
        List<String> scripts = new ArrayList<>(List.of(charts(), resource("report.js")));
        scripts.addAll(moreScripts);
        String style = resource("report.css");
        StringBuilder policy =
                new StringBuilder("default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'");
        policy.append("; style-src ").append(source(style)).append("; script-src");
        scripts.forEach(script -> policy.append(' ').append(source(script)));
        policy.append(moreAllowed);

        Document document = Html.document();
        document.expectFirst("html").attr("lang", "en");
        Element head = document.head();
        head.appendElement("meta").attr("charset", "utf-8");
        head.appendElement("meta").attr("http-equiv", "Content-Security-Policy").attr("content", policy.toString());
        head.appendElement("meta").attr("name", "generator").attr("content", GENERATOR);
        head.appendElement("meta").attr("name", "viewport").attr("content", "width=device-width, initial-scale=1");
        head.appendElement("meta").attr("name", "referrer").attr("content", "no-referrer");
        head.appendElement("meta").attr("name", "color-scheme").attr("content", "light dark");
        head.appendElement("link").attr("rel", "icon").attr("href", "data:,");
        String first = record.read(crawl -> crawl.first);
        head.appendElement("title")
                .text(first == null ? "Crawl report" : Printable.of(Entry.host(first)) + ": crawl report");
        head.appendElement("style").appendChild(new DataNode(style));

        Element body = document.body();
        Element header = body.appendElement("header");
        header.appendElement("h1").text("Crawl report");
        if (first != null) {
            Html.foreign(header.appendElement("p").attr("id", "seed").appendText("From "), first);
        }
        header.appendElement("p")
                .attr("id", "state")
                .addClass("note")
                .text("Made by Sieve " + CrawlOptions.version() + " on " + Numbers.time(now.toEpochMilli()) + ".");
        Element main = body.appendElement("main");
        record.read(crawl -> {
            Sections.append(crawl, main, isLive);
            return main;
        });
        body.appendElement("footer")
                .appendElement("p")
                .text(
                        "Lists are limited, totals are not. Response times are exact within 5 %. Charts are drawn by Chart.js (MIT licence).");
        scripts.forEach(script -> body.appendElement("script").appendChild(new DataNode(script)));
        return document.outerHtml();
    }

    /** Returns the sections of the page, by which a script can replace those of earlier. */
    static String sections(CrawlRecord record) {
        return sections(record, (crawl, main) -> Sections.append(crawl, main, true));
    }

    /** Returns those of the sections that change all the time. */
    static String progress(CrawlRecord record) {
        return sections(record, Sections::appendProgress);
    }

    private static String sections(CrawlRecord record, BiConsumer<Aggregate, Element> content) {
        Document document = Html.document();
        Element main = document.body();
        record.read(crawl -> {
            content.accept(crawl, main);
            return main;
        });
        return main.html();
    }

    /** Returns whether a file may be replaced by a report, since it is one. */
    public static boolean isReport(Path file) throws IOException {
        String start = start(file, MARK_BYTES);
        return start.startsWith("<!doctype html>") && start.contains("content=\"" + GENERATOR + "\"");
    }

    private static String start(Path file, int length) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(length), UTF_8);
        }
    }

    /**
     * Checks that a file can be written which only replaces one of its kind.
     *
     * @param starts how a file of this kind may begin, each in ASCII; an empty one stands for an empty file
     * @param problem what is wrong with any other file, in messages
     */
    static void check(Path file, Set<String> starts, String problem) throws IOException {
        int length = starts.stream().mapToInt(String::length).max().orElse(0);
        if (Files.exists(file) && !(Files.isRegularFile(file) && starts.contains(start(file, length)))) {
            throw new IOException(file + " exists, and " + problem);
        }
        check(file);
    }

    /** Checks that a page can be written to a file: the name under which that begins is created, and deleted. */
    public static void check(Path file) throws IOException {
        Path temporary = LocalDisk.temporary(file);
        Files.newOutputStream(temporary).close();
        Files.delete(temporary);
    }

    /** Writes a page to a file, so that an earlier one is replaced at once. */
    public static void write(String page, Path file) throws IOException {
        try {
            LocalDisk.replace(file, page.getBytes(UTF_8));
        } catch (IOException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    /** Returns the expression that allows an inline script or style by its hash. */
    private static String source(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static String charts() {
        if (ReportPage.class.getResource(CHARTS) == null) {
            throw new NoClassDefFoundError(CHARTS + ": add org.webjars.npm:chart.js to the class path, an optional"
                    + " dependency of dev.sieve:sieve");
        }
        // Where its map lies is of no use, and would be requested.
        return resource(CHARTS).split("//# sourceMappingURL=", 2)[0];
    }

    static String resource(String name) {
        return BundledFile.text(ReportPage.class, name);
    }
}
