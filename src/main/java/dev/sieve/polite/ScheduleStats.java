package dev.sieve.polite;

import java.time.Duration;
import java.util.Map;

/**
 * The numbers of a schedule at one moment.
 *
 * @param queued items
 * @param underWay requests that were started and have not ended
 * @param hosts hosts with queued items
 * @param waiting hosts and groups with queued items that must not be requested yet because of a delay or a back-off
 * @param backingOff those of them that back off
 * @param remembered hosts and groups that are stored, with or without items
 * @param waited the total time in which polls were in vain because all hosts had to wait for their delay or backed off
 * @param backedOff the part of that time that is due to hosts that backed off
 * @param limited the total time in which polls were in vain because all hosts had as many requests under way as they
 *     may have
 * @param slowest the hosts whose delays or back-offs account for most of {@code waited}, five at most, and their parts
 *     of that time, the longest first
 */
public record ScheduleStats(
        long queued,
        int underWay,
        int hosts,
        int waiting,
        int backingOff,
        int remembered,
        Duration waited,
        Duration backedOff,
        Duration limited,
        Map<String, Duration> slowest) {}
