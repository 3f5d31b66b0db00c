package dev.sieve.crawl;

import dev.sieve.fetch.BotWall;
import dev.sieve.fetch.FetchResult;
import dev.sieve.output.Change;
import dev.sieve.output.Row;
import dev.sieve.output.Verdict;
import dev.sieve.output.VisitField;
import dev.sieve.scope.SkipRule;
import dev.sieve.scope.Trap;
import dev.sieve.url.Refusal;
import java.net.HttpURLConnection;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A number that a crawl counts, by the record of a visit or with {@code Recorder.count}. {@link Counts}, report and
 * metrics have every counter.
 */
public enum Counter {
    /** Responses that are not redirects, by class of status: {@code 2xx}; {@link #NOT_MODIFIED}; and {@link Verdict#ofOthers}. */
    PAGES(
            "Responses that are not redirects, by status class.",
            Parts.some("status", classes("1xx", "2xx", Counter.NOT_MODIFIED, "3xx", "4xx", "5xx")),
            (row, verdict) -> row.isCheck() || !verdict.isPage() ? null : statusClass(row, verdict)),
    /** URLs outside of the crawl, only checked, by class of status; {@link Verdict#ofOthers}; {@link #NONE}: no usable response. */
    CHECKED(
            "URLs outside of the crawl that were only checked, by status class; none: no usable response.",
            Parts.some("status", classes(Counter.NONE, "1xx", "2xx", "3xx", "4xx", "5xx")),
            (row, verdict) -> !row.isCheck() ? null : verdict.isFailed() ? Counter.NONE : statusClass(row, verdict)),
    /** Responses that are redirects, without those of checks. */
    REDIRECTS("Responses that are redirects to another URL.", (row, verdict) -> verdict.isRedirect() && !row.isCheck()),
    /** Responses of status 301 or 308 to URLs of links, also of checks, if the options ask for these. */
    MOVED("Links to URLs that have moved for good.", (row, verdict) -> verdict == Verdict.MOVED),
    /** URLs without a usable response, without those of checks. */
    FAILED("URLs of the crawl without a usable response.", (row, verdict) -> verdict.isFailed() && !row.isCheck()),
    /** Queued URLs that were not requested, by {@linkplain dev.sieve.scope.SkipReason#rule rule}. */
    REFUSED(
            "Queued URLs that were not requested.",
            Parts.some(
                    "rule", rules(true, EnumSet.of(Trap.HOST, Trap.MAZE, Trap.SAME_TEXT, Trap.SHAPE), Stream.empty()))),
    /** Sitemaps that were read, completely or not. Those that have moved, failed or were refused are counted as such. */
    SITEMAPS("Sitemaps that were read."),
    SITEMAPS_ABSENT("Sitemaps that were guessed and do not exist."),
    /** Entries of all sitemaps that were read, pages and sitemaps, within the limits. */
    SITEMAP_URLS("URLs listed in sitemaps."),
    /**
     * Seeds, distinct references of each page, targets of redirects, sitemaps and what these list: {@link #NEW} if they
     * were queued, {@link #SEEN} if they had been queued before, up to the false-positive rate, and {@link #OUTSIDE}.
     */
    LINKS(
            "URLs found on pages, in sitemaps and as seeds, and whether they were new.",
            Parts.all("result", Stream.of(Counter.NEW, Counter.SEEN, Counter.OUTSIDE))),
    /** URLs found that do not belong to the crawl, by {@linkplain dev.sieve.scope.SkipReason#rule rule}. */
    SKIPPED(
            "URLs found that do not belong to the crawl.",
            Parts.some(
                    "rule",
                    rules(
                            false,
                            EnumSet.allOf(Trap.class),
                            Arrays.stream(Refusal.values()).map(Refusal::words)))),
    /** URLs, also checked ones, that failed or have an unaccepted status of their site from 400 on, by status or error. */
    FAILURES(
            "URLs without a usable response, those that were only checked included.",
            Parts.some("reason", Arrays.stream(FetchResult.Reason.values()).map(FetchResult.Reason::text)),
            (row, verdict) -> verdict.isBroken() ? row.reason() : null),
    /** Those of them that were not broken in the run before, or in the round before, of a job that compares these. */
    NEWLY_BROKEN(
            "URLs and parts of pages that were not broken in the run or round before, if the job compares them.",
            Parts.some("reason", Arrays.stream(FetchResult.Reason.values()).map(FetchResult.Reason::text)),
            (row, verdict) -> row.is(VisitField.NEWLY_BROKEN) ? row.reason() : null),
    /** Those of {@link #CHECKED} that an earlier run has found to work, so that they were not requested. */
    EARLIER(
            "Checked URLs that an earlier run has found to work, so that they were not requested.",
            (row, verdict) -> row.text(VisitField.EARLIER) != null),
    /**
     * Links to a part of a page, distinct ones of each page, if they were checked: {@link #FOUND}, {@link #MISSING},
     * {@link #UNCHECKED} if the page was not read, or not completely, and {@link #ROUTES}.
     */
    FRAGMENTS("Links to a part of a page, and whether it has that part."),
    /** Visits of a crawl in rounds, by what has {@linkplain dev.sieve.output.Change become} of the URL. */
    CHANGES(
            "Visits of a crawl in rounds, by what has become of the URL since the round before.",
            Parts.all("change", Arrays.stream(Change.values()).map(Change::text)),
            (row, verdict) -> row.text(VisitField.CHANGE)),
    SAME_TEXT(
            "Pages that have changed since the round before, but not their visible text.",
            (row, verdict) -> row.is(VisitField.SAME_TEXT)),
    /** URLs with the response of a {@linkplain dev.sieve.fetch.BotWall bot wall} in place of that of the site, by its name. */
    WALLS(
            Verdict.WALL,
            "URLs with the response of a bot wall in place of that of the site.",
            Arrays.stream(BotWall.values()).map(BotWall::text)),
    /** URLs that ask to log in, since the session has ended, by what {@linkplain FetchResult.Login shows} it. */
    LOGINS(
            Verdict.LOGIN,
            "URLs that ask to log in, since the session of the crawl has ended.",
            Arrays.stream(FetchResult.Login.values()).map(FetchResult.Login::text)),
    /** What has no record and was dropped, by {@linkplain Loss#text kind}. */
    DROPPED(
            "Things other than URLs that were dropped, replaced or forgotten, by kind.",
            Parts.all("kind", Arrays.stream(Loss.values()).map(Loss::text))),
    /** Pages that a browser has rendered: {@link #READY}, {@link #NOT_READY} and, if they are as they were sent, {@link #NONE}. */
    RENDERED(
            "Pages that a browser has rendered, and whether they were ready in time; none: it could not render them.",
            Parts.all("outcome", Stream.of(Counter.READY, Counter.NOT_READY, Counter.NONE)),
            (row, verdict) -> !(row.value(VisitField.RENDERED) instanceof Map<?, ?> made)
                    ? null
                    : made.containsKey("error")
                            ? Counter.NONE
                            : made.containsKey("ready") ? Counter.NOT_READY : Counter.READY),
    RETRIES("Requests that repeat a failed one."),
    TRUNCATED(
            "Pages of which only the beginning was read.",
            (row, verdict) -> row.is(VisitField.CUT) && verdict.isPage() && !row.isCheck()),
    /** HTML pages with a status of 2xx and nothing in them, which are often errors of the site. */
    EMPTY("HTML pages with a status of 2xx and an empty body.", (row, verdict) -> {
        // The bodies of other types are not read unless they are kept.
        String type = row.number(VisitField.BYTES) > 0 ? null : row.text(VisitField.TYPE);
        boolean isHtml = type != null && FetchResult.Page.mayBeHtml(type);
        return isHtml && row.status() / 100 == 2 && verdict.isPage() && !verdict.isOfOther() && !row.isCheck();
    }),
    /** {@linkplain dev.sieve.fetch.FetchResult.Page#length Bytes} of all pages that were read. */
    BODY("Bytes of all bodies that were read, after decoding.", (row, verdict) -> verdict.isPage() && !row.isCheck());

