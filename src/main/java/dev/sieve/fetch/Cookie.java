package dev.sieve.fetch;

import dev.sieve.url.UrlParts;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * A cookie. It belongs to URLs by the rules of RFC 6265, as OkHttp implements them; one for all hosts of a public suffix, such
 * as {@code co.uk}, belongs to the host of that name alone. Immutable. Only {@link #line} and {@link #field} return values.
 */
public final class Cookie {
    /** Most characters of a name and a value, as in browsers. */
    private static final int MAX_LENGTH = 4096;
    /** Most characters of a Set-Cookie field, with its attributes. */
    private static final int MAX_FIELD = 2 * MAX_LENGTH;
    /** The heap of the objects. */
    private static final int OBJECT_BYTES = 400;

    private static final String HTTP_ONLY = "#HttpOnly_";
    private static final String FALSE = "FALSE";

    private static final String TRUE = "TRUE";
    private static final Pattern LINE = Pattern.compile(
            "(?:#HttpOnly_)?\\.?(?<domain>[^\t]+)\t(?<below>TRUE|FALSE)\t(?<path>/[!-~]{0,1024})\t(?<secure>TRUE|FALSE)"
                    + "\t(?<expiry>[0-9]{1,15})(?:\\.[0-9]+)?\t(?<name>[!-:<>-~]++)(?:\t(?<value>[ -:<-~]*))?",
            Pattern.CASE_INSENSITIVE);

    private final okhttp3.Cookie cookie;
    private final String line;

    private Cookie(okhttp3.Cookie parsed) {
        // OkHttp accepts a cookie for all hosts of a suffix from the host of that name.
        boolean isOfSuffix = !parsed.hostOnly()
                && HttpUrl.get("http://" + site(parsed) + "/").topPrivateDomain() == null;
        cookie =
                isOfSuffix ? parsed.newBuilder().hostOnlyDomain(parsed.domain()).build() : parsed;
        line = String.join(
                "\t",
                (cookie.httpOnly() ? HTTP_ONLY : "") + cookie.domain(),
                cookie.hostOnly() ? FALSE : TRUE,
                cookie.path(),
                cookie.secure() ? TRUE : FALSE,
                Long.toString(cookie.persistent() ? Math.max(1, cookie.expiresAt() / 1000) : 0),
                cookie.name(),
                cookie.value());
    }

    /**
     * Returns the cookie in a line of the files that curl and browsers write: domain, whether it is for the hosts below it,
     * path, whether it is for https only, expiry in epoch seconds or 0 for none, name and value, separated by tabs. It begins
     * with {@code #HttpOnly_} if scripts do not see it.
     *
     * @throws IllegalArgumentException when the line is none; the message does not contain it
     */
    public static Cookie of(String line) {
        Matcher fields = LINE.matcher(line);
        if (!fields.matches()) {
            throw new IllegalArgumentException(
                    "not a cookie: domain, TRUE or FALSE, path, TRUE or FALSE, expiry in seconds or"
                            + " 0, name, and value, separated by tabs");
        }
        String value =
                fields.group("value") == null ? "" : fields.group("value").strip();
        if (fields.group("name").length() + value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a cookie with more than " + MAX_LENGTH + " characters");
        }
        okhttp3.Cookie.Builder cookie = new okhttp3.Cookie.Builder()
                .path(fields.group("path"))
                .name(fields.group("name"))
                .value(value);
        if (fields.group("below").equalsIgnoreCase(TRUE)) {
            cookie.domain(fields.group("domain"));
        } else {
            cookie.hostOnlyDomain(fields.group("domain"));
        }
        if (fields.group("secure").equalsIgnoreCase(TRUE)) {
            cookie.secure();
        }
        if (line.regionMatches(true, 0, HTTP_ONLY, 0, HTTP_ONLY.length())) {
            cookie.httpOnly();
        }
        long expiry = Long.parseLong(fields.group("expiry"));
        if (expiry > 0) {
            cookie.expiresAt(expiry * 1000);
        }
        return new Cookie(cookie.build());
    }

    /** Returns the cookie that a Set-Cookie field sets, or deletes if it has expired; null when there is none. */
    public static @Nullable Cookie received(String url, String field) {
        try {
            okhttp3.Cookie parsed = field.length() > MAX_FIELD ? null : okhttp3.Cookie.parse(HttpUrl.get(url), field);
            return parsed == null ? null : of(new Cookie(parsed).line);
        } catch (RuntimeException e) {
            // It cannot be stored; or OkHttp has thrown what a server must not cause.
            return null;
        }
    }

    /** Returns the Cookie field of a request at a moment, with the longest paths first; empty for none. */
    public static String field(List<Cookie> cookies, String url, Instant now) {
        HttpUrl target = HttpUrl.get(url);
        return cookies.stream()
                .filter(each -> !each.hasExpired(now) && each.cookie.matches(target))
                .sorted(Comparator.comparingInt(each -> -each.cookie.path().length()))
                .map(each -> each.cookie.name() + "=" + each.cookie.value())
                .collect(Collectors.joining("; "));
    }

    public boolean hasExpired(Instant now) {
        return cookie.expiresAt() <= now.toEpochMilli();
    }

    /** Returns the {@linkplain UrlParts#domain registrable domain} of the hosts to which it belongs. */
    public String domain() {
        return UrlParts.domainOfHost(site(cookie));
    }

    /** Returns the domain of a cookie as the host of a URL. */
    private static String site(okhttp3.Cookie cookie) {
        return cookie.domain().contains(":") ? "[" + cookie.domain() + "]" : cookie.domain();
    }

    /** Returns the heap that it takes. */
    public int bytes() {
        return OBJECT_BYTES + 2 * line.length();
    }

    /** Returns the line that {@link #of} reads, without fractions of seconds. */
    public String line() {
        return line;
    }

    /** Returns domain, path and name, by which it takes the place of another one. */
    @Override
    public String toString() {
        return cookie.domain() + cookie.path() + " " + cookie.name();
    }
}
