package dev.sieve.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Samples of a crawl over the time for which it ran, all runs together. When there are too many, every other one is
 * dropped, and from then on half as many are kept.
 */
final class Timeline {
    private final List<Point> points = new ArrayList<>();
    private long stepMillis = 1;
    private @Nullable Point last;

    /**
     * A moment.
     *
     * @param millis for how long the crawl had run, without the time between runs
     * @param pages all pages so far
     * @param queued URLs in the queue
     * @param size distinct URLs in the filter
     */
    record Point(long millis, long pages, long queued, long size, long capacity, double rate, double missed) {}

    /** Adds a point, which must not be before the last one; returns whether it was kept. */
    boolean add(Point point) {
        last = point;
        if (!points.isEmpty() && point.millis - points.get(points.size() - 1).millis < stepMillis) {
            return false;
        }
        points.add(point);
        if (points.size() > Bounds.SAMPLES) {
            thin();
        }
        return true;
    }

    private void thin() {
        List<Point> kept = new ArrayList<>();
        for (int i = 0; i < points.size(); i += 2) {
            kept.add(points.get(i));
        }
        long span = kept.get(kept.size() - 1).millis - kept.get(0).millis;
        stepMillis = span / (kept.size() - 1) + 1;
        points.clear();
        points.addAll(kept);
    }

    /** Returns the points that were kept, and the last one. */
    List<Point> points() {
        List<Point> all = new ArrayList<>(points);
        if (last != null && !last.equals(all.get(all.size() - 1))) {
            all.add(last);
        }
        return all;
    }
}
