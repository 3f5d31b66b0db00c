package dev.sieve.fetch;

import dev.sieve.polite.RetryAfter;
import dev.sieve.scope.SkipReason;
import java.net.HttpURLConnection;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of requesting one URL; it covers everything that a server may do. */
public sealed interface FetchResult {
    /** The form of a date in header fields that servers have to send, RFC 9110 section 5.6.7. */
    DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    /** Returns the HTTP status; 0 without a response. */
    default int status() {
        return 0;
    }

    /** Returns why the page is missing, in a word or two; empty when it is not. */
    default String error() {
        return "";
    }

    /** Returns the {@link #error} and what exactly happened, unless that says the same; empty when there is a page. */
    default String description() {
        return error();
    }

    /** Returns whether there is a page {@linkplain Page#isOfSite of the site} with a status from 200 to 299. */
    default boolean isSuccess() {
        return false;
    }

    /** Returns whether the server says that the page is as it was. */
    default boolean isNotModified() {
        return status() == HttpURLConnection.HTTP_NOT_MODIFIED;
    }

    /** Returns whether the same request may succeed later. */
    default boolean isWorthRetrying() {
        return false;
    }

    /** Returns what was sent and received; null without a response, and unless {@link Fetcher.Options#keepsExchanges} is set. */
    default @Nullable Exchange exchange() {
        return null;
    }

    /** Returns this result with another exchange; with none if it is null. */
    default FetchResult with(@Nullable Exchange exchange) {
        return this;
    }

    /**
     * A response that is not a redirect.
     *
     * @param status the HTTP status
     * @param headers the header fields by their names in lower case
     * @param type the media type in lower case without parameters; empty when there is none
     * @param body the decoded body, as far as it was read; empty when its type is not wanted, or that of an error could
     *     not be read
     * @param length bytes of the body that were read, after decoding; those of a body that was read only for an {@link
     *     Exchange} as they were received; 0 when it was not read, whatever the server has announced
     * @param isCut whether only the beginning of the body was read or parsed, since a limit was reached or the rest of
     *     it could not be read; a body of which nothing was needed is not cut
     * @param problem why the rest of the body could not be read, although the connection was open long enough; null
     *     otherwise
     * @param login what shows that it is a request to log in, in place of what the URL has; null of others
     */
    @SuppressWarnings("ArrayRecordComponent") // a body is not compared, and too large to be copied
    record Page(
            int status,
            Map<String, List<String>> headers,
            String type,
            byte[] body,
            long length,
            boolean isCut,
            @Nullable Failed problem,
            @Nullable Login login,
            @Nullable Exchange exchange)
            implements FetchResult {

        /** Creates a page without an exchange. */
        public Page(
                int status, Map<String, List<String>> headers, String type, byte[] body, long length, boolean isCut) {
            this(status, headers, type, body, length, isCut, null, null, null);
        }

        @Override
        public Page with(@Nullable Exchange other) {
            return new Page(status, headers, type, body, length, isCut, problem, login, other);
        }

        /** Returns a response that is a request to log in. */
        public static Page ofLogin(FetchResult response, Login sign) {
            return response instanceof Page page
                    ? page.as(sign)
                    : new Page(response.status(), Map.of(), "", new byte[0], 0, false)
                            .with(response.exchange())
                            .as(sign);
        }

        private Page as(Login sign) {
            return new Page(status, headers, type, body, length, isCut, problem, sign, exchange);
        }

        /** Returns a page without a body, of which so much was read for an exchange as this has. */
        Page readFor(Exchange other) {
            boolean isPart = other.cut() != Exchange.Cut.NONE;
            return new Page(status, headers, type, body, other.body().length, isPart, problem, login, other);
        }

        @Override
        public boolean isSuccess() {
            return status >= 200 && status < 300 && isOfSite();
        }

        /** {@inheritDoc} Empty unless there is a {@link #problem}. */
        @Override
        public String description() {
            return problem == null ? "" : problem.description();
        }

        /** {@inheritDoc} The status says that the failure is temporary, or the body has broken off. */
        @Override
        public boolean isWorthRetrying() {
            return (problem != null && problem.isWorthRetrying())
                    || status == 408
                    || status == 429
                    || status == 500
                    || (status >= 502 && status <= 504);
        }

        /** Returns whether the site has responded, and nothing in place of it. */
        public boolean isOfSite() {
            return login == null && wall() == null;
        }

        /** Returns the service that has responded in place of the site; null when none has. */
        public @Nullable BotWall wall() {
            return BotWall.of(status, headers);
        }

        /** Returns whether the body is an HTML document. Without a type, it is when it begins with {@code <}. */
        public boolean isHtml() {
            if (!type.isEmpty()) {
                return mayBeHtml(type);
            }
            int first = 0;
            while (first < body.length && body[first] <= ' ') {
                first++;
            }
            return first < body.length && body[first] == '<';
        }

        /** Returns whether a body of this media type may be an HTML document. */
        public static boolean mayBeHtml(String type) {
            return type.isEmpty() || type.equals("text/html") || type.equals("application/xhtml+xml");
        }

        /** Returns this page, marked as cut. */
        public Page cut() {
            return new Page(status, headers, type, body, length, true, problem, login, exchange);
        }

        Page cut(Failed reason) {
            return new Page(status, headers, type, body, length, true, reason, login, exchange);
        }

        /** Returns the first value of a header field by its name in lower case; null when there is none. */
        public @Nullable String header(String name) {
            List<String> values = headers.get(name);
            return values == null ? null : values.get(0);
        }

        /** Returns when its server says that it was last modified; null when it does not say so. */
        public @Nullable Instant lastModified() {
            String date = header("last-modified");
            try {
                return date == null ? null : Instant.from(HTTP_DATE.parse(date));
            } catch (DateTimeException e) {
                return null;
            }
        }

        /** Returns the pause that {@code Retry-After} requests from this time on, at most a day; zero for none. */
        public Duration retryAfter(Instant now) {
            return RetryAfter.parse(header("retry-after"), now).orElse(Duration.ZERO);
        }
    }

