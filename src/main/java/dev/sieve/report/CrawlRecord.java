package dev.sieve.report;

import dev.sieve.CapacityEvent;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Journal;
import dev.sieve.crawl.OpenRequest;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of a crawl from which its report is made: a sink, which also receives samples and capacity events.
 *
 * <p>It takes a few megabytes of memory, whatever is crawled. What it receives is added to a {@link Journal}, if it has
 * one: from that, a later run of the same crawl continues it, and at the end the pages that link to broken URLs are
 * found.
 *
 * <p>Safe for use by many threads.
 */
public final class CrawlRecord implements PageSink {
    /** Lines with samples that are not needed for the charts: a run that is killed loses at most so much of its numbers. */
    private static final long SAMPLE_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.report");

    /** Visits that are added to the aggregate together, since that costs less than one at a time. */
    private static final int GROUP = 64;

    private final Aggregate aggregate;
    /** The response times of this run; the aggregate has those of all runs. */
    private final ResponseTimes times = new ResponseTimes();

    private final List<Entry> group = new ArrayList<>();
    private final List<CapacityEvent> early = new ArrayList<>();
    private @Nullable Journal journal;

    private @Nullable String command;
    private volatile boolean forces;
    private boolean isStarted;
    private long lastSample;

    /** Creates an empty record. */
    public CrawlRecord() {
        this(true);
    }

    /** Creates an empty record. Finding pages that are alike, which only a report shows, takes most of the memory. */
    public CrawlRecord(boolean listsAlike) {
        this(new Aggregate(listsAlike));
    }

    CrawlRecord(Aggregate aggregate) {
        this.aggregate = aggregate;
    }

    /** Sets what the run that starts next is shown as: its seeds and options, without passwords. */
    public synchronized void command(String text) {
        command = text;
    }

    /** Starts a run. A journal has what earlier runs have recorded; null to record in memory only. */
    public synchronized void start(@Nullable Journal store, boolean isForced, Instant now) throws IOException {
        if (store != null) {
            store.read(false, json -> JournalFormat.read(json, aggregate));
            store.add(JournalFormat.run(now.toEpochMilli(), command));
        }
        journal = store;
        forces = isForced;
        isStarted = true;
        aggregate.run(now.toEpochMilli(), command);
        early.forEach(event -> capacity(event, now));
        early.clear();
    }

    @Override
    public synchronized void accept(Visit visit) {
        Entry entry = Entry.of(visit);
        group.add(entry);
        if (entry.status() > 0) {
            times.add(entry.number(VisitField.MS));
        }
        if (group.size() >= GROUP) {
            aggregateGroup();
        }
        if (journal != null) {
            List<String> links = new ArrayList<>(visit.links());
            links.addAll(visit.content().resources());
            byte[] page = JournalFormat.page(entry, links);
            if (visit.id() < 0) {
                journal.add(page);
            } else {
                journal.add(visit.id(), page);
            }
        }
    }

    private void aggregateGroup() {
        group.forEach(aggregate::add);
        group.clear();
    }

    @Override
    public synchronized boolean comparesSketches() {
        return aggregate.alike != null;
    }

    @Override
    public synchronized void skipped(Skip skip) {
        SkipReason reason = skip.reason();
        if (aggregate.skipExamples.needs(reason.rule())) {
            aggregate.skipExamples.add(reason.rule(), skip.url(), reason.detail(), skip.referrer());
            if (journal != null) {
                journal.add(JournalFormat.skip(reason.rule(), skip.url(), reason.detail(), skip.referrer()));
            }
        }
    }

    @Override
    public void flush() {
        Journal store;
        synchronized (this) {
            store = journal;
        }
        if (store != null) {
            store.flush(forces);
        }
    }

