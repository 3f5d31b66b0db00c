package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The URLs found on one page, to be pushed together.
 *
 * <p>All URLs of a batch have the same depth, redirects, referrer and label. A URL may have a separate key, another
 * spelling of the same page: the key decides whether the URL is new, and the URL is what is handed out. A batch that is
 * {@linkplain #clear cleared} and reused allocates nothing, and only new URLs are copied. Not safe for use by many
 * threads.
 */
public final class UrlBatch {
    /** The highest label. */
    public static final int MAX_LABEL = 255;

    /** The maximum length in bytes of a URL, of a key and of a referrer in a frontier that outlives the process. */
    public static final int MAX_TEXT = 1 << 20;

    private static final Slices NO_KEYS = new Slices();

    private final Slices urls = new Slices();
    /** The keys of all URLs; valid only when {@link #hasKeys}, that is, when some key differs from its URL. */
    private Slices keys = NO_KEYS;

    private boolean hasKeys;
    private int size;
    private int maxBytes;
    private long[] isNew = new long[1];
    private long @Nullable [] hashes;
    private int depth;
    private int redirects;
    private @Nullable String referrer;
    private int label;

    /** Makes an empty batch of seeds: depth 0, no referrer. */
    public UrlBatch() {}

    /** Makes an empty batch of links with the label 0. */
    public UrlBatch(int depth, int redirects, @Nullable String referrer) {
        this();
        clear(depth, redirects, referrer);
    }

    /**
     * Makes an empty batch of links.
     *
     * @param depth links followed from a seed to these URLs; at least 0
     * @param redirects redirects followed in a row to these URLs; at least 0
     * @param referrer the page on which the URLs were found; null when there is none
     * @param label a number of the caller's choice, 0 to {@link #MAX_LABEL}, which is copied to the {@link Lease} of
     *     each URL
     */
    public UrlBatch(int depth, int redirects, @Nullable String referrer, int label) {
        this();
        clear(depth, redirects, referrer, label);
    }

    /** Empties the batch, for seeds. */
    public void clear() {
        clear(0, 0, null);
    }

    /** Empties the batch, for links with the label 0. */
    public void clear(int depth, int redirects, @Nullable String referrer) {
        clear(depth, redirects, referrer, 0);
    }

    /** Empties the batch, for links; parameters as in the constructor. */
    public void clear(int depth, int redirects, @Nullable String referrer, int label) {
        if (depth < 0 || redirects < 0) {
            throw new IllegalArgumentException("depth and redirects must not be negative: " + depth + ", " + redirects);
        }
        if (label < 0 || label > MAX_LABEL) {
            throw new IllegalArgumentException("label must be from 0 to " + MAX_LABEL + ": " + label);
        }
        this.depth = depth;
        this.redirects = redirects;
        this.referrer = referrer;
        this.label = label;
        hasKeys = false;
        size = 0;
        maxBytes = 0;
    }

    /** Adds a URL that is its own key. */
    public void add(String url) {
        byte[] utf8 = utf8(url);
        append(utf8, 0, utf8.length);
    }

    /** Adds a URL and its key. */
    public void add(String url, String key) {
        boolean isOther = !key.equals(url);
        add(url);
        if (isOther) {
            byte[] utf8 = utf8(key);
            setKey(utf8, 0, utf8.length);
        }
    }

    /**
     * Returns the bytes of a URL, by which frontiers compare it: UTF-8. An unpaired surrogate, which has no UTF-8 form,
     * is three bytes as in WTF-8, so that different URLs differ; it is handed out as replacement characters.
     */
    public static byte[] utf8(String url) {
        for (int i = 0; i < url.length(); i++) {
            if (Character.isSurrogate(url.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(url.codePointAt(i))) {
                    return wtf8(url);
                }
                i++;
            }
        }
        return url.getBytes(UTF_8);
    }

    private static byte[] wtf8(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        text.codePoints().forEach(c -> {
            if (Character.MIN_SURROGATE <= c && c <= Character.MAX_SURROGATE) {
                bytes.write(0xE0 | (c >> 12));
                bytes.write(0x80 | ((c >> 6) & 0x3F));
                bytes.write(0x80 | (c & 0x3F));
            } else {
                bytes.writeBytes(Character.toString(c).getBytes(UTF_8));
            }
        });
        return bytes.toByteArray();
    }

    /** Adds a URL that is its own key, in UTF-8. The bytes are not copied: do not change them before the push. */
    public void add(byte[] utf8, int from, int to) {
        Objects.checkFromToIndex(from, to, utf8.length);
        append(utf8, from, to);
    }

    /** Adds a URL and its key, both in UTF-8. The bytes are not copied. */
    public void add(byte[] utf8, int from, int to, byte[] key, int keyFrom, int keyTo) {
        Objects.checkFromToIndex(keyFrom, keyTo, key.length);
        add(utf8, from, to);
        if (!Arrays.equals(utf8, from, to, key, keyFrom, keyTo)) {
            setKey(key, keyFrom, keyTo);
        }
    }

    private void append(byte[] utf8, int from, int to) {
        maxBytes = Math.max(maxBytes, to - from);
        urls.set(size, utf8, from, to);
        if (hasKeys) {
            keys.set(size, utf8, from, to);
        }
        size++;
    }

    /** Sets the key of the URL that was added last. */
    private void setKey(byte[] utf8, int from, int to) {
        if (!hasKeys) {
            keys = keys == NO_KEYS ? new Slices() : keys;
            keys.setAll(urls, size);
            hasKeys = true;
        }
        maxBytes = Math.max(maxBytes, to - from);
        keys.set(size - 1, utf8, from, to);
    }

    /** Returns the number of URLs. */
    public int size() {
        return size;
    }

    /** Returns whether the batch is empty. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the length in bytes of the longest URL or key; 0 when the batch is empty. */
    public int maxBytes() {
        return maxBytes;
    }

    /** Refuses what is longer than {@link #MAX_TEXT}, by an {@link IllegalArgumentException} that says what it is. */
    public void requireLengths() {
        // A char has at most three bytes, so nearly every referrer is measured without being encoded.
        if (referrer != null && referrer.length() > MAX_TEXT / 3) {
            requireLength("referrer", referrer.getBytes(UTF_8).length);
        }
        requireLength("URL or key", maxBytes);
    }

    /** Refuses a text in the same way, by its bytes. */
    public static void requireLength(String what, int bytes) {
        if (bytes > MAX_TEXT) {
            throw new IllegalArgumentException(what + " longer than " + MAX_TEXT + " bytes: " + bytes);
        }
    }

    /** Returns the depth of these URLs. */
    public int depth() {
        return depth;
    }

    /** Returns the number of redirects followed in a row to these URLs. */
    public int redirects() {
        return redirects;
    }

    /** Returns the page on which the URLs were found; null when there is none. */
    public @Nullable String referrer() {
        return referrer;
    }

    /** Returns the label of these URLs. */
    public int label() {
        return label;
    }

    /** Returns the URL at an index. */
    public String url(int index) {
        return urls.text(check(index));
    }

    /** Returns the array that contains the URL at an index, from {@link #urlFrom} to {@link #urlTo}; not a copy. */
    public byte[] urlBytes(int index) {
        return urls.arrays[check(index)];
    }

    /** Returns where the URL begins in {@link #urlBytes}. */
    public int urlFrom(int index) {
        return urls.bounds[2 * check(index)];
    }

    /** Returns where the URL ends in {@link #urlBytes}, exclusive. */
    public int urlTo(int index) {
        return urls.bounds[2 * check(index) + 1];
    }

    /** Returns the array that contains the key, from {@link #keyFrom} to {@link #keyTo}; not a copy. */
    public byte[] keyBytes(int index) {
        return keys().arrays[check(index)];
    }

    /** Returns where the key begins in {@link #keyBytes}. */
    public int keyFrom(int index) {
        return keys().bounds[2 * check(index)];
    }

    /** Returns where the key ends in {@link #keyBytes}, exclusive. */
    public int keyTo(int index) {
        return keys().bounds[2 * check(index) + 1];
    }

    /** Returns whether the URL at an index was new when the batch was last pushed; undefined before that. */
    public boolean isNew(int index) {
        return (isNew[check(index) >> 6] >>> index & 1) != 0;
    }

    private int check(int index) {
        return Objects.checkIndex(index, size);
    }

    private Slices keys() {
        return hasKeys ? keys : urls;
    }

    /**
     * Hashes the keys of up to 64 URLs; for implementations of {@link Frontier}.
     *
     * @return two words per URL, in an array that the next call reuses
     */
    public long[] hash(int from, int count, long seed) {
        if (hashes == null) {
            hashes = new long[2 * Membership.BATCH];
        }
        Slices of = keys();
        for (int i = 0; i < count; i++) {
            int at = from + i;
            Murmur3.hash(of.arrays[at], of.bounds[2 * at], of.bounds[2 * at + 1], seed, hashes, 2 * i);
        }
        return hashes;
    }

    /** Marks all URLs as not new; for implementations of {@link Frontier}. */
    public void clearNew() {
        int words = (size + 63) >> 6;
        if (words > isNew.length) {
            isNew = new long[Math.max(words, isNew.length * 2)];
        } else {
            Arrays.fill(isNew, 0, words, 0);
        }
    }

    /** Marks which of the 64 URLs from an index on, a multiple of 64, are new; for implementations of {@link Frontier}. */
    public void setNew(int from, long mask) {
        isNew[from >> 6] = mask;
    }

    /** A growing list of slices of byte arrays; the arrays are not copied. */
    private static final class Slices {
        private byte[][] arrays = new byte[Membership.BATCH][];
        /** Slice i goes from bounds[2i] to bounds[2i + 1]. */
        private int[] bounds = new int[2 * Membership.BATCH];

        void set(int index, byte[] array, int from, int to) {
            if (index == arrays.length) {
                arrays = Arrays.copyOf(arrays, 2 * index);
                bounds = Arrays.copyOf(bounds, 4 * index);
            }
            // Most slices share one array, and writing a reference costs more than comparing it.
            if (arrays[index] != array) {
                arrays[index] = array;
            }
            bounds[2 * index] = from;
            bounds[2 * index + 1] = to;
        }

        /** Copies the first slices of another list. */
        void setAll(Slices other, int count) {
            for (int i = 0; i < count; i++) {
                set(i, other.arrays[i], other.bounds[2 * i], other.bounds[2 * i + 1]);
            }
        }

        String text(int index) {
            int from = bounds[2 * index];
            return new String(arrays[index], from, bounds[2 * index + 1] - from, UTF_8);
        }
    }
}
