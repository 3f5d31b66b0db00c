package dev.sieve.report;

import dev.sieve.output.VisitField;
import dev.sieve.url.UrlParts;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What was requested of each host. The first hosts are counted by themselves, the others together. */
final class HostTable {
    /** The first hosts, by their names. */
    public Map<String, Row> rows = new HashMap<>();

    public Row others = new Row("");

    private final int limit;

    HostTable() {
        this(Bounds.HOSTS);
    }

    HostTable(int limit) {
        this.limit = limit;
    }

    /**
     * The distribution of durations, in buckets of which each is 9 % wider than the one before, so that a percentile is
     * exact within 5 %. Takes about 600 bytes.
     */
    static final class Histogram {
        private static final int PER_OCTAVE = 8;
        /** Up to 2^17 ms, two minutes; the last one is for all that is longer. */
        private static final int BUCKETS = 17 * PER_OCTAVE + 2;

        /** How many durations each bucket has. */
        public int[] counts = new int[BUCKETS];

        void add(long millis) {
            counts[bucket(millis)]++;
        }

        void merge(Histogram other) {
            for (int i = 0; i < Math.min(BUCKETS, other.counts.length); i++) {
                counts[i] = (int) Math.min(Integer.MAX_VALUE, (long) counts[i] + other.counts[i]);
            }
        }

        private static int bucket(long millis) {
            if (millis < 1) {
                return 0;
            }
            return (int) Math.min(BUCKETS - 1, 1 + Math.round(Math.log((double) millis) / Math.log(2) * PER_OCTAVE));
        }

        /** Returns the duration in milliseconds that a share of all does not exceed; 0 without any. */
        long percentile(double share) {
            long rank = (long)
                    Math.ceil(share * Arrays.stream(counts).asLongStream().sum());
            int bucket = 0;
            for (long below = counts[0]; below < rank; below += counts[bucket]) {
                bucket++;
            }
            return bucket == 0 ? 0 : Math.round(Math.pow(2, (bucket - 1.0) / PER_OCTAVE));
        }
    }

    /** One host, or all other hosts. */
    static final class Row {
        final String host;
        /** The last known delay; null without one. */
        @Nullable
        Duration delay;

        public Histogram times = new Histogram();
        public long pages;
        public long redirects;
        public long broken;
        public long bytes;
        public long waitedMillis;

        Row() {
            this("");
        }

        private Row(String host) {
            this.host = host;
        }

        long medianMillis() {
            return times.percentile(0.5);
        }

        long p95Millis() {
            return times.percentile(0.95);
        }

        private boolean isEmpty() {
            return pages + redirects + broken == 0;
        }

        private void merge(Row other) {
            pages += other.pages;
            redirects += other.redirects;
            broken += other.broken;
            bytes += other.bytes;
            waitedMillis += other.waitedMillis;
            times.merge(other.times);
        }

        private void add(Entry entry) {
            pages += entry.verdict().isPage() ? 1 : 0;
            redirects += entry.verdict().isRedirect() ? 1 : 0;
            broken += entry.verdict().isBroken() ? 1 : 0;
            bytes += entry.number(VisitField.BYTES);
            waitedMillis += entry.number(VisitField.WAITED_MS);
            if (entry.status() > 0) {
                times.add(entry.number(VisitField.MS));
            }
        }
    }

    void add(Entry entry) {
        row(entry.host()).add(entry);
    }

    private Row row(String host) {
        String name = Bounds.cut(host);
        Row row = rows.get(name);
        if (row == null && rows.size() < limit) {
            row = new Row(name);
            rows.put(name, row);
        }
        return row == null ? others : row;
    }

    /** Adds the rows of another table, the hosts with the most pages first. */
    void merge(HostTable other) {
        others.merge(other.others);
        Comparator<Map.Entry<String, Row>> byPages = Comparator.comparingLong(each -> -each.getValue().pages);
        other.rows.entrySet().stream()
                .sorted(byPages.thenComparing(Map.Entry.comparingByKey()))
                .forEach(each -> row(each.getKey()).merge(each.getValue()));
    }

    /** Notes the present delays of hosts; null for one that is not known keeps the last one. */
    void delays(Function<String, @Nullable Duration> delays) {
        for (Row row : rows.values()) {
            Duration delay =
                    Entry.isWeb("http://" + row.host) ? delays.apply(UrlParts.host("http://" + row.host + "/")) : null;
            row.delay = delay == null ? row.delay : delay;
        }
    }

    int size() {
        return rows.size();
    }

    /** Returns the hosts with the most pages first. */
    List<Row> rows() {
        Comparator<Row> byPages = Comparator.comparingLong(row -> -row.pages);
        return rows.values().stream()
                .sorted(byPages.thenComparing(row -> row.host))
                .toList();
    }

    /** Returns all hosts that are not counted by themselves; null if there are none. */
    @Nullable
    Row others() {
        return others.isEmpty() ? null : others;
    }
}
