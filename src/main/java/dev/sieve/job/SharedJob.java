package dev.sieve.job;

import dev.sieve.Lease;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlParts;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.JobStore;
import dev.sieve.crawl.PageBudget;
import dev.sieve.crawl.Sharing;
import dev.sieve.output.FileEnds;
import dev.sieve.scope.SkipReason;
import dev.sieve.scope.TrapGuard;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.SharedBudget;
import dev.sieve.shared.SharedSieve;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A crawl that many processes share, each with a {@link Crawler} of its own: everything is kept on an engine, see
 * {@link SharedSieve}.
 *
 * <p>The page {@code docs/shared.md} says what the processes have in common. A seed that one of them adds widens the
 * scope of all, and what it allows for the origin of a seed is allowed for all; another process takes that over within
 * a second, and before it requests the seed. The latest redirects are stored by each process for itself.
 *
 * <p>The spill file and the journal are temporary files of this process. The lengths of its outputs are beside the
 * first of them while it runs, and after a crash.
 */
public final class SharedJob implements JobStore, Sharing {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** Lines that the engine adds in one piece. */
    private static final int PART = 1000;

    private final SharedSieve frontier;
    /** The pauses of hosts that were taken over, until the crawler takes them. */
    private final AtomicReference<Map<String, Duration>> pauses;

    /** Counts the URLs that were requested; guarded by its monitor. */
    private final TrapGuard traps;
    /** The counts of hosts that were taken over, until they are used. */
    private final Queue<Map<Long, Integer>> counts;

    private final Lines seeds = new Lines("seeds", CrawlJob::isSeed);
    private final Lines origins = new Lines("origins", CrawlJob::isOrigin);

    private SharedJob(
            SharedSieve frontier,
            AtomicReference<Map<String, Duration>> pauses,
            Queue<Map<Long, Integer>> counts,
            TrapGuard traps) {
        this.frontier = frontier;
        this.pauses = pauses;
        this.counts = counts;
        this.traps = traps;
    }

    /**
     * Joins a crawl, or starts it.
     *
     * @param options the delay, the limits of hosts, of domains and of traps decide how the crawl is shared
     * @param settings configures the frontier before it is opened
     * @throws IllegalArgumentException when the crawl has other settings
     * @throws IOException when the engine cannot be used
     */
    public static CrawlJob open(EngineAddress address, CrawlOptions options, Consumer<SharedSieve.Builder> settings)
            throws IOException {
        AtomicReference<Map<String, Duration>> pauses = new AtomicReference<>(Map.of());
        Queue<Map<Long, Integer>> counts = new ConcurrentLinkedQueue<>();
        SharedSieve.Builder builder = SharedSieve.builder(address).onClaim((claimed, counted) -> {
            pauses.accumulateAndGet(claimed, SharedJob::longer);
            counts.add(counted);
        });
        builder.rest(options.delay());
        if (options.maxPerHost() != Integer.MAX_VALUE) {
            builder.perHost(options.maxPerHost());
        }
        if (options.perDomain() != Integer.MAX_VALUE) {
            builder.groups("domain", UrlParts::domainOfHost);
        }
        settings.accept(builder);
        SharedSieve frontier = builder.open();
        frontier.warnings().forEach(warning -> LOG.warn("{}: {}", address.server(), warning));
        TrapGuard traps = new CrawlParts(options).sharedTraps(frontier.notes().seed());
        SharedJob shared = new SharedJob(frontier, pauses, counts, traps);
        return new CrawlJob(frontier, CrawlJob.TEMPORARY, null, shared, (seeds, origins) -> shared);
    }

    private static Map<String, Duration> longer(Map<String, Duration> some, Map<String, Duration> others) {
        Map<String, Duration> longer = new HashMap<>(some);
        others.forEach((host, pause) -> longer.merge(host, pause, (a, b) -> a.compareTo(b) > 0 ? a : b));
        return longer;
    }

    /** Lines at places of a list. */
    private record Added(long from, long to, String last) {}

    /** A list of lines on the engine. */
    private final class Lines {
        private final String name;
        private final Predicate<String> isValid;
        private long read;
        private String last = "";
        /** Lines that this process has added in one piece, which it need not read; null when there are none. */
        private volatile @Nullable Added added;

        Lines(String name, Predicate<String> isValid) {
            this.name = name;
            this.isValid = isValid;
        }

