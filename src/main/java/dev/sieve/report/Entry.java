package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Murmur3;
import dev.sieve.fetch.FetchResult;
import dev.sieve.io.LineReader;
import dev.sieve.output.Change;
import dev.sieve.output.History;
import dev.sieve.output.Likeness;
import dev.sieve.output.Visit;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URL that was requested, with the fields of {@link dev.sieve.output.JsonlSink}.
 *
 * @param url the URL that was requested
 * @param key the spelling that identifies the page
 * @param depth links followed from a seed
 * @param referrer the page on which the URL was first found; null for a seed
 * @param status the HTTP status; 0 without a response
 * @param type the media type; null if there is none
 * @param bytes bytes of the body that were read
 * @param millis from the request to the last byte of the response
 * @param waitedMillis how long the host had to wait for its delay before the request
 * @param at when it was requested, in epoch milliseconds; 0 when unknown
 * @param redirectTo the target of a redirect; null for all others
 * @param title the title of the document; null without one
 * @param error why there is no page; null when there is one
 * @param isCut whether only the beginning of the body was read
 * @param isCheck whether the URL is out of scope and was only checked
 * @param isAccepted whether the crawl accepts the status, so that the link is not broken
 * @param change what has become of it since the round before; null in a crawl without rounds
 * @param hasSameText whether it has changed, but not its visible text
 * @param lastStatus the status of the visit before; 0 if there was no usable response, -1 if there was no visit
 * @param likeness by what it is compared with others; null when it is not
 */
