/**
 * The loop that joins the other packages.
 *
 * <p>A {@link dev.sieve.crawl.Crawler} runs a crawl with its {@link dev.sieve.crawl.CrawlOptions} and returns a
 * {@link dev.sieve.crawl.CrawlReport}. A {@link dev.sieve.crawl.CrawlDirectory} owns the files from which it continues
 * after a crash. Inside, in the order of the path of a URL:
 *
 * <ul>
 *   <li>{@code LinkQueue} queues seeds, links, redirect targets and sitemaps in the frontier.
 *   <li>{@code Dispatcher} hands them out to the workers. It is the only class that waits.
 *   <li>{@code UrlProcessor} processes one URL; {@code Politeness} decides how its host is treated, {@code Sitemaps}
 *       reads it when it is a sitemap.
 *   <li>{@code Recorder} passes the result to the sink, counts it, and marks the URL as done once the sink has stored it.
 * </ul>
 *
 * <h2>Threads</h2>
 *
 * <p>Each worker has a thread, started and awaited by {@link dev.sieve.crawl.Crawler#run}. The lock of {@code Dispatcher}
 * guards the schedule of hosts and the limits; under it URLs are taken from the frontier, never pushed. Fetching, parsing,
 * pushing and the sink happen outside of it; the sink has a lock of its own.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>The target of a seed's redirect counts as a seed.</b> Where {@code http://example.org/} has moved to
 * {@code https://www.example.org/}, the user meant the latter.
 *
 * <p><b>A redirect to another spelling of the same page is fetched.</b> Its key was seen, by the redirect itself; if that
 * counted, the page would be lost.
 *
 * <p><b>A sitemap is a URL with a label.</b> It waits in the frontier like a page: it survives a crash, waits for its host,
 * can be processed by another process, and no second list has to be kept consistent with the frontier. The label stores
 * how it was found, which its content could not: a sitemap is read differently from a page, and does not count toward the
 * limit of pages. Its key differs from the key of a page with the same URL. In logs of version 1, a fragment at the end of
 * the URL is in place of the label.
 *
 * <p><b>A URL in a sitemap is treated like a link.</b> The protocol allows a sitemap only URLs of its own host, and of
 * hosts whose robots.txt names it. A crawl never leaves its scope, whatever lists a URL, so that rule would protect no
 * one here. Further sitemaps are not subject to the scope: an index may list those of its own registrable domain.
 *
 * <p><b>Unknown hosts may not hold all workers.</b> A request without a response costs a worker until the timeout, and
 * cannot be recognised in advance. But where all hosts are new, holding workers back costs time; so new hosts get as many
 * workers as new hosts have responded. See {@code UnprovenLimit}.
 *
 * <p><b>A URL is not done because of silence alone.</b> The crawler's own network may be down, and a job must not lose its
 * URLs to that. So a URL stays in the frontier, though it counts as failed in this run, when its host was given up, when
 * robots.txt is unavailable, and when no server at all has responded while the URL was tried. If another one has responded,
 * there is a network, and the page itself is broken: it is done. A crawl that continues requests what has stayed. If no
 * server has responded to many hosts, it ends, because going on would only fill the output with failures.
 *
 * <p><b>A host is free before its page is parsed.</b> {@code UrlProcessor} therefore has two steps, and the request of a
 * {@code Task} ends between them, with one {@code Outcome}.
 */
package dev.sieve.crawl;
