package dev.sieve.report;

import dev.sieve.output.VisitField;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * How many URLs were requested, and with what result, in memory that does not grow with the crawl. A link out of scope that
 * was only checked is not a page, and belongs to no host. Not safe for use by many threads.
 */
final class Totals {
    private static final int STATUSES = 1000;

    /** How many pages have each status. */
    public long[] statuses = new long[STATUSES];
    /** Pages by the number of links from a seed. */
    public Tally depths = new Tally();

    public Tally types = new Tally();
    /** URLs behind bot walls, checked ones included. */
    public Tally walls = new Tally();

    public HostTable hosts;
    public Arrivals arrivals = new Arrivals();
    public long pages;
    /** Pages that are responses of bot walls; they have no status. */
    public long walled;

    public long redirects;
    public long failed;
    public long checked;
    public long cut;
    public long bytes;

    Totals() {
        this(new HostTable());
    }

    Totals(HostTable hosts) {
        this.hosts = hosts;
    }

    void add(Entry entry) {
        if (entry.wall() != null) {
            walls.add(entry.wall(), 1, 0);
        }
        if (entry.isCheck()) {
            checked++;
            return;
        }
        hosts.add(entry);
        if (entry.isFailed()) {
            failed++;
        } else if (!entry.isPage()) {
            redirects++;
        } else {
            page(entry);
        }
    }

    private void page(Entry entry) {
        long size = entry.number(VisitField.BYTES);
        pages++;
        bytes += size;
        cut += entry.is(VisitField.CUT) ? 1 : 0;
        if (entry.wall() == null) {
            statuses[index(entry.status())]++;
        } else {
            walled++;
        }
        depths.add(String.valueOf(entry.number(VisitField.DEPTH)), 1, size);
        types.add(Objects.requireNonNullElse(entry.text(VisitField.TYPE), ""), 1, size);
        if (entry.at() > 0) {
            arrivals.add(entry.at());
        }
    }

    private static int index(int status) {
        return Math.max(0, Math.min(STATUSES - 1, status));
    }

    void merge(Totals other) {
        for (int status = 0; status < Math.min(STATUSES, other.statuses.length); status++) {
            statuses[status] += other.statuses[status];
        }
        other.depths.counts.keySet().forEach(Long::parseLong);
        depths.merge(other.depths);
        types.merge(other.types);
        walls.merge(other.walls);
        hosts.merge(other.hosts);
        arrivals.merge(other.arrivals);
        pages += other.pages;
        walled += other.walled;
        redirects += other.redirects;
        failed += other.failed;
        checked += other.checked;
        cut += other.cut;
        bytes += other.bytes;
    }

    /** Returns the number of URLs that were requested. */
    long requested() {
        return pages + redirects + failed + checked;
    }

    /** Returns the number of pages with a status. */
    long status(int status) {
        return statuses[status];
    }

    /** Returns the number of pages with a status of a class: its first digit. */
    long statusClass(int firstDigit) {
        return Arrays.stream(statuses, firstDigit * 100, firstDigit * 100 + 100).sum();
    }

    /** Returns the pages by depth, in its order. */
    List<Tally.Line> byDepth() {
        return depths.lines(Comparator.comparingLong(line -> Long.parseLong(line.name())));
    }
}
