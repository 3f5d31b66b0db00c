/**
 * Offers frontiers on disk to other crawlers, by the gRPC service URLFrontier of crawler-commons, version 2.6 of its API:
 * {@link dev.sieve.serve.FrontierServer}. The page {@code docs/urlfrontier.md} lists what each call does, and what is not as in
 * the reference implementation.
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
 * together with the log, and a few bits in memory; only the last line of each name is kept. That a record is done as soon as it
 * is read is a line as well. These lines have checksums, see {@code ServedFiles}.
 *
 * <p>{@code docs/urlfrontier.md} says what is promised. Memory is bounded by one budget, {@code MemoryBudget}. A client cannot
 * write to the log of the server: whatever it sends ends with a status. Only gRPC writes to a log of its own, see {@link
 * dev.sieve.serve.FrontierServer}.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Every call holds the lock of its crawl.</b> A frontier detects duplicates without a lock, so another stream could
 * acknowledge a URL as seen before its record is written. Storing a URL takes a fraction of what gRPC takes for its message.
 *
 * <p><b>A queue that must not be served is parked,</b> see {@code QueueTable}: a schedule of hosts has delays of its own, which
 * can only become longer. So the schedule here has none.
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
