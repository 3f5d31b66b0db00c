package dev.sieve.shared;

import dev.sieve.Lease;
import dev.sieve.Leases;
import dev.sieve.shared.TakenFrame.DoneCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The holdings of this worker: the slices that it owns, the frames that it took from these, and the leases of their
 * URLs. A slice that is lost or released is dropped with its frames and leases.
 *
 * <p>Safe for use by many threads; no method waits for the engine. Everything is guarded by the monitor: all methods
 * but private ones are synchronized. Times of leases are on the clock of {@link dev.sieve.Frontier#take}, {@code clock}
 * is the time on the clock of this process.
 */
final class Holdings {
    private final Slice.@Nullable Part[] parts;
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
    /** How often what is done was put into calls, and until when these may be sent. */
    private long sealed;

    private long safe;

    Holdings(int sliceCount, long leaseTimeoutNanos) {
        parts = new Slice.Part[sliceCount];
        attempts = new HashMap<>();
        leases = new Leases(leaseTimeoutNanos, attempts);
    }

    /**
     * Adds a slice that was claimed.
     *
     * @param left the numbers of the frames that were taken before, with the URLs that are done in them
     * @param hosts how many URLs of its hosts are done; null without a limit
     */
    synchronized void add(
            Slice slice,
            Slice.Term term,
            Map<Long, BitSet> left,
            boolean mayHaveFrames,
            Slice.@Nullable HostCounts hosts) {
        dropIf(other -> other.slice.index == slice.index);
        parts[slice.index] = new Slice.Part(slice, term, left, mayHaveFrames, hosts);
        owned++;
    }

    /** Drops slices, unless that was done before. */
    synchronized void drop(Collection<Slice> dropped) {
        dropIf(part -> dropped.contains(part.slice));
    }

    /** Drops the slices that match, and those whose time has ended. */
    synchronized void dropLost(Predicate<Slice> isLost, long clock) {
        dropIf(part -> part.hasEnded(clock) || isLost.test(part.slice));
    }

    /** Drops all slices that match, in one pass over the leases: there may be millions. */
    private void dropIf(Predicate<Slice.Part> isDropped) {
        int before = owned;
        for (Slice.Part part : parts()) {
            if (isDropped.test(part)) {
                unsentDone -= part.unsentDone();
                parts[part.slice.index] = null;
                owned--;
            }
        }
        if (owned == before) {
            return;
        }
        ready.removeIf(frame -> parts[frame.slice] == null);
        leases.removeIf(id -> {
            TakenFrame frame = frame(id);
            return frame == null || parts[frame.slice] == null;
        });
        frames.values().removeIf(frame -> parts[frame.slice] == null);
        if (dueFrame != null && parts[dueFrame.slice] == null) {
            dueFrame = null;
        }
    }

    private List<Slice.Part> parts() {
        List<Slice.Part> present = new ArrayList<>(owned);
        for (Slice.Part part : parts) {
            if (part != null) {
                present.add(part);
            }
        }
        return present;
    }

    private List<Slice> slices(Predicate<Slice.Part> matches) {
        return parts().stream().filter(matches).map(part -> part.slice).toList();
    }

    /** Returns the state of a slice; null when it was dropped. */
    private Slice.@Nullable Part part(Slice slice) {
        Slice.Part part = parts[slice.index];
        return part != null && part.slice == slice ? part : null;
    }

    /** Returns the state of the slice of a frame that was not dropped. */
    private Slice.Part part(TakenFrame frame) {
        return Objects.requireNonNull(parts[frame.slice]);
    }

    /** Returns the slice of a frame; null when it was dropped. */
    synchronized @Nullable Slice slice(TakenFrame frame) {
        Slice.Part part = parts[frame.slice];
        return part == null ? null : part.slice;
    }

    synchronized List<Slice> slices() {
        return slices(part -> true);
    }

    synchronized boolean owns(int index) {
        return parts[index] != null;
    }

    synchronized int owned() {
        return owned;
    }

    /** Returns the slices that should be renewed: those that are due, and with idle also those that are not stored as idle. */
    synchronized List<Slice> renewable(boolean idle, long clock) {
        return slices(part -> part.term.renewNanos() - clock <= 0 || (idle && !part.isIdle));
    }

    /** Returns whether the engine stores that this worker has nothing to do in a slice. */
    synchronized boolean isIdle(Slice slice) {
        Slice.Part part = part(slice);
        return part != null && part.isIdle;
    }

    /** Notes that the engine has renewed the ownership of a slice; the term holds from {@link #confirmTerms} on. */
    synchronized void renewed(Slice slice, Slice.Term term, boolean idle, boolean hasFrames) {
        Slice.Part part = part(slice);
        if (part != null) {
            part.nextTerm = term;
            part.isIdle = (idle || part.isIdle) && !hasFrames;
            part.mayHaveFrames |= hasFrames;
        }
    }

    /** Notes that the renewals until now are being confirmed; returns the slices that they are of. */
    synchronized List<Slice> sealTerms() {
        for (Slice.Part part : parts()) {
            part.sealedTerm = part.nextTerm;
            part.nextTerm = null;
        }
        return slices(part -> part.sealedTerm != null);
    }

    /** Notes that no failure of a node can take back those renewals that were sealed and are of these slices. */
    synchronized void confirmTerms(Collection<Slice> safe) {
        for (Slice.Part part : parts()) {
            part.term = part.sealedTerm == null || !safe.contains(part.slice) ? part.term : part.sealedTerm;
            part.sealedTerm = null;
        }
    }

    /** Gives up all slices but a share: their URLs that were not handed out are not, and their leases cannot begin. */
    synchronized void giveBack(int share, long untilNanos) {
        List<Slice.Part> kept = new ArrayList<>(parts());
        kept.removeIf(part -> part.isLeaving);
        kept.sort(Comparator.comparingInt(part -> part.begun));
        for (Slice.Part part : kept.subList(0, Math.max(0, kept.size() - share))) {
            part.isLeaving = true;
            part.leaveNanos = untilNanos;
            ready.removeIf(frame -> frame.slice == part.slice.index);
        }
    }

    /** Returns the slices that were given up and may be released. */
    synchronized List<Slice> releasable(long clock) {
        return slices(part -> part.isReleasable(clock));
    }

    /** Returns whether the slice of a frame is still owned; drops all that are not. */
    private boolean isUsable(TakenFrame frame, long clock) {
        boolean hasEnded = part(frame).hasEnded(clock);
        if (hasEnded) {
            dropIf(each -> each.hasEnded(clock));
        }
        return !hasEnded;
    }

    /** Notes that frames may be queued in a slice. */
    synchronized void mayHaveFrames(int index) {
        Slice.Part part = parts[index];
        if (part != null) {
            part.mayHaveFrames = true;
        }
    }

    /** Returns the slices from which frames may be taken now: those that may have some, or all. */
    synchronized List<Slice> takeable(boolean all, long clock) {
        return slices(part -> !part.isLeaving
                && part.slice.restNanos(clock) <= 0
                && !part.hasEnded(clock)
                && (all || part.hasWork()));
    }

    /** The frames to take: those that an earlier owner took or, without any, queued ones. */
    record Request(long call, SortedMap<Long, BitSet> left) {}

    /**
     * Begins to take frames of a slice: whether more are queued is noted from now on, since a push may follow at once.
     * Returns null when the slice was dropped.
     */
    synchronized @Nullable Request request(Slice slice, int maxLeft) {
        Slice.Part part = part(slice);
        if (part == null) {
            return null;
        }
        part.mayHaveFrames = false;
        TreeMap<Long, BitSet> left = new TreeMap<>();
        part.left.entrySet().stream().limit(maxLeft).forEach(entry -> left.put(entry.getKey(), entry.getValue()));
        return new Request(part.takeCall, left);
    }

    synchronized void taken(Slice slice, Request request) {
        Slice.Part part = part(slice);
        if (part != null) {
            part.takeCall += request.left.isEmpty() ? 1 : 0;
            part.left.keySet().removeAll(request.left.keySet());
        }
    }

    synchronized void add(Slice slice, long number, Frame text, BitSet done) {
        Slice.Part part = part(slice);
        if (part == null || part.isLeaving) {
            return;
        }
        part.isIdle = false; // on the engine too, by the script
        done.clear(text.count(), Integer.MAX_VALUE);
        TakenFrame frame = new TakenFrame(slice.index, number, nextId, text, done);
        nextId += text.count();
        if (frame.hasNext()) {
            frames.put(frame.firstId, frame);
            ready.add(frame);
        } else {
            part.changed.add(frame);
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
            if (!isUsable(frame, clock)) {
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
        while (dueFrame == null || !isUsable(dueFrame, clock) || part(dueFrame).isLeaving) {
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

    /** Counts a URL that was handed out for its host; returns false when that has as many as permitted. */
    synchronized boolean admit(Lease lease) {
        TakenFrame frame = frame(lease.id());
        Slice.HostCounts hosts = frame == null ? null : part(frame).hosts;
        return hosts == null || hosts.admit(HostSlices.host(lease.url()));
    }

    synchronized boolean begin(Lease lease, long clock) {
        TakenFrame frame = held(lease, clock);
        if (frame == null) {
            return false;
        }
        Slice.Part part = part(frame);
        if (part.isLeaving) {
            end(frame, lease);
            return false;
        }
        if (part.isIdle) {
            // The engine learns with the next beat that this worker has something to do.
            part.isIdle = false;
            part.term = new Slice.Term(part.term.endNanos(), clock);
            part.nextTerm = null;
            part.sealedTerm = null;
        }
        part.begun += frame.begin(lease.id()) ? 1 : 0;
        return true;
    }

    synchronized boolean done(Lease lease, boolean isPage, long clock) {
        TakenFrame frame = held(lease, clock);
        if (frame == null) {
            return false;
        }
        leases.release(lease);
        end(frame, lease);
        Slice.Part part = part(frame);
        frame.done(lease.id(), isPage, part.hosts == null ? null : HostSlices.host(lease.url()));
        part.changed.add(frame);
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
            part(frame).unused++;
        }
    }

    private @Nullable TakenFrame held(Lease lease, long clock) {
        TakenFrame frame = frame(lease.id());
        return frame != null && isUsable(frame, clock) && leases.holds(lease) ? frame : null;
    }

    private void end(TakenFrame frame, Lease lease) {
        part(frame).begun -= frame.end(lease.id()) ? 1 : 0;
    }

    /** Returns how many URLs are done without the engine having stored it. */
    synchronized int unsentDone() {
        return unsentDone;
    }

    /** Returns whether something is done, or known to be done, that the engine has not stored. */
    synchronized boolean hasUnsent() {
        return parts().stream().anyMatch(part -> !part.changed.isEmpty() || !part.doneCalls.isEmpty());
    }

    /** Returns how many of these are pages. */
    synchronized int unsentPages() {
        return parts().stream().mapToInt(Slice.Part::unsentPages).sum();
    }

    /**
     * Puts what is done into calls, and returns the number of this seal. URLs are marked as done before, and the links
     * of a page are pushed before it is marked: what was written before a seal contains them.
     */
    synchronized long seal() {
        sealed++;
        for (Slice.Part part : parts()) {
            while (!part.changed.isEmpty()) {
                String run = part.hosts == null ? null : part.hosts.run();
                part.doneCalls.add(DoneCall.of(++part.doneNumber, sealed, part.changed, run));
            }
        }
        return sealed;
    }

    /** Notes that what was written before a seal is safe, so that its calls may be sent. */
    synchronized void confirm(long seal) {
        safe = Math.max(safe, seal);
    }

    /** Returns the call that may store what is done in a slice, the same until it was answered; null when there is none. */
    synchronized @Nullable DoneCall doneCall(Slice slice) {
        Slice.Part part = part(slice);
        DoneCall next = part == null ? null : part.doneCalls.peek();
        return next != null && next.seal() <= safe ? next : null;
    }

    /** Notes that the engine has answered the call of a slice. */
    synchronized void stored(Slice slice, DoneCall call) {
        Slice.Part part = part(slice);
        if (part != null) {
            unsentDone -= call.count();
            part.doneCalls.remove(call);
        }
    }

    synchronized long held() {
        return leases.held();
    }

    /** Returns whether URLs wait to be handed out, or some of the leases will be worked on. */
    synchronized boolean isBusy(long left) {
        return !ready.isEmpty()
                || dueFrame != null
                || leases.delayed() > 0
                || leases.held()
                        > Math.min(
                                left,
                                parts().stream().mapToLong(part -> part.unused).sum())
                || parts().stream().anyMatch(Slice.Part::hasWork);
    }

    /** Returns how long until a URL may be handed out, by the state of this process. */
    synchronized long waitNanos(long nowNanos, long clock) {
        if (!ready.isEmpty() || dueFrame != null) {
            return 0;
        }
        long wait = leases.waitNanos(nowNanos);
        for (Slice.Part part : parts()) {
            if (part.hasWork()) {
                wait = Math.min(wait, Math.max(0, part.slice.restNanos(clock)));
            }
        }
        return wait;
    }
}
