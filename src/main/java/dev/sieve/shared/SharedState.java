package dev.sieve.shared;

import dev.sieve.SieveStats;
import java.util.List;

/**
 * The state of a crawl on an engine, as {@link SharedTools#inspect} has read it.
 *
 * @param stats the counters of all workers; URLs in flight count as pending, and the memory is that of the fingerprints
 * @param lost URLs that a repair has found to be neither pending nor known to be done; they count as done
 * @param slices parts of the hosts, each of which one worker owns at a time
 * @param workers those that are live
 * @param seeds lines of the shared list of seeds
 * @param engine name and version of the engine
 * @param queueBytes memory of the pending URLs
 * @param warnings settings of the engine that are wrong for a crawl, each with the line that corrects it
 * @param problems one sentence each; empty when none were found
 */
public record SharedState(
        SieveStats stats,
        long lost,
        int slices,
        List<Worker> workers,
        long seeds,
        String engine,
        long queueBytes,
        List<String> warnings,
        List<String> problems) {

    /** A live worker: its random name, and how many slices it owns. */
    public record Worker(String name, int slices) {}
}
