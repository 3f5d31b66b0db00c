package dev.sieve.serve;

import dev.sieve.SieveStats;

/**
 * The numbers of a crawl at one moment.
 *
 * @param frontier of its frontier, where URLs that are queued in memory are in flight too
 * @param queues queues that have, or had, URLs
 * @param inProcess URLs that were handed to clients, and whose time to be reported is not over
 */
public record CrawlStats(SieveStats frontier, long queues, long inProcess) {}
