package dev.sieve.url;

/**
 * The two spellings of a page: the URL that is fetched, and the key that tells whether two URLs are one page.
 *
 * <p>The <b>URL to fetch</b> is what the WHATWG URL standard makes of what was written, less its fragment and its
 * credentials; it is ASCII, has no blank or control character in it, and means the same to every browser:
 *
 * <pre>
 *   HTTP://Exämple.com:80/a/../b c?q#top      http://xn--exmple-cua.com/b%20c?q
 *   http://2130706433                        http://127.0.0.1/
 *   https:\\user:word@h\x                     https://h/x
 *   mailto:a@b, http://a..b/, http://h:0/    refused
 * </pre>
 *
 * <p>Characters of a query are written as UTF-8, whatever the charset of the page.
 *
 * <p>The <b>key</b> goes as far as RFC 3986, sections 6.2.2 and 6.2.3, allows without asking the server; see {@link
 * #key}. It is never fetched.
 *
 * <p>The JDK's types will not do: {@link java.net.URI} refuses many of the links that pages hold, and {@link
 * java.net.URL} reads {@code 0177.0.0.1} as another machine than the network does.
 *
 * <p>Everything here takes time and memory in proportion to the input up to {@link #MAX_LENGTH}, and no input makes it
 * throw. The static methods may be called by any thread; a {@link Base} belongs to one.
 */
public final class UrlNormalizer {
    /**
     * The most characters of a URL: as it would be fetched, and as it is written, without the fragment and the blanks
     * around it.
     */
    public static final int MAX_LENGTH = UrlBuffer.MAX_LENGTH;

    private UrlNormalizer() {}

    /**
     * The URL to fetch for one that was written in full.
     *
     * @return null when it is none that can be fetched; {@link #refusal} tells why
     */
    public static String parse(String url) {
        return new UrlParser(null).parse(url);
    }

    /** Why {@link #parse} of this URL answers null; null when it does not. */
    public static Refusal refusal(String url) {
        UrlParser parser = new UrlParser(null);
        parser.parse(url);
        return parser.refusal();
    }

    /**
     * The URL that references are resolved against: that of the page, or what its {@code base} element says.
     *
     * @throws IllegalArgumentException when it is no http or https URL that can be fetched
     */
    public static Base base(String url) {
        String parsed = parse(url);
        if (parsed == null) {
            throw new IllegalArgumentException("no URL to resolve against: " + url);
        }
        return new Base(parsed);
    }

    /**
     * The key of a URL to fetch; two URLs with one key are one page.
     *
     * <p>Beyond the spelling of the URL to fetch, which already has a lower-case scheme and host, no default port, no
     * dot segments and never an empty path, the key
     *
     * <ol>
     *   <li>decodes the escapes of letters, digits, {@code - . _ ~}, and writes all others in capitals: {@code %7euser}
     *       is {@code ~user}, {@code %c3%a9} is {@code %C3%A9}. An escape that would complete a broken one before it
     *       stays;
     *   <li>drops the last dot of a host;
     *   <li>drops a query that is empty.
     * </ol>
     *
     * <p>It errs towards fetching a page twice, for a page that is taken for another is lost. So http and https stay
     * apart, upper and lower case in paths too; parameters are neither sorted nor dropped; {@code //} stays in a path,
     * so does a slash at its end and {@code index.html}; {@code www.} stays, and so does a stray {@code %}.
     *
     * @param url a URL as {@link #parse} or {@link Base#resolve} gives it
     * @return the same object when the URL is its own key, as most are; {@code key(key(url))} is {@code key(url)}
     */
    public static String key(String url) {
        return UrlKey.of(url);
    }

    /**
     * A URL that references are resolved against. Made once a page; not safe for use by many threads.
     */
    public static final class Base {
        private final String url;
        private final UrlParser parser;

        private Base(String url) {
            this.url = url;
            this.parser = new UrlParser(url);
        }

        /** This URL itself, in the spelling that is fetched. */
        public String url() {
            return url;
        }

        /**
         * The URL to fetch for a reference, as it stands in a page: a whole URL or a part of one, with blanks around it
         * and line breaks in it.
         *
         * @return null when it leads to nothing that can be fetched; {@link #refusal} tells why
         */
        public String resolve(String reference) {
            return parser.parse(reference);
        }

        /** Why the last {@link #resolve} answered null; null when it did not. */
        public Refusal refusal() {
            return parser.refusal();
        }
    }
}