        /** Passes on the lines that were added since the last call. */
        void read(Consumer<String> receiver) {
            for (List<String> lines = next(); !lines.isEmpty(); lines = next()) {
                for (String line : lines) {
                    if (!isValid.test(line)) {
                        throw new UncheckedIOException(new IOException(
                                "the " + name + " of the crawl on the engine contain an invalid line: " + line));
                    }
                    receiver.accept(line);
                    read++;
                    last = line;
                }
            }
        }

        void add(List<String> lines) {
            for (int i = 0; i < lines.size(); i += PART) {
                List<String> part = lines.subList(i, Math.min(lines.size(), i + PART));
                long to = frontier.notes().add(name, part);
                long from = to - part.size();
                Added before = added;
                long start = before != null && before.to == from ? before.from : from;
                added = new Added(start, to, part.get(part.size() - 1));
            }
        }

        private List<String> next() {
            Added own = added;
            if (own != null && own.from == read) {
                read = own.to;
                last = own.last;
            }
            List<String> lines = frontier.notes().lines(name, Math.max(0, read - 1));
            if (read == 0) {
                return lines;
            }
            if (!lines.isEmpty() && lines.get(0).equals(last)) {
                return lines.subList(1, lines.size());
            }
            // The engine has lost some, and others were added in their place.
            read = 0;
            added = null;
            return frontier.notes().lines(name, 0);
        }
    }

    @Override
    public FileEnds outputs(List<Path> outputs, boolean forces) throws IOException {
        return SharedLengths.open(outputs, frontier.notes().seed());
    }

    @Override
    public synchronized void read(Consumer<String> seedReader, Consumer<String> originReader) {
        origins.read(originReader);
        seeds.read(seedReader);
    }

    @Override
    public int processes() {
        return frontier.workers();
    }

    @Override
    public void requireAlone(String work) {
        throw new IllegalArgumentException("a shared crawl cannot " + work);
    }

    @Override
    public Map<String, @Nullable String> differences(Map<String, String> options) {
        return frontier.notes().options(options);
    }

    @Override
    public void share(byte[] share) {
        frontier.notes().share(share);
    }

    @Override
    public void add(List<String> newSeeds, List<String> newOrigins) {
        seeds.add(newSeeds);
        origins.add(newOrigins);
    }

    /** The engine has stored what it has accepted. */
    @Override
    public void force() {}

    @Override
    public PageBudget budget(long mostPages) {
        SharedBudget shared = frontier.budget();
        Duration age = shared.join(mostPages);
        return new PageBudget() {
            @Override
            public Duration age() {
                return age;
            }

            @Override
            public boolean admit(Lease lease) {
                return shared.admit(lease);
            }

            @Override
            public boolean begin() {
                return shared.begin();
            }

            @Override
            public void page(Lease lease) {
                shared.page(lease);
            }

            @Override
            public void end(boolean isPage) {
                shared.end();
            }

            @Override
            public boolean isSpent() {
                return shared.isSpent();
            }
        };
    }

    /** None: the budget counts the URLs of a host, and no process sees when the URLs of a depth are done. */
    @Override
    public int ownLimit(int most) {
        return Integer.MAX_VALUE;
    }

    /** Something may always be due later, so it is enough that the schedule is empty. */
    @Override
    public boolean isIdle(long waitNanos, long waiting) {
        return waitNanos == Long.MAX_VALUE || waiting == 0;
    }

    @Override
    public void takeOver(BooleanSupplier isNeeded, Runnable action) {
        if (isNeeded.getAsBoolean()) {
            action.run();
        }
    }

    @Override
    public Map<String, Duration> takePauses() {
        return pauses.getAndSet(Map.of());
    }

    @Override
    public void addPause(String host, Duration pause, Duration use, Instant now) {
        frontier.notes().pause(host, pause, use.plus(pause));
    }

    @Override
    public @Nullable SkipReason countForTraps(Lease lease) {
        String url = lease.url();
        Map<Long, Integer> stored;
        synchronized (traps) {
            for (Map<Long, Integer> next = counts.poll(); next != null; next = counts.poll()) {
                next.forEach(traps::raise);
            }
            // Seeds are never traps.
            SkipReason reason = lease.depth() == 0 ? null : traps.skipReason(url);
            if (reason != null) {
                return reason;
            }
            stored = traps.accepted(url);
        }
        // Before the request, so that the count is not lost when this process dies after it.
        stored.forEach((key, count) -> frontier.notes().count(UrlParts.host(url), key, count));
        return null;
    }

    @Override
    public void impatient() {
        frontier.impatient();
    }
}
