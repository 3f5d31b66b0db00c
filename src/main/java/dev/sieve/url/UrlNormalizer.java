package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.charset.Charset;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts a URL into two spellings: the URL that is fetched, and the key that identifies the page.
 *
 * <p>The <b>URL to fetch</b> is the result of the WHATWG URL standard without fragment and credentials. It is ASCII without
 * blanks or control characters, means the same to every browser, and is sent exactly as it is spelled (a host such as {@code
 * [::ffff:1.2.3.4]} is sent as {@code 1.2.3.4}, the same address); therefore a vertical bar in a path is escaped, which the
 * standard leaves open:
 *
 * <pre>
 *   HTTP://Exämple.com:80/a/../b c?q#top      http://xn--exmple-cua.com/b%20c?q
 *   http://2130706433                        http://127.0.0.1/
 *   https:\\user:word@h\x                     https://h/x
 *   mailto:a@b, http://a..b/, http://h:0/    refused
 * </pre>
 *
 * <p>The characters of a query are encoded in the charset of the page, those of a path in UTF-8.
 *
 * <p>The <b>key</b> is normalised as far as RFC 3986, sections 6.2.2 and 6.2.3, permits without a request to the server;
 * see {@link #key}. It is never fetched.
 *
 * <p>The JDK's types are not suitable: {@link java.net.URI} refuses many links, and {@link java.net.URL} takes {@code
 * 0177.0.0.1} for another host than the network does.
 *
 * <p>Every method takes time and memory in proportion to the input up to {@link #MAX_LENGTH}, and no input causes an
 * exception. Only a URL with an international host, that is one with a character beyond ASCII or a label that begins with
 * {@code xn--}, requires OkHttp on the class path; without it, a {@link NoClassDefFoundError} names the missing artifact.
 * The static methods are safe for use by many threads; a {@link Base} is not.
 */
public final class UrlNormalizer {
    /** The longest URL in characters: as fetched, and as written, without the fragment and surrounding blanks. */
    public static final int MAX_LENGTH = UrlBuffer.MAX_LENGTH;

    /** What a server adds to the links of a visitor without cookies. */
    private static final Pattern SESSION = Pattern.compile(
            "(?i);jsessionid=[^;/?&]*|(?<=[?&])(?:jsessionid|phpsessid|oscsid|zenid|cfid|cftoken)=[^&]*(?:&|$)");
    /** The same, or the identifier of a page. */
    private static final Pattern AMBIGUOUS =
            Pattern.compile("(?i)(?<=[?&])(?:sid|sessid|session_?id)=(?=[a-z_-]*[0-9])[\\w-]{16,}(?:&|$)");

    private UrlNormalizer() {}

    /** Returns the URL to fetch for an absolute URL; null when it cannot be fetched, for the reason {@link #refusal}. */
    public static @Nullable String parse(String url) {
        return new UrlParser(null, null).parse(url);
    }

    /** Returns why {@link #parse} returns null for a URL; null when it does not. */
    public static @Nullable Refusal refusal(String url) {
        UrlParser parser = new UrlParser(null, null);
        parser.parse(url);
        return parser.refusal();
    }

    /**
     * Returns the base for the references of a page: its URL, or that of its {@code base} element.
     *
     * @throws IllegalArgumentException when {@link #parse} refuses the URL
     */
    public static Base base(String url) {
        return base(url, UTF_8);
    }

    /**
     * Does the same for a page in another charset, in which the queries of its references are encoded. A character that
     * the charset lacks is replaced by a reference to it, as in HTML: {@code %26%239731%3B}.
     *
     * @throws IllegalArgumentException when {@link #parse} refuses the URL
     */
    public static Base base(String url, Charset charset) {
        String parsed = parse(url);
        if (parsed == null) {
            throw new IllegalArgumentException("not a URL to resolve against: " + url);
        }
        return new Base(parsed, charset);
    }

    /**
     * Returns the key of a URL to fetch; two URLs with the same key are one page.
     *
     * <p>A URL to fetch has a lower-case scheme and host, a path without dot segments, and no default port. The key
     *
     * <ol>
     *   <li>decodes the escapes of letters, digits and {@code - . _ ~}, and writes all others in upper case: {@code
     *   %7euser} becomes {@code ~user}, {@code %c3%a9} becomes {@code %C3%A9}. An escape whose decoded character would
     *   complete a broken one before it is kept;
     *   <li>drops a trailing dot of the host;
     *   <li>drops sessions: {@code jsessionid}, {@code PHPSESSID}, {@code osCsid}, {@code zenid}, {@code CFID} and
     *   {@code CFTOKEN}. Each visit of a page with such links has others.
     * </ol>
     *
     * <p>In doubt a page is fetched twice, because a page that is taken for another is lost. Therefore http and https,
     * upper and lower case in paths, {@code //}, a trailing slash, {@code index.html}, {@code www.}, an empty query and
     * a stray {@code %} are kept, and other parameters are neither sorted nor dropped; {@link PageKeys} drops those that a
     * user names.
     *
     * @param url a URL returned by {@link #parse} or {@link Base#resolve}
     * @return the same object when the URL is its own key, as most are; {@code key(key(url))} equals {@code key(url)}
     */
    public static String key(String url) {
        int hostEnd = UrlParts.hostEnd(url);
        String key = url.charAt(hostEnd - 1) == '.' ? url.substring(0, hostEnd - 1) + url.substring(hostEnd) : url;
        int percent = key.indexOf('%');
        return withoutSession(SESSION, percent < 0 ? key : unescaped(key.getBytes(ISO_8859_1), percent));
    }

    /**
     * Returns a key without what may be a session, or the identifier of a page: {@code sid}, {@code sessid}, {@code
     * sessionid} and {@code session_id} with a value of at least 16 letters and digits, one of them a digit. The same
     * object if there is none.
     */
    public static String withoutAmbiguous(String key) {
        return withoutSession(AMBIGUOUS, key);
    }

    private static String withoutSession(Pattern session, String url) {
        // The ends of these names as they are written. Most URLs have none of them.
        boolean mayHaveSession = url.contains("id=")
                || url.contains("ID=")
                || url.contains("Id=")
                || url.contains("token=")
                || url.contains("TOKEN=");
        return mayHaveSession ? without(session, url) : url;
    }

    /** Returns a key without what an expression matches: parameters, each with the {@code &} after it. */
    static String without(Pattern parameters, String url) {
        String without = parameters.matcher(url).replaceAll("");
        boolean wasLast = without.length() < url.length() && (without.endsWith("?") || without.endsWith("&"));
        return wasLast ? without.substring(0, without.length() - 1) : without;
    }

    /** Works in place, since a key is never longer than its URL. */
    private static String unescaped(byte[] ascii, int percent) {
        int size = percent;
        int stray = -3;
        for (int i = percent; i < ascii.length; i++) {
            int octet = UrlSyntax.octet(ascii, i);
            if (octet < 0) {
                stray = ascii[i] == '%' ? size : stray;
                ascii[size++] = ascii[i];
                continue;
            }
            // After a stray % a decoded digit could complete an escape, and the key of the key would differ.
            if (UrlSyntax.isUnreserved(octet) && size - stray > 2) {
                ascii[size++] = (byte) octet;
            } else {
                ascii[size++] = '%';
                ascii[size++] = (byte) Character.toUpperCase((char) ascii[i + 1]);
                ascii[size++] = (byte) Character.toUpperCase((char) ascii[i + 2]);
            }
            i += 2;
        }
        return new String(ascii, 0, size, ISO_8859_1);
    }

    /** A URL that references are resolved against; one per page. Not safe for use by many threads. */
    public static final class Base {
        private final String url;
        private final UrlParser parser;

        private Base(String url, Charset charset) {
            this.url = url;
            parser = new UrlParser(url, QueryEncoder.of(charset));
        }

        /** Returns this URL, normalised. */
        public String url() {
            return url;
        }

        /**
         * Returns the URL to fetch for an absolute or relative reference as it is written in a page.
         *
         * @return null when it cannot be fetched, for the reason {@link #refusal}
         */
        public @Nullable String resolve(String reference) {
            return parser.parse(reference);
        }

        /** Returns why the last {@link #resolve} returned null; null when it did not. */
        public @Nullable Refusal refusal() {
            return parser.refusal();
        }
    }
}
