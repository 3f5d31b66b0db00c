package dev.sieve.shared;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A slice that this worker owns, by a token that the engine granted in one of its runs. When the token is refused, the
 * engine is in another run, or the ownership was not renewed in time, the slice is dropped with all that was taken from
 * it.
 *
 * <p>Changed with the lock of {@link Holdings}; what only round trips change is read by the thread that makes them without
 * that lock.
 */
final class Slice {
    final int index;
    final CrawlKeys.OfSlice keys;
    final Run run;
    private final byte[][] proof;

    /** Until when no other worker can own the slice, on the clock of this process. */
    private long endNanos;

    private long renewNanos;
    private final long restNanos;

    /** Frames that an earlier owner took, in the order of their numbers. */
    final ArrayDeque<Long> leftFrames;
    /** The URLs that are done in these. */
    final Map<Long, BitSet> leftDone = new HashMap<>();
    /** Whether frames may be queued. */
    boolean mayHaveFrames;
    /** The number of the next call that takes; the same until a call was answered. */
    long takeCall;

    /** Frames with URLs that became done since the last call. */
    final Set<TakenFrame> changed = new LinkedHashSet<>();
    /** The call that stores what is done, until it was answered. */
    @Nullable
    DoneCall doneCall;

    private long doneCalls;

    /** How many leases were begun and have not ended. */
    int begun;
    /** How many leases the caller holds on to without working on them. */
    int left;
    /** Whether the engine stores that this worker has nothing to do in the slice. */
    boolean isIdle;

    private boolean isLeaving;
    private long leaveNanos;

    /**
     * Creates a slice that was claimed.
     *
     * @param proof run, token and worker, as the scripts expect them
     * @param left the numbers of the frames that were taken before
     * @param restNanos the time from which on URLs may be handed out
     */
    Slice(int index, CrawlKeys.OfSlice keys, Run run, byte[][] proof, Collection<Long> left, long restNanos) {
        this.index = index;
        this.keys = keys;
        this.run = run;
        this.proof = proof;
        this.restNanos = restNanos;
        leftFrames = new ArrayDeque<>(new TreeSet<>(left));
    }

    /** Returns the arguments that prove the ownership, followed by others. */
    byte[][] prove(byte[]... others) {
        byte[][] args = new byte[proof.length + others.length][];
        System.arraycopy(proof, 0, args, 0, proof.length);
        System.arraycopy(others, 0, args, proof.length, others.length);
        return args;
    }

    /** Notes that the engine has granted or renewed the ownership. */
    void renewed(long sentNanos, long ttlNanos) {
        endNanos = sentNanos + ttlNanos / 10 * 9;
        renewNanos = sentNanos + ttlNanos / 3;
    }

    /** Notes that this worker has something to do in the slice, which the engine learns with the next beat. */
    void wakeUp(long now) {
        if (isIdle) {
            isIdle = false;
            renewNanos = now;
        }
    }

    boolean hasEnded(long now) {
        return endNanos - now <= 0;
    }

    boolean isRenewalDue(long now) {
        return renewNanos - now <= 0;
    }

    /** Gives the slice up: no more URLs are handed out. */
    void leave(long untilNanos) {
        isLeaving = true;
        leaveNanos = untilNanos;
    }

    boolean isLeaving() {
        return isLeaving;
    }

    /** Returns whether the slice was given up and may be released: what was done in it is stored. */
    boolean isReleasable(long now) {
        return isLeaving && changed.isEmpty() && doneCall == null && (begun == 0 || leaveNanos - now <= 0);
    }

    /** Returns how long the slice still rests; 0 or less when URLs may be handed out. */
    long restNanos(long now) {
        return restNanos - now;
    }

    boolean hasWork() {
        return !isLeaving && (mayHaveFrames || !leftFrames.isEmpty());
    }

    /** Returns how many URLs are done without the engine having stored it. */
    int unsentDone() {
        int sum = doneCall == null ? 0 : doneCall.count();
        for (TakenFrame frame : changed) {
            sum += frame.newlyDone();
        }
        return sum;
    }

    /** Collects what became done into a call, unless the last one was not answered yet. */
    @Nullable
    DoneCall doneCall() {
        if (doneCall == null && !changed.isEmpty()) {
            doneCall = DoneCall.of(++doneCalls, changed);
        }
        return doneCall;
    }
}
