package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ItemQueue;
import dev.sieve.url.UrlNormalizer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The order of a crawl with a limit of depth: a URL is requested after all URLs of a smaller depth are finished, so each
 * page is reached by a shortest path, whatever the order of responses. Without a limit, and beyond it, where there are only
 * URLs to be checked and those of earlier runs, URLs are requested at once.
 *
 * <p>A redirect is not a link: its target has the depth of the URL that redirects, and another page may have queued the
 * target as one level deeper already. Then a {@linkplain #note note} is queued in the frontier, by which the target is
 * requested in the present level. Since a note is a URL of the frontier, it survives a crash; it is done when the level has
 * ended.
 *
 * <p>The leases that are kept for later share the memory and the temporary file of the schedule, and each note takes 20
 * bytes of memory in addition. Guarded by the lock of {@link Dispatcher}; each call costs O(1).
 */
final class Levels {
    /** The labels below are those of {@link SitemapSource} and {@link LinkCheck}. */
    private static final int NOTE_LABEL = 5;

    private final HostSchedule<Lease> schedule;
    private final Recorder recorder;
    private final int maxDepth;
    private final boolean isLimited;

    /** What was added last, if it may be requested; null otherwise. */
    private @Nullable Lease added;

    private int level;
    /** Leases of the present level that were kept. */
    private ItemQueue<Lease> present;
    /** Leases of later levels, by depth. */
    private NavigableMap<Integer, ItemQueue<Lease>> later = new TreeMap<>();
    /** Leases that are still to be compared with the notes, by depth. */
    private NavigableMap<Integer, ItemQueue<Lease>> unchecked = new TreeMap<>();

    private final ItemQueue<Lease> notes;
    /** The keys of the URLs in the notes. */
    private ExactSet noted = newSet();

    private boolean hasNewNotes;
    /** Whether the notes are being finished, since the level has ended. */
    private boolean finishesNotes;

    private long kept;

    /**
     * Creates levels of which the first one is that of the seeds.
     *
     * @param recorder receives the notes that are finished
     * @param maxDepth the limit; {@link Integer#MAX_VALUE} for none
     */
    Levels(HostSchedule<Lease> schedule, Recorder recorder, int maxDepth) {
        this.schedule = schedule;
        this.recorder = recorder;
        this.maxDepth = maxDepth;
        isLimited = maxDepth != Integer.MAX_VALUE;
        present = schedule.newQueue();
        notes = schedule.newQueue();
    }

    private static ExactSet newSet() {
        return ExactSet.create(Memberships.randomSeed());
    }

    /** Returns a note that a redirect leads to a URL which was queued before, perhaps at a larger depth. */
    static UrlBatch note(Lease redirect, String target, String targetKey) {
        UrlBatch note = new UrlBatch(redirect.depth(), redirect.redirects() + 1, redirect.url(), NOTE_LABEL);
        note.add(target, "again " + targetKey);
        return note;
    }

    /** Returns how many leases are kept for later. */
    long kept() {
        return kept;
    }

    /** Adds a lease. */
    void add(Lease lease) {
        boolean isNote = lease.label() == NOTE_LABEL;
        boolean hasLevel = isLimited && lease.depth() <= maxDepth;
        if (isNote && !hasLevel) {
            recorder.repeated(lease);
        } else if (hasLevel && lease.depth() > level) {
            keepOrLower(lease);
        } else if (isNote) {
            long[] hash = hash(lease);
            noted.add(hash[0], hash[1]);
            notes.add(lease);
            hasNewNotes = true;
            kept++;
        } else {
            added = lease;
        }
    }

    private void keepOrLower(Lease lease) {
        if (isNoted(lease)) {
            added = new Lease(
                    lease.id(),
                    lease.url(),
                    level,
                    lease.redirects(),
                    lease.referrer(),
                    lease.label(),
                    lease.attempt());
        } else {
            later.computeIfAbsent(lease.depth(), depth -> schedule.newQueue()).add(lease);
            kept++;
        }
    }

    private boolean isNoted(Lease lease) {
        if (notes.size() == 0 || lease.label() != 0) {
            return false;
        }
        long[] hash = hash(lease);
        return noted.mightContain(hash[0], hash[1]);
    }

    private long[] hash(Lease lease) {
        return Murmur3.hash(UrlNormalizer.key(lease.url()), noted.seed());
    }

    /** Returns whether there is something for {@link #poll} to do. */
    boolean hasDue() {
        return added != null || !unchecked.isEmpty() || finishesNotes || present.size() > 0;
    }

    /** Returns a lease that may be requested now; null when this step has found none. */
    @Nullable
    Lease poll() {
        if (added == null) {
            step();
        }
        Lease due = added;
        added = null;
        return due;
    }

    private void step() {
        if (!unchecked.isEmpty()) {
            ItemQueue<Lease> first = unchecked.firstEntry().getValue();
            Lease lease = first.poll();
            if (lease != null) {
                kept--;
                keepOrLower(lease);
            } else {
                unchecked.pollFirstEntry();
            }
        } else if (finishesNotes) {
            kept--;
            recorder.repeated(Objects.requireNonNull(notes.poll()));
            finishesNotes = notes.size() > 0;
        } else {
            Lease lease = present.poll();
            if (lease != null) {
                kept--;
                add(lease);
            }
        }
    }

    /**
     * Notes that all leases of the present level are finished but those that are kept, and none is due. Returns whether some
     * of the others are due now.
     */
    boolean next() {
        if (hasNewNotes && !later.isEmpty()) {
            unchecked = later;
            later = new TreeMap<>();
        } else if (notes.size() > 0) {
            finishesNotes = true;
            noted = newSet();
        } else if (!later.isEmpty()) {
            Map.Entry<Integer, ItemQueue<Lease>> first = later.pollFirstEntry();
            level = first.getKey();
            present = first.getValue();
        }
        hasNewNotes = false;
        return hasDue();
    }
}
