package dev.sieve.shared;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many URLs of each host of a slice are done in a run of the crawl, or were handed out by this worker since it owns the
 * slice. A URL that another worker had and that is not done is handed out again, so each counts once. Guarded by the lock of
 * {@link Holdings}.
 */
final class HostCounts {
    /** The field with the run to which the counts on the engine belong; no host contains a slash. */
    private static final String RUN = "/";

    private final String run;
    private final int most;
    private final Map<String, Integer> counts = new HashMap<>();

    /**
     * Creates the counts of a slice that was claimed.
     *
     * @param run the present run of the crawl; null when the engine has lost it
     * @param stored the counts on the engine; those of an earlier run are ignored
     * @param most how many URLs of a host may be done in a run
     */
    HostCounts(@Nullable Object run, Object stored, int most) {
        this.run = run == null ? "" : Replies.text(run);
        this.most = most;
        Map<String, String> all = Replies.map(stored);
        if (this.run.equals(all.remove(RUN))) {
            all.forEach((host, count) -> counts.put(host, Integer.valueOf(count)));
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