    /** The part of {@link #CHECKED} without a usable response, and of {@link #RENDERED} that was not rendered. */
    public static final String NONE = "none";

    /** The part of {@link #RENDERED} of which nothing was under way. */
    public static final String READY = "ready";

    /** The part of {@link #RENDERED} that was taken as it was after the longest time. */
    public static final String NOT_READY = "not_ready";

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

    /** The parts of {@link #PAGES} of which one makes a crawl fruitful. */
    public static final Set<String> FRUITS = Set.of("2xx", NOT_MODIFIED, "3xx");

    /** The counters of what visits have found. */
    public static final List<Counter> OF_VISITS =
            Arrays.stream(values()).filter(each -> each.judge != null).toList();

    /**
     * The parts of a counter that have time series.
     *
     * @param tag what a part is
     * @param isComplete whether these are all
     */
    public record Parts(String tag, List<String> names, boolean isComplete) {
        private static Parts all(String tag, Stream<String> names) {
            return new Parts(tag, names.toList(), true);
        }

        private static Parts some(String tag, Stream<String> names) {
            return new Parts(tag, names.toList(), false);
        }
    }

    private interface Judge {
        @Nullable
        String part(Row row, Verdict verdict);
    }

    private final String key = name().toLowerCase(Locale.ROOT);
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // is not changed
    private final @Nullable Parts parts;

