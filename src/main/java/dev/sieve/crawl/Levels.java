package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.Memberships;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ItemQueue;
import dev.sieve.url.PageKeys;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The order of a crawl with a limit of depth: a URL is requested after all URLs of a smaller depth are finished, so
 * each page is reached by a shortest path, whatever the order of responses. Without a limit, and beyond it, where there
 * are only URLs to be checked and those of earlier runs, URLs are requested at once.
 *
 * <p>A redirect is not a link: its target has the depth of the URL that redirects, and another page may have queued the
 * target as one level deeper already. Then a {@linkplain #note note} is queued in the frontier, by which the target is
 * requested in the present level. Since a note is a URL of the frontier, it survives a crash; it is done when the level
 * has ended.
 *
 * <p>The leases that are kept for later share the memory and the temporary file of the schedule, and each note takes 20
 * bytes of memory in addition. Guarded by the lock of {@link Dispatcher}; each call costs O(1).
 */
final class Levels {
    private final HostSchedule<Target> schedule;
    private final Recorder recorder;
    private final PageKeys keys;
    private final int maxDepth;
    private final boolean isLimited;

    /** What was added last, if it may be requested; null otherwise. */
    private @Nullable Target added;

    private int level;
    /** Leases of the present level that were kept. */
    private ItemQueue<Target> present;
    /** Leases of later levels, by depth. */
    private NavigableMap<Integer, ItemQueue<Target>> later = new TreeMap<>();
    /** Leases that are still to be compared with the notes, by depth. */
    private NavigableMap<Integer, ItemQueue<Target>> unchecked = new TreeMap<>();

    private final ItemQueue<Target> notes;
    /** The keys of the URLs in the notes. */
    private ExactSet noted = newSet();

    private boolean hasNewNotes;
    /** Whether the notes are being finished, since the level has ended. */
    private boolean finishesNotes;

    private long kept;

    /** Creates levels up to a limit, beginning with that of the seeds; the recorder receives the notes that are finished. */
    Levels(HostSchedule<Target> schedule, Recorder recorder, PageKeys keys, int maxDepth) {
        this.schedule = schedule;
        this.recorder = recorder;
        this.keys = keys;
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
        UrlBatch note = Target.Kind.NOTE.batch(redirect.depth(), redirect.redirects() + 1, redirect.url());
        note.add(target, "again " + targetKey);
        return note;
    }

    /** Returns how many leases are kept for later. */
    long kept() {
        return kept;
    }

    void add(Target target) {
        int depth = target.lease().depth();
        boolean isNote = target.is(Target.Kind.NOTE);
        boolean hasLevel = isLimited && depth <= maxDepth;
        if (isNote && !hasLevel) {
            recorder.repeated(target.lease());
        } else if (hasLevel && depth > level) {
            keepOrLower(target);
        } else if (isNote) {
            noted.add(keys.of(target.url()));
            notes.add(target);
            hasNewNotes = true;
            kept++;
        } else {
            added = target;
        }
    }

    private void keepOrLower(Target target) {
        if (isNoted(target)) {
            added = target.at(level);
        } else {
            later.computeIfAbsent(target.lease().depth(), depth -> schedule.newQueue())
                    .add(target);
            kept++;
        }
    }

    private boolean isNoted(Target target) {
        return notes.size() > 0 && target.is(Target.Kind.PAGE) && noted.mightContain(keys.of(target.url()));
    }

    boolean hasDue() {
        return added != null || !unchecked.isEmpty() || finishesNotes || present.size() > 0;
    }

    /** Returns a lease that may be requested now; null when this step has found none. */
    @Nullable
    Target poll() {
        if (added == null) {
            step();
        }
        Target due = added;
        added = null;
        return due;
    }

    private void step() {
        if (!unchecked.isEmpty()) {
            ItemQueue<Target> first = unchecked.firstEntry().getValue();
            Target target = first.poll();
            if (target != null) {
                kept--;
                keepOrLower(target);
            } else {
                unchecked.pollFirstEntry();
            }
        } else if (finishesNotes) {
            kept--;
            recorder.repeated(Objects.requireNonNull(notes.poll()).lease());
            finishesNotes = notes.size() > 0;
        } else {
            Target target = present.poll();
            if (target != null) {
                kept--;
                add(target);
            }
        }
    }

    /**
     * Notes that all leases of the present level are finished but those that are kept, and none is due. Returns whether
     * some of the others are due now.
     */
    boolean next() {
        if (hasNewNotes && !later.isEmpty()) {
            unchecked = later;
            later = new TreeMap<>();
        } else if (notes.size() > 0) {
            finishesNotes = true;
            noted = newSet();
        } else if (!later.isEmpty()) {
            Map.Entry<Integer, ItemQueue<Target>> first = later.pollFirstEntry();
            level = first.getKey();
            present = first.getValue();
        }
        hasNewNotes = false;
        return hasDue();
    }
}
