/**
 * The frontier that many processes share, on an <em>engine</em>: a server with Valkey, or with Redis 6.2 or later, or a
 * cluster of these. All URLs, and what was seen of them, are stored there; the processes, the <em>workers</em>, are equal and
 * can come, go and die.
 *
 * <p>A crawl consists of a fixed number of <em>slices</em>. The host of a URL decides its slice. Any worker pushes into
 * any slice; one worker at a time owns a slice, takes from its queue, and stores what is done. Each step is one script,
 * which the engine runs as a whole: the files next to these classes. Scripts that only an owner may run compare its
 * token, which grows with each owner, and the run of the engine that granted it. Calls have numbers, so that one whose
 * response was lost is repeated with the same result. Pages that a worker pushes at the same time may share a
 * round trip: one call per slice, in which each page has a frame of its own.
 *
 * <h2>Keys</h2>
 *
 * N is the name of the crawl, # the number of a slice, B that of a bucket. What is in braces decides on which node of a
 * cluster a key is. On one server, all keys have the same: the slices share the buckets, so that these fill evenly however the
 * URLs are distributed over the hosts. In a crawl that was made on a cluster, {N} is {N:#} in the keys of a slice, each slice
 * has buckets of its own, and {N:#} itself is a hash with the id of the crawl, so that a loss of the slice is noticed.
 *
 * <pre>
 *   {N}        hash    settings: sieve (version of this format, 4), slices, buckets, spread (1: made on a cluster),
 *                      complete (1: each slice has its id), seed, capacity, on-full, group, id, opt.*
 *   {N}w       zset    workers that are alive; until when, in milliseconds of the engine's clock
 *   {N}e       hash    events of the capacity, each with the worker that logged it; the end of the crawl
 *   {N}b       hash    worker -> how many pages it may have begun; of this run: base (pages that were done before), start
 *                      (time); version: grows when such a number falls, on a cluster
 *   {N}n       hash    worker -> what it has done, for the report of the crawl
 *   {N}l:LIST  list    lines that all workers read, such as seeds
 *   {N}#m      hash    a: accepted URLs; taken (frames), done, seen, pages (done ones); token: the last one; c, cf: number and first frame of the
 *                      last take; dc: number of the last done; of a repair: lost (these count as done), forgotten (accepted
 *                      URLs whose fingerprints are missing); lane of a worker -> number (in base 36)
 *                      of its last call with a new URL; unless all were new: ':', places of these (a byte each, 2 when the
 *                      call had 256 URLs or more)
 *   {N}#o      hash    owner: worker, run, token, until, ttl, moved (1: from another owner), idle (1: it has nothing to
 *                      do), rc: number of the last renewal
 *   {N}#q      list    frames not taken yet
 *   {N}#f      hash    frames taken, by number
 *   {N}#d      hash    which URLs of a taken frame are done, by number
 *   {N}#p      hash    host -> pause, until when it counts; in milliseconds
 *   {N}#h      hash    host -> how many of its URLs are done, with a limit per host; /: the start of the run
 *   {N}#t      hash    hash of a shape of URLs or of a host (in base 36) -> how many of its URLs were requested, a multiple of a
 *                      hundredth of the limit of the trap
 *   {N}#x      list    damaged frames that a repair has put aside
 *   {N}B       set     fingerprints of 32 bits of the URLs in bucket B (in base 36, with capitals), as numbers
 * </pre>
 *
 * A <em>frame</em> holds the URLs that one push found new: their number (2 bytes), what they have in common, and what
 * each adds to it, in a code that takes about five bits per character. A bucket holds about 64 fingerprints when the crawl
 * has as many URLs as it was made for. The engine stores up to 512 in 4 bytes each, and more in several times as much.
 *
 * <h2>Promises</h2>
 *
 * <ul>
 *   <li>No URL is lost: the log of the engine may end anywhere, also within a script. A script therefore writes in an
 *       order of which each first part is safe: queued, then seen; taken, then no longer queued. An engine can run such
 *       a part at its second start; each new run has its log rewritten once, which removes it.
 *   <li>A page is done only when its links are safe on every node that they went to. On one server, they are: its log and its
 *       replicas have the links before the page. On a cluster, see below.
 *   <li>What an engine forgets is done again. With {@code appendfsync everysec} that is up to about 2 seconds, with
 *       {@code always} nothing. All that a worker stores about the engine belongs to one run of it: when the identity
 *       of the run changes, ownership and caches end.
 *   <li>An engine that is away is waited for. One without memory for more refuses a batch as a whole; URLs that it
 *       holds are still taken and done: their scripts begin with a write that needs no memory, after which an engine
 *       allows all.
 *   <li>Only the engine's clock counts. Workers measure durations alone, and give a slice up before the engine does.
 * </ul>
 *
 * <h2>Clusters</h2>
 *
 * A node may die with the end of its log, be replaced by a replica that lacks its last writes, or go on for a while after it was
 * replaced, cut off from the others. A page on one node could then survive links that another node has lost. So what is done is
 * kept by its worker until a {@code Barrier} was passed after it: on each node, a write after all links, its replication to
 * every replica that may be elected, and the time in which the log is synchronized. The argument:
 *
 * <ol>
 *   <li>All links of a page, also those that another worker found first, were written before the page is done, and so before
 *       the write of the barrier. Replication and log keep the order of writes: what is safe of the last one is safe of all.
 *   <li>Each node answers with the identity of its history, which a replica changes when it is elected and a node when it is
 *       restarted. When it is still the one that the worker has known since before the links, the node has lost nothing.
 *   <li>When one of them has changed, the engine is in a new run: the worker gives up all slices and what it had not stored.
 *       These pages are handed out again, and push their links again.
 * </ol>
 *
 * <p>A renewal counts from the moment when the present replicas have it. An elected one thus knows the owner, and a worker
 * that reaches only a node that was cut off loses its slices before another worker can own them. A claim also has to be in the
 * log. A node that restarts without the end of its log may have lost a renewal, but not the claim: its owner keeps the slice for
 * more than half of its time, and reaches the node before.
 *
 * <p>A script cannot run while the keys of its slice are on their way to another node. The engine counts as away then.
 *
 * <p>{@code Engine} lends connections and repeats work, {@code Session} sends each command to the node of its key, and {@code
 * Link} is the only class that uses the connections of the client library.
 */
@NullMarked
package dev.sieve.shared;

import org.jspecify.annotations.NullMarked;
