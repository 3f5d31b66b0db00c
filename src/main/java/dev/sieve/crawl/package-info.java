/**
 * The loop that joins the other packages.
 *
 * <p>A {@link dev.sieve.crawl.Crawler} runs a crawl with its {@link dev.sieve.crawl.CrawlOptions} and returns a {@link
 * dev.sieve.crawl.CrawlReport}. A {@link dev.sieve.crawl.CrawlJob} is what is kept of it, by another package. Inside,
 * {@code docs/code.md} follows a URL through the classes.
 *
 * <p>What a crawl may do besides is a {@link dev.sieve.crawl.Stage}: sitemaps, duplicates, fragments, rounds. The loop
 * calls all stages and does not depend on any; they are created by the {@link dev.sieve.crawl.Crawler.StageFactory} of
 * the crawler, in the package {@code dev.sieve.stage}. Public classes and methods besides those of a crawl and its job
 * are for stages.
 *
 * <p>What is counted is a {@link dev.sieve.crawl.Counter}; that page says how to add one. What is true at a moment
 * and does not count is a component of a group of {@link dev.sieve.crawl.CrawlReport}.
 *
 * <p>Whatever a server can make a crawl store has a limit in bytes, see {@code docs/memory.md}; threads and locks are
 * in {@code docs/threads.md}.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>The target of a seed's redirect counts as a seed.</b> Where {@code http://example.org/} has moved to {@code
 * https://www.example.org/}, the user meant the latter. That holds within a registrable domain. Of another one, to
 * which a short link or a login leads, only the page itself is crawled, or a redirect would open a whole foreign site.
 *
 * <p><b>A limit of depth is exact,</b> see {@code Levels}. Correcting the depth of a page later would cost less time
 * where hosts are slow, but the page would have to be requested or stored again. Where several processes share a crawl,
 * no depth is waited for: the engine would have to count the URLs that are not done, for each depth and slice, and hand
 * out only those of the smallest depth of all slices.
 *
 * <p><b>A redirect to another spelling of the same page is fetched.</b> Its key was seen, by the redirect itself; if
 * that counted, the page would be lost.
 *
 * <p><b>A sitemap is a URL with a label.</b> It waits in the frontier like a page: it survives a crash, waits for its
 * host, can be processed by another process, and no second list has to be kept consistent with the frontier. The label
 * stores how it was found, which its content could not: a sitemap is read differently from a page, and does not count
 * toward the limit of pages. Its key differs from the key of a page with the same URL.
 *
 * <p><b>So is a link that is only checked.</b> A URL outside of the crawl that is requested once has the key that it
 * would have as a page, so that it is requested once whatever leads to it, and its label stores that no link of it is
 * followed. If a redirect of a seed brings it into scope, it becomes a page: when it is taken, or, if it was checked by
 * then and is where the seed redirects to, by a second request. Other pages of that site that were checked by then stay
 * checks. Checks are not counted as pages, and do not keep a crawl from ending at its limit of pages.
 *
 * <p><b>A ring of redirects is a failure of the URL that closes it.</b> Each URL is requested once, so the crawl would
 * not notice that no document is reached, which is what makes a link to it a broken one. In later rounds it is the same
 * URL.
 *
 * <p><b>A redirected robots.txt waits for the other host.</b> The request for it is an errand in the queue of that
 * host, ahead of its URLs, and the slot of the host that was redirected stays taken until then. A host that waits
 * itself gets no errand, so that hosts never wait for each other in a ring. In a shared crawl another worker may own
 * the other host; then each worker keeps the delay between its own errands only, so that the host may get one request
 * more per delay and worker.
 *
 * <p><b>A URL in a sitemap is treated like a link.</b> The protocol allows a sitemap only URLs of its own host, and of
 * hosts whose robots.txt names it. A crawl never leaves its scope, whatever lists a URL, so that rule would protect no
 * one here. Further sitemaps are not subject to the scope: an index may list those of its own registrable domain.
 *
 * <p><b>Unknown hosts may not hold all workers.</b> A request without a response costs a worker until the timeout, and
 * cannot be recognised in advance. But where all hosts are new, holding workers back costs time: {@code UnprovenLimit}
 * adapts. A request that has waited for long gets a further worker in its place, up to a limit, since old lists of
 * links are full of hosts that do not respond; when its response begins, it waits until one of the usual workers is
 * free.
 *
 * <p><b>A URL is not done because of silence alone.</b> The crawler's own network may be down, and a job must not lose
 * its URLs to that. So a URL stays in the frontier, though it counts as failed in this run, when its host was given up,
 * when robots.txt is unavailable, and when no server at all has responded while the URL was tried. If another one has
 * responded, there is a network, and the page itself is broken: it is done. A crawl that continues requests what has
 * stayed. If no server has responded to many hosts, it ends, because going on would only fill the output with failures.
 *
 * <p><b>Every lease ends, waits for its host, or has a worker.</b> Only a stop of the crawl leaves a URL without a
 * result; it waits for its host again then. {@code Recorder} counts the leases that have ended, and {@code Dispatcher}
 * those that it has taken: when no worker is active and nothing is due later, both numbers must be equal. If they are
 * not, the crawl fails instead of waiting forever; the URL is not done, so the next run requests it.
 *
 * <p><b>In a shared crawl, a seed and a page outside of the scope make a worker read the scope again.</b> Another
 * process may have added the seed a moment ago. Judged without it, the links of such a page would be skipped, and the
 * page would be done. Other pages are judged by a scope that is a second old at most, as if they had been read a second
 * earlier.
 *
 * <p><b>A host is free before its page is parsed.</b> {@code UrlProcessor} therefore has two steps, and the request of
 * a {@code Task} ends between them, with one {@code Outcome}.
 */
@NullMarked
package dev.sieve.crawl;

import org.jspecify.annotations.NullMarked;
