package dev.sieve.report;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * URLs that links lead to and that failed, or responded with a status of 400 or above. The first ones are listed, and removed
 * again when a later request succeeds; the others are only counted.
 */
final class BrokenLinks {
    /** Of a link; the others are counted. */
    static final int REFERRERS = 20;

    private final Map<Long, Link> links = new LinkedHashMap<>();
    /** Of their keys: rules out most of the URLs that work. */
    private final BitSet hashCodes = new BitSet(1 << 16);

    private final Tally<String> reasons = new Tally<>(Bounds.NAMES);
    private long unlisted;

    /** A broken link. */
    static final class Link {
        private final String url;
        private final String reason;
        private final boolean isCheck;
        private final List<String> referrers = new ArrayList<>(1);
        private long referrerCount;
        private boolean isComplete;

        private Link(Entry entry) {
            url = Bounds.cut(entry.url());
            reason = Bounds.cut(entry.reason());
            isCheck = entry.isCheck();
            if (entry.referrer() != null) {
                referrers.add(Bounds.cut(entry.referrer()));
                referrerCount = 1;
            }
        }

        String url() {
            return url;
        }

        String reason() {
            return reason;
        }

        boolean isCheck() {
            return isCheck;
        }

        /** Returns pages that link to it, the one on which it was first found first; empty for a seed. */
        List<String> referrers() {
            return referrers;
        }

        /** Returns the number of pages that are found to link to it. */
        long referrerCount() {
            return referrerCount;
        }

        /** Returns whether all pages were searched for the link, not only the one on which it was first found counted. */
        boolean isComplete() {
            return isComplete;
        }

        /** Starts the search of all pages. */
        void search() {
            isComplete = true;
            referrerCount = 0;
        }

        void addReferrer(String page) {
            referrerCount++;
            String cut = Bounds.cut(page);
            if (referrers.size() < REFERRERS && !referrers.contains(cut)) {
                referrers.add(cut);
            }
        }
    }

    void add(Entry entry) {
        if (!entry.isBroken()) {
            if (hashCodes.get(bit(entry))) {
                links.remove(Entry.hash(entry.key()));
            }
            return;
        }
        reasons.add(Bounds.cut(entry.reason()), 1, 0);
        long hash = Entry.hash(entry.key());
        if (links.size() < Bounds.BROKEN_LINKS || links.containsKey(hash)) {
            links.put(hash, new Link(entry));
            hashCodes.set(bit(entry));
        } else {
            unlisted++;
        }
    }

    private static int bit(Entry entry) {
        return entry.key().hashCode() & 0xffff;
    }

    /** Returns the links that are listed, in the order in which they were first requested. */
    Collection<Link> list() {
        return links.values();
    }

    /** Returns the hashes of the keys of the links that are listed. */
    Set<Long> hashes() {
        return links.keySet();
    }

    /** Returns the listed link with a hash of its key; null if there is none. */
    @Nullable
    Link get(long hash) {
        return links.get(hash);
    }

    /** Returns how many are not listed. */
    long unlisted() {
        return unlisted;
    }

    long count() {
        return links.size() + unlisted;
    }

    /** Returns the responses and failures by reason. */
    Tally<String> reasons() {
        return reasons;
    }
}
