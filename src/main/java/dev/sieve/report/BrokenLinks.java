package dev.sieve.report;

import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.output.Verdict;
import dev.sieve.output.VisitField;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * URLs that links lead to and that failed, or responded with a status of 400 or above that is not accepted. The first
 * ones are listed, and removed again when a later request succeeds; the others are only counted. URLs of other sites
 * without a response are listed as long as there is room, since a network that fails has many of them. A link to a
 * redirect that leads to such a URL is a link to that URL. A missing fragment has an entry for each page that links to
 * it.
 */
final class BrokenLinks {
    /** How many referrers of a link are listed; the others are counted. */
    static final int REFERRERS = 20;
    /** Characters of all referrers besides the first one of each link. */
    private static final int REFERRER_CHARACTERS = 2 << 20;

    /** A crawl follows no more redirects in a row. */
    private static final int MOST_HOPS = 10;

    /** URLs of the crawl, and responses, by the {@link Entry#id} of their keys. */
    public Map<String, Link> links = new LinkedHashMap<>();

    /** Checked links without a response. */
    public Map<String, Link> silent = new LinkedHashMap<>();

    /** URLs that have moved for good. */
    public Map<String, Link> moved = new LinkedHashMap<>();

    /** Broken links that are not listed, by reason. */
    public Tally unlisted = new Tally();

    public long unlistedChecks;
    public long unlistedFragments;

    /** The hash codes of the keys of broken links; they rule out most of the URLs that work. */
    private final BitSet hashCodes = new BitSet(1 << 16);

    /** The first redirects, by the {@link Entry#id} of their keys. */
    private final Map<String, Hop> redirects = new HashMap<>();

    private final int limit;
    private int charactersLeft = REFERRER_CHARACTERS;

    /** A redirect: its target, by the {@link Entry#id} of the key, and the page on which it was first found. */
    private record Hop(String target, @Nullable String referrer) {}

    BrokenLinks() {
        this(Bounds.BROKEN_LINKS);
    }

    BrokenLinks(int limit) {
        this.limit = limit;
    }

    static final class Link {
        public String url = "";
        public String reason = "";
        public boolean check;
        public boolean fragment;
        public @Nullable String movedTo;
        /** Whether it was not broken in the run or round before. */
        public boolean newly;

        public List<String> referrers = new ArrayList<>(1);
        private long referrerCount;
        private boolean isComplete;

        Link() {}

        private Link(Entry entry, @Nullable String referrer) {
            url = Bounds.cut(entry.url());
            reason = Bounds.cut(entry.reason());
            check = entry.isCheck();
            fragment = entry.verdict() == Verdict.FRAGMENT;
            movedTo = entry.verdict() == Verdict.MOVED ? Bounds.cutOrNull(entry.redirectTo()) : null;
            newly = entry.is(VisitField.NEWLY_BROKEN);
            isComplete = fragment;
            addFirst(referrer);
        }

        /** Creates a link with the first referrer of another one. */
        private Link(Link other) {
            url = Bounds.cut(other.url);
            reason = Bounds.cut(other.reason);
            check = other.check;
            fragment = other.fragment;
            movedTo = other.movedTo;
            newly = other.newly;
            addFirst(other.referrers.isEmpty() ? null : other.referrers.get(0));
        }

        private void addFirst(@Nullable String referrer) {
            if (referrer != null) {
                referrers.add(Bounds.cut(referrer));
                referrerCount = 1;
            }
        }

        boolean isCheck() {
            return check && !fragment;
        }

        /** Returns the number of pages that are found to link to it. */
        long referrerCount() {
            return referrerCount == 0 ? referrers.size() : referrerCount;
        }

        /** Returns whether the pages that link to it were searched and found, not only the first one counted. */
        boolean isComplete() {
            return isComplete && referrerCount > 0;
        }
    }

