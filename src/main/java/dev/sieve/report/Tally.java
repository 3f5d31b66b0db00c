package dev.sieve.report;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often each name occurs, and how many bytes belong to it. The first names are counted by themselves, the others
 * together.
 */
final class Tally<K extends Comparable<K>> {
    private final int limit;
    private final Map<K, Count> counts = new HashMap<>();
    private final Count others = new Count();

    /** A number of things and their bytes. */
    static final class Count {
        private long number;
        private long bytes;

        long number() {
            return number;
        }

        long bytes() {
            return bytes;
        }

        private void add(long more, long moreBytes) {
            number += more;
            bytes += moreBytes;
        }
    }

    /** A name and its count. */
    record Line<K>(K name, Count count) {}

    Tally(int limit) {
        this.limit = limit;
    }

    void add(K name, long number, long bytes) {
        Count count = counts.get(name);
        if (count == null) {
            count = counts.size() < limit ? new Count() : others;
            if (count != others) {
                counts.put(name, count);
            }
        }
        count.add(number, bytes);
    }

    /** Returns the counts in the order of their names. */
    List<Line<K>> byName() {
        return lines(Comparator.comparing(Line::name));
    }

    /** Returns the counts, the largest first. */
    List<Line<K>> bySize() {
        Comparator<Line<K>> byNumber =
                Comparator.comparingLong(line -> -line.count().number());
        return lines(byNumber.thenComparing(Line::name));
    }

    private List<Line<K>> lines(Comparator<Line<K>> order) {
        return counts.entrySet().stream()
                .map(each -> new Line<>(each.getKey(), each.getValue()))
                .sorted(order)
                .toList();
    }

    /** Returns the count of all names that are not counted by themselves. */
    Count others() {
        return others;
    }

    long sum() {
        return others.number + counts.values().stream().mapToLong(Count::number).sum();
    }
}
