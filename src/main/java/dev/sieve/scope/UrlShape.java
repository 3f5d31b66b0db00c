package dev.sieve.scope;

import dev.sieve.url.UrlParts;
import dev.sieve.url.UrlSyntax;

/**
 * Computes what the URLs of a trap have in common: shape, host and domain, each as a 64-bit hash.
 *
 * <p>The hash is FNV-1a (draft-eastlake-fnv) with a random start, followed by the mixing step of SplitMix64.
 */
record UrlShape(long seed) {
    private static final long FNV_PRIME = 0x100000001B3L;

    /**
     * Hashes the shape: host, path and parameter names, where every word that contains a digit counts as the same word.
     * So {@code /2024/05?page=2&sort=up} has the shape {@code /0/0?page&sort}.
     */
    long of(String url) {
        int path = UrlParts.pathStart(url);
        int query = url.indexOf('?', path);
        int pathEnd = query < 0 ? url.length() : query;
        long hash = words(ofHost(url), url, path, pathEnd);
        for (int from = pathEnd + 1; from < url.length(); ) {
            int end = url.indexOf('&', from);
            end = end < 0 ? url.length() : end;
            int value = url.indexOf('=', from);
            hash = step(words(hash, url, from, value < 0 ? end : Math.min(value, end)), '&');
            from = end + 1;
        }
        return mix(hash);
    }

    long ofPage(String url) {
        return mix(hash(seed, url, 0, url.length()));
    }

    long ofHost(String url) {
        int end = UrlParts.hostEnd(url);
        return mix(hash(seed, url, UrlParts.hostStart(url), url.charAt(end - 1) == '.' ? end - 1 : end));
    }

    long ofDomain(String url) {
        String domain = UrlParts.domain(url);
        return mix(hash(seed, domain, 0, domain.length()));
    }

    private static long words(long start, String text, int from, int end) {
        long hash = start;
        for (int i = from; i < end; ) {
            boolean hasDigit = false;
            int wordEnd = i;
            for (; wordEnd < end && isWord(text.charAt(wordEnd)); wordEnd++) {
                hasDigit |= UrlSyntax.isDigit(text.charAt(wordEnd));
            }
            if (wordEnd == i) {
                // The digits of an escaped character are not a number.
                wordEnd = text.charAt(i) == '%' ? Math.min(i + 3, end) : i + 1;
            }
            hash = hasDigit ? step(hash, '0') : hash(hash, text, i, wordEnd);
            i = wordEnd;
        }
        return hash;
    }

    private static boolean isWord(char c) {
        return UrlSyntax.isLetter(c) || UrlSyntax.isDigit(c);
    }

    /** Hashes a range of a text with FNV-1a. */
    static long hash(long start, String text, int from, int end) {
        long hash = start;
        for (int i = from; i < end; i++) {
            hash = step(hash, text.charAt(i));
        }
        return hash;
    }

    private static long step(long hash, char c) {
        return (hash ^ c) * FNV_PRIME;
    }

    private static long mix(long hash) {
        long h = (hash ^ (hash >>> 30)) * 0xBF58476D1CE4E5B9L;
        h = (h ^ (h >>> 27)) * 0x94D049BB133111EBL;
        return h ^ (h >>> 31);
    }
}
