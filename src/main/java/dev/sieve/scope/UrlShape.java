package dev.sieve.scope;

import dev.sieve.url.Ascii;
import dev.sieve.url.UrlParts;

/**
 * What many URLs of a trap have in common.
 *
 * <p>Shapes, hosts and domains are told apart by 64-bit hashes: FNV-1a (draft-eastlake-fnv) from a start chosen at
 * random, then the mixing step of SplitMix64.
 */
final class UrlShape {
    private static final long FNV_PRIME = 0x100000001B3L;
    /** Longer blocks are not looked for: before they stand there thrice, the path is deep enough to be refused. */
    private static final int MAX_BLOCK = 16;

    private final long seed;

    UrlShape(long seed) {
        this.seed = seed;
    }

    /**
     * The host, the path and the names of the parameters, with each word that has a digit in it taken for one and the
     * same: {@code /2024/05?page=2&sort=up} is {@code /0/0?page&sort}.
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

    long ofHost(String url) {
        int start = UrlParts.hostStart(url);
        int end = UrlParts.hostEnd(url);
        return mix(letters(seed, url, start, url.charAt(end - 1) == '.' ? end - 1 : end));
    }

    long ofDomain(String url) {
        String domain = UrlParts.domain(url);
        return mix(letters(seed, domain, 0, domain.length()));
    }

    private static long words(long start, String text, int from, int end) {
        long hash = start;
        for (int i = from; i < end; ) {
            int word = wordEnd(text, i, end);
            if (word > i) {
                hash = hasDigit(text, i, word) ? step(hash, '0') : letters(hash, text, i, word);
                i = word;
            } else {
                int escape = text.charAt(i) == '%' ? Math.min(i + 3, end) : i + 1;
                hash = letters(hash, text, i, escape);
                i = escape;
            }
        }
        return hash;
    }

    private static int wordEnd(String text, int from, int end) {
        int i = from;
        while (i < end && (Ascii.isLetter(text.charAt(i)) || Ascii.isDigit(text.charAt(i)))) {
            i++;
        }
        return i;
    }

    private static boolean hasDigit(String text, int from, int end) {
        for (int i = from; i < end; i++) {
            if (Ascii.isDigit(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private static long letters(long start, String text, int from, int end) {
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

    static int count(char c, String text, int from, int end) {
        int count = 0;
        for (int i = text.indexOf(c, from); i >= 0 && i < end; i = text.indexOf(c, i + 1)) {
            count++;
        }
        return count;
    }

    /**
     * Whether a part, or up to 16 parts together, stand more often in a row than the limit says. What is empty is no
     * part.
     *
     * @param separators what stands between parts
     */
    static boolean repeats(String text, int from, int end, String separators, int limit) {
        int size = 0;
        int most = 1;
        for (int i = from; i < end; i++) {
            most += isIn(separators, text.charAt(i)) ? 1 : 0;
        }
        if (most <= limit) {
            return false;
        }
        long[] parts = new long[most];
        for (int i = from, start = from; i <= end; i++) {
            if (i == end || isIn(separators, text.charAt(i))) {
                if (i > start) {
                    parts[size++] = letters(0, text, start, i);
                }
                start = i + 1;
            }
        }
        for (int block = 1; block <= MAX_BLOCK && (long) block * limit < size; block++) {
            if (repeats(parts, size, block, (long) block * limit)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isIn(String separators, char c) {
        return separators.indexOf(c) >= 0;
    }

    private static boolean repeats(long[] parts, int size, int block, long limit) {
        long equal = 0;
        for (int i = block; i < size; i++) {
            equal = parts[i] == parts[i - block] ? equal + 1 : 0;
            if (equal >= limit) {
                return true;
            }
        }
        return false;
    }
}