    /**
     * A redirect to an absolute URL, which is a link like any other.
     *
     * @param fragment the {@linkplain dev.sieve.url.Fragment fragment} of its target, which replaces that of a link;
     *     empty when it has none
     * @param cookie what has become of a cookie that it sets
     */
    record Redirect(
            int status,
            String target,
            String fragment,
            SetCookie cookie,
            @Nullable Exchange exchange) implements FetchResult {
        /** Creates a redirect to a whole page, without a cookie and an exchange. */
        public Redirect(int status, String target) {
            this(status, target, "", SetCookie.NONE, null);
        }

        /** Returns whether links to the URL are to be changed: RFC 9110, sections 15.4.2 and 15.4.9. */
        public boolean isPermanent() {
            return status == HttpURLConnection.HTTP_MOVED_PERM || status == 308;
        }

        @Override
        public Redirect with(@Nullable Exchange other) {
            return new Redirect(status, target, fragment, cookie, other);
        }

        /** Returns the same after its cookies were kept: later requests differ by them, or not. */
        public Redirect afterCookies(boolean isChanged) {
            return new Redirect(status, target, fragment, isChanged ? SetCookie.KEPT : SetCookie.NONE, exchange);
        }
    }

    /** What becomes of a cookie that a response sets. */
    enum SetCookie {
        /** There is none, or none that changes anything. */
        NONE,
        /** No later request sends it. */
        DROPPED,
        /** Later requests differ by it, so that the same URL may have another response. */
        KEPT
    }

    /** What shows that a response is a request to log in. */
    enum Login {
        /** The status 401. */
        STATUS("401"),
        /** A redirect to a page with a form for a password. */
        REDIRECT("redirect"),
        /** The page itself has a form for a password, and other URLs have the same page. */
        FORM("form");

        private final String text;

        Login(String text) {
            this.text = text;
        }

        /** Returns the name in records. */
        public String text() {
            return text;
        }
    }

    /** The URL was not requested, and will not be, for the reason given. */
    record Refused(SkipReason reason) implements FetchResult {
        @Override
        public String error() {
            return reason.rule();
        }
    }

    /** The {@linkplain FetchRequest.Watch watch} did not let the request be sent. */
    record NotSent() implements FetchResult {}

    /**
     * A request that failed.
     *
     * @param status the HTTP status when there was a response; otherwise 0
     * @param detail what exactly happened, for people. That of {@link Reason#ROBOTS} begins with what happened to
     *     robots.txt, as a key that no server chooses, up to a colon
     */
    record Failed(
            int status,
            Reason reason,
            String detail,
            @Nullable Exchange exchange) implements FetchResult {
        /** Creates a failure without an exchange. */
        public Failed(int status, Reason reason, String detail) {
            this(status, reason, detail, null);
        }

        @Override
        public Failed with(@Nullable Exchange other) {
            return new Failed(status, reason, detail, other);
        }

        @Override
        public String error() {
            return reason == Reason.ROBOTS ? reason.text + ": " + detail.split(": ", 2)[0] : reason.text;
        }

        @Override
        public String description() {
            return reason.text.endsWith(detail) ? reason.text : reason.text + ": " + detail;
        }

        @Override
        public boolean isWorthRetrying() {
            return reason.isTemporary;
        }
    }

    /** Why a request failed. */
    enum Reason {
        /** The host has no address. */
        DNS("unknown host", true),
        /** No server accepts the connection. */
        CONNECT("no connection", true),
        /** The certificate of the server is not trusted, or the secure connection failed. */
        TLS("tls", false),
        /** The request took longer than its deadline. */
        TIMEOUT("timeout", true),
        /** A connection that was kept open was closed before the response, perhaps before the request was sent. */
        CLOSED("connection closed", true),
        /** The connection ended within the response. */
        BROKEN("broken off", true),
        /** The response is not valid HTTP. */
        PROTOCOL("invalid response", false),
        /** A file on this machine may not be read. */
        UNREADABLE("file not readable", false),
        /** The text of a link is not a URL, so nothing was requested. */
        MALFORMED("malformed URL", false),
        /** The page of a link has no part with the name in its fragment. */
        FRAGMENT("missing fragment", false),
        /** An image, script, style sheet or other file is an HTML page. */
        WRONG_TYPE("wrong type", false),
        /** The redirect has no target that can be requested, or leads back to itself. */
        BAD_REDIRECT("bad redirect", false),
        /** The chain of redirects is too long. */
        REDIRECT_LIMIT("too many redirects", false),
        /** The robots.txt of the host is unavailable, so nothing may be requested. */
        ROBOTS("robots.txt unavailable", false),
        /** The host failed too often in a row. */
        GIVEN_UP("host given up", false),
        /** The crawl was stopped during the request. */
        STOPPED("stopped", true);

        private final String text;
        private final boolean isTemporary;

        Reason(String text, boolean isTemporary) {
            this.text = text;
            this.isTemporary = isTemporary;
        }

        /** Returns the reason in a word or two. */
        public String text() {
            return text;
        }
    }
}
