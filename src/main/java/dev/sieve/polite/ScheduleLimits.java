package dev.sieve.polite;

import java.util.function.Function;

/**
 * What a schedule holds itself to; see {@link ScheduleBuilder} for what each limit means.
 *
 * @param groupOf null when there are no groups; the limits of groups do not count then
 */
record ScheduleLimits(
        long delayNanos,
        int perHost,
        boolean probeFirst,
        BackOff backOff,
        int budget,
        Function<String, String> groupOf,
        long groupDelayNanos,
        int perGroup,
        int groupBudget,
        boolean tellsProven) {}
