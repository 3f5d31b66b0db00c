package dev.sieve.report;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Redirects, and the chains that they form. The first ones are kept, the others only counted. */
final class Redirects {
    private final Map<Long, Step> steps = new LinkedHashMap<>();
    /** Rules out most URLs that are not the target of a redirect. */
    private final BitSet targets = new BitSet(1 << 16);

    private long count;

    private static final class Step {
        private final String url;
        private final int status;
        private final String target;
        private final long targetHash;
        private final boolean isFollowUp;
        private String result;

        private Step(Entry entry, boolean isFollowUp) {
            url = Bounds.cut(entry.url());
            status = entry.status();
            target = Bounds.cut(entry.redirectTo());
            targetHash = Entry.hash(entry.redirectTo());
            this.isFollowUp = isFollowUp;
        }
    }

    /**
     * Redirects that follow one another.
     *
     * @param urls the URLs in their order; the last one is the target of the last redirect
     * @param statuses the status of each URL but the last one
     * @param result the status or the error of the last URL; null when it was not requested because of this chain
     * @param isLoop whether the last URL is one of those before
     */
    record Chain(List<String> urls, List<Integer> statuses, String result, boolean isLoop) {}

    void add(Entry entry) {
        boolean mayFollow = entry.referrer() != null && targets.get(bit(entry.url()));
        Step before = mayFollow ? steps.get(Entry.hash(entry.referrer())) : null;
        boolean isFollowUp = before != null && before.target.equals(Bounds.cut(entry.url()));
        if (isFollowUp) {
            before.result = entry.redirectTo() == null ? entry.reason() : null;
        }
        if (entry.redirectTo() != null) {
            count++;
            if (steps.size() < Bounds.REDIRECTS) {
                steps.put(Entry.hash(entry.url()), new Step(entry, isFollowUp));
                targets.set(bit(entry.redirectTo()));
            }
        }
    }

    private static int bit(String url) {
        return url.hashCode() & 0xffff;
    }

    long count() {
        return count;
    }

    /** Returns the chains, the longest first. */
    List<Chain> chains() {
        List<Chain> chains = new ArrayList<>();
        for (Step first : steps.values()) {
            if (!first.isFollowUp) {
                chains.add(chain(first));
            }
        }
        Comparator<Chain> byLength = Comparator.comparingInt(chain -> -chain.statuses.size());
        chains.sort(byLength.thenComparing(chain -> chain.urls.get(0)));
        return chains;
    }

    private Chain chain(Step first) {
        List<String> urls = new ArrayList<>(List.of(first.url));
        List<Integer> statuses = new ArrayList<>();
        Set<Step> passed = new HashSet<>();
        Step last = first;
        for (Step step = first; step != null && passed.add(step); step = steps.get(step.targetHash)) {
            last = step;
            statuses.add(step.status);
            urls.add(step.target);
        }
        return new Chain(urls, statuses, last.result, passed.contains(steps.get(last.targetHash)));
    }
}
