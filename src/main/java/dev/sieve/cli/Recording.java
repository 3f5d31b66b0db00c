package dev.sieve.cli;

import dev.sieve.CapacityEvent;
import dev.sieve.OnFull;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.Journal;
import dev.sieve.io.RepeatingThread;
import dev.sieve.job.CrawlPlace;
import dev.sieve.output.PageSink;
import dev.sieve.report.BrokenLink;
import dev.sieve.report.CrawlRecord;
import dev.sieve.report.LiveServer;
import dev.sieve.report.MetricsText;
import dev.sieve.report.Numbers;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Records a crawl for its report, its live page and its metrics, or for the reports of those who share it. */
final class Recording {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");
    private static final int MILLIS = 1000;
    private static final int SAMPLES_PER_SHARE = 5;
    private static final Duration SEARCH_AFTER_STOP = Duration.ofSeconds(5);

    /** A user and a password in a URL. */
    private static final Pattern USER = Pattern.compile("//[^/?#@ ]*+@");

    /** A word that every shell takes as it is. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*");

    private final CrawlRecord record;
    private final @Nullable Path file;
    private final @Nullable LiveServer live;
    private final @Nullable Path metrics;
    private final CrawlPlace place;
    /** Whether all pages are searched at the end for those that link to broken URLs. */
    private final boolean hasJournal;
    /** Whether a report, a live page or a file of metrics was requested, or others report what this process does. */
    private final boolean isUsed;
    /** Whether the log says how to make the filter larger. */
    private final AtomicBoolean advised = new AtomicBoolean();

    /** Creates a recording, which records nothing without a use. The server of the live page is closed with the run. */
    Recording(
            @Nullable Path file,
            @Nullable LiveServer live,
            @Nullable Path metrics,
            CrawlPlace place,
            boolean findsReferrers,
            boolean listsBroken) {
        record = new CrawlRecord(file != null);
        this.file = file;
        this.live = live;
        this.metrics = metrics;
        this.place = place;
        hasJournal = file != null || findsReferrers || (listsBroken && place.isSaved());
        isUsed = hasJournal || listsBroken || live != null || metrics != null || place.isShared();
    }

    /** Receives a capacity event of the frontier, also before the start. */
    void capacity(CapacityEvent event) {
        capacityOfDemo(event);
        if (event.onFull() == OnFull.WARN && advised.compareAndSet(false, true)) {
            String choice = place.isShared() ? "" : " or --on-full grow";
            double urls = Math.max((double) event.capacity(), event.estimatedSize() + event.estimatedMissed());
            long more = Numbers.recommendedCapacity(urls);
            String capacity = more % 1_000_000 == 0 ? more / 1_000_000 + "M" : String.valueOf(more);
            LOG.warn("to miss fewer pages, crawl from the start with --capacity {}{}", capacity, choice);
        }
    }

    /** Receives a capacity event of a frontier for which no option sets the capacity. */
    void capacityOfDemo(CapacityEvent event) {
        record.capacity(event, Instant.now());
    }

    /** Sets the seeds and options that the report shows for this run. */
    void command(CommandSpec spec, List<String> seeds) {
        record.command(commandLine(spec, seeds));
    }

