/**
 * The one loop that joins the rooms.
 *
 * <p>{@link dev.sieve.crawl.Crawler} is the loop, made with {@link dev.sieve.crawl.CrawlOptions};
 * {@link dev.sieve.crawl.CrawlReport} tells what it did. Its workers wait in one place, {@code Turns}.
 * {@link dev.sieve.scope.Admission} decides what is queued, {@code Findings} takes it to the frontier, and {@code Ledger}
 * tells the sink, and counts, what has become of it.
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
 *
 * <p><b>A sitemap is a URL with a fragment.</b> {@code https://h/s.xml#sitemap} in the frontier is a sitemap: no page has
 * a fragment there, since none is asked for. So a sitemap is a lease like any other, which survives a crash, waits for
 * its host's turn and can be worked on by another process, and no second list has to be kept in step with the frontier.
 * Its content could not tell: what it is decides how it is read, before it is read, and whether it counts as a page.
 *
 * <p><b>What a sitemap lists is judged like a link.</b> The protocol allows a sitemap only URLs of its own host, and of
 * those whose robots.txt names it. A crawl goes nowhere that its scope does not let it, whoever lists it, so that rule
 * protects nobody here. Further sitemaps have no scope to be held by: an index lists those of its own registrable domain.
 *
 * <p><b>Hosts that nobody knows may not hold all workers.</b> A request that is never answered costs a worker for as
 * long as the time-out lasts, and nobody can tell beforehand. To hold workers back for hosts that answer costs time, too,
 * where all hosts are new; so as many are given to new hosts as such hosts have answered. See {@code Reserve}.
 *
 * <p><b>A URL of a host that was given up is not done.</b> It may be the crawler's own network that is down, and a job
 * must not lose all of its URLs to that. It counts as failed, so that a crawl ends; a crawl that goes on asks for it.
 */
package dev.sieve.crawl;
