package dev.sieve.report;

import dev.sieve.CapacityEvent;
import dev.sieve.crawl.OpenRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a report shows of a crawl, in memory that does not grow with the crawl. Not safe for use by many threads. */
final class Aggregate {
    private static final int STATUSES = 1000;

    private final long[] statuses = new long[STATUSES];
    private final Tally<Integer> depths = new Tally<>(Bounds.NAMES);
    private final Tally<String> types = new Tally<>(Bounds.NAMES);
    private final Tally<String> fates = new Tally<>(Bounds.NAMES);
    private final HostTable hosts = new HostTable();
    private final TopPages slowest = new TopPages();
    private final TopPages largest = new TopPages();
    private final BrokenLinks broken = new BrokenLinks();
    private final Changes changes = new Changes();
    private final Alike alike = new Alike();
    private final Redirects redirectChains = new Redirects();
    private final SkipExamples skipExamples = new SkipExamples();
    private final Arrivals arrivals = new Arrivals();
    private final Timeline timeline = new Timeline();
    private final Runs runs = new Runs();
    private final List<Passed> capacityEvents = new ArrayList<>();
    private long pages;
    private long redirects;
    private long failed;
    private long checked;
    private long cut;
    private long bytes;
    private @Nullable String first;
    private @Nullable OpenRequest oldest;
    private long firstAt;
    private long lastAt;

    /** A capacity event, and for how long the crawl had run. */
    record Passed(long millis, CapacityEvent event) {}

    /** Adds a URL that was requested. A link out of scope that was only checked is not a page, and belongs to no host. */
    void add(Entry entry) {
        broken.add(entry);
        if (entry.isFragment()) {
            return;
        }
        redirectChains.add(entry);
        changes.add(entry);
        alike.add(entry);
        if (!entry.isCheck()) {
            hosts.add(entry);
        }
        if (entry.isCheck()) {
            checked++;
        } else if (entry.isFailed()) {
            failed++;
        } else if (!entry.isPage()) {
            redirects++;
        } else {
            page(entry);
        }
        if (entry.at() > 0) {
            firstAt = firstAt == 0 ? entry.at() : Math.min(firstAt, entry.at());
            lastAt = Math.max(lastAt, entry.at());
        }
        if (first == null && entry.referrer() == null) {
            first = Bounds.cut(entry.url());
        }
    }

    private void page(Entry entry) {
        pages++;
        bytes += entry.bytes();
        cut += entry.isCut() ? 1 : 0;
        statuses[Math.max(0, Math.min(STATUSES - 1, entry.status()))]++;
        depths.add(entry.depth(), 1, entry.bytes());
        types.add(entry.type() == null ? "" : Bounds.cut(entry.type()), 1, entry.bytes());
        slowest.add(entry.millis(), entry);
        largest.add(entry.bytes(), entry);
        if (entry.at() > 0) {
            arrivals.add(entry.at());
        }
    }

    /** Starts a run. */
    void run(long at, @Nullable String command) {
        runs.start(at, command);
    }

    /** Adds a sample; returns whether it was kept. */
    boolean sample(Sample sample) {
        Timeline.Point point = runs.sample(sample);
        if (timeline.points().isEmpty() && sample.pending().before() == 0) {
            timeline.add(new Timeline.Point(0, 0, 0, 0, sample.sieve().capacity(), 0, 0));
        }
        return timeline.add(point);
    }

    void capacity(CapacityEvent event, long at) {
        if (capacityEvents.size() < Bounds.CAPACITY_EVENTS) {
            capacityEvents.add(new Passed(runs.millisAt(at), event));
        }
    }

    /** Sets the oldest of the URLs that are being requested; null if there is none. */
    void oldest(@Nullable OpenRequest request) {
        oldest = request;
    }

    /** Adds a link of a link graph, by what became of its target. */
    void fate(String fate) {
        fates.add(Bounds.cut(fate), 1, 0);
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

    long cut() {
        return cut;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the first URL that was requested without a link to it; null if there is none. */
    @Nullable
    String first() {
        return first;
    }

    /** Returns the oldest of the URLs that are being requested; null if there is none. */
    @Nullable
    OpenRequest oldest() {
        return oldest;
    }

    /** Returns when the first URL was requested, in epoch milliseconds; 0 when unknown. */
    long firstAt() {
        return firstAt;
    }

    long lastAt() {
        return lastAt;
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

    Tally<String> fates() {
        return fates;
    }

    HostTable hosts() {
        return hosts;
    }

    TopPages slowest() {
        return slowest;
    }

    TopPages largest() {
        return largest;
    }

    Changes changes() {
        return changes;
    }

    Alike alike() {
        return alike;
    }

    BrokenLinks broken() {
        return broken;
    }

    Redirects redirectChains() {
        return redirectChains;
    }

    SkipExamples skipExamples() {
        return skipExamples;
    }

    Arrivals arrivals() {
        return arrivals;
    }

    Timeline timeline() {
        return timeline;
    }

    Runs runs() {
        return runs;
    }

    List<Passed> capacityEvents() {
        return capacityEvents;
    }
}
