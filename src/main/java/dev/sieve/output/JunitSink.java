package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.io.LocalDisk;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.Printable;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Writes the results of a crawl as XML that the reporters of JUnit write and continuous integration reads: a test case
 * for each URL that was requested, and for each missing part of a page. One that is broken has failed, with the pages
 * that link to it, and so has one that has moved if the options ask for these; one that may not be requested, such as
 * by robots.txt, or that is behind a bot wall, is skipped, unless no page was fetched at all: then that has failed, too.
 *
 * <p>The class of a test case is {@code page}, {@code link} for a URL that was only checked, or {@code fragment}.
 */
final class JunitSink extends DocumentSink {
    private static final String PASSED = "passed";
    private static final String FAILED = "failed";
    private static final String SKIPPED = "skipped";
    private static final Pattern REDIRECT = Pattern.compile("30[0-35-9]");

    /** Pages that link to a broken URL. */
    private final Map<String, List<String>> referrers = new HashMap<>();
    /** Whether nothing has passed but redirects. */
    private boolean isFruitless;

    JunitSink(Path file, OutputOpening opening) throws IOException {
        super(file, opening);
    }

    @Override
    public void accept(Visit visit) throws IOException {
        Row row = Row.of(visit);
        Verdict verdict = row.verdict();
        String responder = row.responder(verdict);
        String newly = row.is(VisitField.NEWLY_BROKEN) ? "newly broken, " : "";
        String message = newly + (responder == null ? "" : verdict.named(responder) + ", ") + "status " + row.status();
        add(
                verdict == Verdict.FRAGMENT ? "fragment" : visit.isCheck() ? "link" : "page",
                visit.url(),
                verdict.isBroken() || verdict == Verdict.MOVED ? FAILED : verdict.isOfOther() ? SKIPPED : PASSED,
                String.valueOf(visit.timing().took().toMillis()),
                verdict.isOfOther() ? verdict.words() : row.reason(),
                verdict.isFailed()
                        ? newly + visit.result().description()
                        : verdict == Verdict.MOVED ? "moved to " + row.text(VisitField.REDIRECT_TO) : message,
                Objects.requireNonNullElse(visit.referrer(), ""));
    }

    @Override
    public void skipped(Skip skip) throws IOException {
        boolean isOfRequests =
                Arrays.stream(SkipRule.values()).anyMatch(rule -> rule.isOfRequests() && rule.is(skip.reason()));
        if (isOfRequests) {
            add(
                    "page",
                    skip.url(),
                    SKIPPED,
                    "0",
                    skip.reason().rule(),
                    skip.reason().text(),
                    "");
        }
    }

    private void add(String type, String url, String... fields) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String field : fields) {
            text.append(text.isEmpty() ? "" : "\t").append(Printable.line(field));
        }
        add(type + " " + Printable.distinct(url), text.toString());
    }

    @Override
    public void linkedFrom(String url, List<String> pages) {
        referrers.put(url, pages);
    }

    @Override
    void write() throws IOException {
        Map<String, Integer> counts = new HashMap<>();
        long millis = 0;
        int skippedPages = 0;
        isFruitless = true;
        try (Entries entries = entries()) {
            for (; entries.hasNext(); entries.next()) {
                String[] fields = entries.text().split("\t", -1);
                counts.merge(fields[0], 1, Integer::sum);
                millis += Long.parseLong(fields[1]);
                isFruitless &=
                        !fields[0].equals(PASSED) || REDIRECT.matcher(fields[2]).matches();
                skippedPages += isSkippedPage(entries.name(), fields) ? 1 : 0;
            }
        }
        int turned = isFruitless ? skippedPages : 0;
        int failed = counts.getOrDefault(FAILED, 0) + turned;
        int skipped = counts.getOrDefault(SKIPPED, 0) - turned;
        int all = failed + skipped + counts.getOrDefault(PASSED, 0);
        String attributes = "name=\"sieve\" tests=\"%d\" failures=\"%d\" errors=\"0\" time=\"%s\""
                .formatted(all, failed, seconds(millis));
        LocalDisk.replace(file, out -> {
            try (Writer text = new BufferedWriter(new OutputStreamWriter(out, UTF_8));
                    Entries entries = entries()) {
                text.write(Xml.DECLARATION + "<testsuites " + attributes + ">\n<testsuite " + attributes + " skipped=\""
                        + skipped + "\">\n");
                for (; entries.hasNext(); entries.next()) {
                    text.write(testCase(entries.name(), entries.text().split("\t", -1)));
                }
                text.write("</testsuite>\n</testsuites>\n");
            }
        });
    }

    /** Whether a page was not requested, or its site has not responded; if no page was fetched, that is a failure. */
    private static boolean isSkippedPage(String name, String[] fields) {
        return fields[0].equals(SKIPPED) && name.startsWith("page ");
    }

    private String testCase(String name, String[] fields) {
        int blank = name.indexOf(' ');
        String url = name.substring(blank + 1);
        String start = "<testcase classname=\"%s\" name=\"%s\" time=\"%s\""
                .formatted(name.substring(0, blank), Xml.escaped(url), seconds(Long.parseLong(fields[1])));
        if (fields[0].equals(PASSED)) {
            return start + "/>\n";
        }
        boolean isSkipped = fields[0].equals(SKIPPED) && !(isFruitless && isSkippedPage(name, fields));
        fields[3] = (fields[0].equals(SKIPPED) && !isSkipped ? "no page could be fetched: " : "") + fields[3];
        List<String> pages = referrers.getOrDefault(url, fields[4].isEmpty() ? List.of() : List.of(fields[4]));
        String details = isSkipped
                ? ""
                : fields[3] + "\n" + (pages.isEmpty() ? "a seed" : "linked from\n" + String.join("\n", pages)) + "\n";
        String element = isSkipped ? SKIPPED : "failure";
        return "%s>\n<%s type=\"%s\" message=\"%s\">%s</%2$s>\n</testcase>\n"
                .formatted(start, element, Xml.escaped(fields[2]), Xml.escaped(fields[3]), Xml.escaped(details));
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%d.%03d", millis / 1000, millis % 1000);
    }
}
