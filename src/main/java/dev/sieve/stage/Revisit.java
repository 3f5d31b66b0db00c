package dev.sieve.stage;

import dev.sieve.crawl.Target;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.output.Change;
import dev.sieve.output.History;
import dev.sieve.parse.Digest;
import dev.sieve.stage.KnownPage.Content;
import dev.sieve.stage.KnownPage.State;
import dev.sieve.stage.KnownPage.Visits;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a visit says of a page in comparison with what was known of it.
 *
 * <p>What the server says with the status 304 is believed, whatever its validators are worth. Otherwise digests decide:
 * a body that is the same byte by byte is unchanged, whatever the validators say. A visit without a usable response
 * changes nothing of what is known.
 *
 * @param page what is known now
 * @param isSame whether only visits and times are new
 * @param isLeft whether the URL stays in the frontier, to be visited again in this round
 * @param history what the record of the visit says
 */
record Revisit(KnownPage page, boolean isSame, boolean isLeft, History history) {
    private static final Pattern MAX_AGE = Pattern.compile("(?i)(?<![\\w-])max-age=\"?(\\d{1,10})");
    private static final Pattern NO_CACHE = Pattern.compile("(?i)(?<![\\w-])no-(?:cache|store)");

    /** Header fields that identify a body that is not read. */
    private static final String[] IDENTITY = {"content-type", "content-length", "last-modified", "etag"};

    /**
     * Returns the header fields that make the request for a page conditional, by RFC 9110 section 13; none without a
     * validator, and none after a server has answered the last condition with the status 412.
     */
    static Map<String, String> conditions(@Nullable KnownPage base) {
        if (base == null
                || base.content().state() != State.PAGE
                || base.visits().status() == HttpURLConnection.HTTP_PRECON_FAILED) {
            return Map.of();
        }
        String etag = base.content().etag();
        long modified = base.content().lastModified();
        if (etag != null) {
            return Map.of("If-None-Match", etag);
        }
        return modified < 0
                ? Map.of()
                : Map.of("If-Modified-Since", FetchResult.HTTP_DATE.format(Instant.ofEpochSecond(modified)));
    }

    /**
     * Returns what a visit says.
     *
     * @param base what was known before this round; null when nothing was
     * @param seen the URL with its present links and the exchange of this visit if that is in an archive, and nothing
     *     else
     * @param isAccepted whether the status of a page counts as a success
     * @param text the digest of the visible text; 0 without one
     * @param rule decides on the interval until the next visit
     */
    static Revisit of(
            @Nullable KnownPage base,
            KnownPage seen,
            FetchResult result,
            boolean isAccepted,
            long text,
            Instant now,
            RevisitRule rule) {
        long time = now.getEpochSecond();
        State state = state(result, isAccepted);
        long fresh = freshFor(result);
        int status = status(result);
        Visits before = base == null ? Visits.NONE : base.visits();
        if (base == null || before.count() == 0) {
            Visits one = before.next(status, time, true, rule.next(0, true, fresh));
            KnownPage first = seen(base, seen, state, result, text, one);
            return new Revisit(first, false, false, history(Change.NEW, false, null, first));
        }
        long rested = rule.next(before.interval(), false, fresh);
        if (result.isNotModified() && base.content().state() == State.PAGE) {
            // It says that the response would have been the page.
            int known = before.status() / 100 == 2 ? before.status() : HttpURLConnection.HTTP_OK;
            KnownPage same = base.visited(before.next(known, time, false, rested));
            return new Revisit(same, true, false, history(Change.UNCHANGED, false, base, same));
        }
        Visits changed = before.next(status, time, true, rule.next(before.interval(), true, fresh));
        KnownPage page = seen(base, seen, state, result, text, changed);
        Change change = change(base.content(), page.content());
        boolean hasSameText =
                change == Change.CHANGED && text != 0 && text == base.content().text();
        boolean isSame =
                change == Change.FAILED || (change == Change.UNCHANGED && isSame(base.content(), page.content()));
        if (change == Change.FAILED) {
            // It says nothing about how often the page changes.
            page = base.visited(before.next(status, time, false, before.interval()));
        } else if (change == Change.UNCHANGED) {
            page = (isSame ? base : page).visited(before.next(status, time, false, rested));
        }
        return new Revisit(page, isSame, false, history(change, hasSameText, base, page));
    }

    /** Returns for how long, in seconds, the server calls its response fresh by Cache-Control; 0 if it does not. */
    private static long freshFor(FetchResult result) {
        String control = result instanceof Page page ? page.header("cache-control") : null;
        Matcher maxAge =
                MAX_AGE.matcher(control == null || NO_CACHE.matcher(control).find() ? "" : control);
        return maxAge.find() ? Long.parseLong(maxAge.group(1)) : 0;
    }

