package dev.sieve.crawl;

import dev.sieve.polite.AdaptiveDelay;
import java.time.Duration;

/**
 * The options that set how fast a crawl is, and when it ends.
 *
 * @param <B> the class of the options
 */
abstract class PaceOptions<B extends PaceOptions<B>> {
    long maxPages = Long.MAX_VALUE;
    Duration maxTime = Duration.ofSeconds(Long.MAX_VALUE);
    Duration delay = Duration.ofSeconds(1);
    boolean adaptsDelay;
    int perHost = 1;
    int perDomain = Integer.MAX_VALUE;
    int perAddress = Short.MAX_VALUE;
    Duration addressDelay = Duration.ZERO;
    int maxPerHost = Integer.MAX_VALUE;
    int maxFailures = 10;
    int concurrency = 32;
    Duration timeout = Duration.ofSeconds(30);
    int retries = 2;

    @SuppressWarnings("unchecked") // B is the class of the options
    private B self() {
        return (B) this;
    }

    /** Sets after how many pages, of any status, the crawl ends, at least 1. Default: no limit. */
    public B maxPages(long pages) {
        maxPages = check("maxPages", pages, 1, Long.MAX_VALUE);
        return self();
    }

    /**
     * Sets after which time the crawl ends, above 0, counted from {@link Crawler#run}. Requests in progress then have
     * ten seconds to finish, as after {@link Crawler#stop}. Default: no limit.
     */
    public B maxTime(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("maxTime must be above 0");
        }
        maxTime = time;
        return self();
    }

    /** Sets the minimum time between the starts of two requests to one host, at least 0. Default: 1 second. */
    public B delay(Duration time) {
        delay = notNegative("delay", time);
        adaptsDelay = false;
        return self();
    }

    /**
     * Lets the delay of each host follow its response times, as {@link AdaptiveDelay} describes, in place of a fixed
     * {@link #delay(Duration)}. It begins with 1 second; a Crawl-delay and a Retry-After that are longer apply.
     */
    public B adaptiveDelay() {
        delay = AdaptiveDelay.FIRST;
        adaptsDelay = true;
        return self();
    }

    /** Sets the concurrent requests per host, from 1 to 32,767. Default: 1. */
    public B perHost(int requests) {
        perHost = check("perHost", requests, 1, Short.MAX_VALUE);
        return self();
    }

    /**
     * Sets the concurrent requests per registrable domain, from 1 to 32,767. An address, and a host that is a public
     * suffix, is a domain by itself. Default: no limit.
     */
    public B perDomain(int requests) {
        perDomain = check("perDomain", requests, 1, Short.MAX_VALUE);
        return self();
    }

    /**
     * Sets limits that the hosts on one public address share: the concurrent requests, from 1 to 32,767, and the
     * minimum time between the starts of two, at least 0. Each process has its own. Default: no limits.
     */
    public B perAddress(int requests, Duration time) {
        perAddress = check("perAddress", requests, 1, Short.MAX_VALUE);
        addressDelay = notNegative("addressDelay", time);
        return self();
    }

    /**
     * Sets how many URLs per host are requested, at least 1. The others are refused, but they are not done: a crawl
     * that continues later counts from zero and requests them. Default: no limit.
     */
    public B maxPerHost(int urls) {
        maxPerHost = check("maxPerHost", urls, 1, Integer.MAX_VALUE);
        return self();
    }

    /**
     * Sets after how many requests without a response in a row a host is given up, from 1 to 127. Its other URLs count
     * as failed without being requested, but they are not done: a durable frontier hands them out again when the crawl
     * continues later. Default: 10, which takes about nine minutes and the time of the requests.
     */
    public B maxFailures(int requests) {
        maxFailures = check("maxFailures", requests, 1, Byte.MAX_VALUE);
        return self();
    }

    /**
     * Sets the concurrent requests in all, from 1 to 10,000, each with a thread. Eight times as many, at most 256, may
     * wait in addition for hosts that have not responded for half a second. Default: 32.
     */
    public B concurrency(int requests) {
        concurrency = check("concurrency", requests, 1, 10_000);
        return self();
    }

    /** Sets the deadline of a whole request, from 1 millisecond to 24 days. Default: 30 seconds. */
    public B timeout(Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(Duration.ofDays(24)) > 0) {
            throw new IllegalArgumentException("timeout must be from 1 ms to 24 days");
        }
        timeout = time;
        return self();
    }

    /** Sets how often a URL is requested again after a temporary error, at least 0. Default: 2. */
    public B retries(int times) {
        retries = check("retries", times, 0, Integer.MAX_VALUE);
        return self();
    }

    static int check(String name, int value, int least, int most) {
        return (int) check(name, value, least, (long) most);
    }

    static long check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            String limit = value < least ? "least " + least : "most " + most;
            throw new IllegalArgumentException(name + " must be at " + limit + ": " + value);
        }
        return value;
    }

    /** Returns the minimum time between the starts of two requests to one host. */
    public Duration delay() {
        return delay;
    }

    /** Returns how many URLs per host are requested at most. */
    public int maxPerHost() {
        return maxPerHost;
    }

    /** Returns the concurrent requests per registrable domain. */
    public int perDomain() {
        return perDomain;
    }

    private static Duration notNegative(String name, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative");
        }
        return time;
    }
}
