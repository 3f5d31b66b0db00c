package dev.sieve.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pages by the time at which they were requested, in intervals that get longer when there are too many. */
final class Arrivals {
    /** A thousand years: what is wider was not stored by this class. */
    private static final long WIDEST = 1L << 45;

    private final TreeMap<Long, Long> counts = new TreeMap<>();
    private long widthMillis = 1000;
    /** The interval of the last page, and its pages that are not in the map yet, since most pages follow in the same one. */
    private long lastIndex;

    private long lastPages;

    /** An interval, by its start, and the number of pages in it. */
    record Interval(long startMillis, long pages) {}

    /** The pages of all intervals as they are stored: the start of each and its pages, one after the other. */
    List<Long> kept() {
        mergeLast();
        List<Long> kept = new ArrayList<>();
        counts.forEach((index, pages) -> {
            kept.add(index * widthMillis);
            kept.add(pages);
        });
        return kept;
    }

    /** Adds stored intervals, at their starts; they are as wide as this one will be, or shorter. */
    void add(long width, List<Long> kept) {
        mergeLast();
        widen(Math.min(width, WIDEST));
        for (int i = 0; i + 1 < kept.size(); i += 2) {
            counts.merge(Math.floorDiv(kept.get(i), widthMillis), kept.get(i + 1), Long::sum);
        }
        widen(0);
    }

    void add(long at) {
        if (Math.floorDiv(at, widthMillis) != lastIndex) {
            mergeLast();
            lastIndex = Math.floorDiv(at, widthMillis);
        }
        lastPages++;
    }

    private void mergeLast() {
        if (lastPages == 0) {
            return;
        }
        counts.merge(lastIndex, lastPages, Long::sum);
        lastPages = 0;
        widen(0);
    }

    /** Makes the intervals longer until they have a width, and are not too many. */
    private void widen(long leastMillis) {
        while (widthMillis < leastMillis || counts.size() > Bounds.SAMPLES) {
            TreeMap<Long, Long> wider = new TreeMap<>();
            counts.forEach((index, pages) -> wider.merge(Math.floorDiv(index, 2L), pages, Long::sum));
            counts.clear();
            counts.putAll(wider);
            widthMillis *= 2;
        }
    }

    long widthMillis() {
        mergeLast();
        return widthMillis;
    }

    /** Returns the intervals; where some in between are empty, the first and the last one of these. */
    List<Interval> intervals() {
        mergeLast();
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
