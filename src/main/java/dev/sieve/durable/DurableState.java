package dev.sieve.durable;

import dev.sieve.SieveStats;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a folder with a {@link DurableSieve} in it says about itself.
 *
 * @param stats the counters: those of the queue as they are, with what is in flight counted as pending; those of the
 *     filter, and how many URLs were seen, as they were at the last checkpoint
 * @param falsePositiveRate the rate that the filter was made for
 * @param lost URLs that had been accepted and whose records were given up as damaged
 * @param inFlight URLs that were handed out and not answered for at the last checkpoint; the one at the end of an
 *     orderly stop says what was in flight then
 * @param segments files of the log
 * @param logBytes bytes of the log
 * @param owner the process that has the frontier open; empty when none has, 0 when it is not known which
 * @param problems what is wrong, in a sentence each; empty when nothing was found to be
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
