package dev.sieve.report;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** Finds the pages that link to broken URLs, among all pages that are passed to it. */
final class ReferrerSearch {
    private final BrokenLinks broken;

    ReferrerSearch(BrokenLinks broken) {
        this.broken = broken;
        broken.list().forEach(BrokenLinks.Link::search);
    }

    /** Adds a line of a journal. */
    void add(String json) throws IOException {
        // Most lines are of pages; without a broken link none has to be parsed.
        if (broken.list().isEmpty()) {
            return;
        }
        add(JsonLine.parse(json));
    }

    private void add(JsonLine line) throws IOException {
        String page = line.text("url");
        if (page == null || line.text("kind") != null) {
            return;
        }
        Set<BrokenLinks.Link> found = new HashSet<>();
        for (long hash : JournalFormat.hashes(line)) {
            add(found, hash);
        }
        if (line.text("redirect_to") != null) {
            add(found, Entry.hash(Entry.key(line.text("redirect_to"))));
        }
        found.forEach(link -> link.addReferrer(page));
    }

    private void add(Set<BrokenLinks.Link> found, long hash) {
        BrokenLinks.Link link = broken.get(hash);
        if (link != null) {
            found.add(link);
        }
    }

    /** Adds a link from a page to a key. */
    void add(String page, String key) {
        BrokenLinks.Link link = broken.get(Entry.hash(key));
        if (link != null) {
            link.addReferrer(page);
        }
    }
}
