package dev.sieve.report;

import dev.sieve.crawl.Journal;
import dev.sieve.output.Verdict;
import dev.sieve.output.VisitField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a job's journal says of the last visit of a URL. */
public final class RecordedVisit {
    private RecordedVisit() {}

    /** Returns sentences on the last visit of the URL with this key; none if nothing of note is recorded. */
    public static List<String> of(Path folder, String key) throws IOException {
        if (Files.notExists(folder.resolve(Journal.KIND.name()))) {
            return List.of();
        }
        List<String> last = new ArrayList<>();
        // A line without the text is not parsed, since that would take most of the time.
        String text = JsonLine.RECORDS.asString(key);
        Journal.read(
                folder,
                json -> {
                    Entry entry = json.contains(text) ? JournalFormat.entry(json) : null;
                    if (entry != null
                            && entry.verdict() != Verdict.FRAGMENT
                            && entry.key().equals(key)) {
                        last.clear();
                        last.addAll(sentences(entry));
                    }
                },
                problem -> {});
        return last;
    }

    private static List<String> sentences(Entry entry) throws IOException {
        List<String> sentences = new ArrayList<>();
        String responder = entry.responder(entry.verdict());
        if (responder != null) {
            sentences.add(entry.verdict().named(responder) + " responded in place of the site");
        }
        add(sentences, "rendered at the last visit: ", entry.value(VisitField.RENDERED));
        add(sentences, "signals, by which nothing is decided: ", entry.value(VisitField.SIGNALS));
        return sentences;
    }

    private static void add(List<String> sentences, String start, @Nullable Object value) throws IOException {
        if (value != null) {
            sentences.add(start + JsonLine.RECORDS.asString(value));
        }
    }
}
