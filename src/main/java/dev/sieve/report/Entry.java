package dev.sieve.report;

import dev.sieve.bloom.Murmur3;
import dev.sieve.io.LineReader;
import dev.sieve.output.Change;
import dev.sieve.output.Row;
import dev.sieve.output.Verdict;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URL that was requested: the values of the {@link VisitField fields} of its record, from the crawl itself or from a
 * line of JSON. A value of another type than its field has is absent. A number is at most 2^53, beyond which doubles
 * are not exact.
 */
final class Entry implements Row {
    /** A fixed seed, so that the hashes of a journal are the same in every run. */
    private static final int SEED = 0x51e7e;

    private static final Pattern WEB = Pattern.compile("https?://[^/?#]+.*", Pattern.DOTALL);

    /** The fields by which pages are compared. */
    private static final Set<VisitField> COMPARED = EnumSet.range(VisitField.DIGEST, VisitField.SKETCH);

    /** The fields that an entry has: not what is kept of the document, of which a report shows nothing. */
    private static final Set<VisitField> FIELDS =
            EnumSet.complementOf(EnumSet.of(VisitField.META, VisitField.TEXT_CUT, VisitField.TEXT));

    private final Map<VisitField, Object> values;

    private final Verdict verdict;

    private Entry(Map<VisitField, Object> values) {
        this.values = values;
        verdict = Row.super.verdict();
    }

    static Entry of(Visit visit) {
        return of(field -> field.of(visit));
    }

    /** Returns the entry in a line of records, which has to be an object of JSON with a URL. */
    static Entry of(LineReader line) throws IOException {
        return of(JsonLine.parse(line.bytes(), line.length()));
    }

    /** Returns the entry in a line of JSON, which has to have a URL. */
    static Entry of(JsonLine line) throws IOException {
        Entry entry = of(field -> line.value(field.text()));
        if (entry.text(VisitField.URL) == null) {
            throw new IOException("no field 'url'");
        }
        return entry;
    }

    private static Entry of(Function<VisitField, @Nullable Object> source) {
        Map<VisitField, Object> values = new EnumMap<>(VisitField.class);
        for (VisitField field : FIELDS) {
            Object value = source.apply(field);
            if (value instanceof Number number) {
                value = Math.max(0, (long) number.doubleValue());
            } else if (field == VisitField.FETCHED_AT && value instanceof String text) {
                value = time(text);
            }
            if (value != null) {
                values.put(field, value);
            }
        }
        return new Entry(values);
    }

    private static @Nullable Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    @Override
    public @Nullable Object value(VisitField field) {
        return values.get(field);
    }

    @Override
    public Verdict verdict() {
        return verdict;
    }

    /** Passes on the fields that have a value, in their order, except for a key that is the URL. */
    void forEach(BiConsumer<String, Object> receiver) {
        values.forEach((field, value) -> {
            if (field != VisitField.KEY || !value.equals(values.get(VisitField.URL))) {
                receiver.accept(field.text(), value instanceof Instant time ? time.toString() : value);
            }
        });
    }

    String url() {
        return Objects.requireNonNull(text(VisitField.URL));
    }

    /** Returns the spelling that identifies the page. */
    String key() {
        return Objects.requireNonNullElse(text(VisitField.KEY), url());
    }

    /** Returns the page on which the URL was first found; null for a seed. */
    @Nullable
    String referrer() {
        return text(VisitField.REFERRER);
    }

    /** Returns when it was requested, in epoch milliseconds; 0 when unknown. */
    long at() {
        try {
            return values.get(VisitField.FETCHED_AT) instanceof Instant time ? Math.max(0, time.toEpochMilli()) : 0;
        } catch (ArithmeticException e) {
            return 0;
        }
    }

    /** Returns the target of a redirect; null for all others. */
    @Nullable
    String redirectTo() {
        return text(VisitField.REDIRECT_TO);
    }

    /** Returns what has become of it since the round before; null in a crawl without rounds. */
    @Nullable
    Change change() {
        return Change.of(text(VisitField.CHANGE));
    }

    /** Returns whether it has changed, but not its visible text. */
    boolean hasSameText() {
        return is(VisitField.SAME_TEXT);
    }

    /** Returns the status of the visit before; 0 if there was no usable response, -1 if there was no visit. */
    int lastStatus() {
        long status = number(VisitField.LAST_STATUS);
        boolean isFirst = change() == null || (status == 0 && text(VisitField.LAST_VISIT) == null);
        return isFirst ? -1 : (int) Math.min(Integer.MAX_VALUE, status);
    }

    /** Returns whether it has a value by which it is compared with other pages. */
    boolean isCompared() {
        return !Collections.disjoint(COMPARED, values.keySet());
    }

    /** Returns the same with what has become of it since an earlier visit. */
    Entry since(int earlierStatus, Change change, boolean isTextTheSame) {
        Map<VisitField, Object> changed = new EnumMap<>(values);
        changed.put(VisitField.CHANGE, change.text());
        changed.put(VisitField.SAME_TEXT, isTextTheSame);
        changed.put(VisitField.LAST_STATUS, (long) earlierStatus);
        if (earlierStatus == 0) {
            changed.put(VisitField.LAST_VISIT, "");
        } else if (earlierStatus < 0) {
            changed.remove(VisitField.LAST_VISIT);
            changed.remove(VisitField.LAST_STATUS);
        }
        return new Entry(changed);
    }

    /**
     * Returns the status by which a later visit is compared with this one: 0 without a usable response. A page that is
     * not modified has the status before, if that was not an error.
     */
    int lastingStatus() {
        if (status() == HttpURLConnection.HTTP_NOT_MODIFIED && !verdict.isFailed()) {
            return lastStatus() / 100 == 2 ? lastStatus() : HttpURLConnection.HTTP_OK;
        }
        return verdict.isFailed() && status() < HttpURLConnection.HTTP_BAD_REQUEST ? 0 : status();
    }

    /** Returns whether it was broken in the round before, by its status. */
    boolean wasBroken() {
        return lastStatus() == 0 || (lastStatus() >= 400 && !is(VisitField.ACCEPTED));
    }

    /** Returns the host with its port; the text itself if it is not a URL. */
    String host() {
        return host(url());
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
        return Murmur3.hash(key, SEED)[0];
    }

    /** Returns the {@link #hash} in hexadecimal digits. */
    static String id(String key) {
        return Long.toHexString(hash(key));
    }

    static long hashOf(String id) {
        return Long.parseUnsignedLong(id, 16);
    }
}
