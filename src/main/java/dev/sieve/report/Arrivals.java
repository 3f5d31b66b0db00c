package dev.sieve.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pages by the time at which they were requested, in intervals that get longer when there are too many. */
final class Arrivals {
    /** A thousand years: what is wider was not stored by this class. */
    private static final long WIDEST = 1L << 45;

    /** The pages of each interval, by its start in epoch milliseconds, which a name of JSON can only be as a text. */
    public Map<String, Long> pages = new HashMap<>();

    public long widthMillis = 1000;
    /** The interval of the last page, and its pages that are not in the map yet, since most pages follow in the same one. */
    private long lastIndex;

    private long lastPages;

    /** An interval, by its start, and the number of pages in it. */
    record Interval(long startMillis, long pages) {}

    /** Adds the intervals of another one, at their starts. */
    void merge(Arrivals other) {
        mergeLast();
        other.mergeLast();
        widen(Math.min(other.widthMillis, WIDEST));
        other.pages.forEach((start, number) -> add(pages, Long.parseLong(start), number));
        widen(0);
    }

    private void add(Map<String, Long> sums, long at, long number) {
        sums.merge(Long.toString(Math.floorDiv(at, widthMillis) * widthMillis), number, Long::sum);
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
        add(pages, lastIndex * widthMillis, lastPages);
        lastPages = 0;
        widen(0);
    }

    /** Makes the intervals longer until they have a width, and are not too many. */
    private void widen(long leastMillis) {
        while (widthMillis < leastMillis || pages.size() > Bounds.SAMPLES) {
            widthMillis *= 2;
            Map<String, Long> wider = new HashMap<>();
            pages.forEach((start, number) -> add(wider, Long.parseLong(start), number));
            pages = wider;
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
        pages.forEach((start, number) -> intervals.add(new Interval(Long.parseLong(start), number)));
        intervals.sort(Comparator.comparingLong(Interval::startMillis));
        for (int i = intervals.size() - 1; i > 0; i--) {
            long first = intervals.get(i - 1).startMillis + widthMillis;
            long last = intervals.get(i).startMillis - widthMillis;
            if (last > first) {
                intervals.add(i, new Interval(last, 0));
            }
            if (last >= first) {
                intervals.add(i, new Interval(first, 0));
            }
        }
        return intervals;
    }
}
