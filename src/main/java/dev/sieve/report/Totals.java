package dev.sieve.report;

import dev.sieve.crawl.Counter;
import dev.sieve.output.VisitField;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How many URLs were requested, and with what result, in memory that does not grow with the crawl. A link out of scope
 * that was only checked is not a page, and belongs to no host. Not safe for use by many threads.
 */
final class Totals {
    private static final int STATUSES = 1000;

    /** What visits have found, by the keys of counters. */
    public Map<String, Tally> counts = new HashMap<>();
    /** How many pages have each status, without those of what has responded in place of a site. */
    public long[] statuses = new long[STATUSES];
    /** Pages by the number of links from a seed. */
    public Tally depths = new Tally();

    public Tally types = new Tally();
    public HostTable hosts;
    public Arrivals arrivals = new Arrivals();

    Totals() {
        this(new HostTable());
    }

    Totals(HostTable hosts) {
        this.hosts = hosts;
    }

    void add(Entry entry) {
        for (Counter counter : Counter.OF_VISITS) {
            String part = counter.part(entry, entry.verdict());
            if (part != null) {
                tally(counter).add(part, counter.number(entry), 0);
            }
        }
        if (!entry.isCheck()) {
            hosts.add(entry);
            if (entry.verdict().isPage()) {
                page(entry);
            }
        }
    }

    private Tally tally(Counter counter) {
        return counts.computeIfAbsent(counter.key(), key -> new Tally());
    }

    private void page(Entry entry) {
        long size = entry.number(VisitField.BYTES);
        if (!entry.verdict().isOfOther()) {
            statuses[Math.max(0, Math.min(STATUSES - 1, entry.status()))]++;
        }
        depths.add(String.valueOf(entry.number(VisitField.DEPTH)), 1, size);
        types.add(Objects.requireNonNullElse(entry.text(VisitField.TYPE), ""), 1, size);
        if (entry.at() > 0) {
            arrivals.add(entry.at());
        }
    }

    void merge(Totals other) {
        for (Counter counter : Counter.OF_VISITS) {
            if (other.counts.containsKey(counter.key())) {
                tally(counter).merge(other.tally(counter));
            }
        }
        for (int status = 0; status < Math.min(STATUSES, other.statuses.length); status++) {
            statuses[status] += other.statuses[status];
        }
        other.depths.counts.keySet().forEach(Long::parseLong);
        depths.merge(other.depths);
        types.merge(other.types);
        hosts.merge(other.hosts);
        arrivals.merge(other.arrivals);
    }

    /** Returns how often a counter has counted each part. */
    Tally by(Counter counter) {
        return counts.getOrDefault(counter.key(), new Tally());
    }

    long count(Counter counter) {
        return by(counter).sum();
    }

    /** Returns the number of URLs that were requested. */
    long requested() {
        return count(Counter.PAGES) + count(Counter.REDIRECTS) + count(Counter.FAILED) + count(Counter.CHECKED);
    }

    /** Returns the pages by depth, in its order. */
    List<Tally.Line> byDepth() {
        return depths.lines(Comparator.comparingLong(line -> Long.parseLong(line.name())));
    }
}
