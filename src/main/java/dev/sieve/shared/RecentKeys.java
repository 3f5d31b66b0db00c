package dev.sieve.shared;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Keys that the engine has reported as seen or new in its present run, so that most duplicates are detected without a
 * round trip.
 *
 * <p>A table of 64-bit tags with two places per key: bounded, and never full, since the older tag of a place is
 * replaced. It is emptied when the engine starts a new run, which may have lost the end of its log. Safe for use by
 * many threads without a lock.
 */
final class RecentKeys {
    /** The tags of one run. */
    static final class Table {
        private final Session.@Nullable Run run;
        private final AtomicLongArray tags;

        private Table(Session.@Nullable Run run, int size) {
            this.run = run;
            tags = new AtomicLongArray(size);
        }

        /** Returns whether the engine has reported the key; false also when that was forgotten. */
        boolean contains(long h1, long h2) {
            if (tags.length() == 0) {
                return false;
            }
            long tag = tag(h1, h2);
            int place = place(tag);
            return tags.getOpaque(place) == tag || tags.getOpaque(place ^ 1) == tag;
        }

        /** Adds a key that the engine has reported in this run. */
        void add(long h1, long h2) {
            if (tags.length() == 0) {
                return;
            }
            long tag = tag(h1, h2);
            int place = place(tag);
            long last = tags.getOpaque(place);
            if (last != tag) {
                tags.setOpaque(place ^ 1, last);
                tags.setOpaque(place, tag);
            }
        }

        /** Both words count, and 0 is a free place. */
        private static long tag(long h1, long h2) {
            long tag = h1 ^ Long.rotateLeft(h2, 32);
            return tag == 0 ? 1 : tag;
        }

        private int place(long tag) {
            return (int) (tag >>> 20) & tags.length() - 1;
        }
    }

    private final int size;
    private volatile Table table;

    /** Makes an empty table that takes at most a number of bytes. */
    RecentKeys(long bytes) {
        long places = Math.min(bytes / Long.BYTES, 1 << 30);
        size = places < 2 ? 0 : (int) Long.highestOneBit(places);
        table = new Table(null, 0);
    }

    /** Returns the table of a run, an empty one when the run is new. */
    Table of(Session.Run run) {
        Table present = table;
        return present.run == run ? present : renew(run);
    }

    private synchronized Table renew(Session.Run run) {
        if (table.run != run) {
            table = new Table(run, size);
        }
        return table;
    }
}
