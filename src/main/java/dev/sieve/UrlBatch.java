package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.util.Arrays;
import java.util.Objects;

/**
 * The URLs found on one page, ready to be pushed together.
 *
 * <p>All URLs of a batch share their depth, their redirects, their referrer and their label. A URL may have a key, another spelling
 * that stands for the same page: the key decides whether the URL is new, the URL is what is handed out. A batch that is
 * {@linkplain #clear cleared} and used again allocates nothing, and no bytes are copied before it is known which of the
 * URLs are new. Not safe for use by many threads.
 */
public final class UrlBatch {
    /** The highest label. */
    public static final int MAX_LABEL = 255;

    private final Slices urls = new Slices();
    /** Those of all URLs, once one has another key; {@link #hasKeys} tells. */
    private Slices keys;

    private boolean hasKeys;

    private int size;
    private long[] isNew = new long[1];
    private final long[] hashes = new long[2 * Membership.BATCH];
    private int depth;
    private int redirects;
    private String referrer;
    private int label;

    /** An empty batch of seeds: depth 0, no referrer. */
    public UrlBatch() {}

    /**
     * An empty batch of links.
     *
     * @param depth links followed from a seed to these URLs; at least 0
     * @param redirects redirects followed in a row to these URLs; at least 0
     * @param referrer the page that the URLs were found on; null when there is none
     */
    public UrlBatch(int depth, int redirects, String referrer) {
        clear(depth, redirects, referrer);
    }

    /**
     * An empty batch of links that carry a label.
     *
     * @param label a number of the caller's choice, 0 to {@link #MAX_LABEL}, which the {@link Lease} of each URL carries as well
     */
    public UrlBatch(int depth, int redirects, String referrer, int label) {
        clear(depth, redirects, referrer, label);
    }

    /** Empties the batch and makes it one of seeds. */
    public void clear() {
        clear(0, 0, null);
    }

    /** Empties the batch, for the links of another page and with the label 0; parameters as in the constructor. */
    public void clear(int depth, int redirects, String referrer) {
        clear(depth, redirects, referrer, 0);
    }

    /** Empties the batch, for the links of another page; parameters as in the constructor. */
    public void clear(int depth, int redirects, String referrer, int label) {
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
    }

    /** Adds a URL that is its own key. */
    public void add(String url) {
        byte[] utf8 = url.getBytes(UTF_8);
        append(utf8, 0, utf8.length);
    }

    /** Adds a URL whose key is spelled otherwise. */
    public void add(String url, String key) {
        add(url);
        if (!key.equals(url)) {
            byte[] utf8 = key.getBytes(UTF_8);
            setKey(utf8, 0, utf8.length);
        }
    }

    /**
     * Adds a URL that is its own key, given by its UTF-8 bytes. They are not copied: leave them as they are until the
     * batch was pushed.
     */
    public void add(byte[] utf8, int from, int to) {
        Objects.checkFromToIndex(from, to, utf8.length);
        append(utf8, from, to);
    }

    /** Adds a URL whose key is spelled otherwise, both given by their UTF-8 bytes, which are not copied. */
    public void add(byte[] utf8, int from, int to, byte[] key, int keyFrom, int keyTo) {
        Objects.checkFromToIndex(keyFrom, keyTo, key.length);
        add(utf8, from, to);
        if (!Arrays.equals(utf8, from, to, key, keyFrom, keyTo)) {
            setKey(key, keyFrom, keyTo);
        }
    }

    private void append(byte[] utf8, int from, int to) {
        urls.set(size, utf8, from, to);
        if (hasKeys) {
            keys.set(size, utf8, from, to);
        }
        size++;
    }

    /** Gives the URL that was added last another key. */
    private void setKey(byte[] utf8, int from, int to) {
        if (!hasKeys) {
            keys = keys == null ? new Slices() : keys;
            keys.setAll(urls, size);
            hasKeys = true;
        }
        keys.set(size - 1, utf8, from, to);
    }

    /** How many URLs were added. */
    public int size() {
        return size;
    }

    /** Whether nothing was added. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Links followed from a seed to these URLs. */
    public int depth() {
        return depth;
    }

    /** Redirects followed in a row to these URLs. */
    public int redirects() {
        return redirects;
    }

    /** The page that the URLs were found on; null when there is none. */
    public String referrer() {
        return referrer;
    }

    /** The label of these URLs, 0 to {@link #MAX_LABEL}. */
    public int label() {
        return label;
    }

    /** The URL at an index, 0 for the one that was added first. */
    public String url(int index) {
        Objects.checkIndex(index, size);
        return urls.text(index);
    }

    /** The key of the URL at an index; the URL itself unless another one was given. */
    public String key(int index) {
        Objects.checkIndex(index, size);
        return keys().text(index);
    }

    /** Whether the URL at an index was new when the batch was last pushed; meaningless before that. */
    public boolean isNew(int index) {
        Objects.checkIndex(index, size);
        return (isNew[index >> 6] >>> index & 1) != 0;
    }

    /** The bytes of the URLs, by their indices. */
    public Slices urls() {
        return urls;
    }

    /** The bytes of the keys, by the indices of the URLs. */
    public Slices keys() {
        return hasKeys ? keys : urls;
    }

    /** Hashes the keys of up to 64 URLs, into an array that is used again by the next call. */
    public long[] hash(int from, int count, long seed) {
        Slices of = keys();
        for (int i = 0; i < count; i++) {
            int at = from + i;
            Murmur3.hash(of.array(at), of.start(at), of.end(at), seed, hashes, 2 * i);
        }
        return hashes;
    }

    /** Notes which of the 64 URLs from an index on, a multiple of 64, were new, one bit each. */
    public void noteNew(int from, long mask) {
        int word = from >> 6;
        if (word >= isNew.length) {
            isNew = Arrays.copyOf(isNew, Math.max(word + 1, isNew.length * 2));
        }
        isNew[word] = mask;
    }
}