    private static boolean isSame(Content one, Content other) {
        return Objects.equals(one.etag(), other.etag())
                && one.lastModified() == other.lastModified()
                && Objects.equals(one.archived(), other.archived());
    }

    /** Returns the exchange that has the payload of a page first. */
    private static Exchange.@Nullable Earlier archived(@Nullable KnownPage base, KnownPage seen, long body) {
        Exchange.Earlier before = base == null || base.content().body() != body
                ? null
                : base.content().archived();
        Exchange.Earlier now = seen.content().archived();
        return before != null && (now == null || now.sha1().equals(before.sha1())) ? before : now;
    }

    /** Returns a page that was not requested, since it is refused. */
    static Revisit refused(KnownPage page) {
        return new Revisit(page, false, false, history(Change.FAILED, false, null, page));
    }

    /** Returns the same of a URL that stays in the frontier. */
    Revisit left() {
        return new Revisit(page, isSame, true, history);
    }

    private static History history(Change change, boolean hasSameText, @Nullable KnownPage base, KnownPage page) {
        return new History(
                change,
                hasSameText,
                base == null ? null : Instant.ofEpochSecond(base.visits().last()),
                base == null ? -1 : base.visits().status(),
                Instant.ofEpochSecond(page.visits().lastChange()),
                page.visits().count());
    }

    /**
     * Returns the status by which a page is known: 0 for a failure whose status is none of an error, such as a redirect
     * to nowhere. That of an error may have as many digits as the server likes.
     */
    private static int status(FetchResult result) {
        int status = Math.min(KnownPage.MAX_STATUS, result.status());
        return result instanceof Failed && status < HttpURLConnection.HTTP_BAD_REQUEST ? 0 : status;
    }

    /** Returns whether a response says something of its page, be it that it is gone; otherwise what is known stays. */
    static boolean isUsable(FetchResult result, boolean isAccepted) {
        return state(result, isAccepted) != State.NONE;
    }

    private static State state(FetchResult result, boolean isAccepted) {
        int status = result.status();
        if (result instanceof Redirect) {
            return State.MOVED;
        } else if (result.isSuccess() || isAccepted) {
            return State.PAGE;
        }
        boolean isGone = status == HttpURLConnection.HTTP_NOT_FOUND || status == HttpURLConnection.HTTP_GONE;
        return isGone ? State.GONE : State.NONE;
    }

    private static Change change(Content base, Content now) {
        return switch (now.state()) {
            case NONE -> Change.FAILED;
            case GONE -> base.state() == State.GONE ? Change.UNCHANGED : Change.GONE;
            case MOVED -> base.state() == State.MOVED && base.body() == now.body() ? Change.UNCHANGED : Change.MOVED;
            case PAGE ->
                base.state() != State.PAGE
                        ? Change.BACK
                        : base.body() == now.body() ? Change.UNCHANGED : Change.CHANGED;
        };
    }

    private static KnownPage seen(
            @Nullable KnownPage base, KnownPage seen, State state, FetchResult result, long text, Visits visits) {
        Page page = state == State.PAGE && result instanceof Page each ? each : null;
        long body = result instanceof Redirect redirect
                ? digest(redirect.target())
                : page == null ? 0 : digest(page, seen.kind());
        // The next visit gets the rest of a body that was broken off.
        boolean isBroken = page != null && page.problem() != null;
        Content content = new Content(
                state,
                body,
                text,
                page == null || isBroken ? null : KnownPage.storable(page.header("etag")),
                page == null || isBroken ? -1 : time(page.lastModified()),
                page == null ? null : archived(base, seen, body));
        return new KnownPage(
                base == null ? -1 : base.number(),
                seen.label(),
                seen.url(),
                base == null ? seen.discovery() : base.discovery(),
                content,
                visits,
                seen.links());
    }

    private static long digest(Page page, Target.Kind kind) {
        // A body that was read may be empty.
        boolean isRead = kind == Target.Kind.STYLE_SHEET || (kind == Target.Kind.PAGE && Page.mayBeHtml(page.type()));
        return isRead || page.body().length > 0
                ? Digest.of(page.body())
                : digest(Stream.of(IDENTITY)
                        .map(name -> name + ": " + page.header(name))
                        .collect(Collectors.joining("\n")));
    }

    private static long digest(String text) {
        return Digest.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a time in epoch seconds; -1 for none, and for one before 1970. */
    private static long time(@Nullable Instant date) {
        return date == null ? -1 : Math.max(-1, date.getEpochSecond());
    }
}
