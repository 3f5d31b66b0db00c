package dev.sieve.report;

import dev.sieve.crawl.Journal;
import dev.sieve.output.VisitField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The last visit of a URL, as recorded in a job's journal.
 *
 * @param signals how its content may be used, as JSON; null if the site sends no signals
 * @param rendered how a browser has rendered it, as JSON; null if it was not rendered
 * @param wall the name of the bot wall that responded instead of the site; null if none did
 */
public record RecordedVisit(
        @Nullable String signals,
        @Nullable String rendered,
        @Nullable String wall) {
    private static final RecordedVisit NONE = new RecordedVisit(null, null, null);

    /** Returns the last visit of the URL with this key; all fields are null if none is recorded. */
    public static RecordedVisit of(Path folder, String key) throws IOException {
        if (Files.notExists(folder.resolve(Journal.KIND.name()))) {
            return NONE;
        }
        RecordedVisit[] last = {NONE};
        // A line without the text is not parsed, since that would take most of the time.
        String text = JsonLine.RECORDS.asString(key);
        Journal.read(
                folder,
                json -> {
                    Entry entry = json.contains(text) ? JournalFormat.entry(json) : null;
                    if (entry != null && !entry.isFragment() && entry.key().equals(key)) {
                        last[0] = new RecordedVisit(
                                json(entry, VisitField.SIGNALS), json(entry, VisitField.RENDERED), entry.wall());
                    }
                },
                problem -> {});
        return last[0];
    }

    private static @Nullable String json(Entry entry, VisitField field) throws IOException {
        Object value = entry.value(field);
        return value == null ? null : JsonLine.RECORDS.asString(value);
    }
}
