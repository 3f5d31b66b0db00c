package dev.sieve.crawl;

import java.time.Duration;

/**
 * A URL that a worker is processing.
 *
 * @param age how long ago it was handed out
 */
public record OpenRequest(String url, Duration age) {}
