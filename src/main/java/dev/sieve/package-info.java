/**
 * A URL frontier for crawlers: it hands out each URL once and remembers a URL in a few bits.
 * To add it to a crawler, this jar and slf4j-api are enough.
 *
 * <p>A crawler requests a page, finds links in it, and requests those that it has not seen. The part that stores which
 * URLs were seen and which one is next is the frontier: a queue, first in, first out, behind a Bloom filter. The filter
 * takes 3 bytes per URL, however long the URL is. In return, it mistakes some new URLs for seen ones: by default at most
 * one in 10,000, until it is full.
 *
 * <p>There is one interface, {@link dev.sieve.Frontier}, and three implementations: {@link dev.sieve.Sieve} keeps the
 * frontier in memory, {@link dev.sieve.durable.DurableSieve} on disk, and {@link dev.sieve.shared.SharedSieve} on a server
 * that many processes share. What may be null has the annotation {@code @Nullable} of JSpecify. To compile Kotlin, add the
 * library {@code org.jspecify:jspecify}; Java does not require it.
 *
 * <h2>The loop</h2>
 *
 * <p>{@code take} hands out a URL as a {@link dev.sieve.Lease}. {@code done} ends the lease; {@code retry} gives the URL
 * back for later. Push the links of a page before {@code done}, so that none is lost if the process ends in between. The
 * crawl is over when nothing is queued and nothing is in flight, so end every lease, or set a timeout for leases. Time is
 * passed in, from one clock that never runs backwards.
 *
 * <pre>{@code
 * void crawl(Frontier frontier) throws InterruptedException {
 *     while (!frontier.isOver(0)) {
 *         long now = System.nanoTime();
 *         Lease lease = frontier.take(now);
 *         if (lease != null) {
 *             visit(frontier, lease);
 *         } else { // other threads are at work, or a URL is due later
 *             TimeUnit.NANOSECONDS.sleep(Math.min(frontier.waitNanos(now), 10_000_000));
 *         }
 *     }
 * }
 *
 * void visit(Frontier frontier, Lease lease) {
 *     if (!frontier.begin(lease)) {
 *         return; // it belongs to another process now
 *     }
 *     try {
 *         List<String> links = linksOf(lease.url());
 *         UrlBatch batch = new UrlBatch(lease.depth() + 1, 0, lease.url());
 *         links.forEach(batch::add);
 *         frontier.pushAll(batch);
 *         frontier.done(lease);
 *     } catch (IOException e) {
 *         if (lease.attempt() < 3) {
 *             frontier.retry(lease, System.nanoTime() + pauseNanos);
 *         } else {
 *             frontier.done(lease);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <h2>Batches and keys</h2>
 *
 * <p>Push the links of a page in one {@link dev.sieve.UrlBatch}: it is several times faster per URL than {@code push}, and
 * takes one write to the disk or one round trip to a server. URLs are compared byte by byte. A URL may have a separate
 * key: the key decides whether it is new, and the URL is handed out. {@link dev.sieve.url.UrlNormalizer} resolves links and
 * computes keys; only international hosts require the library okhttp-jvm.
 *
 * <pre>{@code
 * UrlNormalizer.Base page = UrlNormalizer.base(lease.url());
 * for (String reference : references) {
 *     String url = page.resolve(reference);
 *     if (url != null) {
 *         batch.add(url, UrlNormalizer.key(url));
 *     }
 * }
 * }</pre>
 *
 * <h2>Threads, restarts, processes</h2>
 *
 * <p>Any number of threads may use a frontier, and one at a time a batch. When threads race to push a URL, exactly one push
 * reports it as new.
 *
 * <p>A crawl that has to continue after a restart opens its frontier in a folder. What was pushed and is not done is handed
 * out again, also after {@code kill -9}; {@link dev.sieve.durable.Durability} says what survives a power failure.
 *
 * <pre>{@code
 * try (DurableSieve frontier = DurableSieve.open(folder, 1_000_000)) {
 *     frontier.push("https://example.org/"); // new in the first run only
 *     crawl(frontier);
 * }
 * }</pre>
 *
 * <p>Processes on many machines open a {@link dev.sieve.shared.SharedSieve} each, with the same address of a Valkey or Redis
 * server (it requires the library jedis). The server moves hosts between them, so call {@code begin} just before a request.
 *
 * <h2>Capacity and numbers</h2>
 *
 * <p>A filter ({@link dev.sieve.FilterKind}) is made for a number of URLs. A {@link dev.sieve.CapacityEvent} is logged, and
 * passed to the listener, at 80 % and 100 % of the capacity and at each doubling after that. {@link dev.sieve.OnFull} decides
 * what happens then.
 *
 * <pre>{@code
 * Sieve frontier = Sieve.builder()
 *         .capacity(10_000_000)
 *         .falsePositiveRate(0.001)
 *         .onFull(OnFull.GROW)
 *         .onCapacity(event -> alert(event.threshold(), event.estimatedMissed()))
 *         .build();
 * }</pre>
 *
 * <p>{@code stats} returns {@link dev.sieve.SieveStats}: counters, size and false-positive rate of the filter, and the
 * estimated number of pages missed. {@link dev.sieve.report.FrontierMetrics} binds them to a registry of Micrometer.
 *
 * <h2>Politeness</h2>
 *
 * <p>A frontier has no delay between two URLs of one host. A crawler without such a rule of its own puts a
 * {@link dev.sieve.polite.HostSchedule} between the frontier and its requests, guarded by one lock if it has many threads:
 *
 * <pre>{@code
 * for (Lease lease = frontier.take(now); lease != null; lease = frontier.take(now)) {
 *     hosts.add(UrlParts.host(lease.url()), lease);
 * }
 * Lease lease = hosts.poll(now); // null: no host may be requested now, see waitNanos
 * if (lease != null) {
 *     visit(frontier, lease);
 *     hosts.finished(UrlParts.host(lease.url()), System.nanoTime());
 * }
 * }</pre>
 *
 * <h2>Errors</h2>
 *
 * <p>A push to a full filter throws {@link dev.sieve.SieveFullException} if {@link dev.sieve.OnFull#FAIL} is set. A frontier
 * on disk or on a server throws {@link java.io.UncheckedIOException} from any method when it can no longer keep its
 * promises: open it again when the cause is removed. A URL that was not stored is never reported as new. A folder that is
 * damaged is refused with a {@link dev.sieve.durable.DamageException};
 * {@link dev.sieve.durable.DurableFolder#repair} keeps all that is whole.
 *
 * <p>{@link dev.sieve.FrontierSettings} are the settings that all builders have in common, for programs that choose a frontier at
 * run time.
 *
 * <p>To write another frontier, combine a {@link dev.sieve.Deduplicator} with a store. {@link dev.sieve.Leases},
 * {@link dev.sieve.CapacityAlerts} and {@link dev.sieve.OptionalLibrary} are public only because other packages use them.
 */
@NullMarked
package dev.sieve;

import org.jspecify.annotations.NullMarked;
