package dev.sieve.crawl;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The counters of a crawl at one moment, in the form in which they are stored: sums that are not 0, by the {@linkplain
 * Counter#key key} of the counter, and parts by key and name.
 */
public record Counts(Map<String, Long> sums, Map<String, Map<String, Long>> parts) {
    /** Nothing was counted. */
    public static final Counts NONE = new Counts(Map.of(), Map.of());

    /** Copies the maps. */
    public Counts {
        sums = Map.copyOf(sums);
        Map<String, Map<String, Long>> copies = new TreeMap<>();
        parts.forEach((key, each) -> copies.put(key, Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(each)))));
        parts = Collections.unmodifiableMap(copies);
    }

    public long get(Counter counter) {
        return sums.getOrDefault(counter.key(), 0L);
    }

    public long get(Counter counter, String part) {
        return by(counter).getOrDefault(part, 0L);
    }

    /** Returns the parts of a counter that are not 0, in the order of their names. */
    public Map<String, Long> by(Counter counter) {
        return parts.getOrDefault(counter.key(), Map.of());
    }

    /** Returns the sums of these and others. */
    public Counts plus(Counts other) {
        Map<String, Long> all = new HashMap<>(sums);
        other.sums.forEach((key, sum) -> all.merge(key, sum, Long::sum));
        Map<String, Map<String, Long>> byPart = new HashMap<>(parts);
        other.parts.forEach((key, each) -> {
            Map<String, Long> both = new TreeMap<>(each);
            parts.getOrDefault(key, Map.of()).forEach((part, sum) -> both.merge(part, sum, Long::sum));
            byPart.put(key, both);
        });
        return new Counts(all, byPart);
    }

    public Counts withoutParts(Counter counter) {
        Map<String, Map<String, Long>> rest = new TreeMap<>(parts);
        rest.remove(counter.key());
        return new Counts(sums, rest);
    }

    /** Counts. Not safe for use by many threads. */
    static final class Builder {
        private final Map<String, Long> sums = new HashMap<>();
        private final Map<String, Map<String, Long>> parts = new HashMap<>();

        void add(Counter counter, long number) {
            if (number != 0) {
                sums.merge(counter.key(), number, Builder::sum);
            }
        }

        void add(Counter counter, String part, long number) {
            if (number != 0) {
                add(counter, number);
                parts.computeIfAbsent(counter.key(), each -> new TreeMap<>()).merge(part, number, Builder::sum);
            }
        }

        private static @Nullable Long sum(long before, long number) {
            return before + number == 0 ? null : Long.valueOf(before + number);
        }

        long get(Counter counter, String part) {
            return parts.getOrDefault(counter.key(), Map.of()).getOrDefault(part, 0L);
        }

        Counts counts() {
            return new Counts(sums, parts);
        }
    }
}
