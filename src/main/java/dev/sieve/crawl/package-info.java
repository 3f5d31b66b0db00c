/**
 * The one loop that joins the rooms.
 *
 * <p>{@link dev.sieve.crawl.Crawler} is the loop, made with {@link dev.sieve.crawl.CrawlOptions};
 * {@link dev.sieve.crawl.CrawlReport} tells what it did. Its workers wait in one place, {@code Turns}.
 *
 * <h2>Threads</h2>
 *
 * <p>Each worker has a thread, which belongs to {@link dev.sieve.crawl.Crawler#run}: it starts them and waits for them.
 * The lock of {@code Turns} guards the schedule of hosts and the limits; under it the frontier is asked for a URL, never
 * pushed to. Fetching, parsing, pushing and the sink happen outside of it; the sink has a lock of its own.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>The target of a seed's redirect counts as a seed.</b> Where {@code http://example.org/} has moved to
 * {@code https://www.example.org/}, its user meant the latter.
 *
 * <p><b>A redirect to another spelling of the same page is fetched.</b> Its key was seen, by the redirect itself; taken
 * for seen, the page would be lost.
 */
package dev.sieve.crawl;
