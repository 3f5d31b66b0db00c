/**
 * The frontier that many processes share, on an engine: a Valkey or Redis server of version 6.2 or later.
 * {@link dev.sieve.shared.SharedSieve} is a worker, {@link dev.sieve.shared.SharedTools} reads and repairs what is stored.
 *
 * <h2>Slices</h2>
 *
 * The hash of a host, or of its group, decides its slice. A slice has one owner at a time, by a lease with a token that the
 * engine grants; the owner alone takes from its queue, so politeness to a host needs no round trip. Every worker pushes into
 * every slice. An owner renews its lease; when it dies or is cut off, another worker claims the slice after the lease, and
 * what the former owner reports late is refused, since each call carries the token and the run of the engine that granted
 * it. Only the clock of the engine counts.
 *
 * <h2>Keys</h2>
 *
 * {@code N} is the name of the crawl, {@code i} a slice. What is in braces decides on which node of a cluster a key is, so all
 * keys of a slice are on one.
 *
 * <pre>
 *   {N}        hash    settings: the version of the format, slices, buckets, seed, capacity, id, options of the crawl
 *   {N}w       zset    live workers, and until when they count
 *   {N}e       hash    events of the capacity that were announced; the end of the crawl
 *   {N}l:LIST  list    lines that the workers share: seeds, origins
 *   {N:i}m     hash    counters: accepted, taken, done, seen, token, and the numbers of the last calls
 *   {N:i}o     hash    the owner: worker, run, token, until
 *   {N:i}q     list    frames that were not taken
 *   {N:i}f     hash    frames that were taken, by their numbers
 *   {N:i}d     hash    which URLs of taken frames are done
 *   {N:i}r     hash    the last answer to a push, by the lane of its session
 *   {N:i}p     hash    pauses of hosts
 *   {N:i}s0..  set     fingerprints of accepted URLs, 160 per set when the crawl has its capacity
 *   {N:i}x     list    damaged frames that a repair has put aside
 * </pre>
 *
 * <h2>What survives what</h2>
 *
 * Each step (push, take, done, claim) is one script, which writes in an order of which every beginning is safe: queued first,
 * seen last. The steps are numbered, so that one whose answer was lost is repeated without being done twice.
 *
 * <ul>
 *   <li>A worker dies: its slices are claimed after its lease, and what was taken and not done is handed out again.
 *   <li>The engine is away: calls wait, up to the patience of the worker.
 *   <li>The engine forgets the end of its log: its run has another identity then, so each worker drops its slices and what it
 *       remembers of seen URLs, and claims anew. A page whose links were forgotten is not done either, so it is fetched again.
 *   <li>The memory of the engine is full: pushes are refused whole; take, done and renewals go on.
 * </ul>
 *
 * <p>A contract test cannot demand that a shared frontier hands out URLs of different slices in one order, or that its
 * counters include what other workers did in the last second.
 */
package dev.sieve.shared;
