package dev.sieve.report;

import dev.sieve.fetch.FetchResult.Reason;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * URLs that links lead to and that failed, or responded with a status of 400 or above that is not accepted. The first ones are
 * listed, and removed again when a later request succeeds; the others are only counted. URLs of other sites without a
 * response are listed as long as there is room, since a network that fails has many of them. A link to a redirect that leads
 * to such a URL is a link to that URL. A missing fragment has an entry for each page that links to it.
 */
final class BrokenLinks {
    /** How many referrers of a link are listed; the others are counted. */
    static final int REFERRERS = 20;
    /** Characters of all referrers besides the first one of each link. */
    private static final int REFERRER_CHARACTERS = 2 << 20;

    /** A crawl follows no more redirects in a row. */
    private static final int MOST_HOPS = 10;

    /** URLs of the crawl, and responses. */
    private final Map<Long, Link> links = new LinkedHashMap<>();

    /** Checked links without a response. */
    private final Map<Long, Link> silent = new LinkedHashMap<>();

    /** The hash codes of their keys; they rule out most of the URLs that work. */
    private final BitSet hashCodes = new BitSet(1 << 16);

    /** The first redirects, by the hash of their key. */
    private final Map<Long, Hop> redirects = new HashMap<>();

    /** Broken links that are not listed, by reason. */
    private final Tally<String> unlisted = new Tally<>(Bounds.NAMES);

    private long unlistedChecks;
    private long unlistedFragments;
    private int charactersLeft = REFERRER_CHARACTERS;

    /** A redirect: the hash of the key of its target, and the page on which it was first found. */
    private record Hop(long target, @Nullable String referrer) {}

    /** What is stored: the first links, and how many others there are by reason. */
    record Kept(List<KeptLink> links, List<Tally.Kept> unlisted, long unlistedChecks, long unlistedFragments) {}

    /** A link as it is stored, with the hash of its key. */
    record KeptLink(
            long hash,
            String url,
            String reason,
            boolean check,
            boolean fragment,
            @Nullable String referrer) {}

    /** A broken link. */
    static final class Link {
        private final String url;
        private final String reason;
        private final boolean isCheck;
        private final boolean isFragment;
        private final List<String> referrers = new ArrayList<>(1);
        private long referrerCount;
        private boolean isComplete;

        private Link(Entry entry, @Nullable String referrer) {
            url = Bounds.cut(entry.url());
            reason = Bounds.cut(entry.reason());
            isCheck = entry.isCheck();
            isFragment = entry.isFragment();
            isComplete = isFragment;
            if (referrer != null) {
                referrers.add(Bounds.cut(referrer));
                referrerCount = 1;
            }
        }

        private Link(KeptLink kept) {
            url = kept.url;
            reason = kept.reason;
            isCheck = kept.check;
            isFragment = kept.fragment;
            if (kept.referrer != null) {
                referrers.add(kept.referrer);
                referrerCount = 1;
            }
        }

        private KeptLink kept(long hash) {
            return new KeptLink(hash, url, reason, isCheck, isFragment, referrers.isEmpty() ? null : referrers.get(0));
        }

        String url() {
            return url;
        }

        String reason() {
            return reason;
        }

        boolean isCheck() {
            return isCheck && !isFragment;
        }

        boolean isFragment() {
            return isFragment;
        }

        /** Returns pages that link to it, the one on which it was first found first; empty for a seed. */
        List<String> referrers() {
            return referrers;
        }

        /** Returns the number of pages that are found to link to it. */
        long referrerCount() {
            return referrerCount == 0 ? referrers.size() : referrerCount;
        }

        /** Returns whether the pages that link to it were searched and found, not only the first one counted. */
        boolean isComplete() {
            return isComplete && referrerCount > 0;
        }

        /** Starts the search of all pages. */
        void search() {
            isComplete = true;
            referrerCount = isFragment ? referrerCount : 0;
        }
    }

    /** Adds a page that links to a listed link. */
    void addReferrer(Link link, String page) {
        link.referrerCount++;
        String cut = Bounds.cut(page);
        boolean hasRoom = link.referrers.isEmpty() || charactersLeft >= cut.length();
        if (hasRoom && link.referrers.size() < REFERRERS && !link.referrers.contains(cut)) {
            charactersLeft -= link.referrers.isEmpty() ? 0 : cut.length();
            link.referrers.add(cut);
        }
    }

    private void addReferrers(Link link, Link other) {
        for (String page : other.referrers) {
            if (!link.referrers.contains(page)) {
                addReferrer(link, page);
            }
        }
    }

