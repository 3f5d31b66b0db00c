package dev.sieve.crawl;

import java.time.Duration;

/** A URL that a worker is processing, and how long ago it was handed out. */
public record OpenRequest(String url, Duration age) {
    private static final Duration LONG = Duration.ofSeconds(5);

    /** Returns whether it takes so long that a user asks what the crawl waits for: 5 seconds. */
    public boolean isLong() {
        return age.compareTo(LONG) >= 0;
    }
}
