package dev.sieve.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pages by the time at which they were requested, in intervals that get longer when there are too many. */
final class Arrivals {
    private final TreeMap<Long, Long> counts = new TreeMap<>();
    private long widthMillis = 1000;

    /** An interval, by its start, and the number of pages in it. */
    record Interval(long startMillis, long pages) {}

    void add(long at) {
        counts.merge(Math.floorDiv(at, widthMillis), 1L, Long::sum);
        while (counts.size() > Bounds.SAMPLES) {
            TreeMap<Long, Long> wider = new TreeMap<>();
            counts.forEach((index, pages) -> wider.merge(Math.floorDiv(index, 2L), pages, Long::sum));
            counts.clear();
            counts.putAll(wider);
            widthMillis *= 2;
        }
    }

    long widthMillis() {
        return widthMillis;
    }

    /** Returns the intervals; where some in between are empty, the first and the last one of these. */
    List<Interval> intervals() {
        List<Interval> intervals = new ArrayList<>();
        Long before = null;
        for (Map.Entry<Long, Long> each : counts.entrySet()) {
            if (before != null && each.getKey() - before > 1) {
                intervals.add(new Interval((before + 1) * widthMillis, 0));
            }
            if (before != null && each.getKey() - before > 2) {
                intervals.add(new Interval((each.getKey() - 1) * widthMillis, 0));
            }
            intervals.add(new Interval(each.getKey() * widthMillis, each.getValue()));
            before = each.getKey();
        }
        return intervals;
    }
}
