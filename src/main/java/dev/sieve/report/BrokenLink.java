package dev.sieve.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A URL that links lead to and that is broken, or has moved for good.
 *
 * @param reason its status, or the error in a word or two
 * @param movedTo where it redirects if it has moved; null if it is broken
 * @param pages pages that link to it, the one where it was found first of all; empty for a seed
 * @param pageCount how many pages are known to link to it
 * @param isNew whether it is known not to have been broken in the run or round before
 */
public record BrokenLink(
        String url, String reason, @Nullable String movedTo, List<String> pages, long pageCount, boolean isNew) {
    /** Returns what is wrong, for people. */
    public String problem() {
        return movedTo == null ? reason : reason + ", moved to " + movedTo;
    }
}
