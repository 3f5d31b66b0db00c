package dev.sieve.shared;

import dev.sieve.Lease;
import dev.sieve.Leases;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this worker holds: the slices that it owns, the frames that it took from these, and the leases of their URLs. A
 * slice that is lost or released is dropped with its frames and leases.
 *
 * <p>Safe for use by many threads; no method waits for the engine. Times of leases are on the clock of {@link
 * dev.sieve.Frontier#take}, {@code clock} is the time on the clock of this process.
 */
final class Holdings {
    private final Slice[] slices;
    private final Leases leases;
    /** The frames that are not done, by the ids of their first URLs. */
    private final TreeMap<Long, TakenFrame> frames = new TreeMap<>();
    /** The frames with URLs that were not handed out yet, in this order. */
    private final ArrayDeque<TakenFrame> ready = new ArrayDeque<>();
    /** Given back before and due now, but its text has to be read again. */
    private @Nullable TakenFrame dueFrame;

    private long dueId;
    private final Map<Long, Integer> attempts;

    private long nextId;
    private int owned;
    private int unsentDone;

    Holdings(int sliceCount, long leaseTimeoutNanos) {
        slices = new Slice[sliceCount];
        attempts = new HashMap<>();
        leases = new Leases(leaseTimeoutNanos, attempts);
    }

    // Slices

    synchronized void add(Slice slice) {
        dropIf(other -> other.index == slice.index);
        slices[slice.index] = slice;
        owned++;
    }

    /** Drops a slice, unless that was done before. */
    synchronized void drop(Slice slice) {
        dropIf(other -> other == slice);
    }

    /** Drops all slices that match, in one pass over the leases, of which there may be millions. */
    synchronized void dropIf(Predicate<Slice> isDropped) {
        int before = owned;
        for (int i = 0; i < slices.length; i++) {
            if (slices[i] != null && isDropped.test(slices[i])) {
                unsentDone -= slices[i].unsentDone();
                slices[i] = null;
                owned--;
            }
        }
        if (owned == before) {
            return;
        }
        ready.removeIf(frame -> slices[frame.slice] == null);
        leases.removeIf(id -> {
            TakenFrame frame = frame(id);
            return frame == null || slices[frame.slice] == null;
        });
        frames.values().removeIf(frame -> slices[frame.slice] == null);
        if (dueFrame != null && slices[dueFrame.slice] == null) {
            dueFrame = null;
        }
    }

    /** Returns the slice of a frame; null when it was dropped. */
    synchronized @Nullable Slice slice(TakenFrame frame) {
        return slices[frame.slice];
    }

    /** Notes that the engine has renewed the ownership of a slice. */
    synchronized void renewed(Slice slice, long sentNanos, long ttlNanos, boolean isIdle, boolean mayHaveFrames) {
        slice.renewed(sentNanos, ttlNanos);
        slice.isIdle = isIdle;
        slice.mayHaveFrames |= mayHaveFrames;
    }

    /** Returns the slices that are owned. */
    synchronized List<Slice> slices() {
        List<Slice> present = new ArrayList<>(owned);
        for (Slice slice : slices) {
            if (slice != null) {
                present.add(slice);
            }
        }
        return present;
    }

    synchronized boolean owns(int index) {
        return slices[index] != null;
    }

    synchronized int owned() {
        return owned;
    }

    /** Notes that frames may be queued in a slice. */
    synchronized void mayHaveFrames(int index) {
        if (slices[index] != null) {
            slices[index].mayHaveFrames = true;
        }
    }

    /** Notes that all queued frames of a slice are being taken, before they are: a push may follow at once. */
    synchronized void taking(Slice slice) {
        slice.mayHaveFrames = false;
    }

    /** Notes that frames of an earlier owner were added. */
    synchronized void removeLeft(Slice slice, List<Long> numbers) {
        for (Long number : numbers) {
            slice.leftFrames.remove();
            slice.leftDone.remove(number);
        }
    }

    /** Gives a slice up: its URLs that were not handed out are not, and its leases cannot begin. */
    synchronized void leave(Slice slice, long untilNanos) {
        slice.leave(untilNanos);
        ready.removeIf(frame -> frame.slice == slice.index);
    }

    /** Returns the slices that were given up and may be released. */
    synchronized List<Slice> releasable(long clock) {
        return slices().stream().filter(slice -> slice.isReleasable(clock)).toList();
    }

    private boolean isUsable(Slice slice, long clock) {
        if (slice.hasEnded(clock)) {
            dropIf(each -> each.hasEnded(clock));
            return false;
        }
        return true;
    }

    // Frames and leases

    /** Adds a frame that was taken. */
    synchronized void add(Slice slice, long number, Frame text, BitSet done) {
        if (slices[slice.index] != slice || slice.isLeaving()) {
            return;
        }
        slice.isIdle = false; // on the engine too, by the script
        done.clear(text.count(), Integer.MAX_VALUE);
        TakenFrame frame = new TakenFrame(slice.index, number, nextId, text, done);
        nextId += text.count();
        if (frame.hasNext()) {
            frames.put(frame.firstId, frame);
            ready.add(frame);
        } else {
            slice.changed.add(frame);
        }
    }

    /** Returns the frame of a URL that is not done; null when there is none. */
    private @Nullable TakenFrame frame(long id) {
        Map.Entry<Long, TakenFrame> entry = frames.floorEntry(id);
        return entry != null && entry.getValue().contains(id) ? entry.getValue() : null;
    }

    /** Hands out the next URL; null when none is here. */
    synchronized @Nullable Lease next(long nowNanos, long clock) {
        for (TakenFrame frame = ready.peek(); frame != null; frame = ready.peek()) {
            if (!isUsable(slices[frame.slice], clock)) {
                continue;
            }
            Lease lease = frame.next();
            if (!frame.hasNext()) {
                ready.remove();
            }
            leases.hold(lease, nowNanos);
            return lease;
        }
        return null;
    }

    /** Returns the frame of the URL that has been due the longest, so that it can be read again; null when there is none. */
    synchronized @Nullable TakenFrame due(long nowNanos, long clock) {
        while (dueFrame == null || !isUsable(slices[dueFrame.slice], clock) || slices[dueFrame.slice].isLeaving()) {
            OptionalLong next = leases.pollDue(nowNanos);
            if (next.isEmpty()) {
                dueFrame = null;
                return null;
            }
            dueId = next.getAsLong();
            dueFrame = frame(dueId);
        }
        return dueFrame;
    }

    /** Hands out the URL that is due, given its frame; null when its slice was dropped. */
    synchronized @Nullable Lease handOutDue(@Nullable TakenFrame frame, Frame text, long nowNanos) {
        if (dueFrame != frame || frame == null) {
            return null;
        }
        dueFrame = null;
        Lease lease = text.lease(dueId, (int) (dueId - frame.firstId), attempts.getOrDefault(dueId, 0));
        leases.hold(lease, nowNanos);
        return lease;
    }

    synchronized boolean begin(Lease lease, long clock) {
        TakenFrame frame = held(lease, clock);
        if (frame == null) {
            return false;
        }
        if (slices[frame.slice].isLeaving()) {
            end(frame, lease);
            return false;
        }
        slices[frame.slice].wakeUp(clock);
        slices[frame.slice].begun += frame.begin(lease.id()) ? 1 : 0;
        return true;
    }

    synchronized boolean done(Lease lease, long clock) {
        TakenFrame frame = held(lease, clock);
        if (frame == null) {
            return false;
        }
        leases.release(lease);
        end(frame, lease);
        frame.done(lease.id());
        slices[frame.slice].changed.add(frame);
        unsentDone++;
        if (frame.isDone()) {
            frames.remove(frame.firstId);
        }
        return true;
    }

    synchronized boolean retry(Lease lease, long readyNanos, long clock) {
        TakenFrame frame = held(lease, clock);
        if (frame == null) {
            return false;
        }
        end(frame, lease);
        return leases.delay(lease, readyNanos);
    }

    /** Notes that the caller holds on to a lease without working on it. */
    synchronized void leave(Lease lease, long clock) {
        TakenFrame frame = held(lease, clock);
        if (frame != null) {
            end(frame, lease);
            slices[frame.slice].left++;
        }
    }

    private @Nullable TakenFrame held(Lease lease, long clock) {
        TakenFrame frame = frame(lease.id());
        return frame != null && isUsable(slices[frame.slice], clock) && leases.holds(lease) ? frame : null;
    }

    private void end(TakenFrame frame, Lease lease) {
        slices[frame.slice].begun -= frame.end(lease.id()) ? 1 : 0;
    }

    // What is done

    /** Returns how many URLs are done without the engine having stored it. */
    synchronized int unsentDone() {
        return unsentDone;
    }

    /** Returns the call that stores what is done in a slice; null when nothing is. */
    synchronized @Nullable DoneCall doneCall(Slice slice) {
        return slices[slice.index] == slice ? slice.doneCall() : null;
    }

    /** Notes that the engine has answered the call of a slice. */
    synchronized void stored(Slice slice, DoneCall call) {
        if (slices[slice.index] == slice) {
            unsentDone -= call.count();
            slice.doneCall = null;
        }
    }

    // Counts

    synchronized long held() {
        return leases.held();
    }

    /** Returns whether URLs wait to be handed out, or some of the leases will be worked on. */
    synchronized boolean isBusy(long left) {
        return !ready.isEmpty()
                || dueFrame != null
                || leases.delayed() > 0
                || leases.held() > Math.min(left, left())
                || slices().stream().anyMatch(Slice::hasWork);
    }

    /** Returns how many leases the caller holds on to without working on them, of those that have not ended. */
    private long left() {
        return slices().stream().mapToLong(slice -> slice.left).sum();
    }

    /** Returns how long until a URL may be handed out, as far as this process can tell. */
    synchronized long waitNanos(long nowNanos, long clock) {
        if (!ready.isEmpty() || dueFrame != null) {
            return 0;
        }
        long wait = leases.waitNanos(nowNanos);
        for (Slice slice : slices) {
            if (slice != null && slice.hasWork()) {
                wait = Math.min(wait, Math.max(0, slice.restNanos(clock)));
            }
        }
        return wait;
    }
}
