package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchResult;
import dev.sieve.io.LruMap;
import dev.sieve.output.Link;
import dev.sieve.output.PageSink;
import dev.sieve.output.Row;
import dev.sieve.output.Skip;
import dev.sieve.output.Verdict;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what a crawl does: passes it to the sink and counts it, both only here, so that they agree, and marks URLs as
 * done once the sink has stored their records. All leases of a crawl end here.
 *
 * <p>Where records must survive a power failure, URLs are marked in groups, since a force of the disk takes as long as
 * many pages: when a group is complete, when nothing else is in flight, and whenever {@link #flush} is called.
 *
 * <p>Once the sink has failed it receives nothing more, nothing more is counted, and no URL is marked as done: every
 * call that would do so throws the failure again, so that no caller between can hide it. The same holds for the results
 * of the job. Safe for use by many threads; the sink is called by one at a time, and a report never waits for it.
 */
public final class Recorder {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** Each of them may be requested again after a crash. */
    static final int GROUP = 512;

    private static final int FAILURES_KEPT = 10;

    /** The heap that the pages on which redirects were found may take. */
    private static final long REDIRECT_BYTES = 1 << 20;

    private final Frontier frontier;
    private final int groupSize;

    /** Guards the sink and the group; taken before all other locks. */
    private final Object sinkLock = new Object();

    private PageSink sink = visit -> {};
    /** What the sink has thrown; null while it works. */
    private @Nullable Throwable failure;

    private final List<Stage> stages;
    private final boolean forces;

    private volatile boolean takesLinks;
    /** Recorded URLs that are not done yet. */
    private final List<Lease> group = new ArrayList<>();
    /** Whether the sink or a stage has something to store that belongs to no URL of the group. */
    private boolean isUnstored;

    /** The size of the group, so that a report does not wait for the sink. */
    private volatile int recorded;

    /** What the job keeps of this for later runs; null if it keeps nothing. */
    private volatile @Nullable JobResults results;

    private final Counts.Builder counts = new Counts.Builder();
    private final List<CrawlReport.Failure> failures = new ArrayList<>();
    private long leftUndone;
    private long settled;
    /** URLs that an earlier run has queued once more. */
    private long repeatedBefore;

    /** The pages on which redirects were found, for the URLs to which they lead. */
    private final LruMap<String> pagesOfRedirects = new LruMap<>(REDIRECT_BYTES, String::length);

    private interface Event {
        void passTo(PageSink sink) throws IOException;
    }

    /** Creates a recorder that stores nothing before it has a {@link #sink}. */
    Recorder(Frontier frontier, List<Stage> stages) {
        this.frontier = frontier;
        this.stages = stages;
        forces = frontier.forces();
        groupSize = forces ? GROUP : 1;
    }

    /** Continues what earlier runs have recorded. */
    void continues(JobResults job) {
        results = job;
    }

    void sink(PageSink choice) {
        synchronized (sinkLock) {
            sink = choice;
            takesLinks = choice.takesLinks();
        }
    }

    private void record(Event event) {
        record(event, -1, () -> {});
    }

    /** Passes an event to the sink, then counts it, and keeps what was noted of the URL with an id for later runs. */
    private void record(Event event, long id, Runnable count) {
        synchronized (sinkLock) {
            pass(event);
            isUnstored = true;
            synchronized (this) {
                count.run();
            }
            JobResults job = results;
            if (job != null) {
                pass(each -> job.add(id));
            }
        }
    }

    private void pass(Event event) {
        requireSink();
        try {
            event.passTo(sink);
        } catch (IOException e) {
            failure = new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            failure = e;
        } catch (Throwable e) {
            // Undeclared, as from Kotlin.
            failure = new IllegalStateException(String.valueOf(e), e);
        }
        requireSink();
    }

    private void requireSink() {
        if (failure instanceof RuntimeException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        }
    }

    /**
     * Marks a URL as done when everything that was recorded of it is stored, and what the stages receive by a call under
     * the lock. Its links must be in the frontier.
     */
    void done(Lease lease, Runnable note) {
        synchronized (sinkLock) {
            requireSink();
            note.run();
            synchronized (this) {
                settled++;
            }
            group.add(lease);
            recorded = group.size();
            if (group.size() >= groupSize || isRestOver()) {
                flush();
            }
        }
    }

    /** Returns whether the group is all that is in flight, so that a crawl that waits for more would never end. */
    private boolean isRestOver() {
        return frontier.isOver(group.size() + leftUndone());
    }

    /** Has the sink store what was recorded, then marks its URLs as done. */
    void flush() {
        synchronized (sinkLock) {
            if (group.isEmpty() && !isUnstored) {
                return;
            }
            pass(each -> {
                each.flush();
                if (results != null) {
                    results.flush(forces);
                }
                stages.forEach(stage -> stage.flush(forces));
            });
            isUnstored = false;
            group.forEach(frontier::done);
            group.clear();
            recorded = 0;
        }
    }

    /** Has the sink store what was recorded outside of visits. */
    public void flushSink() {
        synchronized (sinkLock) {
            pass(PageSink::flush);
        }
    }

    void exchanged(Exchange exchange) {
        Exchange recorded = exchange;
        for (Stage stage : stages) {
            recorded = stage.exchanged(recorded);
        }
        Exchange shown = recorded;
        record(each -> each.exchanged(shown));
    }

    void visited(Visit found) {
        Visit visit = recorded(found);
        record(each -> each.accept(visit), visit.id(), () -> count(visit));
    }

    /**
     * Records a URL that is found broken without a visit of its own, unless an earlier run has, and counts it as a
     * failure if it is the first.
     */
    public void broken(Visit found, boolean isFirst, boolean isRecorded) {
        Visit visit = recorded(found);
        record(isRecorded ? each -> {} : each -> each.accept(visit), visit.id(), () -> {
            if (isFirst) {
                Row row = Row.of(visit);
                String reason = row.reason();
                noted(Counter.FAILURES, reason, 1);
                if (row.is(VisitField.NEWLY_BROKEN)) {
                    noted(Counter.NEWLY_BROKEN, reason, 1);
                }
                list(new CrawlReport.Failure(visit.url(), reason, visit.referrer()));
            }
        });
    }

    private Visit recorded(Visit found) {
        Visit visit = found;
        for (Stage stage : stages) {
            visit = stage.recorded(visit);
        }
        return visit;
    }

    /** Counts a part, empty if the counter has none, and notes it for later runs if their verdict depends on it. */
    private void noted(Counter counter, String part, long number) {
        if (part.isEmpty()) {
            counts.add(counter, number);
        } else {
            counts.add(counter, part, number);
        }
        if (results != null && counter.isOfJob(part)) {
            results.note(counter, part);
        }
    }

    private void count(Visit visit) {
        Row row = Row.of(visit);
        Verdict verdict = row.verdict();
        for (Counter counter : Counter.OF_VISITS) {
            String part = counter.part(row, verdict);
            if (part != null) {
                noted(counter, part, counter.number(row));
            }
        }
        if (verdict.isBroken()) {
            list(new CrawlReport.Failure(visit.url(), row.reason(), linkingPage(visit.referrer())));
        }
        if (results != null && visit.result() instanceof FetchResult.Redirect redirect) {
            results.moved(visit.key(), UrlNormalizer.key(redirect.target()));
        }
    }

    /** Notes a redirect. Called before its target is queued, so that the failure of the target finds the page that links to it. */
    synchronized void redirected(Lease lease) {
        String referrer = linkingPage(lease.referrer());
        if (referrer != null) {
            pagesOfRedirects.put(lease.url(), referrer);
        }
    }

    private @Nullable String linkingPage(@Nullable String referrer) {
        String linking = referrer == null ? null : pagesOfRedirects.get(referrer);
        return linking == null ? referrer : linking;
    }

    private void list(CrawlReport.Failure failure) {
        if (failures.size() < FAILURES_KEPT) {
            failures.add(failure);
        }
    }

    /** Counts what has no record of its own. */
    public synchronized void count(Counter counter, long number) {
        counts.add(counter, number);
    }

    /** Counts a part of what has no record of its own. */
    public synchronized void count(Counter counter, String part, long number) {
        counts.add(counter, part, number);
    }

    /** Counts what is dropped, and logs the first of its kind in a sentence. */
    public void lost(Loss loss, String sentence) {
        boolean isFirst;
        synchronized (this) {
            isFirst = counts.get(Counter.DROPPED, loss.text()) == 0;
            counts.add(Counter.DROPPED, loss.text(), 1);
        }
        if (isFirst) {
            LOG.warn("{}; more of these are only counted", sentence);
        }
    }

    /** Counts a failure without a record of its own, for later runs if it has the id of a URL; -1 for none. */
    public void failed(CrawlReport.Failure failure, long id) {
        record(each -> {}, id, () -> {
            noted(Counter.FAILED, "", 1);
            noted(Counter.FAILURES, failure.reason(), 1);
            list(failure);
        });
    }

    /** Records that a queued URL is not requested. */
    void refused(Lease lease, SkipReason reason) {
        Skip skip = new Skip(lease.url(), reason, lease.referrer());
        record(each -> each.skipped(skip), lease.id(), () -> noted(Counter.REFUSED, reason.rule(), 1));
    }

    /** Records that a URL found on a page is not queued. */
    public void skipped(String url, SkipReason reason, String referrer) {
        Skip skip = new Skip(url, reason, referrer);
        record(each -> {
            each.skipped(skip);
            if (takesLinks) {
                each.linked(new Link(referrer, url, false, reason));
            }
        });
        skipped(reason.rule(), 1);
    }

    /** Counts URLs that are not queued and of which only the number is stored. */
    public synchronized void skipped(String rule, long urls) {
        if (urls > 0) {
            counts.add(Counter.LINKS, Counter.OUTSIDE, urls);
            counts.add(Counter.SKIPPED, rule, urls);
        }
    }

    /** Records a link to a URL outside of the crawl that is pushed to be checked. */
    public void checked(String url, SkipReason reason, String referrer) {
        if (takesLinks) {
            record(each -> each.linked(new Link(referrer, url, false, reason)));
        }
    }

    void pushed(UrlBatch links) {
        if (takesLinks) {
            String source = Objects.requireNonNull(links.referrer());
            record(each -> {
                for (int i = 0; i < links.size(); i++) {
                    each.linked(new Link(source, links.url(i), links.isNew(i), null));
                }
            });
        }
    }

    /** Counts URLs that were pushed, some of which were new. */
    synchronized void pushed(int all, int newOnes) {
        counts.add(Counter.LINKS, Counter.NEW, newOnes);
        counts.add(Counter.LINKS, Counter.SEEN, all - newOnes);
    }

    /** Gives a URL back to the frontier, to be requested again. */
    void retry(Lease lease, long readyNanos) {
        frontier.retry(lease, readyNanos);
        synchronized (this) {
            settled++;
            counts.add(Counter.RETRIES, 1);
        }
    }

    /** Counts a recorded URL that stays in flight in the frontier, after a call under the lock as for {@link #done}. */
    void leaveUndone(Lease lease, Runnable note) {
        synchronized (sinkLock) {
            note.run();
            isUnstored = true;
        }
        leaveUndone(lease);
    }

    /** Counts a URL that stays in flight in the frontier. */
    void leaveUndone(Lease lease) {
        frontier.leave(lease);
        synchronized (this) {
            settled++;
            leftUndone++;
        }
        synchronized (sinkLock) {
            if (!group.isEmpty() && isRestOver()) {
                flush();
            }
        }
    }

    synchronized long leftUndone() {
        return leftUndone;
    }

    /** Counts URLs that were queued once more, until they are {@link #repeated} or visited. */
    public synchronized void queuedAgain(long urls) {
        counts.add(Counter.LINKS, Counter.NEW, urls);
    }

    /** Ends the lease of a URL that was queued once more and needs no request of its own. */
    void repeated(Lease lease) {
        frontier.done(lease);
        synchronized (this) {
            settled++;
            if (counts.get(Counter.LINKS, Counter.NEW) > 0) {
                counts.add(Counter.LINKS, Counter.NEW, -1);
            } else {
                repeatedBefore++;
            }
        }
    }

    /** Counts a lease that the frontier has ended, so that its URL is processed elsewhere. */
    synchronized void dropped() {
        settled++;
    }

    /** Returns how many leases this crawl does not work on any more: recorded, given back, left, or dropped. */
    synchronized long settled() {
        return settled;
    }

    synchronized CrawlReport report(
            @Nullable Ending ending,
            Duration elapsed,
            long before,
            long toQueue,
            SieveStats sieve,
            CrawlReport.Load load) {
        long left = Math.max(0, sieve.pending() + sieve.inFlight() - leftUndone - recorded);
        return new CrawlReport(
                ending,
                elapsed,
                counts.counts(),
                results == null ? Counts.NONE : results.earlier(),
                new CrawlReport.Pending(before + toQueue - repeatedBefore, left + toQueue, leftUndone),
                List.copyOf(failures),
                sieve,
                load);
    }
}