record Entry(
        String url,
        String key,
        int depth,
        @Nullable String referrer,
        int status,
        @Nullable String type,
        long bytes,
        long millis,
        long waitedMillis,
        long at,
        @Nullable String redirectTo,
        @Nullable String title,
        @Nullable String error,
        boolean isCut,
        boolean isCheck,
        boolean isAccepted,
        @Nullable Change change,
        boolean hasSameText,
        int lastStatus,
        @Nullable Likeness likeness) {

    /** A fixed seed, so that the hashes of a journal are the same in every run. */
    private static final int SEED = 0x51e7e;

    private static final Likeness NONE = new Likeness(0, 0, "", null, null, null);
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{16}");
    private static final Pattern WEB = Pattern.compile("https?://[^/?#]+.*", Pattern.DOTALL);

    static Entry of(Visit visit) {
        FetchResult.Page page = visit.page();
        FetchResult result = visit.result();
        History history = visit.history();
        return new Entry(
                visit.url(),
                visit.key(),
                visit.depth(),
                visit.referrer(),
                result.status(),
                page == null ? null : orNull(page.type()),
                page == null ? 0 : page.length(),
                visit.timing().took().toMillis(),
                visit.timing().waited().toMillis(),
                visit.timing().fetchedAt().toEpochMilli(),
                result instanceof FetchResult.Redirect redirect ? redirect.target() : null,
                orNull(visit.title()),
                orNull(result.error()),
                page != null && page.isCut(),
                visit.isCheck(),
                visit.isAccepted(),
                history == null ? null : history.change(),
                history != null && history.hasSameText(),
                history == null ? -1 : history.lastStatus(),
                visit.likeness());
    }

    /**
     * Returns the entry in a line of records.
     *
     * @throws IOException when it is not an object of JSON with a URL
     */
    static Entry of(LineReader line) throws IOException {
        return of(JsonLine.parse(line.bytes(), line.length()));
    }

    /**
     * Returns the entry in a line of JSON.
     *
     * @throws IOException when the line has no URL
     */
    static Entry of(JsonLine line) throws IOException {
        String url = line.text("url");
        if (url == null) {
            throw new IOException("no field 'url'");
        }
        String key = line.text("key");
        String at = line.text("fetched_at");
        Change change = Change.of(line.text("change"));
        return new Entry(
                url,
                key == null ? url : key,
                (int) notNegative(line, "depth"),
                line.text("referrer"),
                (int) notNegative(line, "status"),
                line.text("type"),
                notNegative(line, "bytes"),
                notNegative(line, "ms"),
                notNegative(line, "waited_ms"),
                at == null ? notNegative(line, "at") : epochMillis(at),
                line.text("redirect_to"),
                line.text("title"),
                line.text("error"),
                line.isTrue("cut"),
                line.isTrue("check"),
                line.isTrue("accepted"),
                change,
                "same".equals(line.text("text")),
                change == null || change == Change.NEW ? -1 : (int) notNegative(line, "last_status"),
                likeness(line));
    }

    /** Returns by what a page is compared; null when the line has none of these fields. */
    private static @Nullable Likeness likeness(JsonLine line) {
        String description = line.text("description");
        Likeness likeness = new Likeness(
                digest(line, "digest"),
                digest(line, "text_digest"),
                description == null ? "" : description,
                line.text("canonical"),
                line.text("duplicate_of"),
                line.text("sketch"));
        return likeness.equals(NONE) ? null : likeness;
    }

    private static long digest(JsonLine line, String name) {
        String digits = line.text(name);
        return digits == null || !DIGEST.matcher(digits).matches() ? 0 : HexFormat.fromHexDigitsToLong(digits);
    }

    private static long notNegative(JsonLine line, String name) {
        return Math.max(0, line.number(name));
    }

    private static long epochMillis(String at) {
        try {
            return Math.max(0, Instant.parse(at).toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            return 0;
        }
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Returns the same with what has become of it since an earlier visit. */
    Entry since(int earlierStatus, Change newChange, boolean isTextTheSame) {
        return new Entry(
                url,
                key,
                depth,
                referrer,
                status,
                type,
                bytes,
                millis,
                waitedMillis,
                at,
                redirectTo,
                title,
                error,
                isCut,
                isCheck,
                isAccepted,
                newChange,
                isTextTheSame,
                earlierStatus,
                likeness);
    }

    /** Returns whether there is a page, whatever its status. */
    boolean isPage() {
        return error == null && redirectTo == null;
    }

    /** Returns whether there is no usable response. */
    boolean isFailed() {
        return error != null;
    }

    /** Returns whether it was not requested itself, but is a part that its page does not have. */
    boolean isFragment() {
        return FetchResult.Reason.FRAGMENT.text().equals(error);
    }

    /** Returns whether a link to the URL is broken: no usable response, or a status of 400 or above that is not accepted. */
    boolean isBroken() {
        return isFailed() || (isPage() && status >= 400 && !isAccepted);
    }

    /**
     * Returns the status by which a later visit is compared with this one: 0 without a usable response. A page that is not
     * modified has the status before, if that was not an error.
     */
    int lastingStatus() {
        if (status == HttpURLConnection.HTTP_NOT_MODIFIED && !isFailed()) {
            return lastStatus / 100 == 2 ? lastStatus : HttpURLConnection.HTTP_OK;
        }
        return isFailed() && status < HttpURLConnection.HTTP_BAD_REQUEST ? 0 : status;
    }

    /** Returns whether it was broken in the round before, as far as its status tells. */
    boolean wasBroken() {
        return lastStatus == 0 || (lastStatus >= 400 && !isAccepted);
    }

    /** Returns why it is broken, in a word or two. */
    String reason() {
        if (error == null) {
            return String.valueOf(status);
        }
        int detail = error.indexOf(": ");
        return detail < 0 ? error : error.substring(0, detail);
    }

    /** Returns the host with its port; the text itself if it is not a URL. */
    String host() {
        return host(url);
    }

    static String host(String url) {
        int start = url.indexOf("://") + 3;
        if (start < 3) {
            return url;
        }
        int end = url.indexOf('/', start);
        return url.substring(start, end < 0 ? url.length() : end);
    }

    /** Returns whether a text may be the target of a link in a report. */
    static boolean isWeb(String url) {
        return WEB.matcher(url).matches();
    }

    /** Returns the key of a URL; the text itself if it is not a URL to fetch. */
    static String key(String url) {
        try {
            return UrlNormalizer.key(url);
        } catch (IllegalArgumentException e) {
            return url;
        }
    }

    /** Returns the hash by which the key of a URL is found again. */
    static long hash(String key) {
        byte[] bytes = key.getBytes(UTF_8);
        long[] hash = new long[2];
        Murmur3.hash(bytes, 0, bytes.length, SEED, hash, 0);
        return hash[0];
    }
}
