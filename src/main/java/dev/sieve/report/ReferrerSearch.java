package dev.sieve.report;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** Finds the pages that link to broken URLs, among all pages that are passed to it. */
final class ReferrerSearch {
    /** How the target of a redirect begins; null is not a text. */
    private static final String REDIRECT = "\"redirect_to\": \"";

    private final BrokenLinks broken;

    ReferrerSearch(BrokenLinks broken) {
        this.broken = broken;
        broken.list().forEach(BrokenLinks.Link::search);
    }

    /** Adds a line of a journal. */
    void add(String json) throws IOException {
        Set<BrokenLinks.Link> found = new HashSet<>();
        for (long hash : JournalFormat.hashes(json)) {
            add(found, hash);
        }
        // Few pages link to a broken URL, so that few lines are parsed.
        if (found.isEmpty() && !json.contains(REDIRECT)) {
            return;
        }
        JsonLine line = JsonLine.parse(json);
        String page = line.text("url");
        if (page == null || line.text("kind") != null) {
            return;
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