    void addReferrer(Link link, String page) {
        link.referrerCount++;
        String cut = Bounds.cut(page);
        boolean hasRoom = link.referrers.isEmpty() || charactersLeft >= cut.length();
        if (hasRoom && link.referrers.size() < REFERRERS && !link.referrers.contains(cut)) {
            charactersLeft -= link.referrers.isEmpty() ? 0 : cut.length();
            link.referrers.add(cut);
        }
    }

    void add(Entry entry) {
        String redirectTo = entry.redirectTo();
        if (redirectTo != null && redirects.size() < Bounds.REDIRECTS) {
            Hop hop = new Hop(Entry.id(Entry.key(redirectTo)), Bounds.cutOrNull(page(entry.referrer())));
            redirects.put(Entry.id(Entry.key(entry.url())), hop);
        }
        if (!moved.isEmpty()) {
            moved.remove(Entry.id(entry.key()));
        }
        if (entry.verdict() == Verdict.MOVED && moved.size() < limit) {
            moved.put(Entry.id(entry.key()), new Link(entry, page(entry.referrer())));
        }
        boolean isBroken = entry.verdict().isBroken();
        if (!isBroken && !hashCodes.get(bit(entry))) {
            return;
        }
        String id = Entry.id(entry.key());
        Link known = get(id);
        if (!isBroken) {
            // A resource of the wrong type is also requested as a page.
            if (known != null && (entry.isCheck() || !known.reason.equals(Reason.WRONG_TYPE.text()))) {
                remove(id);
            }
            return;
        }
        Link link = new Link(entry, page(entry.referrer()));
        if (known != null && link.fragment) {
            link.referrers.stream()
                    .filter(page -> !known.referrers.contains(page))
                    .forEach(page -> addReferrer(known, page));
            return;
        }
        remove(id);
        put(id, link, link.isCheck() && entry.status() == 0);
        hashCodes.set(bit(entry));
    }

    private void put(String id, Link link, boolean isSilent) {
        if (links.size() + silent.size() >= limit) {
            if (isSilent || silent.isEmpty()) {
                leaveOut(link);
                return;
            }
            leaveOut(remove(silent.keySet().iterator().next()));
        }
        (isSilent ? silent : links).put(id, link);
    }

    /** Adds the links of another crawl, each with its first referrer; a link of both stays as it is. */
    void merge(BrokenLinks other) {
        unlisted.merge(other.unlisted);
        unlistedChecks += other.unlistedChecks;
        unlistedFragments += other.unlistedFragments;
        other.moved.forEach((id, link) -> {
            if (moved.size() < limit) {
                moved.putIfAbsent(id, new Link(link));
            }
        });
        for (Map<String, Link> some : List.of(other.links, other.silent)) {
            some.forEach((id, link) -> {
                if (get(id) == null) {
                    put(id, new Link(link), some == other.silent);
                }
            });
        }
    }

    private @Nullable Link remove(String id) {
        Link link = links.remove(id);
        return link == null ? silent.remove(id) : link;
    }

    private void leaveOut(@Nullable Link link) {
        if (link != null) {
            unlisted.add(link.reason, 1, 0);
            unlistedChecks += link.isCheck() ? 1 : 0;
            unlistedFragments += link.fragment ? 1 : 0;
        }
    }

    /** Returns the page on which a redirect was found, or on which the one before it was found; otherwise the referrer itself. */
    private @Nullable String page(@Nullable String referrer) {
        Hop hop = referrer == null ? null : redirects.get(Entry.id(Entry.key(referrer)));
        return hop == null || hop.referrer == null ? referrer : hop.referrer;
    }

    boolean isRedirect(String url) {
        return redirects.containsKey(Entry.id(Entry.key(url)));
    }

    /** Starts a search for the pages that link to the listed links. */
    Search search() {
        return new Search();
    }

    /** Finds the pages that link to broken URLs, among all pages that are passed to it. */
    final class Search {
        private static final int BITS = 1 << 16;

        private final Map<Long, Link> byHash = byHash();
        /** Rules out most links at little cost. */
        private final BitSet candidates = new BitSet(BITS);

