/**
 * Decides which host may be requested now.
 *
 * <p>{@link dev.sieve.polite.HostSchedule} is the entry: it holds one queue per host and returns an item whose host may
 * be requested, or how long to wait. Behind it, {@code Host} is one host; {@code HostTable} finds hosts by name; {@code
 * HostSelector} moves them between {@code WaitingHosts}, whose delay is not over, and {@code ReadyHosts}; and {@code
 * ItemQueues} keeps their items in memory or, through {@code SpillQueues} and {@code BlockFile}, on disk, where {@link
 * dev.sieve.polite.LeaseCodec} is the form of leases. An {@link dev.sieve.polite.ItemQueue} holds items there that no
 * host may get yet. {@link dev.sieve.polite.RetryAfter} parses the pause that a server requests.
 *
 * <p>Time is passed in: no class of this package reads a clock, sleeps or opens a connection. Only the spill file is
 * I/O.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Two orders of hosts.</b> Always requesting the host that has been ready the longest is fair but slow: small
 * hosts are finished early, and then the crawl waits for the delays of the few large ones, which could have been
 * requested all the time. Always requesting the largest host is nearly the fastest order, but small hosts starve.
 * Alternating between both takes a few percent longer than the fastest order, and no host waits more than twice as long
 * as in the fair one.
 *
 * <p><b>Lean hosts.</b> A million hosts with ten URLs each must fit in 256 MB of heap, of which the items in memory and
 * the crawl itself need a part. A host with its links takes 96 bytes. That is why the hosts are linked through their
 * own fields, and why {@code HostTable} replaces a {@code HashMap} of strings, whose nodes and keys would take 100
 * bytes more per host: it compares 61-bit hashes in place of names.
 *
 * <p><b>One spill file, in blocks.</b> With a file per host, a crawl runs out of descriptors. In a shared log, the host
 * with the most items keeps the space of the others in use, or they have to be copied repeatedly. A tree costs more
 * than it stores. A chain of blocks per host takes one write when an item is added and one read when it is removed.
 */
@NullMarked
package dev.sieve.polite;

import org.jspecify.annotations.NullMarked;
