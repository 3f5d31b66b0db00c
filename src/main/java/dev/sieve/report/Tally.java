package dev.sieve.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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

    /** A name and its count, as they are stored; the name of all others is null. */
    record Kept(@Nullable String name, long number, long bytes) {}

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

    /** Returns all counts. */
    List<Kept> kept() {
        List<Kept> kept = new ArrayList<>();
        bySize().forEach(line -> kept.add(new Kept(line.name.toString(), line.count.number, line.count.bytes)));
        if (others.number > 0) {
            kept.add(new Kept(null, others.number, others.bytes));
        }
        return kept;
    }

    /** Adds stored counts. */
    void add(List<Kept> kept, Function<String, K> name) {
        for (Kept each : kept) {
            if (each.name == null) {
                others.add(each.number, each.bytes);
            } else {
                add(name.apply(each.name), each.number, each.bytes);
            }
        }
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
