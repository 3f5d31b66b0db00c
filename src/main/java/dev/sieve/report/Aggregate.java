package dev.sieve.report;

import dev.sieve.CapacityEvent;
import dev.sieve.crawl.OpenRequest;
import dev.sieve.output.Verdict;
import dev.sieve.output.VisitField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a report shows of a crawl, in memory that does not grow with the crawl. What has a public field, here and in the
 * parts, is also stored in a {@link Share}: one from elsewhere is only ever merged into another aggregate, which has
 * bounds. Not safe for use by many threads.
 */
final class Aggregate {
    public Totals totals;
    public BrokenLinks broken;
    public Redirects redirectChains;
    public TopPages slowest = new TopPages();
    public TopPages largest = new TopPages();
    public SkipExamples skipExamples = new SkipExamples();
    public List<Passed> capacityEvents = new ArrayList<>();
    /** The first URL that was requested without a link to it; null if there is none. */
    public @Nullable String first;

    final Tally fates = new Tally();
    final Changes changes = new Changes();
    /** The pages that are alike; null if they are not compared. */
    final @Nullable Alike alike;

    final Timeline timeline = new Timeline();
    final Runs runs = new Runs();
    /** The oldest of the URLs that are being requested; null if there is none. */
    @Nullable
    OpenRequest oldest;

    /** The first URLs that were not requested, for each rule. */
    static final class SkipExamples {
        public Map<String, List<Example>> examples = new TreeMap<>();

        /** A URL that was not requested, and the page on which it was found; null for a seed. */
        record Example(
                String url,
                @Nullable String detail,
                @Nullable String referrer) {}

        boolean needs(String rule) {
            List<Example> ofRule = examples.get(rule);
            return ofRule == null ? examples.size() < Bounds.NAMES : ofRule.size() < Bounds.EXAMPLES;
        }

        void add(String rule, String url, @Nullable String detail, @Nullable String referrer) {
            if (needs(rule)) {
                examples.computeIfAbsent(Bounds.cut(rule), name -> new ArrayList<>())
                        .add(new Example(Bounds.cut(url), Bounds.cutOrNull(detail), Bounds.cutOrNull(referrer)));
            }
        }

        void merge(SkipExamples other) {
            other.examples.forEach((rule, examplesOfRule) ->
                    examplesOfRule.forEach(each -> add(rule, each.url, each.detail, each.referrer)));
        }

        List<String> urls(String rule) {
            return examples.getOrDefault(rule, List.of()).stream()
                    .map(Example::url)
                    .toList();
        }
    }

    /** A capacity event, and for how long the crawl had run. */
    record Passed(long millis, CapacityEvent event) {
        Passed {
            Objects.requireNonNull(event);
        }
    }

    /** Creates an empty aggregate that does not find pages that are alike. */
    Aggregate() {
        this(false);
    }

    /** Creates an empty aggregate, which may find pages that are alike. */
    Aggregate(boolean listsAlike) {
        this(listsAlike, Bounds.HOSTS, Bounds.BROKEN_LINKS, Bounds.REDIRECTS);
    }

    /** Creates an empty aggregate with bounds of its own. */
    Aggregate(boolean listsAlike, int hosts, int brokenLinks, int redirects) {
        alike = listsAlike ? new Alike() : null;
        totals = new Totals(new HostTable(hosts));
        broken = new BrokenLinks(brokenLinks);
        redirectChains = new Redirects(redirects);
    }

    /** Adds what is stored of another crawl, which started so long after this one. */
    void merge(Aggregate other, long startMillis) {
        first(other.first);
        totals.merge(other.totals);
        broken.merge(other.broken);
        redirectChains.merge(other.redirectChains);
        slowest.merge(other.slowest);
        largest.merge(other.largest);
        skipExamples.merge(other.skipExamples);
        other.capacityEvents.forEach(each -> passed(new Passed(startMillis + each.millis, each.event)));
    }

    /** Returns the name under which examples are kept of URLs of which something has responded in place of the site. */
    static String example(Verdict verdict, String responder) {
        return verdict.text() + ": " + responder;
    }

    /** Adds a URL that was requested, or a part of a page that is missing. */
    void add(Entry entry) {
        broken.add(entry);
        Verdict verdict = entry.verdict();
        if (verdict == Verdict.FRAGMENT) {
            return;
        }
        totals.add(entry);
        String responder = entry.responder(verdict);
        if (responder != null) {
            skipExamples.add(example(verdict, responder), entry.url(), null, entry.referrer());
        }
        redirectChains.add(entry);
        changes.add(entry);
        if (alike != null) {
            alike.add(entry);
        }
        if (verdict.isPage() && !entry.isCheck()) {
            slowest.add(entry.number(VisitField.MS), entry);
            largest.add(entry.number(VisitField.BYTES), entry);
        }
        if (entry.referrer() == null) {
            first(entry.url());
        }
    }

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
        passed(new Passed(runs.millisAt(at), event));
    }

    private void passed(Passed event) {
        if (capacityEvents.size() < Bounds.CAPACITY_EVENTS) {
            capacityEvents.add(event);
        }
    }

    /** Sets the first URL that was requested without a link to it, unless there is one. */
    void first(@Nullable String url) {
        first = first == null ? Bounds.cutOrNull(url) : first;
    }

    /** Adds a link of a link graph, by what became of its target. */
    void fate(String fate) {
        fates.add(fate, 1, 0);
    }
}
