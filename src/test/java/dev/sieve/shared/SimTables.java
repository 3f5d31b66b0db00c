package dev.sieve.shared;

import dev.sieve.shared.SimNode.Kind;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import redis.clients.jedis.util.JedisClusterCRC16;

/** What a simulation says about large crawls, as tables. */
@SuppressWarnings("EnumOrdinal") // as in SimNode
final class SimTables {
    private static final long LARGEST_HOST = 1_000_000;
    /** How much of a node's thread may be used. */
    private static final double USABLE = 0.7;
    /** Pages per second of a worker; the simulated ones make up to 34. */
    private static final double PAGES_OF_WORKER = 20;

    private static final int SEEN_BYTES = 6;
    private static final int PENDING_BYTES = 50;
    private static final double PENDING_SHARE = 1 / 3.0;
    private static final long NODE_BYTES = 16_000_000_000L;
    /** The fullest node of a cluster has about so much more than the average. */
    private static final double UNEVEN = 1.5;

    private static final double URLS_OF_HOST = 8;

    private SimTables() {}

    /** Returns how evenly hosts and URLs are distributed, with all hosts; nothing is simulated there. */
    static String distribution(int hosts, int slices, int nodes, int workers) {
        HostSlices rule = new HostSlices(slices, 11, null);
        long[] hostsOfSlice = new long[slices];
        long[] urlsOfSlice = new long[slices];
        for (int i = 0; i < hosts; i++) {
            int slice = rule.ofHost(SimWeb.host(i));
            hostsOfSlice[slice]++;
            urlsOfSlice[slice] += SimWeb.size(i, LARGEST_HOST);
        }
        CrawlKeys keys = new CrawlKeys(Simulation.CRAWL, slices, 1);
        long[] slicesOfNode = new long[nodes];
        long[] urlsOfNode = new long[nodes];
        long[] slicesOfWorker = new long[workers];
        long[] urlsOfWorker = new long[workers];
        for (int i = 0; i < slices; i++) {
            int node = (int) ((long) JedisClusterCRC16.getSlot(keys.slice(i).crawl) * nodes / 16_384);
            slicesOfNode[node]++;
            urlsOfNode[node] += urlsOfSlice[i];
            slicesOfWorker[i % workers]++;
            urlsOfWorker[i % workers] += urlsOfSlice[i];
        }
        return text(
                        "%,d hosts with %,d URLs%n",
                        hosts, LongStream.of(urlsOfSlice).sum())
                + "| | least | average | most | most : average |\n|---|---|---|---|---|\n"
                + spread("hosts of a slice", hostsOfSlice)
                + spread("URLs of a slice", urlsOfSlice)
                + spread("slices of a node", slicesOfNode)
                + spread("URLs of a node", urlsOfNode)
                + spread("slices of a worker", slicesOfWorker)
                + spread("URLs of a worker", urlsOfWorker);
    }

    private static String spread(String what, long[] values) {
        long most = Arrays.stream(values).max().orElseThrow();
        double average = Arrays.stream(values).average().orElseThrow();
        long least = Arrays.stream(values).min().orElseThrow();
        return text("| %s | %,d | %,.1f | %,d | %.2f |%n", what, least, average, most, most / average);
    }

    /** Returns what was measured in a simulation. */
    static String measured(Simulation run) {
        Simulation.Size size = run.size;
        SimPromises promises = run.promises;
        double seconds = run.seconds();
        StringBuilder out = new StringBuilder(text(
                "%,d workers, %,d nodes, %,d slices, %,d hosts, %,d pages, seed %d: %.0f virtual seconds%n",
                size.workers(), size.nodes(), size.slices(), size.hosts(), run.web.pages(), size.seed(), seconds));
        run.failures.forEach((what, count) -> out.append(text("%s: %,d%n", what, count)));
        out.append(text(
                "checked: %,d requests (%,d gaps between two of one host, %,d across owners), no page lost, told new again only"
                        + " after a node lost the push: %,d, requested again: %,d, of these retries: %,d%n",
                promises.requests,
                promises.gaps,
                promises.ownerChanges,
                promises.toldAgain,
                promises.repeated(),
                promises.retries));
        out.append("| seconds after the death of a worker | least | median | most | of |\n|---|---|---|---|---|\n");
        out.append(times("a slice of it is owned again", promises.untilOwned));
        out.append(times("a page that it held is requested again", promises.untilRequested));
        out.append("| calls | per second and node | per second, busiest node | per page | us of a node per page |\n");
        out.append("|---|---|---|---|---|\n");
        for (Kind kind : Kind.values()) {
            long calls = run.sum(node -> node.calls, kind);
            long busiest = run.cluster.nodes.stream()
                    .mapToLong(node -> node.calls[kind.ordinal()])
                    .max()
                    .orElseThrow();
            out.append(text(
                    "| %s | %,.1f | %,.1f | %.2f | %.1f |%n",
                    kind.name().toLowerCase(Locale.ROOT),
                    calls / seconds / size.nodes(),
                    busiest / seconds,
                    (double) calls / promises.requests,
                    run.sum(node -> node.nanos, kind) / 1e3 / promises.requests));
        }
        long bytes = run.cluster.nodes.stream().mapToLong(node -> node.bytes).sum();
        out.append(text("bytes per second of a worker, both directions: %,.0f%n", bytes / seconds / size.workers()));
        out.append(text("connections of a node, at most: %,d%n", run.mostConnections));
        out.append(text("told to ask at once, in vain: %,d times%n", run.asksInVain));
        return out.toString();
    }

