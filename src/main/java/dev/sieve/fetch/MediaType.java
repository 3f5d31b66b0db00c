package dev.sieve.fetch;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Media types, as in Content-Type and in attributes of elements. */
public final class MediaType {
    private static final String TOKEN = "[\\w!#$%&'*+.^`|~-]+";
    private static final Pattern ESSENCE =
            Pattern.compile("\\s*(" + TOKEN + "/" + TOKEN + ")\\s*(?:;.*)?", Pattern.DOTALL);

    private MediaType() {}

    /** Returns type and subtype in lower case, whatever the parameters are, as browsers do; empty when there is none. */
    public static String essence(@Nullable String text) {
        Matcher parts = ESSENCE.matcher(text == null ? "" : text);
        return parts.matches() ? parts.group(1).toLowerCase(Locale.ROOT) : "";
    }
}
