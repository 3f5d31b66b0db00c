package dev.sieve.fetch;

import dev.sieve.polite.RetryAfter;
import dev.sieve.scope.SkipReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What came of asking for one URL. A server can do nothing that is not one of these. */
public sealed interface FetchResult {

    /** The HTTP status; 0 when there was no answer. */
    default int status() {
        return 0;
    }

    /** The reason why there is no page, in one word or two; empty when there is one. */
    default String error() {
        return "";
    }

    /** Whether there is a page that the server calls the right one: a status from 200 to 299. */
    default boolean isSuccess() {
        return false;
    }

    /** Whether the same request may well succeed later. */
    default boolean isWorthRetrying() {
        return false;
    }

    /**
     * An answer that is no redirect, whatever its status.
     *
     * @param status the HTTP status
     * @param headers the header fields by their names in lower case
     * @param type the media type in lower case without parameters; empty when the server named none
     * @param charset the charset that the server named; null when it named none that is known here
     * @param body the body after decoding, as far as it was read; empty when its type is not wanted
     * @param length bytes of the body: as counted when it was read, else as announced; 0 when neither
     * @param isCut whether only the beginning of the body was read: it was longer than the limit, or took more time than
     *     a document may
     */
    @SuppressWarnings("ArrayRecordComponent") // a body is handed on, not compared, and too large to be copied
    record Page(
            int status,
            Map<String, List<String>> headers,
            String type,
            String charset,
            byte[] body,
            long length,
            boolean isCut)
            implements FetchResult {

        @Override
        public boolean isSuccess() {
            return status >= 200 && status < 300;
        }

        /** Whether the server says that it cannot answer now, rather than that it never will. */
        @Override
        public boolean isWorthRetrying() {
            return status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504);
        }

        /** Whether the body is a document with links in it. */
        public boolean isHtml() {
            if (!type.isEmpty()) {
                return mayBeHtml(type);
            }
            // Without a type, a body is taken for a document when it begins like one.
            int first = 0;
            while (first < body.length && body[first] <= ' ') {
                first++;
            }
            return first < body.length && body[first] == '<';
        }

        /** Whether a body of this media type can be a document with links in it. */
        static boolean mayBeHtml(String type) {
            return type.isEmpty() || type.equals("text/html") || type.equals("application/xhtml+xml");
        }

        /** The same page, of whose body only the beginning was read. */
        public Page cut() {
            return new Page(status, headers, type, charset, body, length, true);
        }

        /** The first value of a header field, named in lower case; null when there is none. */
        public String header(String name) {
            List<String> values = headers.get(name);
            return values == null ? null : values.get(0);
        }

        /**
         * How long the server asks to be left alone, in the header {@code Retry-After}.
         *
         * @param now when the response came
         * @param longest the longest pause that it is given
         * @return zero when it does not ask
         */
        public Duration retryAfter(Instant now, Duration longest) {
            Duration asked = RetryAfter.parse(header("retry-after"), now).orElse(Duration.ZERO);
            return asked.compareTo(longest) < 0 ? asked : longest;
        }
    }

    /**
     * The page is elsewhere: the target is a link like any other.
     *
     * @param status the HTTP status
     * @param target the absolute URL to fetch instead
     */
    record Redirect(int status, String target) implements FetchResult {}

    /**
     * The URL was not asked for, and will not be.
     *
     * @param reason which rule forbids it
     */
    record Refused(SkipReason reason) implements FetchResult {
        @Override
        public String error() {
            return reason.rule();
        }
    }

    /**
     * There is no page to be had.
     *
     * @param status the HTTP status when there was an answer of sorts; 0 when there was none
     * @param reason the kind of failure
     * @param detail what exactly happened, for people
     */
    record Failed(int status, Reason reason, String detail) implements FetchResult {
        @Override
        public String error() {
            return reason == Reason.ROBOTS ? reason.text + ": " + detail : reason.text;
        }

        @Override
        public boolean isWorthRetrying() {
            return reason.isPassing;
        }
    }

    /** Why there is no page. */
    enum Reason {
        /** The host's name has no address. */
        DNS("unknown host", true),
        /** Nobody answers at the address. */
        CONNECT("no connection", true),
        /** The server cannot prove who it is, or speaks no secure protocol. */
        TLS("tls", false),
        /** The whole call took longer than its deadline. */
        TIMEOUT("timeout", true),
        /** The connection broke off in the middle of the answer. */
        BROKEN("broken off", true),
        /** The answer is not HTTP as it should be. */
        PROTOCOL("bad answer", false),
        /** A redirect that says not where to, or to where nobody can follow. */
        BAD_REDIRECT("bad redirect", false),
        /** One redirect more than a chain may have. */
        REDIRECT_LIMIT("too many redirects", false),
        /** The host's robots.txt cannot be had, so that nothing may be asked for. */
        ROBOTS("robots.txt unavailable", false),
        /** The host has not answered for so long that it is not asked any more. */
        GIVEN_UP("host given up", false),
        /** The crawl was stopped while the request was under way. */
        STOPPED("stopped", true);

        private final String text;
        private final boolean isPassing;

        Reason(String text, boolean isPassing) {
            this.text = text;
            this.isPassing = isPassing;
        }

        /** The reason in one word or two. */
        public String text() {
            return text;
        }
    }
}
