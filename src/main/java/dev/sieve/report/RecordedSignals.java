package dev.sieve.report;

import dev.sieve.crawl.Journal;
import dev.sieve.output.VisitField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What the records of a job's report say about how the content of a URL may be used. */
public final class RecordedSignals {
    private static final String MARK = "\"" + VisitField.SIGNALS.text() + "\"";

    private RecordedSignals() {}

    /**
     * Returns the signals of the last visit of a URL as JSON; null when there are none, or no records.
     *
     * @param key the key of the URL
     * @throws IOException when the records cannot be read
     */
    public static @Nullable String of(Path folder, String key) throws IOException {
        if (Files.notExists(folder.resolve(Journal.KIND.name()))) {
            return null;
        }
        String[] last = new String[1];
        Journal.read(
                folder,
                json -> {
                    Entry entry = json.contains(MARK) ? JournalFormat.entry(json) : null;
                    Object signals = entry == null || !entry.key().equals(key) ? null : entry.value(VisitField.SIGNALS);
                    last[0] = signals == null ? last[0] : JsonLine.RECORDS.asString(signals);
                },
                problem -> {});
        return last[0];
    }
}