    @SuppressWarnings("ImmutableEnumChecker") // has no state
    private final @Nullable Judge judge;

    private final @Nullable Verdict verdict;

    Counter(String description) {
        this(description, null, null, null);
    }

    Counter(String description, Parts parts) {
        this(description, parts, null, null);
    }

    Counter(String description, Parts parts, Judge judge) {
        this(description, parts, judge, null);
    }

    Counter(String description, BiPredicate<Row, Verdict> condition) {
        this(description, null, (row, verdict) -> condition.test(row, verdict) ? "" : null, null);
    }

    /** URLs of which something has responded in place of the site, by its name. */
    Counter(Verdict verdict, String description, Stream<String> names) {
        this(
                description,
                Parts.all(verdict.text(), names),
                (row, found) -> found == verdict ? row.responder(verdict) : null,
                verdict);
    }

    Counter(String description, @Nullable Parts parts, @Nullable Judge judge, @Nullable Verdict verdict) {
        this.description = description;
        this.parts = parts;
        this.judge = judge;
        this.verdict = verdict;
    }

    private static Stream<String> classes(String... classes) {
        return Stream.concat(Arrays.stream(classes), Verdict.ofOthers().stream().map(Verdict::text));
    }

    private static Stream<String> rules(boolean areOfRequests, Set<Trap> traps, Stream<String> others) {
        Stream<String> rules = Arrays.stream(SkipRule.values())
                .filter(rule -> rule.isOfRequests() == areOfRequests)
                .map(SkipRule::text);
        return Stream.concat(rules, Stream.concat(traps.stream().map(Trap::rule), others));
    }

    /** Returns the class of a status, such as 2xx, or 304 itself: it stands for an unmodified page, not for a redirect. */
    private static String statusClass(Row row, Verdict verdict) {
        return verdict.isOfOther()
                ? verdict.text()
                : row.status() == HttpURLConnection.HTTP_NOT_MODIFIED ? NOT_MODIFIED : row.status() / 100 + "xx";
    }

    /** Returns the counters of URLs of which something has responded in place of the site. */
    public static Stream<Counter> ofOthers() {
        return OF_VISITS.stream().filter(each -> each.verdict != null);
    }

    /** Returns which part of this counter a visit increases; empty if it has no parts, null if the visit does not count. */
    public @Nullable String part(Row row, Verdict found) {
        return judge == null ? null : judge.part(row, found);
    }

    /** Returns how much a visit counts. */
    public long number(Row row) {
        return this == BODY ? row.number(VisitField.BYTES) : 1;
    }

    /** Returns whether the verdict of a later run of the same job depends on a part. */
    boolean isOfJob(String part) {
        return switch (this) {
            case FAILED, FAILURES, MOVED, NEWLY_BROKEN, REFUSED -> true;
            case PAGES -> FRUITS.contains(part);
            case CHECKED -> part.equals(NONE);
            case CHANGES -> part.equals(Change.CHANGED.text()) || part.equals(Change.GONE.text());
            default -> verdict != null;
        };
    }

    /** Returns the verdict that is counted; null if it counts anything else. */
    public @Nullable Verdict verdict() {
        return verdict;
    }

    /** Returns the name in a file: {@code sitemaps_absent}. */
    public String key() {
        return key;
    }

    /** Returns a sentence for users. */
    public String description() {
        return description;
    }

    /** Returns the unit; null for a number of things that the name contains. */
    public @Nullable String unit() {
        return this == BODY ? "bytes" : null;
    }

    /** Returns the parts that have time series; null if the counter has one. */
    public @Nullable Parts parts() {
        return parts;
    }
}
