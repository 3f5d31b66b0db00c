package dev.sieve.report;

import dev.sieve.url.UrlParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What was requested of each host. The first hosts are counted by themselves, the others together. */
final class HostTable {
    private final Map<String, Row> rows = new HashMap<>();
    private final Row others = new Row("");
    private boolean hasOthers;

    /** One host, or all other hosts. */
    static final class Row {
        private final String host;
        private final Histogram times = new Histogram();
        private long pages;
        private long redirects;
        private long broken;
        private long bytes;
        private long waitedMillis;
        private @Nullable Duration delay;

        private Row(String host) {
            this.host = host;
        }

        String host() {
            return host;
        }

        long pages() {
            return pages;
        }

        long redirects() {
            return redirects;
        }

        long broken() {
            return broken;
        }

        long bytes() {
            return bytes;
        }

        long waitedMillis() {
            return waitedMillis;
        }

        /** Returns the last delay that was told; null when none was. */
        @Nullable
        Duration delay() {
            return delay;
        }

        long medianMillis() {
            return times.percentile(0.5);
        }

        long p95Millis() {
            return times.percentile(0.95);
        }

        private Kept kept(@Nullable String name) {
            return new Kept(name, pages, redirects, broken, bytes, waitedMillis, times.kept());
        }

        private void add(Kept kept) {
            pages += kept.pages;
            redirects += kept.redirects;
            broken += kept.broken;
            bytes += kept.bytes;
            waitedMillis += kept.waitedMillis;
            times.add(kept.times);
        }

        private void add(Entry entry) {
            pages += entry.isPage() ? 1 : 0;
            redirects += entry.redirectTo() == null ? 0 : 1;
            broken += entry.isBroken() ? 1 : 0;
            bytes += entry.bytes();
            waitedMillis += entry.waitedMillis();
            if (entry.status() > 0) {
                times.add(entry.millis());
            }
        }
    }

    /** A row as it is stored; the host of all others is null. */
    record Kept(
            @Nullable String host,
            long pages,
            long redirects,
            long broken,
            long bytes,
            long waitedMillis,
            List<Integer> times) {}

    void add(Entry entry) {
        row(entry.host()).add(entry);
    }

    private Row row(@Nullable String host) {
        Row row = host == null ? null : rows.get(host);
        if (row == null && host != null && rows.size() < Bounds.HOSTS) {
            row = new Row(Bounds.cut(host));
            rows.put(row.host, row);
        }
        hasOthers |= row == null;
        return row == null ? others : row;
    }

    /** Returns the hosts with the most pages, up to a number, and the others together. */
    List<Kept> kept(int most) {
        List<Row> all = rows();
        Row rest = new Row("");
        rest.add(others.kept(null));
        all.subList(Math.min(most, all.size()), all.size()).forEach(row -> rest.add(row.kept(null)));
        List<Kept> kept = new ArrayList<>();
        all.subList(0, Math.min(most, all.size())).forEach(row -> kept.add(row.kept(row.host)));
        if (hasOthers || all.size() > most) {
            kept.add(rest.kept(null));
        }
        return kept;
    }

    /** Adds stored rows. */
    void add(List<Kept> kept) {
        kept.forEach(each -> row(each.host).add(each));
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
        return rows.values().stream().sorted(byPages.thenComparing(Row::host)).toList();
    }

    /** Returns all hosts that are not counted by themselves; null if there are none. */
    @Nullable
    Row others() {
        return hasOthers ? others : null;
    }
}