    /** Records the numbers of the run at this moment. To be called about once per second, and at the end. */
    public synchronized void sample(CrawlReport report, Instant now) {
        aggregateGroup();
        Sample sample = Sample.of(report, now.toEpochMilli());
        boolean isKept = aggregate.sample(sample);
        boolean isDue = sample.millis() - lastSample >= SAMPLE_MILLIS || sample.ending() != null;
        if (journal != null && (isKept || isDue)) {
            journal.add(JournalFormat.sample(sample));
            lastSample = sample.millis();
        }
    }

    /** Shows the numbers of the run at this moment, without a point in the charts; those of its end stay. */
    synchronized void show(CrawlReport report, Instant now) {
        aggregateGroup();
        Sample last = aggregate.runs.last();
        if (last == null || last.ending() == null) {
            aggregate.runs.sample(Sample.of(report, now.toEpochMilli()));
        }
    }

    /** Records the present delays of hosts, named as in a URL without a port; null for those that are not known. */
    public synchronized void delays(Function<String, @Nullable Duration> delays) {
        aggregateGroup();
        aggregate.totals.hosts.delays(delays);
    }

    /** Records the oldest of the URLs that are being requested; null if there is none. */
    public synchronized void oldest(@Nullable OpenRequest request) {
        aggregate.oldest = request;
    }

    /** Records a capacity event; those from before the start belong to the start. */
    public synchronized void capacity(CapacityEvent event, Instant now) {
        if (!isStarted) {
            early.add(event);
            return;
        }
        aggregate.capacity(event, now.toEpochMilli());
        if (journal != null) {
            journal.add(JournalFormat.capacity(event, now.toEpochMilli()));
        }
    }

    /**
     * Adds what earlier runs have recorded of URLs that are in the frontier, and that this one has not requested again.
     * Then finds the pages that link to broken URLs in the journal, if there is one, until it is stopped, which the
     * report then says. To be called when the crawl is over.
     */
    public synchronized void findReferrers(BooleanSupplier isStopped) throws IOException {
        aggregateGroup();
        if (journal != null) {
            journal.read(true, json -> JournalFormat.read(json, aggregate));
        }
        if (journal != null && aggregate.broken.count() + aggregate.broken.moved.size() > 0) {
            BrokenLinks.Search search = aggregate.broken.search();
            try {
                journal.read(json -> {
                    if (isStopped.getAsBoolean()) {
                        throw new InterruptedIOException();
                    }
                    JournalFormat.search(json, search);
                });
                search.end();
            } catch (InterruptedIOException e) {
                LOG.warn("stopped before all pages were searched for links to broken URLs");
            }
        }
    }

    /**
     * Returns the first broken links, by reason, and then those that have moved. Their pages are complete only after
     * {@link #findReferrers}.
     */
    public List<BrokenLink> brokenLinks() {
        return read(crawl -> Stream.concat(
                        crawl.broken.groups().values().stream().flatMap(List::stream),
                        crawl.broken.moved.values().stream())
                .map(link -> new BrokenLink(
                        link.url,
                        link.reason,
                        link.movedTo,
                        List.copyOf(link.referrers),
                        link.referrerCount(),
                        link.newly))
                .toList());
    }

    /** Returns what is stored of this for the report of a crawl that many workers share; null before the first sample. */
    public byte @Nullable [] share() {
        Share share = read(Share::of);
        return share == null ? null : share.bytes();
    }

    /** Returns the record of a shared crawl by what its workers have stored: exact totals, and the start of each list. */
    public static CrawlRecord ofShares(List<byte[]> shares) throws IOException {
        List<Share> read = new ArrayList<>();
        for (byte[] share : shares) {
            read.add(Share.of(share));
        }
        try {
            return new CrawlRecord(Share.sum(read));
        } catch (RuntimeException e) {
            throw new IOException("the share of a worker is incomplete", e);
        }
    }

    /** Returns how long the responses of this run took. */
    synchronized ResponseTimes responseTimes() {
        return times.copy();
    }

    /** Passes what was recorded to a reader, which must not keep it. */
    synchronized <T> T read(Function<Aggregate, T> reader) {
        aggregateGroup();
        return reader.apply(aggregate);
    }
}
