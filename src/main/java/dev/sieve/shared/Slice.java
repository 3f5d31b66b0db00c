package dev.sieve.shared;

import dev.sieve.shared.TakenFrame.DoneCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A slice that this worker owns, by a token that the engine granted in one of its runs. When the token is refused, the
 * engine is in another run, or the ownership was not renewed in time, the slice is dropped with all that was taken from
 * it. What changes of it is in {@link Holdings}.
 */
final class Slice {
    /** The time for which this worker owns a slice, on its clock: until another may own it, and when to renew it. */
    record Term(long endNanos, long renewNanos) {
        /** Returns the term of an ownership that was requested at a time. */
        static Term of(long sentNanos, long ttlNanos) {
            return new Term(sentNanos + ttlNanos / 10 * 9, sentNanos + ttlNanos / 3);
        }
    }

    final int index;
    final CrawlKeys.OfSlice keys;
    final Session.Run run;
    private final byte[][] proof;
    private final long restNanos;

    /** Creates a claimed slice with run, token and worker as the scripts expect them; its URLs rest until a time. */
    Slice(CrawlKeys.OfSlice keys, Session.Run run, byte[][] proof, long restNanos) {
        index = keys.index;
        this.keys = keys;
        this.run = run;
        this.proof = proof;
        this.restNanos = restNanos;
    }

    /** Returns the arguments that prove the ownership, followed by others. */
    byte[][] prove(byte[]... others) {
        byte[][] args = new byte[proof.length + others.length][];
        System.arraycopy(proof, 0, args, 0, proof.length);
        System.arraycopy(others, 0, args, proof.length, others.length);
        return args;
    }

    /** Returns how long the slice still rests; 0 or less when URLs may be handed out. */
    long restNanos(long now) {
        return restNanos - now;
    }

    /** The state of a slice that is owned, guarded by the monitor of {@link Holdings}. */
    static final class Part {
        final Slice slice;
        Term term;
        /** A renewal that is not safe on all replicas yet, and one that is being confirmed. */
        @Nullable
        Term nextTerm;

        @Nullable
        Term sealedTerm;
        /** Frames that an earlier owner took, by number, with the URLs that are done in them. */
        final TreeMap<Long, BitSet> left;
        /** How many URLs each host has; null without a limit. */
        final @Nullable HostCounts hosts;
        /** Whether frames may be queued. */
        boolean mayHaveFrames;
        /** The number of the next call that takes; the same until a call was answered. */
        long takeCall;

        /** Frames with URLs that became done since the last call. */
        final Set<TakenFrame> changed = new LinkedHashSet<>();
        /** The calls that store what is done, until they were answered. */
        final Deque<DoneCall> doneCalls = new ArrayDeque<>();

        long doneNumber;
        /** How many leases were begun and have not ended. */
        int begun;
        /** How many leases the caller holds on to without working on them. */
        int unused;
        /** Whether the engine stores that this worker has nothing to do in the slice. */
        boolean isIdle;
        /** Whether the slice was given up: no more URLs are handed out. */
        boolean isLeaving;

        long leaveNanos;

        Part(Slice slice, Term term, Map<Long, BitSet> left, boolean mayHaveFrames, @Nullable HostCounts hosts) {
            this.hosts = hosts;
            this.slice = slice;
            this.term = term;
            this.left = new TreeMap<>(left);
            this.mayHaveFrames = mayHaveFrames;
        }

        boolean hasEnded(long clock) {
            return term.endNanos() - clock <= 0;
        }

        boolean hasWork() {
            return !isLeaving && (mayHaveFrames || !left.isEmpty());
        }

        /** Returns whether the slice was given up and may be released: what was done in it is stored. */
        boolean isReleasable(long clock) {
            return isLeaving && changed.isEmpty() && doneCalls.isEmpty() && (begun == 0 || leaveNanos - clock <= 0);
        }

        int unsentDone() {
            int sum = doneCalls.stream().mapToInt(DoneCall::count).sum();
            return sum + changed.stream().mapToInt(TakenFrame::newlyDone).sum();
        }

        int unsentPages() {
            int sum = doneCalls.stream().mapToInt(DoneCall::pages).sum();
            return sum + changed.stream().mapToInt(TakenFrame::newPages).sum();
        }
    }

    /**
     * How many URLs of each host of a slice are done in a run of the crawl, or were handed out by this worker since it
     * owns the slice. A URL that another worker had and that is not done is handed out again, so each counts once.
     * Guarded by the lock of {@link Holdings}.
     */
    static final class HostCounts {
        /** The field with the run to which the counts on the engine belong; no host contains a slash. */
        private static final String RUN = "/";

        private final String run;
        private final int most;
        private final Map<String, Integer> counts = new HashMap<>();

        private HostCounts(String run, int most) {
            this.run = run;
            this.most = most;
        }

        /**
         * Reads the counts of a claimed slice in a run of the crawl, null when the engine has lost it, with the limit
         * per host.
         */
        static HostCounts read(Session session, byte[] key, @Nullable Object run, int most) {
            HostCounts hosts = new HostCounts(run == null ? "" : Replies.text(run), most);
            if (hosts.run.equals(Replies.textOrNull(session.ask("HGET", key, CrawlKeys.utf8(RUN))))) {
                Map<String, String> stored = Replies.map(session.ask("HGETALL", key));
                stored.remove(RUN);
                stored.forEach((host, count) -> hosts.counts.put(host, number(host, count)));
            }
            return hosts;
        }

        private static int number(String host, String count) {
            try {
                return Integer.parseInt(count);
            } catch (NumberFormatException e) {
                throw new UncheckedIOException(
                        new IOException("the count of " + host + " on the engine is damaged: " + count, e));
            }
        }

        /** Counts a URL of a host; returns false when the host has as many as permitted. */
        boolean admit(String host) {
            int count = counts.getOrDefault(host, 0);
            if (count < most) {
                counts.put(host, count + 1);
            }
            return count < most;
        }

        /** Returns the present run of the crawl. */
        String run() {
            return run;
        }
    }
}
