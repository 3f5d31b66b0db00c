package dev.sieve.polite;

import java.time.Duration;
import java.util.Optional;

/**
 * A schedule's numbers at one moment.
 *
 * @param queued items that wait
 * @param underWay requests that were started and have not ended
 * @param hosts hosts with items that wait
 * @param waiting hosts with items, and groups of such hosts, that may not be asked yet because of their delay or because
 *     they are backing off
 * @param backingOff those of them that are backing off
 * @param remembered hosts and groups that the schedule keeps something of, with or without items
 * @param waited how long altogether an item was asked for while there were only hosts that could not be asked yet
 * @param slowestHost the host whose delays or back-off took most of that time; empty when there was no such time
 * @param slowestWaited how much of that time was that host's
 */
public record ScheduleStats(
        long queued,
        int underWay,
        int hosts,
        int waiting,
        int backingOff,
        int remembered,
        Duration waited,
        Optional<String> slowestHost,
        Duration slowestWaited) {}