    void add(Entry entry) {
        if (entry.redirectTo() != null && redirects.size() < Bounds.REDIRECTS) {
            Hop hop = new Hop(Entry.hash(Entry.key(entry.redirectTo())), Bounds.cutOrNull(page(entry.referrer())));
            redirects.put(Entry.hash(entry.key()), hop);
        }
        if (!entry.isBroken()) {
            Link link = hashCodes.get(bit(entry)) ? get(Entry.hash(entry.key())) : null;
            // A resource of the wrong type is also requested as a page.
            if (link != null && (entry.isCheck() || !link.reason.equals(Reason.WRONG_TYPE.text()))) {
                remove(Entry.hash(entry.key()));
            }
            return;
        }
        Link link = new Link(entry, page(entry.referrer()));
        long hash = Entry.hash(entry.key());
        Link known = link.isFragment ? get(hash) : null;
        if (known != null) {
            addReferrers(known, link);
            return;
        }
        if (hashCodes.get(bit(entry))) {
            remove(hash);
        }
        boolean isSilent = link.isCheck() && entry.status() == 0;
        if (links.size() + silent.size() >= Bounds.BROKEN_LINKS) {
            if (isSilent || silent.isEmpty()) {
                leaveOut(link);
                return;
            }
            leaveOut(remove(silent.keySet().iterator().next()));
        }
        (isSilent ? silent : links).put(hash, link);
        hashCodes.set(bit(entry));
    }

    /** Returns what is stored of this, with a number of links at most. */
    Kept kept(int most) {
        List<KeptLink> first = new ArrayList<>();
        BrokenLinks rest = new BrokenLinks();
        rest.unlisted.add(unlisted.kept(), Function.identity());
        for (Map<Long, Link> some : List.of(links, silent)) {
            some.forEach((hash, link) -> {
                if (first.size() < most) {
                    first.add(link.kept(hash));
                } else {
                    rest.leaveOut(link);
                }
            });
        }
        return new Kept(
                first,
                rest.unlisted.kept(),
                unlistedChecks + rest.unlistedChecks,
                unlistedFragments + rest.unlistedFragments);
    }

    /** Adds what was stored. */
    void add(Kept kept) {
        unlisted.add(kept.unlisted, Function.identity());
        unlistedChecks += kept.unlistedChecks;
        unlistedFragments += kept.unlistedFragments;
        for (KeptLink each : kept.links) {
            if (links.size() < Bounds.BROKEN_LINKS) {
                links.putIfAbsent(each.hash, new Link(each));
            } else {
                leaveOut(new Link(each));
            }
        }
    }

    private @Nullable Link remove(long hash) {
        Link link = links.remove(hash);
        return link == null ? silent.remove(hash) : link;
    }

    private void leaveOut(@Nullable Link link) {
        if (link != null) {
            unlisted.add(link.reason, 1, 0);
            unlistedChecks += link.isCheck() ? 1 : 0;
            unlistedFragments += link.isFragment ? 1 : 0;
        }
    }

    /** Returns the page on which a redirect was found, or on which the one before it was found; otherwise the referrer itself. */
    private @Nullable String page(@Nullable String referrer) {
        Hop hop = referrer == null ? null : redirects.get(Entry.hash(Entry.key(referrer)));
        return hop == null || hop.referrer == null ? referrer : hop.referrer;
    }

    /** Returns whether a URL is a known redirect. */
    boolean isRedirect(String url) {
        return redirects.containsKey(Entry.hash(Entry.key(url)));
    }

    /** Returns the listed links to which redirects lead, by the hashes of the keys of the redirects. */
    Map<Long, Link> behindRedirects() {
        Map<Long, Link> behind = new HashMap<>();
        redirects.forEach((redirect, first) -> {
            Hop hop = first;
            for (int i = 0; i < MOST_HOPS && hop != null; i++) {
                Link link = get(hop.target);
                if (link != null) {
                    behind.put(redirect, link);
                    return;
                }
                hop = redirects.get(hop.target);
            }
        });
        return behind;
    }

    private static int bit(Entry entry) {
        return entry.key().hashCode() & 0xffff;
    }

    /** Returns the links that are listed. */
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

    /** Returns the hashes of the keys of the links that are listed. */
    Set<Long> hashes() {
        Set<Long> all = new HashSet<>(links.keySet());
        all.addAll(silent.keySet());
        return all;
    }

    /** Returns the listed link with a hash of its key; null if there is none. */
    @Nullable
    Link get(long hash) {
        Link link = links.get(hash);
        return link == null ? silent.get(hash) : link;
    }

    /** Returns those that are not listed, by reason. */
    Tally<String> unlisted() {
        return unlisted;
    }

    long count() {
        return links.size() + silent.size() + unlisted.sum();
    }

    /** Returns how many were only checked. */
    long checks() {
        return unlistedChecks + list().stream().filter(Link::isCheck).count();
    }

    /** Returns how many are missing fragments. */
    long fragments() {
        return unlistedFragments + list().stream().filter(Link::isFragment).count();
    }

    /** Returns reasons in the order of the lists: statuses, and then the others, each the most frequent one first. */
    static List<Tally.Line<String>> inOrder(Tally<String> reasons) {
        return reasons.bySize().stream()
                .sorted(Comparator.comparing(line -> !line.name().matches("\\d+")))
                .toList();
    }

    /** Returns how many there are, by reason. */
    Tally<String> reasons() {
        Tally<String> reasons = new Tally<>(Bounds.NAMES);
        reasons.add(unlisted.kept(), Function.identity());
        list().forEach(link -> reasons.add(link.reason, 1, 0));
        return reasons;
    }
}
