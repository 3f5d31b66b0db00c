package dev.sieve.report;

import dev.sieve.output.Change;
import java.io.IOException;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * A URL of which two crawls have different records.
 *
 * @param change the name of a {@link Change}; or {@link #MISSING}
 * @param before the status that the earlier crawl has recorded, or "no response"; null when it has not visited the URL
 * @param now the status or the failure that the later crawl has recorded; null when it has not visited the URL
 * @param url the URL
 * @param referrer the page on which the later crawl first found it, else the earlier one; null for a seed
 * @param text "same" when a page has changed, but not its visible text; null otherwise
 */
public record Difference(
        String change,
        @Nullable String before,
        @Nullable String now,
        String url,
        @Nullable String referrer,
        @Nullable String text) {
    /** The change of a URL that only the earlier crawl has visited. */
    static final String MISSING = "missing";

    private static final String NO_RESPONSE = "no response";

    /** Returns the difference in the record of a later crawl. */
    static Difference of(Entry entry, Change change) {
        return new Difference(
                change.text(),
                entry.lastStatus() < 0
                        ? null
                        : entry.lastStatus() == 0 ? NO_RESPONSE : String.valueOf(entry.lastStatus()),
                now(entry),
                entry.url(),
                entry.referrer(),
                entry.hasSameText() ? "same" : null);
    }

    /** Returns the difference that only the record of an earlier crawl has a URL. */
    static Difference missing(Entry entry) {
        return new Difference(MISSING, now(entry), null, entry.url(), entry.referrer(), null);
    }

    private static String now(Entry entry) {
        String responder = entry.responder(entry.verdict());
        return responder == null ? entry.reason() : entry.verdict().text() + ": " + responder;
    }

    /**
     * Returns the components in one line, separated by tabs. What is null is empty; characters are escaped as in JSON.
     */
    public String tsv() {
        StringJoiner line = new StringJoiner("\t");
        for (String field : new String[] {change, before, now, url, referrer, text}) {
            line.add(field == null ? "" : escaped(field));
        }
        return line.toString();
    }

    /** Returns the components as an object of JSON in one line, without those that are null. */
    public String json() {
        try {
            return JsonLine.RECORDS.asString(this);
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
    }

    private static String escaped(String field) {
        try {
            String quoted = JsonLine.RECORDS.asString(field);
            return quoted.substring(1, quoted.length() - 1).replace("\\\"", "\"");
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
    }
}
