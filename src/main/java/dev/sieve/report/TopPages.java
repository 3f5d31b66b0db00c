package dev.sieve.report;

import dev.sieve.output.Row;
import dev.sieve.output.VisitField;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pages with the highest values. */
final class TopPages {
    /** The highest value first. */
    public List<Page> pages = new ArrayList<>();

    /** A page, the value by which it is compared, and the fields that are shown, by their names. */
    record Page(long value, Map<String, Object> fields) implements Row {
        Page {
            Objects.requireNonNull(fields);
        }

        @Override
        public @Nullable Object value(VisitField field) {
            return fields.get(field.text());
        }
    }

    void add(long value, Entry entry) {
        if (isHigh(value)) {
            Map<String, Object> fields = new HashMap<>();
            for (VisitField field : VisitField.LISTED.keySet()) {
                Object shown = entry.value(field);
                if (shown != null) {
                    fields.put(field.text(), shown instanceof String text ? Bounds.cut(text) : shown);
                }
            }
            add(new Page(value, fields));
        }
    }

    private void add(Page page) {
        if (isHigh(page.value)) {
            if (pages.size() == Bounds.TOP_PAGES) {
                pages.remove(pages.size() - 1);
            }
            pages.add(page);
            pages.sort(Comparator.comparingLong(each -> -each.value));
        }
    }

    void merge(TopPages other) {
        other.pages.forEach(this::add);
    }

    private boolean isHigh(long value) {
        return value > 0 && (pages.size() < Bounds.TOP_PAGES || pages.get(pages.size() - 1).value < value);
    }
}
