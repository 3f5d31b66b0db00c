package dev.sieve.crawl;

import dev.sieve.io.LruMap;
import dev.sieve.polite.AdaptiveDelay;
import dev.sieve.polite.HostSchedule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The delays of hosts by options and robots.txt, which may adapt to the responses. Guarded as {@link Dispatcher} is. */
final class HostDelays {
    /** What delays may take if they adapt; a host that is dropped begins again. */
    private static final long MEMORY = 4 << 20;

    private final HostSchedule<Target> schedule;
    private final boolean adapts;
    private final LruMap<AdaptiveDelay> adaptive = new LruMap<>(MEMORY, delay -> AdaptiveDelay.BYTES);

    HostDelays(HostSchedule<Target> schedule, boolean adapts) {
        this.schedule = schedule;
        this.adapts = adapts;
    }

    /** Sets the delay of a host by its robots.txt, before a request. */
    void set(String host, Duration crawlDelay) {
        Duration delay = crawlDelay;
        if (adapts) {
            AdaptiveDelay adapted = adapted(host);
            adapted.atLeast(crawlDelay);
            delay = adapted.delay();
        }
        schedule.delay(host, delay);
    }

    void adapt(String host, Outcome outcome) {
        if (adapts) {
            AdaptiveDelay adapted = adapted(host);
            if (outcome.adapt(adapted)) {
                schedule.delay(host, adapted.delay());
            }
        }
    }

    /** Returns the present delay of a host; null when the host is not known, or not any more. */
    @Nullable
    Duration get(String host) {
        AdaptiveDelay adapted = adaptive.get(host);
        return adapted == null ? schedule.delay(host) : adapted.delay();
    }

    private AdaptiveDelay adapted(String host) {
        return adaptive.merge(host, new AdaptiveDelay(), (known, unused) -> known);
    }
}
