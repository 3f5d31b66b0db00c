package dev.sieve.report;

import dev.sieve.output.VisitField;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages with the highest values. */
final class TopPages {
    /** The highest value first. */
    public List<Page> pages = new ArrayList<>();

    /** A page and the value by which it is compared. */
    record Page(
            long value,
            String url,
            @Nullable String title,
            int status,
            @Nullable String type,
            long bytes,
            long millis) {}

    void add(long value, Entry entry) {
        if (isHigh(value)) {
            add(new Page(
                    value,
                    Bounds.cut(entry.url()),
                    Bounds.cutOrNull(entry.text(VisitField.TITLE)),
                    entry.status(),
                    Bounds.cutOrNull(entry.text(VisitField.TYPE)),
                    entry.number(VisitField.BYTES),
                    entry.number(VisitField.MS)));
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
