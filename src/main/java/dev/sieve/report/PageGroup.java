package dev.sieve.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Pages that have something in common: how many, and the first ones. */
final class PageGroup {
    /** Pages that are listed. */
    private static final int LISTED = 10;

    private final String name;
    private final List<String> pages = new ArrayList<>(1);
    private long count;
    private long declared;

    /** Creates a group without a page. Its name is what the pages have in common. */
    PageGroup(String name) {
        this.name = name;
    }

    void add(String page) {
        count++;
        if (pages.size() < LISTED) {
            pages.add(page);
        }
    }

    /** Adds a page that names the first of the group as its canonical URL. */
    void addDeclared(String page) {
        declared++;
        add(page);
    }

    String name() {
        return name;
    }

    long count() {
        return count;
    }

    /** Returns how many pages name the first one as their canonical URL. */
    long declared() {
        return declared;
    }

    /** Returns the first pages. */
    List<String> pages() {
        return Collections.unmodifiableList(pages);
    }
}
