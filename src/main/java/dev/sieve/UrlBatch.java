package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Murmur3;
import java.util.Arrays;
import java.util.Objects;

/**
 * The URLs found on one page, ready to be pushed together.
 *
 * <p>All URLs of a batch share their depth, their redirects and their referrer. A URL may have a key, another spelling
 * that stands for the same page: the key decides whether the URL is new, the URL is what is handed out. The bytes of
 * all URLs lie in one buffer that grows as needed and is kept by {@link #clear}, so that a batch which is used again
 * allocates nothing. Not safe for use by many threads.
 */
public final class UrlBatch {
    /** Entry i: its URL at offsets[2i] to offsets[2i+1], its key from there to offsets[2i+2], empty when the same. */
    private int[] offsets = new int[129];

    private byte[] bytes = new byte[8192];
    private int size;
    private long[] isNew = new long[1];
    private final long[] hashes = new long[2 * Membership.BATCH];
    private int depth;
    private int redirects;
    private String referrer;

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

    /** Empties the batch and makes it one of seeds. */
    public void clear() {
        clear(0, 0, null);
    }

    /** Empties the batch, for the links of another page; parameters as in the constructor. */
    public void clear(int depth, int redirects, String referrer) {
        if (depth < 0 || redirects < 0) {
            throw new IllegalArgumentException("depth and redirects must not be negative: " + depth + ", " + redirects);
        }
        this.depth = depth;
        this.redirects = redirects;
        this.referrer = referrer;
        size = 0;
    }

    /** Adds a URL that is its own key. */
    public void add(String url) {
        byte[] utf8 = url.getBytes(UTF_8);
        add(utf8, 0, utf8.length);
    }

    /** Adds a URL whose key is spelled otherwise. */
    public void add(String url, String key) {
        byte[] utf8 = url.getBytes(UTF_8);
        add(utf8, 0, utf8.length);
        if (!key.equals(url)) {
            byte[] keyUtf8 = key.getBytes(UTF_8);
            offsets[2 * size] = append(keyUtf8, 0, keyUtf8.length);
        }
    }

    /** Adds a URL that is its own key, given by its UTF-8 bytes; they are copied. */
    public void add(byte[] utf8, int from, int to) {
        Objects.checkFromToIndex(from, to, utf8.length);
        if (2 * size + 2 >= offsets.length) {
            offsets = Arrays.copyOf(offsets, offsets.length * 2);
        }
        int end = append(utf8, from, to);
        offsets[2 * size + 1] = end;
        offsets[2 * size + 2] = end;
        size++;
    }

    /** Adds a URL whose key is spelled otherwise, both given by their UTF-8 bytes; they are copied. */
    public void add(byte[] utf8, int from, int to, byte[] key, int keyFrom, int keyTo) {
        Objects.checkFromToIndex(keyFrom, keyTo, key.length);
        add(utf8, from, to);
        if (!Arrays.equals(utf8, from, to, key, keyFrom, keyTo)) {
            offsets[2 * size] = append(key, keyFrom, keyTo);
        }
    }

    private int append(byte[] utf8, int from, int to) {
        int start = offsets[2 * size];
        int end = Math.addExact(start, to - from);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, (int) Math.min(Integer.MAX_VALUE - 8, 2L * bytes.length)));
        }
        System.arraycopy(utf8, from, bytes, start, to - from);
        return end;
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

    /** The URL at an index, 0 for the one that was added first. */
    public String url(int index) {
        Objects.checkIndex(index, size);
        return new String(bytes, urlStart(index), urlEnd(index) - urlStart(index), UTF_8);
    }

    /** The key of the URL at an index; the URL itself unless another one was given. */
    public String key(int index) {
        Objects.checkIndex(index, size);
        return new String(bytes, keyStart(index), keyEnd(index) - keyStart(index), UTF_8);
    }

    /** Whether the URL at an index was new when the batch was last pushed; meaningless before that. */
    public boolean isNew(int index) {
        Objects.checkIndex(index, size);
        return (isNew[index >> 6] >>> index & 1) != 0;
    }

    /** The buffer that all URLs and keys lie in, as UTF-8. */
    byte[] bytes() {
        return bytes;
    }

    int urlStart(int index) {
        return offsets[2 * index];
    }

    int urlEnd(int index) {
        return offsets[2 * index + 1];
    }

    int keyStart(int index) {
        int keyStart = offsets[2 * index + 1];
        return keyStart == offsets[2 * index + 2] ? offsets[2 * index] : keyStart;
    }

    int keyEnd(int index) {
        return offsets[2 * index + 2];
    }

    /** Hashes the keys of up to 64 URLs, into an array that is used again by the next call. */
    long[] hash(int from, int count, long seed) {
        for (int i = 0; i < count; i++) {
            Murmur3.hash(bytes, keyStart(from + i), keyEnd(from + i), seed, hashes, 2 * i);
        }
        return hashes;
    }

    /** Notes which of the 64 URLs from an index on, a multiple of 64, were new, one bit each. */
    void noteNew(int from, long mask) {
        int word = from >> 6;
        if (word >= isNew.length) {
            isNew = Arrays.copyOf(isNew, Math.max(word + 1, isNew.length * 2));
        }
        isNew[word] = mask;
    }
}
