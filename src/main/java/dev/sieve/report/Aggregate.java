package dev.sieve.report;

import dev.sieve.CapacityEvent;
import dev.sieve.crawl.OpenRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a report shows of a crawl, in memory that does not grow with the crawl. Not safe for use by many threads. */
final class Aggregate {
    private final Totals totals = new Totals();
    private final Tally<String> fates = new Tally<>(Bounds.NAMES);
    private final TopPages slowest = new TopPages();
    private final TopPages largest = new TopPages();
    private final BrokenLinks broken = new BrokenLinks();
    private final Changes changes = new Changes();
    private final @Nullable Alike alike;
    private final Redirects redirectChains = new Redirects();
    private final SkipExamples skipExamples = new SkipExamples();
    private final Timeline timeline = new Timeline();
    private final Runs runs = new Runs();
    private final List<Passed> capacityEvents = new ArrayList<>();
    private @Nullable String first;
    private @Nullable OpenRequest oldest;

    /** A capacity event, and for how long the crawl had run. */
    record Passed(long millis, CapacityEvent event) {}

    Aggregate() {
        this(true);
    }

    /**
     * Creates an empty aggregate.
     *
     * @param listsAlike whether to find pages that are alike
     */
    Aggregate(boolean listsAlike) {
        alike = listsAlike ? new Alike() : null;
    }

    /** Adds a URL that was requested, or a part of a page that is missing. */
    void add(Entry entry) {
        broken.add(entry);
        if (entry.isFragment()) {
            return;
        }
        totals.add(entry);
        redirectChains.add(entry);
        changes.add(entry);
        if (alike != null) {
            alike.add(entry);
        }
        if (entry.isPage() && !entry.isCheck()) {
            slowest.add(entry.millis(), entry);
            largest.add(entry.bytes(), entry);
        }
        if (entry.referrer() == null) {
            first(Bounds.cut(entry.url()));
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

    /** Sets the first URL that was requested without a link to it, unless there is one. */
    void first(@Nullable String url) {
        first = first == null ? url : first;
    }

    /** Adds a link of a link graph, by what became of its target. */
    void fate(String fate) {
        fates.add(Bounds.cut(fate), 1, 0);
    }

    Totals totals() {
        return totals;
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

    Tally<String> fates() {
        return fates;
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

    /** Returns the pages that are alike; null if they are not compared. */
    @Nullable
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
