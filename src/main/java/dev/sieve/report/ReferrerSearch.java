package dev.sieve.report;

import java.io.IOException;
import java.nio.LongBuffer;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Finds the pages that link to broken URLs, among all pages that are passed to it. */
final class ReferrerSearch {
    private static final int BITS = 1 << 16;

    private final BrokenLinks broken;
    /** The links by the hashes of their keys, and of the keys of redirects to them. */
    private final Map<Long, BrokenLinks.Link> links;
    /** Rules out most links at little cost. */
    private final BitSet candidates = new BitSet(BITS);

    ReferrerSearch(BrokenLinks broken) {
        this.broken = broken;
        broken.list().forEach(BrokenLinks.Link::search);
        links = broken.byHash();
        links.keySet().forEach(hash -> candidates.set(bit(hash)));
    }

    private static int bit(long hash) {
        return (int) hash & (BITS - 1);
    }

    /** Adds a line of a journal. */
    void add(String json) throws IOException {
        Set<BrokenLinks.Link> found = Set.of();
        LongBuffer hashes = JournalFormat.hashes(json);
        while (hashes.hasRemaining()) {
            long hash = hashes.get();
            BrokenLinks.Link link = candidates.get(bit(hash)) ? links.get(hash) : null;
            if (link != null) {
                found = found.isEmpty() ? new HashSet<>() : found;
                found.add(link);
            }
        }
        String page = found.isEmpty() ? null : JsonLine.parse(json).text("url");
        if (page != null && !broken.isRedirect(page)) {
            found.forEach(link -> broken.addReferrer(link, page));
        }
    }

    /** Adds a link from a page to a key. */
    void add(String page, String key) {
        BrokenLinks.Link link = links.get(Entry.hash(key));
        if (link != null && !broken.isRedirect(page)) {
            broken.addReferrer(link, page);
        }
    }
}
