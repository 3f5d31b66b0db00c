/**
 * A URL frontier: it hands out each URL once and remembers a URL in a few bits.
 *
 * <pre>{@code
 * Sieve frontier = new Sieve(1_000_000); // capacity: distinct URLs
 * frontier.push("https://example.com/");
 * for (Optional<String> url = frontier.pop(); url.isPresent(); url = frontier.pop()) {
 *     for (String link : linksOf(url.get())) {
 *         frontier.push(link); // true when the URL is new
 *     }
 * }
 * }</pre>
 *
 * <p>{@link dev.sieve.Sieve} keeps the frontier in memory, {@link dev.sieve.durable.DurableSieve} on disk. Both
 * implement {@link dev.sieve.Frontier}, which has these operations:
 *
 * <ul>
 *   <li>{@code push} queues a seed, {@code pushAll} the links of a page in one {@link dev.sieve.UrlBatch}, which is
 *       several times faster per URL.
 *   <li>{@code take} returns the next URL as a {@link dev.sieve.Lease}; {@code done} or {@code retry} ends the lease.
 *   <li>{@code stats} returns {@link dev.sieve.SieveStats}: counters, size and false-positive rate of the filter, and the
 *       estimated number of pages missed.
 * </ul>
 *
 * <p>URLs are compared byte by byte; {@link dev.sieve.url.UrlNormalizer} gives URLs of the same page one spelling.
 *
 * <p>The filter mistakes some new URLs for seen ones. Up to its capacity, the share of these is at most the
 * false-positive rate that was requested; {@link dev.sieve.OnFull} decides what happens above. A
 * {@link dev.sieve.CapacityEvent} is logged at 80 % and 100 % of the capacity and at each doubling after that.
 * {@link dev.sieve.FilterKind} lists the filters.
 *
 * <p>To write another frontier, combine a {@link dev.sieve.Deduplicator} with a store. {@link dev.sieve.Leases} is
 * public only because {@code dev.sieve.durable} needs it.
 */
@NullMarked
package dev.sieve;

import org.jspecify.annotations.NullMarked;