        private Search() {
            all().forEach(link -> link.referrerCount = link.fragment ? link.referrerCount : 0);
            byHash.keySet().forEach(hash -> candidates.set(bit(hash)));
        }

        private static int bit(long hash) {
            return (int) hash & (BITS - 1);
        }

        /** Returns the links to which hashes of keys lead. */
        Set<Link> find(LongBuffer hashes) {
            Set<Link> found = Set.of();
            while (hashes.hasRemaining()) {
                long hash = hashes.get();
                Link link = candidates.get(bit(hash)) ? byHash.get(hash) : null;
                if (link != null) {
                    found = found.isEmpty() ? new HashSet<>() : found;
                    found.add(link);
                }
            }
            return found;
        }

        void add(String page, Set<Link> found) {
            if (!isRedirect(page)) {
                found.forEach(link -> addReferrer(link, page));
            }
        }

        void add(String page, String key) {
            Link link = byHash.get(Entry.hash(key));
            if (link != null) {
                add(page, Set.of(link));
            }
        }

        /** Notes that all pages were passed to this. */
        void end() {
            all().forEach(link -> link.isComplete = true);
        }
    }

    /** Returns the listed links by the hashes of their keys, and of the keys of the redirects that lead to them. */
    private Map<Long, Link> byHash() {
        Map<Long, Link> found = new HashMap<>();
        add(moved, found);
        redirects.forEach((redirect, first) -> {
            Hop hop = first;
            for (int i = 0; i < MOST_HOPS && hop != null; i++) {
                Link link = get(hop.target);
                if (link != null) {
                    found.put(Entry.hashOf(redirect), link);
                    return;
                }
                hop = redirects.get(hop.target);
            }
        });
        add(links, found);
        add(silent, found);
        return found;
    }

    /** Adds links by their keys, and by the keys of their URLs, which may have parameters that their own keys lack. */
    private static void add(Map<String, Link> links, Map<Long, Link> found) {
        links.forEach((id, link) -> {
            found.put(Entry.hash(Entry.key(link.url)), link);
            found.put(Entry.hashOf(id), link);
        });
    }

    private static int bit(Entry entry) {
        return entry.key().hashCode() & 0xffff;
    }

    /** Returns the links of which the pages are searched. */
    private List<Link> all() {
        List<Link> all = list();
        all.addAll(moved.values());
        return all;
    }

    List<Link> list() {
        List<Link> all = new ArrayList<>(links.values());
        all.addAll(silent.values());
        return all;
    }

    /** Returns the listed links by reason, in their order; in each group, the URLs of the crawl before those of other sites. */
    Map<String, List<Link>> groups() {
        Map<String, List<Link>> groups = new LinkedHashMap<>();
        inOrder(reasons()).forEach(reason -> groups.put(reason.name(), new ArrayList<>()));
        list().forEach(link ->
                groups.computeIfAbsent(link.reason, each -> new ArrayList<>()).add(link));
        groups.values().forEach(group -> group.sort(Comparator.comparing(Link::isCheck)));
        return groups;
    }

    /** Returns the listed link with an {@link Entry#id} of its key; null if there is none. */
    @Nullable
    Link get(String id) {
        Link link = links.get(id);
        return link == null ? silent.get(id) : link;
    }

    long count() {
        return links.size() + silent.size() + unlisted.sum();
    }

    long checks() {
        return unlistedChecks + list().stream().filter(Link::isCheck).count();
    }

    /** Returns how many are missing fragments. */
    long fragments() {
        return unlistedFragments + list().stream().filter(link -> link.fragment).count();
    }

    /** Returns reasons in the order of the lists: statuses, and then the others, each the most frequent one first. */
    static List<Tally.Line> inOrder(Tally reasons) {
        return reasons.bySize().stream()
                .sorted(Comparator.comparing(line -> !line.name().matches("\\d+")))
                .toList();
    }

    Tally reasons() {
        Tally reasons = new Tally();
        reasons.merge(unlisted);
        list().forEach(link -> reasons.add(link.reason, 1, 0));
        return reasons;
    }
}
