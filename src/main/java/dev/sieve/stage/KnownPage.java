package dev.sieve.stage;

import dev.sieve.crawl.Target;
import dev.sieve.fetch.Exchange;
import dev.sieve.output.Likeness;
import dev.sieve.url.UrlNormalizer;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a URL that was visited in this round or an earlier one; a line of {@link KnownPages}.
 *
 * <p>References to other pages are their numbers, or, as long as these have none, the complement of their {@linkplain
 * KnownPages#fingerprint fingerprints}, which is negative.
 *
 * @param number of the page in its job; -1 before it has one
 * @param label of the URL in the frontier
 * @param links the pages to which it links, sorted
 */
@SuppressWarnings("ArrayRecordComponent") // pages are not compared
record KnownPage(int number, int label, String url, Discovery discovery, Content content, Visits visits, long[] links) {
    static final long NO_REFERRER = Long.MIN_VALUE;
    static final long[] NO_LINKS = {};
    static final int FINGERPRINT_BITS = 48;
    private static final int FINGERPRINT_BYTES = FINGERPRINT_BITS / 8;
    /** The largest number of links that are stored. */
    static final int MAX_LINKS = 200_000;

    static final int RADIX = 36;
    private static final int FIELDS = 16;
    static final int MAX_STATUS = 999;
    private static final int MAX_ETAG = 1000;
    private static final Pattern ETAG = Pattern.compile("(?:W/)?\"[!#-~]*\"");
    private static final Pattern ARCHIVED = Pattern.compile("([0-9a-z]{1,10})/([0-9a-f]{40})");
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    enum State {
        /** There was none so far. */
        NONE,
        /** A page. */
        PAGE,
        /** A redirect. */
        MOVED,
        /** The status 404 or 410. */
        GONE;

        private final String text = name().substring(0, 1).toLowerCase(Locale.ROOT);

        private static State of(String text) {
            for (State state : values()) {
                if (state.text.equals(text)) {
                    return state;
                }
            }
            throw new IllegalArgumentException("not a state: " + text);
        }
    }

    /** How a URL was first found: by how many links from a seed, and on which page; {@link #NO_REFERRER} for none. */
    record Discovery(int depth, long referrer) {}

    /**
     * The last usable response.
     *
     * @param state what it was
     * @param body the digest of the body, of the target of a redirect, or of what the header fields say of a body that
     *     is not read; 0 without one
     * @param text the digest of the visible text; 0 without a document
     * @param etag the entity tag of the page; null for none
     * @param lastModified when the page was last modified by its server, in epoch seconds; -1 for none
     * @param archived the exchange with this body that is in an archive; null for none
     */
    record Content(
            State state,
            long body,
            long text,
            @Nullable String etag,
            long lastModified,
            Exchange.@Nullable Earlier archived) {
        /** Returns nothing but the exchange of a visit. */
        static Content unread(Exchange.@Nullable Earlier archived) {
            return new Content(State.NONE, 0, 0, null, -1, archived);
        }
    }

    /**
     * The visits of a URL.
     *
     * @param count how many there were; 0 when it was never visited, since it is refused
     * @param status of the last response; 0 without a usable one
     * @param last the time of the last one, in epoch seconds
     * @param lastChange when one has last found a change, in epoch seconds
     * @param interval how long until the next one, in seconds; 0 for one round
     */
    record Visits(int count, int status, long last, long lastChange, int interval) {
        static final Visits NONE = new Visits(0, 0, 0, 0, 0);

        Visits next(int newStatus, long time, boolean isChange, long newInterval) {
            return new Visits(count + 1, newStatus, time, isChange ? time : lastChange, (int) newInterval);
        }
    }

    /** Returns an entity tag as it is stored; null when it cannot be, or there is none. */
    static @Nullable String storable(@Nullable String etag) {
        return etag != null && etag.length() <= MAX_ETAG && ETAG.matcher(etag).matches() ? etag : null;
    }

    Target.Kind kind() {
        return Target.Kind.of(label);
    }

    String line() {
        Exchange.Earlier archived = content.archived;
        return String.join(
                " ",
                text(number),
                text(label),
                text(discovery.depth),
                discovery.referrer == NO_REFERRER ? "-" : text(discovery.referrer),
                content.state.text + text(visits.status),
                digits(content.body),
                digits(content.text),
                content.lastModified < 0 ? "-" : text(content.lastModified),
                text(visits.count),
                text(visits.last),
                // Below 0 when the clock was set back in between.
                text(Math.max(0, visits.last - visits.lastChange)),
                text(visits.interval),
                archived == null ? "-" : text(archived.time().toEpochMilli()) + "/" + archived.sha1(),
                links(links),
                content.etag == null ? "-" : content.etag,
                url);
    }

    static String text(long value) {
        return Long.toString(value, RADIX);
    }

    /** Numbers as their distances, in base 128 with the lowest digits first; then fingerprints. Both are counted first. */
    private static String links(long[] links) {
        if (links.length == 0) {
            return "-";
        }
        int known = (int) Arrays.stream(links).filter(link -> link >= 0).count();
        ByteBuffer bytes = ByteBuffer.allocate(5 + 5 * known + FINGERPRINT_BYTES * (links.length - known));
        put(bytes, known);
        long before = 0;
        for (long link : links) {
            if (link >= 0) {
                put(bytes, link - before);
                before = link;
            }
        }
        for (long link : links) {
            for (int shift = FINGERPRINT_BITS - 8; link < 0 && shift >= 0; shift -= 8) {
                bytes.put((byte) (~link >>> shift));
            }
        }
        return ENCODER.encodeToString(Arrays.copyOf(bytes.array(), bytes.position()));
    }

    private static void put(ByteBuffer bytes, long value) {
        long rest = value;
        for (; rest > 0x7f; rest >>>= 7) {
            bytes.put((byte) (rest | 0x80));
        }
        bytes.put((byte) rest);
    }

    /** Returns whether a line is that of a page with a number. */
    static boolean isLine(String line) {
        try {
            KnownPage page = parse(line);
            return page.number >= 0 && page.url.equals(UrlNormalizer.parse(page.url));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the page in a line, which has to be {@linkplain #isLine such a line}, but for its URL. */
    static KnownPage parse(String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("not a page: " + line);
        }
        long lastVisit = number(fields[9], Long.MAX_VALUE);
        return new KnownPage(
                (int) number(fields[0], Integer.MAX_VALUE),
                (int) number(fields[1], 255),
                fields[15],
                new Discovery(
                        (int) number(fields[2], Integer.MAX_VALUE),
                        fields[3].equals("-") ? NO_REFERRER : reference(Long.parseLong(fields[3], RADIX))),
                new Content(
                        State.of(fields[4].isEmpty() ? "" : fields[4].substring(0, 1)),
                        digest(fields[5]),
                        digest(fields[6]),
                        fields[14].equals("-") ? null : etag(fields[14]),
                        fields[7].equals("-") ? -1 : number(fields[7], Long.MAX_VALUE),
                        archived(fields[12])),
                new Visits(
                        (int) number(fields[8], Integer.MAX_VALUE),
                        (int) number(fields[4].substring(1), MAX_STATUS),
                        lastVisit,
                        lastVisit - number(fields[10], lastVisit),
                        (int) number(fields[11], Integer.MAX_VALUE)),
                fields[13].equals("-") ? NO_LINKS : links(fields[13]));
    }

    /** Returns the number and nothing else of a line that {@link #parse} accepts. */
    static long number(String text, long most) {
        long value = Long.parseLong(text, RADIX);
        if (value < 0 || value > most) {
            throw new IllegalArgumentException("out of range: " + text);
        }
        return value;
    }

    private static long reference(long value) {
        long fingerprint = value < 0 ? ~value : 0;
        if (value > Integer.MAX_VALUE || fingerprint >>> FINGERPRINT_BITS != 0) {
            throw new IllegalArgumentException("not a reference: " + value);
        }
        return value;
    }

    private static String digits(long digest) {
        return digest == 0
                ? "-"
                : ENCODER.encodeToString(
                        ByteBuffer.allocate(Long.BYTES).putLong(digest).array());
    }

    private static long digest(String text) {
        byte[] bytes =
                text.equals("-") ? new byte[Long.BYTES] : Base64.getUrlDecoder().decode(text);
        if (bytes.length != Long.BYTES) {
            throw new IllegalArgumentException("not a digest: " + text);
        }
        return ByteBuffer.wrap(bytes).getLong();
    }

    private static Exchange.@Nullable Earlier archived(String text) {
        if (text.equals("-")) {
            return null;
        }
        Matcher parts = ARCHIVED.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not an exchange: " + text);
        }
        return new Exchange.Earlier(Instant.ofEpochMilli(Long.parseLong(parts.group(1), RADIX)), parts.group(2));
    }

    private static String etag(String text) {
        if (storable(text) == null) {
            throw new IllegalArgumentException("not an entity tag: " + text);
        }
        return text;
    }

    private static long[] links(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
        int known = (int) Math.min(get(bytes), MAX_LINKS + 1L);
        int all = known + bytes.remaining() / FINGERPRINT_BYTES;
        if (known > bytes.remaining() || all > MAX_LINKS) {
            throw new IllegalArgumentException("too many links");
        }
        long[] links = new long[all];
        long number = 0;
        int at = 0;
        for (; at < known; at++) {
            number += get(bytes);
            links[at] = reference(number);
        }
        if (bytes.remaining() % FINGERPRINT_BYTES != 0) {
            throw new IllegalArgumentException("half a link");
        }
        for (; bytes.hasRemaining(); at++) {
            long fingerprint = 0;
            for (int i = 0; i < FINGERPRINT_BYTES; i++) {
                fingerprint = (fingerprint << 8) | (bytes.get() & 0xff);
            }
            links[at] = ~fingerprint;
        }
        return Arrays.copyOf(links, at);
    }

    private static long get(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; shift <= 28; shift += 7) {
            if (!bytes.hasRemaining()) {
                break;
            }
            byte next = bytes.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("not a number of a page");
    }

    /** Returns whether what it names is one step further in a chain of redirects, or of style sheets. */
    boolean countsAsRedirect() {
        return content.state == State.MOVED || kind() == Target.Kind.STYLE_SHEET;
    }

    /** Returns whether it is a page whose links are followed. */
    boolean isCrawledPage() {
        return kind() == Target.Kind.PAGE && content.state == State.PAGE;
    }

    /** Returns by what it is compared with other pages; null without a document. */
    @Nullable
    Likeness likeness() {
        return content.text == 0 ? null : new Likeness(content.body, content.text, "", null, null, null);
    }

    /** Returns this page after a visit that has found no change of it. */
    KnownPage visited(Visits all) {
        return new KnownPage(number, label, url, discovery, content, all, links);
    }

    KnownPage with(int newNumber, long newReferrer, long[] newLinks) {
        Discovery newDiscovery = new Discovery(discovery.depth, newReferrer);
        return new KnownPage(newNumber, label, url, newDiscovery, content, visits, newLinks);
    }
}
