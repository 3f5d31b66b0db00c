/**
 * Offers frontiers on disk to other crawlers, by the gRPC service URLFrontier of crawler-commons, version 2.6 of its API, but for PurgeURLs:
 * {@link dev.sieve.serve.FrontierServer}.
 *
 * <h2>The model</h2>
 *
 * A crawl, which a client names by its crawlID, is a folder with a {@link dev.sieve.durable.DurableSieve}. A URL belongs to
 * a queue: the one that the client names, or its host. URLs are compared as they are sent, together with their queue, by
 * the filter of the crawl; they are not normalised. Every acknowledged URL is a record of the log:
 *
 * <pre>
 *   discovered                              a record, if it is new: OK; otherwise SKIPPED
 *   known, no date, in process              its record is done
 *   known, no date, new                     a record that is done
 *   known, no date, otherwise               its record is done as soon as it is read
 *   known, with a date, in process          another record with that date; the one before is done in the same step
 *   known, with a date, otherwise           another record; one before it is done as soon as it is read
 * </pre>
 *
 * Records are read from the log into the queues of a {@link dev.sieve.polite.HostSchedule}, as many as memory permits and
 * requests need. A record whose date has not come is given back to the frontier until then. A URL that was handed out is
 * in process until the client sends it as known, or the time that the client requested is over: then it is the first of its
 * queue again. After a restart nothing is in process.
 *
 * <p>All data of a URL except its text is in the referrer of its record, see {@link dev.sieve.serve.RecordInfo}. The next
 * queue with the name of one that was deleted gets a generation of its own, which is part of the key of its URLs. So they are
 * new again, and older records are done as soon as they are read. A deleted queue is a line in a file, which is read
 * together with the log, and a few bits in memory; at a start, only the last line of each name is kept. Settings of queues and of the server are lines of JSON.
 *
 * <h2>Promises</h2>
 *
 * <ul>
 *   <li>A URL is acknowledged after its record was written. So an acknowledged URL is handed out after any crash that the
 *       {@link dev.sieve.durable.Durability} includes, until the client has sent it as known.
 *   <li>That a URL is known without a date is written within a second. If the server is killed before, it is handed out
 *       once more.
 *   <li>SKIPPED: it makes no difference whether the URL is sent again. FAIL: there was no memory for its crawl, its queue or
 *       its date, or the filter is full and refuses new URLs. When the disk fails, calls end with UNAVAILABLE, and so do all later
 *       ones.
 *   <li>Memory is bounded by one budget, two thirds of the heap, for filters, queues, URLs with a date, of which each takes
 *       120 bytes, URLs in process and messages. A client that does not read takes no thread.
 *   <li>A client cannot write to the log of the server: whatever it sends ends with a status. Only gRPC writes to a log of its
 *       own, see {@link dev.sieve.serve.FrontierServer}.
 * </ul>
 *
 * <h2>What is not as in the reference implementation</h2>
 *
 * <ul>
 *   <li>A Bloom filter mistakes a new URL for a seen one, at the configured rate: then it is SKIPPED. GetStats returns the
 *       present rate and an estimate of their number.
 *   <li>PurgeURLs and SetLogLevel are UNIMPLEMENTED. There is one node.
 *   <li>A batch of PutDiscovered with more than 10,000 URLs is INVALID_ARGUMENT. A URL in it that cannot be read is SKIPPED.
 *   <li>Settings are kept across restarts: the delay, block, limit of a queue, the default delay, and whether the server is
 *       active.
 *   <li>A URL that is sent as known while it is neither in process nor new counts as active until its older record is read
 *       from the log. 100,000 of these are remembered, and not across a restart; one that is forgotten is handed out again.
 *   <li>Within a queue, URLs are ordered by their dates only as far as they are read from the log together; otherwise they
 *       are handed out in the order in which they were acknowledged or became due.
 *   <li>A request without limits returns what is at hand, not everything; the client requests again.
 *   <li>A block ends at its date, not a second later; a queue may be served again after its delay, not up to a second
 *       later.
 *   <li>DeleteQueue and DeleteCrawl count active and completed URLs.
 *   <li>ListURLs, GetURLStatus and CountURLs with a filter read all of the log, also for one queue; two of them run at a
 *       time, 16 wait, and more are refused with RESOURCE_EXHAUSTED. The date of a URL that was never scheduled is the
 *       present. With {@code forgetDone}, completed URLs are not listed or counted any more once their part of the log was
 *       deleted.
 *   <li>A URL without a host and key, longer than 65,536 bytes, or with a message longer than 131,072 bytes is SKIPPED; so is
 *       one with a key longer than 255 characters, or with a NUL, and one whose crawl ID makes a folder name of more than 200
 *       characters: a letter or digit of ASCII, a hyphen or an underscore makes one, any other byte of its UTF-8 three.
 *   <li>GetURLs with a key and without a crawlID is INVALID_ARGUMENT, and SetCrawlLimit for an unknown queue NOT_FOUND.
 * </ul>
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Every call holds the lock of its crawl.</b> A frontier detects duplicates without a lock, so another stream could
 * acknowledge a URL as seen before its record is written. Storing a URL takes a fraction of what gRPC takes for its message.
 *
 * <p><b>A queue that must not be served is parked.</b> A schedule of hosts has delays of its own, which can only become
 * longer. So the schedule here has no delay, and a request counts as under way for as long as a queue must not be served.
 *
 * <p><b>Messages are received on threads of the network.</b> These only pass them on. A worker stores all that have arrived
 * in one piece: batches are as long as the load requires, and no message waits for others.
 *
 * <p><b>The messages of PutDiscovered are those of another call.</b> The library of the protocol has classes for version 2.5.
 * What they do not know is kept in unknown fields, so version 2.6 needs no classes of its own, see {@link
 * dev.sieve.serve.PutMessages}.
 */
@NullMarked
package dev.sieve.serve;

import org.jspecify.annotations.NullMarked;
