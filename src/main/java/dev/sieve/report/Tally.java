package dev.sieve.report;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often each name occurs, and how many bytes belong to it. Names after the first ones are counted together. */
final class Tally {
    /** The counts of the first names. */
    public Map<String, Count> counts = new HashMap<>();

    public Count others = new Count();

    /** A number of things and their bytes. */
    static final class Count {
        public long number;
        public long bytes;

        private void add(long more, long moreBytes) {
            number += more;
            bytes += moreBytes;
        }
    }

    record Line(String name, Count count) {}

    void add(String text, long number, long bytes) {
        String name = Bounds.cut(text);
        Count count = counts.get(name);
        if (count == null && counts.size() < Bounds.NAMES) {
            count = new Count();
            counts.put(name, count);
        }
        (count == null ? others : count).add(number, bytes);
    }

    void merge(Tally other) {
        others.add(other.others.number, other.others.bytes);
        other.bySize().forEach(line -> add(line.name, line.count.number, line.count.bytes));
    }

    /** Returns the numbers by name, in its order. */
    Map<String, Long> numbers() {
        Map<String, Long> numbers = new TreeMap<>();
        counts.forEach((name, count) -> numbers.put(name, count.number));
        return numbers;
    }

    /** Returns the counts, the largest first. */
    List<Line> bySize() {
        Comparator<Line> byNumber = Comparator.comparingLong(line -> -line.count.number);
        return lines(byNumber.thenComparing(Line::name));
    }

    List<Line> lines(Comparator<Line> order) {
        return counts.entrySet().stream()
                .map(each -> new Line(each.getKey(), each.getValue()))
                .sorted(order)
                .toList();
    }

    long sum() {
        return others.number
                + counts.values().stream().mapToLong(count -> count.number).sum();
    }
}
