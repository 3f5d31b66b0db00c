package dev.sieve.report;

import dev.sieve.crawl.Counter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The runs of a crawl. The last ones are listed; the numbers of all are added up. */
final class Runs {
    /** Characters of a command that are kept. */
    private static final int COMMAND = 2000;

    private final List<Run> runs = new ArrayList<>();
    /** What earlier runs have refused and skipped. */
    private final Map<Counter, Map<String, Long>> earlier = new EnumMap<>(Counter.class);

    private int count;
    /** The newest sample of any worker; null if the crawl is not shared. */
    private @Nullable Sample newest;
    /** When the first worker of a shared crawl started, in epoch milliseconds. */
    private long sharedFrom;

    private long millis;
    private long pages;

    static final class Run {
        final int number;
        final long startedAt;
        /** The seeds and options, as on a command line; null when unknown. */
        final @Nullable String command;
        /** Null before the first one. */
        @Nullable
        Sample last;

        private Run(int number, long startedAt, @Nullable String command) {
            this.number = number;
            this.startedAt = startedAt;
            this.command = command;
        }
    }

    void start(long at, @Nullable String command) {
        Sample last = ofLastRun();
        if (last != null) {
            millis += last.millis();
            pages += last.count(Counter.PAGES);
            earlier.put(Counter.REFUSED, refusals());
            earlier.put(Counter.SKIPPED, skipped());
        }
        if (runs.size() == Bounds.RUNS) {
            runs.remove(0);
        }
        runs.add(new Run(++count, at, command == null ? null : cut(command)));
    }

    /** Adds the run of a worker of a shared crawl, which others ran beside. */
    void add(long startedAt, @Nullable String command, Sample sample) {
        start(startedAt, command);
        sample(sample);
        sharedFrom = isShared() ? Math.min(sharedFrom, startedAt) : startedAt;
        newest = newest == null || sample.at() >= newest.at() ? sample : newest;
    }

    boolean isShared() {
        return newest != null;
    }

    private static String cut(String command) {
        return command.length() <= COMMAND ? command : command.substring(0, COMMAND) + " ...";
    }

    /** Sets the last sample of the run, and returns the numbers of all runs at its time. */
    Timeline.Point sample(Sample sample) {
        if (runs.isEmpty()) {
            start(sample.at() - sample.millis(), null);
        }
        runs.get(runs.size() - 1).last = sample;
        return new Timeline.Point(
                millis + sample.millis(),
                pages + sample.count(Counter.PAGES),
                sample.pending().left(),
                sample.sieve().estimatedSize(),
                sample.sieve().capacity(),
                sample.sieve().falsePositiveRate(),
                sample.sieve().estimatedMissed());
    }

    /** Returns the last sample of the current run, or of any worker; null without one. */
    @Nullable
    Sample last() {
        return newest != null ? newest : ofLastRun();
    }

    private @Nullable Sample ofLastRun() {
        return runs.isEmpty() ? null : runs.get(runs.size() - 1).last;
    }

    List<Run> list() {
        return runs;
    }

    int count() {
        return count;
    }

    long millis() {
        return newest != null ? newest.at() - sharedFrom : millis + (last() == null ? 0 : last().millis());
    }

    /** Returns the time since the first run started at a time of day, without the time between runs. */
    long millisAt(long at) {
        return isShared()
                ? Math.max(0, at - sharedFrom)
                : millis + (runs.isEmpty() ? 0 : Math.max(0, at - runs.get(runs.size() - 1).startedAt));
    }

    /** Returns the queued URLs of all runs that were not requested, by rule. */
    Map<String, Long> refusals() {
        return sums(Counter.REFUSED);
    }

    /** Returns the URLs of all runs that were found and not queued, by rule. */
    Map<String, Long> skipped() {
        return sums(Counter.SKIPPED);
    }

    private Map<String, Long> sums(Counter counter) {
        Map<String, Long> sums = new TreeMap<>(earlier.getOrDefault(counter, Map.of()));
        Sample last = ofLastRun();
        Map<String, Long> counts = last == null ? Map.of() : last.counts().by(counter);
        counts.forEach((name, number) -> {
            if (sums.size() < Bounds.NAMES || sums.containsKey(name)) {
                sums.merge(name, number, Long::sum);
            }
        });
        return sums;
    }
}
