package dev.sieve.crawl;

import java.util.HashSet;
import java.util.Set;

/**
 * Whether there is a network: which hosts do not respond, and when one has responded. Guarded by the lock of {@link
 * Dispatcher}, except for {@link #hasResponseSince}.
 */
final class Reachability {
    final boolean continues;
    private final int most;
    /** Some of the hosts that did not respond, and whose URLs stay in flight. */
    private final Set<String> silentHosts = new HashSet<>();

    private volatile boolean hasResponse;
    private volatile long lastResponseNanos;

    /**
     * @param continues whether an earlier run has requested URLs of the frontier
     * @param most how many hosts without a response end a crawl that continues
     */
    Reachability(boolean continues, int most) {
        this.continues = continues;
        this.most = most;
    }

    void responded(long nowNanos) {
        lastResponseNanos = nowNanos;
        hasResponse = true;
    }

    /** Returns whether a server has responded since a moment: if so, there is a network. */
    boolean hasResponseSince(long nanos) {
        return hasResponse && lastResponseNanos - nanos >= 0;
    }

    /** Notes that a host does not respond; returns whether this ends a crawl that continues. */
    boolean silent(String host) {
        if (silentHosts.size() < most) {
            silentHosts.add(host);
        }
        return continues && !hasResponse && silentHosts.size() == most;
    }

    /** Returns whether hosts were silent and none has responded. */
    boolean isInDoubt() {
        return !hasResponse && !silentHosts.isEmpty();
    }
}
