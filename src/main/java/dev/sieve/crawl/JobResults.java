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
 * The results of earlier runs that a later one needs, since its verdict is about the job: the {@linkplain
 * Counter#isOfJob counters} that each URL has increased, and where URLs redirect. In a job with rounds, those of the
 * present round. A result of an earlier run counts until its URL is recorded again. Safe for use by many threads.
 */
public final class JobResults {
    /** Begins the line of the first page, which belongs to no URL: of the others, nothing is stored. */
    private static final String FIRST = Counter.PAGES.key() + " ";

    public static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-results",
            1,
            "a result",
            "the exit code may not be about failures that earlier runs have found",
            line -> Journal.isRecord(line) || line.startsWith(FIRST));

    private static final String MOVED = "moved ";
    private static final String SEPARATOR = "\t";
    /** Characters of all texts that are kept. */
    private static final int TEXTS = 1 << 20;

    private final Journal journal;
    private final Counts.Builder earlier = new Counts.Builder();
    private final List<String> noted = new ArrayList<>();
    /** What earlier runs have found of URLs that are in the frontier: few texts, by which the journal marks the URLs. */
    private final List<String> texts = new ArrayList<>(List.of(""));

    private final Map<String, Long> marks = new HashMap<>();
    private int room = TEXTS;
    private boolean hasPage;
    /** The line of the first page, until it is stored. */
    private String first = "";

    private boolean isUnstored;

    /** Opens the results of a job; {@code redirects} receives the keys of URLs and of what they redirect to. */
    JobResults(CrawlJob job, BiConsumer<String, String> redirects) throws IOException {
        journal = new Journal(job.files(), KIND, job);
        journal.read((id, record) -> {
            List<String> counters = new ArrayList<>();
            for (String each : record.split(SEPARATOR, -1)) {
                if (each.startsWith(MOVED)) {
                    String[] urls = each.substring(MOVED.length()).split(" ", 2);
                    redirects.accept(urls[0], urls[1]);
                } else if (!each.isEmpty()) {
                    counters.add(each);
                }
            }
            String found = String.join(SEPARATOR, counters);
            count(found, 1);
            String before = found(id);
            String all = before + (before.isEmpty() || found.isEmpty() ? "" : SEPARATOR) + found;
            if (!found.isEmpty() && journal.isOpen(id) && (marks.containsKey(all) || all.length() <= room)) {
                journal.mark(id, marks.computeIfAbsent(all, this::keep));
            }
        });
    }

    private long keep(String text) {
        room -= text.length();
        texts.add(text);
        return texts.size();
    }

    /** Returns what earlier runs have found of a URL that is still in the frontier, and that this one has not recorded. */
    private String found(long id) {
        return journal.isOpen(id) ? texts.get((int) journal.mark(id) - 1) : "";
    }

    private void count(String record, int number) {
        for (String each : record.isEmpty() ? new String[0] : record.split(SEPARATOR, -1)) {
            String[] words = each.split(" ", 2);
            Counter counter = Counter.valueOf(words[0].toUpperCase(Locale.ROOT));
            if (words.length == 2) {
                earlier.add(counter, words[1], number);
            } else {
                earlier.add(counter, number);
            }
            hasPage |= counter == Counter.PAGES;
        }
    }

    /** Notes a counter that a visit has increased, with its part; empty for none. */
    synchronized void note(Counter counter, String part) {
        String text = (counter.key() + " " + part).stripTrailing();
        if (counter != Counter.PAGES) {
            noted.add(text);
        } else if (!hasPage) {
            hasPage = true;
            first = text;
        }
    }

    synchronized void moved(String key, String target) {
        noted.add(MOVED + key + " " + target);
    }

    /** Adds what was noted of the URL with an id since the last call; -1 for none. */
    synchronized void add(long id) {
        if (!first.isEmpty()) {
            journal.add(first.getBytes(ISO_8859_1));
            first = "";
            isUnstored = true;
        }
        if (id >= 0 && (!noted.isEmpty() || journal.isOpen(id))) {
            count(found(id), -1);
            journal.add(id, String.join(SEPARATOR, noted).getBytes(ISO_8859_1));
            isUnstored = true;
        }
        noted.clear();
    }

    void flush(boolean isForced) {
        synchronized (this) {
            if (!isUnstored) {
                return;
            }
            isUnstored = false;
        }
        journal.flush(isForced);
    }

    synchronized Counts earlier() {
        return earlier.counts();
    }
}
