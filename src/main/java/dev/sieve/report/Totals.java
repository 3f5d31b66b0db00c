package dev.sieve.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * How many URLs were requested, and with what result, in memory that does not grow with the crawl. A link out of scope that
 * was only checked is not a page, and belongs to no host. Not safe for use by many threads.
 */
final class Totals {
    private static final int STATUSES = 1000;

    private final long[] statuses = new long[STATUSES];
    private final Tally<Integer> depths = new Tally<>(Bounds.NAMES);
    private final Tally<String> types = new Tally<>(Bounds.NAMES);
    private final HostTable hosts = new HostTable();
    private final Arrivals arrivals = new Arrivals();
    private long pages;
    private long redirects;
    private long failed;
    private long checked;
    private long cut;
    private long bytes;

    /**
     * The totals as they are stored.
     *
     * @param statuses each status that occurs and its number of pages, one after the other
     * @param arrivalMillis the width of the intervals of {@code arrivals}
     */
    record Kept(
            long redirects,
            long failed,
            long checked,
            long cut,
            List<Long> statuses,
            List<Tally.Kept> depths,
            List<Tally.Kept> types,
            List<HostTable.Kept> hosts,
            long arrivalMillis,
            List<Long> arrivals) {}

    void add(Entry entry) {
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
        pages++;
        bytes += entry.bytes();
        cut += entry.isCut() ? 1 : 0;
        statuses[index(entry.status())]++;
        depths.add(entry.depth(), 1, entry.bytes());
        types.add(entry.type() == null ? "" : Bounds.cut(entry.type()), 1, entry.bytes());
        if (entry.at() > 0) {
            arrivals.add(entry.at());
        }
    }

    private static int index(long status) {
        return (int) Math.max(0, Math.min(STATUSES - 1, status));
    }

    /** Returns what is stored of this, with a number of hosts at most; the others are together. */
    Kept kept(int mostHosts) {
        List<Long> pagesOf = new ArrayList<>();
        for (int status = 0; status < STATUSES; status++) {
            if (statuses[status] > 0) {
                pagesOf.add((long) status);
                pagesOf.add(statuses[status]);
            }
        }
        return new Kept(
                redirects,
                failed,
                checked,
                cut,
                pagesOf,
                depths.kept(),
                types.kept(),
                hosts.kept(mostHosts),
                arrivals.widthMillis(),
                arrivals.kept());
    }

    /** Adds totals that were stored. */
    void add(Kept kept) {
        redirects += kept.redirects;
        failed += kept.failed;
        checked += kept.checked;
        cut += kept.cut;
        for (int i = 0; i + 1 < kept.statuses.size(); i += 2) {
            statuses[index(kept.statuses.get(i))] += kept.statuses.get(i + 1);
            pages += kept.statuses.get(i + 1);
        }
        kept.types.forEach(type -> bytes += type.bytes());
        depths.add(kept.depths, Integer::valueOf);
        types.add(kept.types, Function.identity());
        hosts.add(kept.hosts);
        arrivals.add(kept.arrivalMillis, kept.arrivals);
    }

    long pages() {
        return pages;
    }

    long redirects() {
        return redirects;
    }

    long failed() {
        return failed;
    }

    long checked() {
        return checked;
    }

    /** Returns the number of URLs that were requested. */
    long requested() {
        return pages + redirects + failed + checked;
    }

    long cut() {
        return cut;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the number of pages with a status. */
    long status(int status) {
        return statuses[status];
    }

    /** Returns the number of pages with a status of a class: its first digit. */
    long statusClass(int firstDigit) {
        long sum = 0;
        for (int status = firstDigit * 100; status < firstDigit * 100 + 100; status++) {
            sum += statuses[status];
        }
        return sum;
    }

    Tally<Integer> depths() {
        return depths;
    }

    Tally<String> types() {
        return types;
    }

    HostTable hosts() {
        return hosts;
    }

    Arrivals arrivals() {
        return arrivals;
    }
}