    /** Returns a command as a shell takes it, without passwords: values of headers, and users in URLs. */
    static String commandLine(CommandSpec spec, List<String> seeds) {
        List<String> words = new ArrayList<>(List.of("sieve"));
        words.addAll(seeds);
        // An option is listed as often as it was given, each time with all its values.
        for (OptionSpec option :
                new LinkedHashSet<>(spec.commandLine().getParseResult().matchedOptions())) {
            boolean isFlag = option.arity().max() == 0;
            for (String value : isFlag ? List.of("") : option.originalStringValues()) {
                String shown =
                        option.longestName().equals(RequestOptions.HEADER) ? value.replaceFirst(":.*", ": ...") : value;
                if (isFlag || value.equals(option.fallbackValue())) {
                    words.add(option.longestName());
                } else if (option.arity().min() == 0) {
                    words.add(option.longestName() + "=" + shown);
                } else {
                    words.addAll(List.of(option.longestName(), shown));
                }
            }
        }
        return words.stream()
                .map(word -> USER.matcher(word).replaceAll("//"))
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    List<BrokenLink> brokenLinks() {
        return record.brokenLinks();
    }

    Run start(Crawler crawler, CrawlJob job) throws IOException {
        if (isUsed) {
            record.start(hasJournal ? Journal.of(job) : null, place.forces(), Instant.now());
        }
        return new Run(crawler, job);
    }

    /** A run, which is recorded once per second. */
    final class Run implements AutoCloseable {
        private final Crawler crawler;
        private final CrawlJob job;

        /** The shown record of a shared crawl; null before the first shares were read. */
        private volatile @Nullable CrawlRecord sharedCrawl;

        /** Receives the pages that link to broken URLs. */
        private PageSink outputs = visit -> {};

        private final RepeatingThread sampler =
                new RepeatingThread("sieve-report", Duration.ofMillis(MILLIS), this::sample);

        private int samples;
        private boolean isClosed;

        private Run(Crawler crawler, CrawlJob job) {
            this.crawler = crawler;
            this.job = job;
        }

        /** Adds the sink that receives what the crawl finds. */
        void addTo(Outputs all) {
            outputs = all.sinks;
            if (isUsed) {
                all.add(file, record);
            }
        }

        /** Records the numbers of the crawl once per second from now on, and shows them, until this is closed. */
        void run() {
            if (!isUsed) {
                return;
            }
            sampler.start();
            if (live != null) {
                live.show(
                        record, () -> Objects.requireNonNullElse(sharedCrawl, record), crawler, InstantSource.system());
                Terminal.println("Live page: " + live.url() + "  metrics: " + live.url() + "metrics");
                if (!live.isLoopback()) {
                    LOG.warn("everyone who can reach {} can read the URLs and titles of this crawl", live.url());
                }
            }
        }

        private synchronized void sample() {
            if (isClosed) {
                return;
            }
            try {
                record.delays(crawler::delay);
                record.oldest(crawler.oldestRequest());
                record.sample(crawler.report(), Instant.now());
                if (samples++ % SAMPLES_PER_SHARE == 0) {
                    share();
                }
            } catch (Throwable e) {
                // Such as a full disk, which the crawl has to end at.
                crawler.fail(e);
            }
        }

        /** Stores what this process has done where others report it, and reads what they have stored if it is shown here. */
        private void share() {
            byte[] share = place.isShared() ? record.share() : null;
            if (share == null) {
                return;
            }
            job.sharing().share(share);
            if (live != null) {
                try {
                    List<byte[]> shares = new ArrayList<>();
                    place.shares(shares::add);
                    sharedCrawl = CrawlRecord.ofShares(shares);
                } catch (IOException e) {
                    LOG.debug("the live page is not up to date", e);
                }
            }
        }

        /** Writes the report of a crawl that is over, and shows its final state. */
        @Override
        public synchronized void close() throws IOException {
            isClosed = true;
            if (!isUsed) {
                return;
            }
            sampler.end();
            try (live) {
                IOException failure = complete();
                if (hasJournal) {
                    record.brokenLinks().forEach(link -> outputs.linkedFrom(link.url(), link.pages()));
                }
                if (file != null) {
                    ReportPage.write(ReportPage.page(record, Instant.now()), file);
                }
                if (metrics != null) {
                    new MetricsText(record, crawler).write(metrics);
                }
                if (failure != null) {
                    throw failure;
                }
            }
        }

        /** Records the end of the crawl. Returns the failure of the disk, after which a report can still be made; or null. */
        private @Nullable IOException complete() {
            try {
                CrawlReport report = crawler.report();
                record.delays(crawler::delay);
                record.oldest(null);
                record.sample(report, Instant.now());
                share();
                record.flush();
                // A stopped crawl has a little time for it, so that the process ends soon.
                Instant end = Instant.now().plus(SEARCH_AFTER_STOP);
                record.findReferrers(() -> crawler.isStopped() && Instant.now().isAfter(end));
                return null;
            } catch (IOException e) {
                return e;
            } catch (UncheckedIOException e) {
                return e.getCause();
            }
        }
    }
}
