package dev.sieve.crawl;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A number that a crawl counts, with {@code Recorder.count}. {@link Counts}, report and metrics have every counter. */
public enum Counter {
    /** Responses that are not redirects, by class of status: {@code 2xx}; {@link #NOT_MODIFIED}; and {@link #WALL}. */
    PAGES("Responses that are not redirects, by status class."),
    /** URLs outside of the crawl, only checked, by class of status; {@link #WALL}; {@link #NONE}: no usable response. */
    CHECKED("URLs outside of the crawl that were only checked, by status class; none: no usable response."),
    /** Responses that are redirects, without those of checks. */
    REDIRECTS("Responses that are redirects to another URL."),
    /** URLs without a usable response, without those of checks. */
    FAILED("URLs of the crawl without a usable response."),
    /** Queued URLs that were not requested, by {@linkplain dev.sieve.scope.SkipReason#rule rule}. */
    REFUSED("Queued URLs that were not requested."),
    /** Sitemaps that were read, completely or not. Those that have moved, failed or were refused are counted as such. */
    SITEMAPS("Sitemaps that were read."),
    SITEMAPS_ABSENT("Sitemaps that were guessed and do not exist."),
    /** Entries of all sitemaps that were read, pages and sitemaps, within the limits. */
    SITEMAP_URLS("URLs listed in sitemaps."),
    /**
     * Seeds, distinct references of each page, targets of redirects, sitemaps and what these list: {@link #NEW} if they were
     * queued, {@link #SEEN} if they had been queued before, up to the false-positive rate, and {@link #OUTSIDE}.
     */
    LINKS("URLs found on pages, in sitemaps and as seeds, and whether they were new."),
    /** URLs found that do not belong to the crawl, by {@linkplain dev.sieve.scope.SkipReason#rule rule}. */
    SKIPPED("URLs found that do not belong to the crawl."),
    /** URLs, also checked ones, that failed or have an unaccepted status of their site from 400 on, by status or error. */
    FAILURES("URLs without a usable response, those that were only checked included."),
    /**
     * Links to a part of a page, distinct ones of each page, if they were checked: {@link #FOUND}, {@link #MISSING}, {@link
     * #UNCHECKED} if the page was not read, or not completely, and {@link #ROUTES}.
     */
    FRAGMENTS("Links to a part of a page, and whether it has that part."),
    /** Visits of a crawl in rounds, by what has {@linkplain dev.sieve.output.Change become} of the URL. */
    CHANGES("Visits of a crawl in rounds, by what has become of the URL since the round before."),
    SAME_TEXT("Pages that have changed since the round before, but not their visible text."),
    /** URLs with the response of a {@linkplain dev.sieve.fetch.BotWall bot wall} in place of that of the site, by its name. */
    WALLS("URLs with the response of a bot wall in place of that of the site."),
    /** What has no record and was dropped, by {@linkplain Loss#text kind}. */
    DROPPED("Things other than URLs that were dropped, replaced or forgotten, by kind."),
    /** Pages that a browser has rendered: {@link #READY}, {@link #NOT_READY} and, if they are as they were sent, {@link #NONE}. */
    RENDERED("Pages that a browser has rendered, and whether they were ready in time; none: it could not render them."),
    RETRIES("Requests that repeat a failed one."),
    TRUNCATED("Pages of which only the beginning was read."),
    /** HTML pages with a status of 2xx and nothing in them, which are often errors of the site. */
    EMPTY("HTML pages with a status of 2xx and an empty body."),
    /** {@linkplain dev.sieve.fetch.FetchResult.Page#length Bytes} of all pages that were read. */
    BODY("Bytes of all bodies that were read, after decoding.", "bytes");

    /** The part of {@link #CHECKED} without a usable response, and of {@link #RENDERED} that was not rendered. */
    public static final String NONE = "none";

    /** The part of {@link #RENDERED} of which nothing was under way. */
    public static final String READY = "ready";

    /** The part of {@link #RENDERED} that was taken as it was after the longest time. */
    public static final String NOT_READY = "not_ready";

    /** The part of {@link #PAGES} and {@link #CHECKED} that are responses of bot walls, whatever their status. */
    public static final String WALL = "wall";

    /** The part of {@link #PAGES} that are as they were in an earlier round. */
    public static final String NOT_MODIFIED = "304";

    /** The part of {@link #LINKS} that was queued. */
    public static final String NEW = "new";

    /** The part of {@link #LINKS} that had been queued before. */
    public static final String SEEN = "seen";

    /** The part of {@link #LINKS} that does not belong to the crawl. */
    public static final String OUTSIDE = "skipped";

    /** The part of {@link #FRAGMENTS} that works. */
    public static final String FOUND = "found";

    /** The part of {@link #FRAGMENTS} that is broken. */
    public static final String MISSING = "missing";

    /** The part of {@link #FRAGMENTS} of which nothing is known. */
    public static final String UNCHECKED = "unchecked";

    /** The part of {@link #FRAGMENTS} that is left out: {@code #/x} and {@code #!x} are places in a program in the browser. */
    public static final String ROUTES = "routes";

    private final String description;
    private final @Nullable String unit;

    Counter(String description) {
        this(description, null);
    }

    Counter(String description, @Nullable String unit) {
        this.description = description;
        this.unit = unit;
    }

    /** Returns the name in a file: {@code sitemaps_absent}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns a sentence for users. */
    public String description() {
        return description;
    }

    /** Returns the unit; null for a number of things that the name contains. */
    public @Nullable String unit() {
        return unit;
    }
}
