package dev.sieve.durable;

import dev.sieve.SieveStats;
import java.util.List;
import java.util.OptionalLong;

/**
 * The state of a {@link DurableSieve}, read from its folder.
 *
 * @param stats the counters; URLs in flight count as pending, and the number of URLs seen and the values of the filter
 *     are those of the last checkpoint
 * @param falsePositiveRate the rate that the filter was made for
 * @param lost accepted URLs whose records were damaged
 * @param inFlight URLs in flight at the last checkpoint; after a clean stop, those in flight at the stop
 * @param segments files of the log
 * @param logBytes bytes of the log
 * @param owner the process that has the frontier open; empty when none has, 0 when it is unknown
 * @param problems one sentence each; empty when none were found
 */
public record DurableState(
        SieveStats stats,
        double falsePositiveRate,
        long lost,
        long inFlight,
        int segments,
        long logBytes,
        OptionalLong owner,
        List<String> problems) {}
