package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.url.UrlParts;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * A cookie. It belongs to URLs by the rules of RFC 6265, as OkHttp implements them; one for all hosts of a public
 * suffix, such as {@code co.uk}, belongs to the host of that name alone. Immutable. Only {@link #line} and {@link
 * #field} return values.
 */
public final class Cookie {
    /** Most bytes of a name and a value, as in browsers. */
    private static final int MAX_LENGTH = 4096;
    /** Most characters of a path. */
    private static final int MAX_PATH = 1024;
    /** Most characters of a Set-Cookie field, with its attributes. */
    private static final int MAX_FIELD = 2 * MAX_LENGTH;
    /** The heap of the objects. */
    private static final int OBJECT_BYTES = 400;

    private static final String HTTP_ONLY = "#HttpOnly_";
    private static final String FALSE = "FALSE";

    private static final String TRUE = "TRUE";
    private static final Pattern FLAG = Pattern.compile("(?i)TRUE|FALSE");
    /** Other programs write -1, or nothing, for a cookie that ends with the session. */
    private static final Pattern EXPIRY = Pattern.compile("(?:-1|([0-9]*))(?:\\.[0-9]+)?");
    /** Most digits of an expiry that matters. */
    private static final int MAX_DIGITS = 12;

    /** Names, values and paths. What was not UTF-8 when it was received could not be sent back. */
    private static final Pattern TEXT = Pattern.compile("[^\\p{Cntrl};\uFFFD]*");

    private static final Pattern DOMAIN = Pattern.compile("(?i)(?:^|;)\\s*domain\\s*=[\\s.]*[^\\s.;]");
    private static final Pattern ROOT = Pattern.compile("(?i)(?:^|;)\\s*path\\s*=\\s*/\\s*(?:;|$)");
    private static final Pattern THIS_MACHINE = Pattern.compile("localhost|.+\\.localhost|127(?:\\.[0-9]+){3}|::1");

    private final okhttp3.Cookie cookie;
    private final String line;

    private Cookie(okhttp3.Cookie parsed) {
        boolean isText =
                TEXT.matcher(parsed.name() + parsed.value() + parsed.path()).matches();
        require(isText, "it has a character that cookies cannot have, or is not UTF-8");
        int bytes = (parsed.name() + parsed.value()).getBytes(UTF_8).length;
        require(bytes <= MAX_LENGTH && parsed.path().length() <= MAX_PATH, "it is too long");
        require(!parsed.name().isEmpty() && parsed.name().indexOf('=') < 0, "it has no name");
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

    private static void require(boolean isRight, String otherwise) {
        if (!isRight) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /**
     * Returns the cookie in a line of the files that curl and browsers write: domain, whether it is for the hosts below
     * it, path, whether it is for https only, expiry in epoch seconds or 0 for none, name and value, separated by tabs.
     * It begins with {@code #HttpOnly_} if scripts do not see it.
     *
     * @throws IllegalArgumentException when the line is none; the message does not contain it
     */
    public static Cookie of(String line) {
        String[] fields = (line.startsWith(HTTP_ONLY) ? line.substring(HTTP_ONLY.length()) : line).split("\t", -1);
        require(
                fields.length == 6 || fields.length == 7,
                "not a cookie: domain, TRUE or FALSE, path, TRUE or FALSE, expiry in seconds or 0, name, and value,"
                        + " separated by tabs");
        boolean hasFlags =
                FLAG.matcher(fields[1]).matches() && FLAG.matcher(fields[3]).matches();
        require(hasFlags, "its second or fourth field is not TRUE or FALSE");
        Matcher expiry = EXPIRY.matcher(fields[4]);
        require(expiry.matches(), "its expiry is not a number of seconds");
        require(fields[2].isEmpty() || fields[2].startsWith("/"), "its path does not begin with a slash");
        okhttp3.Cookie.Builder cookie = new okhttp3.Cookie.Builder()
                .path(fields[2].isEmpty() ? "/" : fields[2])
                .name(fields[5].trim())
                .value(fields.length < 7 ? "" : fields[6].trim());
        String domain = fields[0].startsWith(".") ? fields[0].substring(1) : fields[0];
        try {
            if (fields[1].equalsIgnoreCase(TRUE)) {
                cookie.domain(domain);
            } else {
                cookie.hostOnlyDomain(domain);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("its domain is not the name of a host", e);
        }
        if (fields[3].equalsIgnoreCase(TRUE)) {
            cookie.secure();
        }
        if (line.regionMatches(true, 0, HTTP_ONLY, 0, HTTP_ONLY.length())) {
            cookie.httpOnly();
        }
        String digits = expiry.group(1) == null ? "" : expiry.group(1).replaceFirst("^0+", "");
        if (!digits.isEmpty()) {
            cookie.expiresAt(1000 * Long.parseLong(digits.substring(0, Math.min(digits.length(), MAX_DIGITS))));
        }
        return new Cookie(cookie.build());
    }

    /**
     * Returns the cookie that a Set-Cookie field sets, or deletes if it has expired; null, after saying why, for none.
     *
     * @param kept the cookies of the site: a response over http leaves those for https alone
     */
    public static @Nullable Cookie received(String url, String field, List<Cookie> kept, Consumer<String> refused) {
        try {
            String[] pair = field.split(";", 2);
            int equals = pair[0].indexOf('=');
            require(equals > 0, "it has no name");
            require(field.length() <= MAX_FIELD, "it is too long");
            String name = pair[0].substring(0, equals).trim();
            String attributes = pair.length < 2 ? "" : pair[1];
            HttpUrl target = target(url);
            // OkHttp refuses names and values beyond ASCII, and takes a wrong domain for none.
            okhttp3.Cookie read = okhttp3.Cookie.parse(target, "n=v;" + attributes);
            boolean hasDomain = DOMAIN.matcher(attributes).find();
            require(read != null && read.hostOnly() != hasDomain, "its domain is not that of the host");
            require(!read.secure() || target.isHttps(), "it is for https, and was set over http");
            String prefix = name.toLowerCase(Locale.ROOT);
            boolean isOfHost =
                    read.secure() && !hasDomain && ROOT.matcher(attributes).find();
            boolean hasPrefix =
                    prefix.startsWith("__host-") ? isOfHost : read.secure() || !prefix.startsWith("__secure-");
            require(hasPrefix, "the prefix of its name requires Secure; __Host- also Path=/ and no Domain");
            String value = pair[0].substring(equals + 1).trim();
            Cookie cookie = new Cookie(read.newBuilder().name(name).value(value).build());
            require(target.isHttps() || kept.stream().noneMatch(cookie::hides), "one for https has its name");
            return cookie;
        } catch (IllegalArgumentException e) {
            refused.accept(e.getMessage());
            return null;
        } catch (RuntimeException e) {
            // OkHttp has thrown what a server must not cause.
            refused.accept("it cannot be read");
            return null;
        }
    }

    /** Returns whether a cookie for https would not be sent, or not alone, because of this one. */
    private boolean hides(Cookie other) {
        return other.cookie.secure()
                && other.cookie.name().equals(cookie.name())
                && (UrlParts.isWithin(cookie.domain(), other.cookie.domain())
                        || UrlParts.isWithin(other.cookie.domain(), cookie.domain()))
                && isBelow(cookie.path(), other.cookie.path());
    }

    private static boolean isBelow(String path, String parent) {
        return path.equals(parent) || path.startsWith(parent.endsWith("/") ? parent : parent + "/");
    }

    /** Returns a URL for OkHttp, which then takes a host on this machine for as secure as https, as browsers do. */
    private static HttpUrl target(String url) {
        HttpUrl target = HttpUrl.get(url);
        boolean isHere = THIS_MACHINE.matcher(target.host()).matches();
        return isHere ? target.newBuilder().scheme("https").build() : target;
    }

    /** Returns whether a cookie is sent in a request for a URL at a moment. */
    public static Predicate<Cookie> belongingTo(String url, Instant now) {
        HttpUrl target = target(url);
        return each -> !each.hasExpired(now) && each.cookie.matches(target);
    }

    /** Returns the Cookie field of a request with these cookies, those with the longest paths first; empty for none. */
    public static String field(List<Cookie> cookies) {
        return cookies.stream()
                .sorted(Comparator.comparingInt(each -> -each.cookie.path().length()))
                .map(each -> each.cookie.name() + "=" + each.cookie.value())
                .collect(Collectors.joining("; "));
    }

    /** Returns the same cookie without a value, after its expiry. */
    public Cookie ended() {
        return new Cookie(cookie.newBuilder().value("").expiresAt(1).build());
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
