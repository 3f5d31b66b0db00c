package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.io.LineFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * What the runs of a job have found that a later one has to know, since its verdict is about the job: failures, changes, refused
 * URLs and the first page, as counters that each URL has increased, and where URLs redirect. In a job with rounds, those of the
 * present round. Not safe for use by many threads, but for {@link #flush}.
 */
public final class JobResults {
    public static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-results",
            1,
            "a result",
            "the exit code may not be about failures that earlier runs have found",
            Journal::isRecord);

    private static final String MOVED = "moved ";
    private static final String SEPARATOR = "\t";
    /** Those of hosts that do not respond may be many; the others are requested again. */
    private static final int MOST_OPEN = 10_000;

    private final Journal journal;
    private final BiConsumer<String, String> redirects;
    private final Counts.Builder earlier = new Counts.Builder();
    /** What is recorded of URLs that are in the frontier, by their ids. */
    private final Map<Long, String> open = new HashMap<>();

    private final List<String> noted = new ArrayList<>();
    private boolean hasPage;
    private volatile boolean isUnstored;

    /** Opens the results of a job; {@code redirects} receives the keys of URLs and of what they redirect to. */
    JobResults(CrawlJob job, BiConsumer<String, String> redirects) throws IOException {
        this.redirects = redirects;
        journal = new Journal(job.files(), KIND, job);
        journal.read((id, record) -> {
            if (!journal.isOpen(id)) {
                restore(record);
            } else if (open.size() < MOST_OPEN) {
                open.put(id, record);
            }
        });
    }

    private void restore(String record) {
        for (String each : record.split(SEPARATOR, -1)) {
            String[] words = each.split(" ", 2);
            if (each.startsWith(MOVED)) {
                String[] urls = words[1].split(" ", 2);
                redirects.accept(urls[0], urls[1]);
            } else if (words.length == 2) {
                Counter counter = Counter.valueOf(words[0].toUpperCase(Locale.ROOT));
                earlier.add(counter, words[1], 1);
                hasPage |= counter == Counter.PAGES;
            } else if (!each.isEmpty()) {
                earlier.add(Counter.valueOf(each.toUpperCase(Locale.ROOT)), 1);
            }
        }
    }

    /** Notes a counter that a visit has increased, with its part; empty for none. */
    void note(Counter counter, String part) {
        if (counter != Counter.PAGES || !hasPage) {
            noted.add((counter.key() + " " + part).stripTrailing());
            hasPage |= counter == Counter.PAGES;
        }
    }

    void moved(String key, String target) {
        noted.add(MOVED + key + " " + target);
    }

    /** Adds what was noted of the URL with an id since the last call. */
    void add(long id) {
        if (id >= 0 && (!noted.isEmpty() || journal.isOpen(id))) {
            open.remove(id);
            journal.add(id, String.join(SEPARATOR, noted).getBytes(ISO_8859_1));
            isUnstored = true;
        }
        noted.clear();
    }

    /** Notes that the visit of a URL by an earlier run counts, although it is still in the frontier. */
    void repeated(long id) {
        String record = open.remove(id);
        if (record != null) {
            restore(record);
        }
    }

    void flush(boolean isForced) {
        if (isUnstored) {
            isUnstored = false;
            journal.flush(isForced);
        }
    }

    /** Returns the counters of earlier runs. */
    Counts earlier() {
        return earlier.counts();
    }
}
