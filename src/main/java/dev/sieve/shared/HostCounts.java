package dev.sieve.shared;

import java.io.IOException;
import java.io.UncheckedIOException;
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

    private HostCounts(String run, int most) {
        this.run = run;
        this.most = most;
    }

    /**
     * Reads the counts of a claimed slice in a run of the crawl, null when the engine has lost it, with the limit per host.
     */
    static HostCounts read(Session session, byte[] key, @Nullable Object run, int most) {
        HostCounts hosts = new HostCounts(run == null ? "" : Replies.text(run), most);
        session.send("HGET", key, CrawlKeys.utf8(RUN));
        if (hosts.run.equals(Replies.textOrNull(session.receive()))) {
            session.send("HGETALL", key);
            Map<String, String> stored = Replies.map(session.receive());
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