    private static String times(String what, List<Long> nanos) {
        if (nanos.isEmpty()) {
            return text("| %s | - | - | - | 0 |%n", what);
        }
        List<Long> sorted = nanos.stream().sorted().toList();
        return text(
                "| %s | %.1f | %.1f | %.1f | %,d |%n",
                what,
                sorted.get(0) / 1e9,
                sorted.get(sorted.size() / 2) / 1e9,
                Collections.max(sorted) / 1e9,
                sorted.size());
    }

    /**
     * Returns how many workers a number of nodes serves, and how many pages these crawl. A worker looks at a number of slices
     * per second, however many there are; barriers, and the rest of what it asks, it sends to each node.
     */
    static String limits(Simulation run) {
        double workerSeconds = run.seconds() * run.size.workers();
        double pageNanos =
                (double) run.sum(node -> node.nanos, Kind.TAKE, Kind.DONE, Kind.PUSH) / run.promises.requests;
        double lookNanos = run.sum(node -> node.nanos, Kind.LOOK, Kind.RENEW, Kind.CLAIM) / workerSeconds;
        double nodeNanos =
                run.sum(node -> node.nanos, Kind.BARRIER, Kind.BEAT, Kind.OTHER) / workerSeconds / run.size.nodes();
        StringBuilder out = new StringBuilder(text(
                "a page takes %.1f us of a node; a worker %.0f us per second for looks, and %.1f us of each node; %.0f %% of a"
                        + " thread, the fullest node with %.1f of the average; %.1f connections of a worker to a node%n",
                pageNanos / 1e3,
                lookNanos / 1e3,
                nodeNanos / 1e3,
                100 * USABLE,
                UNEVEN,
                (double) run.mostConnections / run.size.workers()));
        out.append("| nodes | slices | workers | pages per second | share of looks | share of barriers |\n");
        out.append("|---|---|---|---|---|---|\n");
        for (int nodes : new int[] {1, 3, 10, 30, 100}) {
            double available = nodes * USABLE * 1e9 / UNEVEN;
            double ofWorker = PAGES_OF_WORKER * pageNanos + lookNanos + nodes * nodeNanos;
            out.append(text(
                    "| %d | %,d | %,.0f | %,.0f | %.0f %% | %.0f %% |%n",
                    nodes,
                    slices(nodes),
                    available / ofWorker,
                    available / ofWorker * PAGES_OF_WORKER,
                    100 * lookNanos / ofWorker,
                    100 * nodes * nodeNanos / ofWorker));
        }
        return out.toString();
    }

    private static int slices(long nodes) {
        return (int) Math.max(64, Math.min(CrawlSettings.MAX_SLICES, Long.highestOneBit(2 * 32 * nodes - 1)));
    }

    /** Returns the table of docs/shared.md. */
    static String howLarge() {
        StringBuilder out = new StringBuilder(
                "| URLs | hosts | pending | memory, GB | nodes | slices |\n|---|---|---|---|---|---|\n");
        IntStream.rangeClosed(8, 10).forEach(power -> {
            double urls = Math.pow(10, power);
            double bytes = urls * SEEN_BYTES + urls * PENDING_SHARE * PENDING_BYTES;
            long nodes = (long) Math.ceil(bytes * UNEVEN / NODE_BYTES);
            out.append(text(
                    "| 10^%d | %,.0f million | %,.0f million | %,.1f | %d | %,d |%n",
                    power, urls / URLS_OF_HOST / 1e6, urls * PENDING_SHARE / 1e6, bytes / 1e9, nodes, slices(nodes)));
        });
        return out.toString();
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
