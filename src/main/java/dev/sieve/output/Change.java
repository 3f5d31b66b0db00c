package dev.sieve.output;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What has become of a URL since an earlier round of the crawl. */
public enum Change {
    /** It is visited for the first time. */
    NEW,
    /** The body of its page is another one. */
    CHANGED,
    /** The server says that it is not modified, or the response is the same as before. */
    UNCHANGED,
    /** It redirects, and did not before, or to another URL. */
    MOVED,
    /** Its status is 404 or 410, and was not before. */
    GONE,
    /** It is a page again. */
    BACK,
    /** There was no usable response, so what is known of it is as old as before. */
    FAILED;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** Returns the change with a name; null for null and for a name of another version. */
    public static @Nullable Change of(@Nullable String text) {
        return Arrays.stream(values())
                .filter(change -> change.text.equals(text))
                .findFirst()
                .orElse(null);
    }

    /** Returns the name in records. */
    public String text() {
        return text;
    }
}
