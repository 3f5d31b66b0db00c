package dev.sieve.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The pages with the highest values. */
final class TopPages {
    private final PriorityQueue<Page> pages = new PriorityQueue<>(Comparator.comparingLong(Page::value));

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
                    Bounds.cutOrNull(entry.title()),
                    entry.status(),
                    Bounds.cutOrNull(entry.type()),
                    entry.bytes(),
                    entry.millis()));
        }
    }

    void add(Page page) {
        if (isHigh(page.value)) {
            if (pages.size() == Bounds.TOP_PAGES) {
                pages.remove();
            }
            pages.add(page);
        }
    }

    private boolean isHigh(long value) {
        return value > 0 && (pages.size() < Bounds.TOP_PAGES || pages.peek().value < value);
    }

    /** Returns the pages, the highest value first. */
    List<Page> list() {
        List<Page> sorted = new ArrayList<>(pages);
        sorted.sort(Comparator.comparingLong(page -> -page.value));
        return sorted;
    }
}
