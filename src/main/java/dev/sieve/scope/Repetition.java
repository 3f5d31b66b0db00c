package dev.sieve.scope;

/** Counts characters and repeated parts in a range of a URL. */
final class Repetition {
    /** The most parts of a repeated block. A longer block exceeds the path depth before it occurs three times. */
    private static final int MAX_BLOCK = 16;

    private Repetition() {}

    static int count(char c, String text, int from, int end) {
        int count = 0;
        for (int i = text.indexOf(c, from); i >= 0 && i < end; i = text.indexOf(c, i + 1)) {
            count++;
        }
        return count;
    }

    /**
     * Returns whether a block of 2 to 16 parts occurs more often in succession than the limit allows, or a single part
     * more than twice as often. Empty parts are skipped; parts are what is between the separators, compared by 64-bit
     * hashes.
     */
    static boolean exceeds(int limit, String text, int from, int end, String separators) {
        int most = 1;
        for (int i = from; i < end; i++) {
            most += separators.indexOf(text.charAt(i)) < 0 ? 0 : 1;
        }
        if (most <= limit) {
            return false;
        }
        long[] parts = new long[most];
        int size = 0;
        for (int i = from, start = from; i <= end; i++) {
            if (i == end || separators.indexOf(text.charAt(i)) >= 0) {
                if (i > start) {
                    parts[size++] = UrlShape.hash(0, text, start, i);
                }
                start = i + 1;
            }
        }
        for (int block = 1; block <= MAX_BLOCK && (long) block * limit < size; block++) {
            if (hasBlocks(parts, size, block, Math.max(2, block) * (long) limit)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether {@code limit} parts in succession equal the part one block before them. */
    private static boolean hasBlocks(long[] parts, int size, int block, long limit) {
        long equal = 0;
        for (int i = block; i < size && equal < limit; i++) {
            equal = parts[i] == parts[i - block] ? equal + 1 : 0;
        }
        return equal >= limit;
    }
}
